"""Bounds that users and peers can meet, with unit and reason; others stand in their modules."""

from typing import Final

# --- bytes on the wire ---------------------------------------------------------------------------

FRAME_BYTES_MAX: Final = 4 * 1024 * 1024
"""One frame body. Far above the longest memory (10,000 characters) and a long document; it is also
the socket's MAXMSGSIZE, at which libzmq disconnects a peer, so the relay refuses larger lines itself."""

LINE_BYTES_MAX: Final = 32 * 1024 * 1024
"""One JSON-RPC line from a client. A line between FRAME_BYTES_MAX and this is read to its end so that
its id can be answered with an error; beyond it the line is skipped unread and answered without an id."""

FRAME_ID_BYTES_MAX: Final = 64
"""A frame id: a client's 16-byte uuid and an 8-byte counter, with room for other clients' schemes."""

ERROR_CHARACTERS_MAX: Final = 2_000
"""The text, and the hint, of an error. A few sentences, with some names in them; a quoted frame is cut."""

FRAME_PARTS: Final = 3
"""Parts of every message after the ROUTER's identity: head, id, body."""

SOCKET_PATH_BYTES_MAX: Final = 107
"""The longest Unix socket path: sun_path is 108 bytes with its closing NUL (108 raises in libzmq)."""

# --- what is shown of foreign text ----------------------------------------------------------------

LINE_CHARACTERS_MAX: Final = 500
"""A title, a commit's subject, a note on one line: longer ones are cut, and what they name can be looked up."""

NAME_CHARACTERS_MAX: Final = 160
"""A name of a file, a setting's value, a tag, as it is shown in a sentence: most paths are shorter."""

# --- peers and queues ----------------------------------------------------------------------------

PEERS_MAX: Final = 1024
"""Peers known at once. A user has tens of sessions; this is where a leak is stopped, not a workload."""

PEER_OUTBOX_FRAMES_MAX: Final = 256
"""Frames waiting for one peer (the socket's SNDHWM). A peer that leaves more unread is dropped."""

PEER_INBOX_FRAMES_MAX: Final = 256
"""Frames from one peer waiting for its MCP session. Clients keep tens in flight; more is refused."""

PEER_REQUESTS_MAX: Final = 64
"""Typed requests of one connection being answered at once; further ones are answered `busy`. A sixteenth of the
mailbox: some that never wait for answers leave room for the others."""

STDOUT_BYTES_MAX: Final = 8 * 1024 * 1024
"""Bytes a relay holds for a client that does not read, before it stops reading from the daemon."""

UNANSWERED_MAX: Final = 1024
"""Requests a relay holds, also for resending; further ones are answered with an error at once."""

IN_FLIGHT_MAX: Final = 128
"""Requests among those that the daemon has at once; the others wait in the relay. Half of what the daemon holds for a
peer in either direction: so no client has its relay dropped, however many requests it sends without waiting."""

MAILBOX_JOBS_MAX: Final = 1024
"""Jobs waiting for the store thread; further ones are answered `busy`. 200 sessions with five calls each."""

GROUP_WRITES_MAX: Final = 256
"""Writes in one transaction. Larger groups gain nothing measurable and lengthen the worst reply."""

READ_SLICE_S: Final = 0.010
"""Seconds of reads between two groups of writes, so that neither starves the other."""

# --- time ----------------------------------------------------------------------------------------

READ_DEADLINE_S: Final = 5.0
"""Seconds a read may take in the store before it is interrupted. The slowest measured is far below 1 s."""

CLIENT_DEADLINE_S: Final = 25.0
"""Seconds a client waits for a reply. Below the 30 s in which Claude Code gives a server up at start,
so that its user sees our sentence and not a time-out."""

HEARTBEAT_INTERVAL_S: Final = 10.0
"""Seconds between a relay's PINGs. Each also finds out whether the daemon still knows the peer."""

PEER_EXPIRY_S: Final = 45.0
"""Seconds of silence after which a peer is forgotten: four heartbeats, and a suspended laptop's relay
only has to say hello again."""

DRAIN_S: Final = 3.0
"""Seconds that a stopping daemon waits for requests in progress. A stop takes at most 5 s in all."""

DIAL_RETRY_S: Final = 0.1
"""Seconds between two looks at a socket that nobody answers."""

STARTING_RETRY_S: Final = 0.02
"""Seconds between two looks of the one client that has started the daemon; the others, maybe many, look less often."""

SPAWN_QUIET_S: Final = 2.0
"""Seconds between two attempts to start a daemon: its measured start takes about a third of one."""

START_S: Final = 10.0
"""Seconds for which a daemon that was started and still runs is waited for: on a busy machine a second one
would take time from the first."""

SPAWN_ATTEMPTS_MAX: Final = 5
"""Attempts to start a daemon before a client waits SPAWN_PAUSE_S: a daemon that cannot start must not
be started in a loop."""

SPAWN_PAUSE_S: Final = 30.0
"""Seconds a client rests after SPAWN_ATTEMPTS_MAX failed starts."""

STOP_QUIET_S: Final = 10.0
"""Seconds after `palimp stop` in which relays whose clients ask for nothing do not start the daemon again."""

REFUSED_RETRY_S: Final = 1.0
"""Seconds after which a relay that the daemon had no room for tries again."""

LOG_BYTES_MAX: Final = 5 * 1024 * 1024
"""The daemon's log file: when it is larger, the daemon keeps it as `.1` and begins a new one."""

RESENDS_MAX: Final = 5
"""Times one request is sent again after reconnects. A request that takes the daemon down each time must
be answered with an error some time."""

EOF_GRACE_S: Final = 0.5
"""Seconds a relay waits for answers after its client closed stdin, so that a pipe gets them."""

PARENT_CHECK_S: Final = 0.5
"""Seconds between a relay's looks at its parent; a relay must be gone within 1 s of it."""

BYE_LINGER_S: Final = 0.1
"""Seconds a closing client waits for its BYE to be handed over."""

# --- the store -----------------------------------------------------------------------------------

WAL_BYTES_MAX: Final = 64 * 1024 * 1024
"""`journal_size_limit`: what a checkpoint leaves of the write-ahead log on disk."""

CHECKPOINT_INTERVAL_S: Final = 60.0
"""Seconds between checkpoints of a log that grew. A short log is a short recovery."""

REQUEST_MEMORY_S: Final = 24 * 3600.0
"""Seconds for which a write's request id and reply are kept, so that a resent request is not applied twice."""

ID_TRIES_MAX: Final = 8
"""Attempts to draw an id that is shown with so many characters; then one more is shown."""

# --- memories and recall -------------------------------------------------------------------------

TEXT_CHARACTERS_MAX: Final = 10_000
"""One memory. Longer texts are documents."""

TITLE_CHARACTERS_MAX: Final = 200
"""A title that is given. One that is made from the text has at most 100 characters."""

TAGS_MAX: Final = 20
"""Tags of one memory."""

TAG_CHARACTERS_MAX: Final = 50
"""One tag."""

QUERY_CHARACTERS_MAX: Final = 10_000
"""A query. Whole questions and pasted errors are welcome; the words are capped below."""

QUERY_WORDS_MAX: Final = 32
"""Words of a query that are looked up: hundreds of OR-ed words take seconds on 100,000 memories."""

RECALL_ROWS_MAX: Final = 50
"""Rows of one answer, and ids of one request."""

LISTED_MAX: Final = 1_000_000
"""Rows that a list goes through, page after page: ten times what a store was ever tried with."""

ZONE_CHARACTERS_MAX: Final = 64
"""Characters of the name of a time zone: the longest of the tz database has 32."""

WHEN_CHARACTERS_MAX: Final = 40
"""A day, or a time with its zone."""

ID_CHARACTERS_SHOWN: Final = 8
"""Shortest prefix of an id that is shown: its kind, its second and one more character."""

CHARACTERS_PER_TOKEN: Final = 4
"""The estimate by which budgets are kept. Real tokenizers gave 3.6 to 4.2 on this project's answers."""

HANDOFF_TOKENS_MAX: Final = 1_500
"""Tokens of a handover: what another agent reads before it goes on."""

LIST_TOKENS_MAX: Final = 2_000
"""Budget of an answer of several rows."""

ITEM_TOKENS_MAX: Final = 4_000
"""Budget of one memory shown in full: a memory of 10,000 characters fits."""

# --- settings ------------------------------------------------------------------------------------

SETTINGS_BYTES_MAX: Final = 256 * 1024
"""A file of settings: a hundred times what all of them take, with comments."""

SETTING_CHARACTERS_MAX: Final = 4_000
"""One value that is set: a long command, or a list of patterns."""

# --- documents -----------------------------------------------------------------------------------

SLUG_CHARACTERS_MAX: Final = 80
"""One slug. Longer ones are no names."""

DOCUMENT_CHARACTERS_MAX: Final = 1_000_000
"""One document: it travels in one frame, escaped."""

DOCUMENTS_MAX: Final = 10_000
"""Documents of one project; each is looked at in every search."""

INDEX_BYTES_MAX: Final = 4 * 1024 * 1024
"""The index of a project's documents: twice what DOCUMENTS_MAX entries take."""

DOCUMENTS_READ_S: Final = 600.0
"""Seconds that a command waits for documents: the first reading of DOCUMENTS_MAX of them is long work."""

PATTERN_CHARACTERS_MAX: Final = 1_000
"""A pattern that documents are searched for."""

DOC_MATCHES_MAX: Final = 50
"""Lines of one answer."""

DOC_LINES_COUNTED_MAX: Final = 1_000
"""Lines at which counting stops: a pattern that fits every line needs no exact number."""

DOC_SNIPPET_CHARACTERS: Final = 150
"""Characters shown of a line that matches."""

DOC_VERSIONS_MAX: Final = 50
"""Former texts kept of one document."""

DOC_HISTORY_BYTES_MAX: Final = 64 * 1024 * 1024
"""Former texts kept of one project, packed."""

ADOPTED_AT_ONCE_MAX: Final = 200
"""Files adopted in one request, so that the command can show its progress."""

# --- code changes --------------------------------------------------------------------------------

PATH_CHARACTERS_MAX: Final = 4_096
"""A path, as Linux bounds it."""

CHECKED_CHARACTERS_MAX: Final = 200_000
"""Code that is checked at once: a long file."""

CHANGES_LISTED_MAX: Final = 200
"""Hunks of one answer."""

CHANGES_READ_AT_ONCE: Final = 50
"""Files of a tree, or commits, that are stored in one job, so that other sessions come in between."""

HOOK_INPUT_BYTES_MAX: Final = 2 * 1024 * 1024
"""Bytes a hook sends of its input: it fits a frame. The long texts of a larger one are left out, and that is said."""

HOOK_READ_BYTES_MAX: Final = 32 * 1024 * 1024
"""Bytes a hook reads of its stdin: a client tells of an edit with the file before and after, and of the whole patch."""

HOOK_TEXT_CHARACTERS_MAX: Final = 100_000
"""Characters sent of a prompt in an input that is too large: more than anybody types, less than a pasted log."""

SESSION_CHARACTERS_MAX: Final = 200
"""The id of a session, as far as it is kept: clients have one of 36."""

HOOK_SPOOL_BYTES_MAX: Final = 32 * 1024 * 1024
"""Records of edits that wait in files while no daemon answers."""

IMPORT_COMMITS_MAX: Final = 20_000
"""Commits of the first-parent line that are read, newest first: years of a busy project."""

HUNKS_MAX: Final = 100_000
"""Hunks kept of one project; what so many take is in benchmarks/results/2026-11-25.md."""

# --- context -------------------------------------------------------------------------------------

CONTEXT_CHARACTERS_MAX: Final = 9_500
"""Characters of a session context: Claude Code puts more than 10,000 characters into a file."""

CONTEXT_WORK_CHARACTERS_MAX: Final = 5_200
"""Characters of what is no standing rule in it, some 1,300 tokens: what bears on the work is chosen, not filled up."""

CONTEXT_ROWS_MAX: Final = 40
"""Rows of one part of it."""

PROMPT_CONTEXT_TOKENS_MAX: Final = 400
"""Memories that are given with one prompt."""

ACTION_CONTEXT_TOKENS_MAX: Final = 200
"""Tokens shown before one action: there are many in a session."""

# --- upkeep --------------------------------------------------------------------------------------

DIGEST_TOKENS: Final = 2_000
DIGEST_TOKENS_MIN: Final = 200
DIGEST_TOKENS_MAX: Final = 8_000
"""Budget of a digest."""

DIGEST_MEMORIES_MAX: Final = 2_000
"""Memories of a time that a digest looks at, newest first; decisions have a bound of their own."""

DIGEST_DECISIONS_MAX: Final = 400
"""Decisions that a digest looks at, newest first: more than fit into the largest budget."""

MERGES_SHOWN_MAX: Final = 50
"""Merges that are named in one answer."""

MERGES_MAX: Final = 20_000
"""Merges of one `compact`: one transaction holds them all, so that one step undoes them."""

REPLACED_MAX: Final = 20
"""Memories that one save replaces or narrows: each is looked up."""

SUBJECT_SHOWN_MAX: Final = 3
"""Older memories on the same subject that the answer to a save names: an agent reads them in every answer."""

HISTORY_SHOWN_MAX: Final = 30
"""Versions of a memory that are shown, the newest: some 2,000 tokens."""

WHY_CHARACTERS_MAX: Final = 500
"""The reason that a person gives for replacing a memory: a sentence or two."""

PINS_MAX: Final = 40
"""Pinned memories of a project: cut to their titles they still fit the context of a session's start."""

MUTES_MAX: Final = 200
"""Muted memories of a project, and of a list: they are looked up one by one. Who would mute more may purge them."""

REVIEWED_MAX: Final = 50
"""Proposals that one answer holds whole, or one request keeps or drops: more than are read at one sitting."""

ACTS_KEPT: Final = 1_000
"""Acts of people that a project keeps on record, the newest, and as many of agents: a year of a busy person. Once in
a while the older ones are forgotten, and cannot be undone any more."""

ACTS_SHOWN_MAX: Final = 50
"""Acts in one list, the newest."""

ACT_MEMORIES_SHOWN: Final = 3
"""Memories that are named of an act, and of each of the effects of undoing it."""

EXPORT_PAGE: Final = 200
"""Memories of one page of an export: 200 of the longest fit into a frame, escaped."""

IMPORT_PAGE: Final = 200
"""Memories imported in one transaction, so that other sessions come in between."""

IMPORT_FILE_BYTES_MAX: Final = 64 * 1024 * 1024
"""A file that is read whole: of a kind whose lines belong together, or one markdown file."""

IMPORT_FILES_MAX: Final = 20_000
"""Markdown files of one folder."""

IMPORT_ENTRIES_MAX: Final = 200_000
"""Files of any kind in a folder of notes, which are found in some seconds: a whole disk is none."""

SKIPPED_SHOWN_MAX: Final = 100
"""Reasons of one page."""

# --- sessions and capture ------------------------------------------------------------------------

CAPTURE_CHARACTERS_MAX: Final = 1_500_000
"""A conversation that is given as text: it fits a frame, escaped."""

SESSIONS_LISTED_MAX: Final = 200
"""Sessions of one answer."""

TURNS_LISTED_MAX: Final = 50
"""Turns of a session in one answer: some of them are as long as a file."""

PROJECTS_LISTED_MAX: Final = 500
"""Projects of one answer: more than anybody works in."""

TAGS_LISTED_MAX: Final = 1_000
"""Tags of one answer, the most frequent ones."""

PROJECTS_OFF_MAX: Final = 5_000
"""Projects that are switched off: ten times what is listed."""

SWITCHES_BYTES_MAX: Final = 4 * 1024 * 1024
"""The file that names them."""

SESSION_EVENTS_MAX: Final = 200
"""Events shown of one session."""

SESSION_GIVEN_MAX: Final = 400
"""Memories that one session was given, the last ones, of which it is kept when and why: some 15 kB."""

USAGE_WEEKS_MAX: Final = 104
"""Weeks for which it is kept what sessions were given, as numbers: two years, a few hundred rows of a project."""

FINDINGS_MAX: Final = 100
"""Findings of the doctor that the daemon keeps for the page: three times as many as there are checks."""

MEASURED_DAYS_MAX: Final = 84
"""Days for which it is kept how long hooks took and how large the files were: twelve weeks, some 10,000 short rows."""

ABOUT_CHARACTERS_MAX: Final = 200
"""Characters of a name that is asked about: longer ones are no names."""

ABOUT_MEMORIES_MAX: Final = 60
"""Memories about one name that are shown; what more name says little, and a search is better there."""

EXAMINED_WITHIN_S: Final = 10.0
"""Seconds that `palimp doctor` waits for an integrity check, which goes on in the background where it takes longer. It
gives up on a request after CLIENT_DEADLINE_S."""

GIT_ANSWER_BYTES_MAX: Final = 16 * 1024 * 1024
"""Bytes of one answer of git's that is taken as a whole, such as the list of a tree's files: 50,000 paths
(TREE_FILES_MAX) of 300 bytes. A longer one is taken for none."""

GIT_MEMORY_BYTES_MAX: Final = 2 * 1024 * 1024 * 1024
"""Bytes of memory that one git may take for its data; packs, which it maps from files, do not count. The history of a
large project takes some hundred million. More asks who names `/dev/zero` as a file of attributes."""

STAGED_BYTES_MAX: Final = 64 * 1024 * 1024
"""Bytes of the patch of what is staged: a first commit of a large project. A longer one is not checked, and said so."""
