"""The language that a rule asks of commit messages, and whether a message is in another one."""

import re
from typing import Final

from palimp_daemon.languages.language import NAMES, language_called
from palimp_daemon.languages.language_of import UNSPACED, language_of
from palimp_protocol.messages.rule_messages import Language

_NAMED: Final[dict[Language, str]] = {
    "english": r"\benglish|\benglisch|\banglais|\bingl[eéê]s|英語|英文|英语",
    "german": r"\bgerman|\bdeutsch|\ballemand|\balem[aá]n|\balemão|ドイツ語|德语|德文",
    "french": r"\bfrench|\bfranzösisch|\bfrançais|\bfranc[eéê]s|フランス語|法语|法文",
    "spanish": r"\bspanish|\bspanisch|\bespagnol|\bespañol|\bcastellano|\bespanhol|スペイン語|西班牙",
    "portuguese": r"\bportugu[eéê]|\bportugiesisch|\bportugais|ポルトガル語|葡萄牙",
    "japanese": r"\bjapan|\bjapon[aeé]|日本語|日语|日文",
    "chinese": r"\bchines|\bchinois|\bchino\b|\bchinês|中国語|中文|汉语",
}
"""Languages by what each of the seven calls them: a rule of any names any."""

LANGUAGES_NAMED: Final[dict[Language, re.Pattern[str]]] = {
    name: re.compile(pattern, re.IGNORECASE) for name, pattern in _NAMED.items()
}

_PROSE_MIN: Final = 2
"""Words of a language's commonest that make a message one in it."""

KANA: Final = re.compile(r"[\u3040-\u30ff]")
HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_WORD: Final = re.compile(r"[^\W\d_]{2,}")


def is_in_another(message: str, wanted: str) -> bool:
    """Tell whether *message* is surely in another language than *wanted*; names and short ones are in none."""
    unspaced = "japanese" if KANA.search(message) else "chinese" if HAN.search(message) else ""
    latin = sum(word.isascii() for word in _WORD.findall(message))
    if wanted in UNSPACED:
        # A title in Japanese may have no kana.
        return latin > _PROSE_MIN if not unspaced else (unspaced, wanted) == ("japanese", "chinese")
    if unspaced:
        return latin <= _PROSE_MIN  # a message about a word is in English all the same
    language = language_of(message)
    if language not in NAMES or language == wanted:
        return False
    common = {*(language_called(language).function_words or "").split()}
    return language != "english" or len(common & {*message.lower().split()}) >= _PROSE_MIN
