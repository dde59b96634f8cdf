"""Derive checks from the text of a rule, without a model.

A rule without a sure check stays text. Words: `[rules]` in `languages/NAME.toml`.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Final

from palimp_daemon.languages.language import NAMES, language_called
from palimp_daemon.languages.language_of import UNSPACED, language_of
from palimp_daemon.text.rules.derived_commands import of_acts, of_commands, of_tags
from palimp_daemon.text.rules.derived_edits import of_code, of_edits, of_versions
from palimp_daemon.text.rules.derived_messages import of_branch_names, of_messages
from palimp_daemon.text.rules.derived_orders import of_order
from palimp_daemon.text.rules.mentions import (
    Sentence,
    Words,
    is_bare_prohibition,
    is_forbidding,
    refers_back,
    sentence_of,
    words_of,
)
from palimp_daemon.text.rules.message_language import HAN, KANA
from palimp_protocol.messages.rule_messages import TEXT_CHARACTERS_MAX, TEXTS_MAX, Check

VERSION: Final = 6
"""Version of these rules; a new one renews all derived checks."""

READ_MAX: Final = 2_000
"""Characters read of a text; a longer one tells a story."""

SENTENCES_MAX: Final = 12
SENTENCE_CHARACTERS_MAX: Final = 400

CHECKS_MAX: Final = 6
"""Checks of one memory."""

DOUBTFUL_MAX: Final = 80
"""Texts up to this length are tried in all languages: `Utilise yarn, jamais npm` has no common word."""

CACHED_MAX: Final = 2_048
"""Texts with cached checks."""

_ENDS: Final = re.compile(r"(?<=[.!?])\s+(?=[^a-z])|(?<=[。！？])|[;；\n]|\s[–—-]\s")


_CLAUSES: Final = re.compile(r"[,;:，、：；]\s*|\s[–—-]\s")


@lru_cache(maxsize=CACHED_MAX)
def checks_of(text: str, *, is_decision: bool = False) -> tuple[Check, ...]:
    """Return the checks of the rule *text*, if any is sure.

    Of a decision, clauses that only report do not count.
    """
    parts = [part.strip() for part in _ENDS.split(text[:READ_MAX])]
    sentences = [sentence_of(part) for part in parts if 0 < len(part) <= SENTENCE_CHARACTERS_MAX][:SENTENCES_MAX]
    for language in _languages(text):
        words = words_of(language)
        if words is None:
            continue
        read = _with_antecedents(sentences, words)
        read = (each for each in read if not _is_question(each) or is_forbidding(each, words))
        if is_decision:
            read = (sentence for each in read if (sentence := _directive(each, words)))
        found = [check for each in read for check in _of_sentence(each, words)]
        if found:
            return tuple(dict.fromkeys(map(_cut_check, found)))[:CHECKS_MAX]
        if is_decision and words.signs["reports"].search(text):
            return ()
    return ()


def _directive(sentence: Sentence, words: Words) -> Sentence | None:
    kept: list[str] = []
    before = ""
    resolved = words.signs["resolves"].match(sentence.text)
    for clause in _CLAUSES.split(sentence.text[resolved.end() if resolved else 0 :]):
        part = sentence_of(clause)
        is_resolved = resolved is not None and not before
        if is_resolved or (
            words.signs["directs"].match(part.plain.strip()) and not words.signs["reports"].search(part.plain)
        ):
            kept += [before, clause] if before and not part.mentions and refers_back(part, words) else [clause]
        before = clause
    return sentence_of(", ".join(kept)) if kept else None


def _is_question(sentence: Sentence) -> bool:
    return sentence.text.endswith(("?", "？"))


def _with_antecedents(sentences: Sequence[Sentence], words: Words) -> Iterator[Sentence]:
    before: Sentence | None = None
    for each in sentences:
        if before and _is_about(before, each, words):
            yield sentence_of(f"{before.text.rstrip('.!。！')}, {each.text}")
        else:
            yield each
        before = each


def _is_about(before: Sentence, sentence: Sentence, words: Words) -> bool:
    if _is_question(before):
        return False
    is_about_it = bool(before.mentions) and not sentence.mentions and refers_back(sentence, words)
    return is_about_it or is_bare_prohibition(sentence, words)


def _languages(text: str) -> Sequence[str]:
    if KANA.search(text):
        return ("japanese",)
    if HAN.search(text):
        return ("chinese",)
    spaced = [name for name in NAMES if language_called(name).rules and name not in UNSPACED]
    likely = language_of(text)
    if len(text) > DOUBTFUL_MAX and likely in spaced:
        return (likely,)
    return sorted(spaced, key=lambda name: name != likely)


def _cut_check(check: Check) -> Check:
    def cut(texts: Sequence[str]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(each for each in texts if 0 < len(each) <= TEXT_CHARACTERS_MAX))[:TEXTS_MAX]

    return Check(
        sort=check.sort,
        commands=cut(check.commands),
        within=check.within,
        branches=cut(check.branches),
        first=cut(check.first),
        paths=cut(check.paths),
        files=check.files,
        added=cut(check.added),
        lacks=cut(check.lacks),
        begins=cut(check.begins),
        style=check.style,
        subject_max=check.subject_max,
        instead=check.instead[:TEXT_CHARACTERS_MAX],
    )


def _of_sentence(sentence: Sentence, words: Words) -> Iterator[Check]:
    messages = [*of_messages(sentence, words)]
    yield from messages
    branches = [*of_branch_names(sentence, words)]
    yield from branches
    if messages or branches:
        return
    ordered = [*of_order(sentence, words)]
    yield from ordered
    if ordered:
        return
    acts = [*of_acts(sentence, words)]
    yield from acts
    yield from of_commands(sentence, words)
    yield from of_versions(sentence, words)
    yield from of_tags(sentence, words)
    edits = [*of_edits(sentence, words)]
    yield from edits
    if not edits:
        yield from of_code(sentence, words)
