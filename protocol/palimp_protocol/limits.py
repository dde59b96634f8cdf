"""Bounds that users and peers can meet, with unit and reason; others stand in their modules."""

from typing import Final

# --- bytes on the wire ---------------------------------------------------------------------------

FRAME_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of a frame's body, far above a memory (10,000 characters) or long document. Also the socket's MAXMSGSIZE, above
which libzmq disconnects: relays refuse larger lines.
"""

LINE_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes of a client's JSON-RPC line. Above FRAME_BYTES_MAX it is read whole, so that its id gets an error; above this
it is skipped unread and answered without an id.
"""

FRAME_ID_BYTES_MAX: Final = 64
"""Bytes of a frame id: a 16-byte uuid and an 8-byte counter, with room for other schemes."""

ERROR_CHARACTERS_MAX: Final = 2_000
"""Characters of an error's text, and of its hint: a few sentences; a quoted frame is cut."""

FRAME_PARTS: Final = 3
"""Parts of a message after the ROUTER's identity: head, id, body."""

SOCKET_PATH_BYTES_MAX: Final = 107
"""Bytes of a Unix socket path: sun_path has 108 with its NUL (libzmq raises at 108)."""

# --- what is shown of foreign text ----------------------------------------------------------------

LINE_CHARACTERS_MAX: Final = 500
"""Characters of a title, commit subject or one-line note; the rest of a longer one can be looked up."""

NAME_CHARACTERS_MAX: Final = 160
"""Characters of a file name, value or tag in a sentence: most paths are shorter."""

# --- peers and queues ----------------------------------------------------------------------------

PEERS_MAX: Final = 1024
"""Peers at once, a stop for leaks: a user has tens of sessions."""

PEER_OUTBOX_FRAMES_MAX: Final = 256
"""Frames waiting for one peer (SNDHWM); a peer with more unread is dropped."""

PEER_INBOX_FRAMES_MAX: Final = 256
"""Frames from one peer waiting for its MCP session; clients have tens in flight, more are refused."""

PEER_REQUESTS_MAX: Final = 64
"""Typed requests of a connection in progress, a sixteenth of the mailbox, to leave room for others; more are answered
`busy`.
"""

STDOUT_BYTES_MAX: Final = 8 * 1024 * 1024
"""Bytes a relay holds for a client that does not read; then it stops reading from the daemon."""

UNANSWERED_MAX: Final = 1024
"""Requests a relay holds, also for resending; more get an error at once."""

IN_FLIGHT_MAX: Final = 128
"""Of these, requests with the daemon; the rest wait in the relay. Half of a peer's frames per direction: a fast
client's relay is not dropped.
"""

MAILBOX_JOBS_MAX: Final = 1024
"""Jobs waiting for the store thread: 200 sessions, five calls each; more are answered `busy`."""

GROUP_WRITES_MAX: Final = 256
"""Writes per transaction; more gain nothing measurable and lengthen the worst reply."""

READ_SLICE_S: Final = 0.010
"""Seconds of reads between two groups of writes, so that neither starves the other."""

# --- time ----------------------------------------------------------------------------------------

READ_DEADLINE_S: Final = 5.0
"""Seconds until a read in the store is interrupted; the slowest measured is far below 1 s."""

CLIENT_DEADLINE_S: Final = 25.0
"""Seconds a client waits for a reply: below Claude Code's 30 s for a server's start, so that users see our error, not a
time-out.
"""

HEARTBEAT_INTERVAL_S: Final = 10.0
"""Seconds between a relay's PINGs, which show whether the daemon still knows the peer."""

PEER_EXPIRY_S: Final = 45.0
"""Seconds of silence until a peer is forgotten: four heartbeats. A suspended laptop's relay says hello again."""

DRAIN_S: Final = 3.0
"""Seconds that a stopping daemon waits for requests in progress; a stop takes at most 5 s."""

DIAL_RETRY_S: Final = 0.1
"""Seconds between two attempts at a silent socket."""

STARTING_RETRY_S: Final = 0.02
"""The same for the client that started the daemon; others, maybe many, try less often."""

SPAWN_QUIET_S: Final = 2.0
"""Seconds between two attempts to start a daemon; a start takes a third of one."""

START_S: Final = 10.0
"""Seconds to wait for a started daemon while it runs: on a busy machine a second would slow it."""

SPAWN_ATTEMPTS_MAX: Final = 5
"""Attempts to start a daemon before a pause of SPAWN_PAUSE_S, lest a broken one be started in a loop."""

SPAWN_PAUSE_S: Final = 30.0
"""Length of that pause, in seconds."""

STOP_QUIET_S: Final = 10.0
"""Seconds after `palimp stop` in which idle clients' relays do not restart the daemon."""

REFUSED_RETRY_S: Final = 1.0
"""Seconds until a relay retries after the daemon had no room."""

LOG_BYTES_MAX: Final = 5 * 1024 * 1024
"""Bytes of the daemon's log; a larger one becomes `.1`, and a new one begins."""

RESENDS_MAX: Final = 5
"""Resends of a request after reconnects: one that crashes each daemon must end in an error."""

EOF_GRACE_S: Final = 0.5
"""Seconds a relay waits for answers after its client closed stdin, so that pipes get them."""

PARENT_CHECK_S: Final = 0.5
"""Seconds between a relay's looks at its parent, which it may outlive by 1 s."""

BYE_LINGER_S: Final = 0.1
"""Seconds a closing client waits until its BYE is handed over."""

# --- the store -----------------------------------------------------------------------------------

WAL_BYTES_MAX: Final = 64 * 1024 * 1024
"""`journal_size_limit`: bytes of the write-ahead log that a checkpoint leaves on disk."""

CHECKPOINT_INTERVAL_S: Final = 60.0
"""Seconds between checkpoints of a grown log: short logs recover fast."""

REQUEST_MEMORY_S: Final = 24 * 3600.0
"""Seconds that a write's id and reply are kept, so that a resent request is not applied twice."""

ID_TRIES_MAX: Final = 8
"""Draws of an id that is unique at its shown length; then one more character is shown."""

# --- memories and recall -------------------------------------------------------------------------

TEXT_CHARACTERS_MAX: Final = 10_000
"""Characters of a memory; longer texts are documents."""

TITLE_CHARACTERS_MAX: Final = 200
"""Characters of a given title; one made from the text has at most 100."""

TAGS_MAX: Final = 20
"""Tags of one memory."""

TAG_CHARACTERS_MAX: Final = 50
"""Characters of a tag."""

QUERY_CHARACTERS_MAX: Final = 10_000
"""Characters of a query: questions and pasted errors are welcome; words are capped below."""

QUERY_WORDS_MAX: Final = 32
"""Looked-up words of a query: hundreds of OR-ed words take seconds on 100,000 memories."""

RECALL_ROWS_MAX: Final = 50
"""Rows per answer, and ids per request."""

LISTED_MAX: Final = 1_000_000
"""Rows of a list's pages: ten times the largest tested store."""

ZONE_CHARACTERS_MAX: Final = 64
"""Characters of a time zone's name: the tz database's longest has 32."""

WHEN_CHARACTERS_MAX: Final = 40
"""Characters of a day, or a time with its zone."""

ID_CHARACTERS_SHOWN: Final = 8
"""Least characters shown of an id: its kind, its second and one more."""

CHARACTERS_PER_TOKEN: Final = 4
"""Estimate for budgets; tokenizers gave 3.6 to 4.2 on this project's answers."""

HANDOFF_TOKENS_MAX: Final = 1_500
"""Tokens of a handover, which another agent reads before it continues."""

LIST_TOKENS_MAX: Final = 2_000
"""Tokens of an answer of several rows."""

ITEM_TOKENS_MAX: Final = 4_000
"""Tokens of one memory in full: 10,000 characters fit."""

# --- settings ------------------------------------------------------------------------------------

SETTINGS_BYTES_MAX: Final = 256 * 1024
"""Bytes of a settings file: a hundred times all settings with comments."""

SETTING_CHARACTERS_MAX: Final = 4_000
"""Characters of a set value: a long command, or a list of patterns."""

# --- documents -----------------------------------------------------------------------------------

SLUG_CHARACTERS_MAX: Final = 80
"""Characters of a slug; longer ones are no names."""

DOCUMENT_CHARACTERS_MAX: Final = 1_000_000
"""Characters of a document, which travels escaped in one frame."""

DOCUMENTS_MAX: Final = 10_000
"""Documents of a project; every search looks at each."""

INDEX_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of a project's document index: twice what DOCUMENTS_MAX entries take."""

DOCUMENTS_READ_S: Final = 600.0
"""Seconds a command waits for documents: a first reading of DOCUMENTS_MAX is long."""

PATTERN_CHARACTERS_MAX: Final = 1_000
"""Characters of a pattern searched for in documents."""

DOC_MATCHES_MAX: Final = 50
"""Lines per answer."""

DOC_LINES_COUNTED_MAX: Final = 1_000
"""Lines at which counting stops: a pattern on every line needs no exact number."""

DOC_SNIPPET_CHARACTERS: Final = 150
"""Characters shown of a matching line."""

DOC_VERSIONS_MAX: Final = 50
"""Former texts kept of a document."""

DOC_HISTORY_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of a project's former texts, packed."""

ADOPTED_AT_ONCE_MAX: Final = 200
"""Files adopted per request, so that the command can show progress."""

# --- code changes --------------------------------------------------------------------------------

PATH_CHARACTERS_MAX: Final = 4_096
"""Characters of a path, as Linux bounds it."""

CHECKED_CHARACTERS_MAX: Final = 200_000
"""Characters of code checked at once: a long file."""

CHANGES_LISTED_MAX: Final = 200
"""Hunks per answer."""

CHANGES_READ_AT_ONCE: Final = 50
"""Files of a tree, or commits, stored per job, so that other sessions come in between."""

HOOK_INPUT_BYTES_MAX: Final = 2 * 1024 * 1024
"""Bytes of input that a hook sends, to fit a frame; a larger one loses long texts, which is reported."""

HOOK_READ_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes of stdin that a hook reads: an edited file before and after, and the whole patch."""

HOOK_TEXT_CHARACTERS_MAX: Final = 100_000
"""Characters sent of a prompt in too large an input: more than typed, less than a pasted log."""

SESSION_CHARACTERS_MAX: Final = 200
"""Characters kept of a session's id; clients' have 36."""

HOOK_SPOOL_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes of edits' records in files while no daemon answers."""

IMPORT_COMMITS_MAX: Final = 20_000
"""Commits read of the first-parent line, newest first: years of a busy project."""

HUNKS_MAX: Final = 100_000
"""Hunks kept per project; benchmarks/results/2026-11-25.md has their size."""

# --- context -------------------------------------------------------------------------------------

CONTEXT_CHARACTERS_MAX: Final = 9_500
"""Characters of a session context: Claude Code moves more than 10,000 into a file."""

CONTEXT_WORK_CHARACTERS_MAX: Final = 5_200
"""Characters in it besides standing rules, some 1,300 tokens: only matches for the work, never filled up."""

CONTEXT_ROWS_MAX: Final = 40
"""Rows of one part of it."""

PROMPT_CONTEXT_TOKENS_MAX: Final = 400
"""Tokens of memories given with a prompt."""

ACTION_CONTEXT_TOKENS_MAX: Final = 200
"""Tokens shown before an action: a session has many."""

# --- upkeep --------------------------------------------------------------------------------------

DIGEST_TOKENS: Final = 2_000
DIGEST_TOKENS_MIN: Final = 200
DIGEST_TOKENS_MAX: Final = 8_000
"""Tokens of a digest."""

DIGEST_MEMORIES_MAX: Final = 2_000
"""A time's memories read for a digest, newest first, besides decisions."""

DIGEST_DECISIONS_MAX: Final = 400
"""Decisions read for a digest, newest first: more than its largest budget holds."""

MERGES_SHOWN_MAX: Final = 50
"""Merges named per answer."""

MERGES_MAX: Final = 20_000
"""Merges of one `compact`: one transaction, so that one step undoes them."""

REPLACED_MAX: Final = 20
"""Memories that one save replaces or narrows: each is looked up."""

SUBJECT_SHOWN_MAX: Final = 3
"""Older memories on the subject in each answer to a save, which agents must read."""

HISTORY_SHOWN_MAX: Final = 30
"""Versions of a memory shown, the newest: some 2,000 tokens."""

WHY_CHARACTERS_MAX: Final = 500
"""Characters of a person's reason for a replacement: a sentence or two."""

PINS_MAX: Final = 40
"""Pinned memories of a project: cut to their titles they still fit a session's start."""

MUTES_MAX: Final = 200
"""Muted memories of a project, and of a list, each looked up; to mute more, purge."""

REVIEWED_MAX: Final = 50
"""Proposals per answer, whole, or per request: more than one sitting."""

ACTS_KEPT: Final = 1_000
"""People's acts kept per project, the newest, and as many of agents': a busy person's year. Older ones are dropped now
and then, and cannot be undone.
"""

ACTS_SHOWN_MAX: Final = 50
"""Acts per list, the newest."""

ACT_MEMORIES_SHOWN: Final = 3
"""Memories named per act, and per effect of undoing it."""

EXPORT_PAGE: Final = 200
"""Memories per page of an export: 200 of the longest fit a frame, escaped."""

IMPORT_PAGE: Final = 200
"""Memories imported per transaction, so that other sessions come in between."""

IMPORT_NOTE_CHARACTERS_MAX: Final = 500_000
"""Characters of one imported note or record: fifty memories, searched for secrets in seconds. A page's, too."""

IMPORT_FILE_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of a file read whole: a markdown file, or one with dependent lines."""

IMPORT_FILES_MAX: Final = 20_000
"""Markdown files of a folder."""

IMPORT_ENTRIES_MAX: Final = 200_000
"""Files of any kind in a folder of notes, walked in seconds; a whole disk has more."""

SKIPPED_SHOWN_MAX: Final = 100
"""Reasons per page."""

# --- sessions and capture ------------------------------------------------------------------------

CAPTURE_CHARACTERS_MAX: Final = 1_500_000
"""Characters of a conversation given as text: it fits a frame, escaped."""

SESSIONS_LISTED_MAX: Final = 200
"""Sessions per answer."""

TURNS_LISTED_MAX: Final = 50
"""Turns of a session per answer: some are as long as a file."""

PROJECTS_LISTED_MAX: Final = 500
"""Projects per answer: more than anybody works in."""

TAGS_LISTED_MAX: Final = 1_000
"""Tags per answer, the most frequent."""

PROJECTS_OFF_MAX: Final = 5_000
"""Projects switched off: ten times a list's."""

SWITCHES_BYTES_MAX: Final = 4 * 1024 * 1024
"""Bytes of the file that names them."""

SESSION_EVENTS_MAX: Final = 200
"""Events shown of a session."""

SESSION_GIVEN_MAX: Final = 400
"""Memories given to a session, the last, kept with time and reason: some 15 kB."""

USAGE_WEEKS_MAX: Final = 104
"""Weeks of numbers kept on deliveries to sessions: two years, a few hundred rows per project."""

FINDINGS_MAX: Final = 100
"""The doctor's findings kept for the page: three times the number of checks."""

MEASURED_DAYS_MAX: Final = 84
"""Days of hooks' latencies and files' sizes kept: twelve weeks, some 10,000 short rows."""

ABOUT_CHARACTERS_MAX: Final = 200
"""Characters of a requested name; longer ones are no names."""

ABOUT_MEMORIES_MAX: Final = 60
"""Memories shown about a name; for more, a search serves better."""

EXAMINED_WITHIN_S: Final = 10.0
"""Seconds that `palimp doctor` waits for an integrity check, which goes on in the background. CLIENT_DEADLINE_S bounds
a request.
"""

GIT_ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of a git answer taken whole, e.g. a tree's 50,000 paths (TREE_FILES_MAX) of 300 bytes; more is discarded."""

GIT_MEMORY_BYTES_MAX: Final = 2 * 1024 * 1024 * 1024
"""Bytes of data memory per git, mapped packs excluded: a large project's history takes some hundred million,
`/dev/zero` as attributes all.
"""

STAGED_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of the staged patch: a large project's first commit. A longer one is reported as unchecked."""
