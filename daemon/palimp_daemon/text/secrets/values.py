"""Tell a secret value from one that only stands in its place.

From loose to strict: `is_literal` (`DB_PASSWORD=…`), `is_password` (`password: …`), `is_strong` (running text),
`is_token` (`key`, `token`).

A piece is *explained* if it is a word, a number, an abbreviation with one (`sha256`), a date, a measure or camel case
of such; the rest counts as random.
"""

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

LOOKED_AT: Final = 64
"""Characters judged, from a value's beginning."""

PIECES_KEPT: Final = 4096
"""Pieces of text with cached verdicts: adjacent values share them."""

PASSWORD_CHARACTERS_MIN: Final = 6
"""Shorter values after `password =` are types, flags and examples."""

TOKEN_CHARACTERS_MIN: Final = 16
"""Nobody generates shorter ones: 16 characters of base64 are 96 bits."""

_PLACEHOLDERS: Final = frozenset(
    """
    password passwd passwort secret token apikey key pass pwd pw changeme change changeit example your yours none null
    nil nothing true false yes no on off undefined required optional string str text todo tbd placeholder redacted
    dummy test foobar foo bar value here empty unset default hidden masked removed omitted unknown sample user
    username login admin root guest insert missing wrong incorrect invalid valid correct hashed encrypted plain
    include omit same-origin inherit write read auto manual prompt ask bearer basic digest any object number boolean
    mypassword mysecret yourpassword passphrase credentials private public
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Words that stand for a value, or describe it."""

_TYPES: Final = frozenset(
    """
    str string text bytes int integer bool boolean char varchar any object optional none secretstr securestring
    option result token key password securitystring charfield textfield passwordfield stringfield buffer uint8array
    number float symbol record dict list array map void never unknown null undefined nonnull interface
    """.split()  # noqa: SIM905  the same
)

# Nothing here is repeated in two ways: one text of digits or of `x` would otherwise be tried in all of them.
_PLACEHOLDER: Final = re.compile(
    r"(?i)(?:your|my|the|some|any|an?|insert|enter|put|replace|fill|change|set|use|new|old|current|test|fake|dummy|"
    r"example|sample|redacted|placeholder)(?:[-_ .]?(?:your|my|own|the|here|in|this|with|me|it|secure|strong|real|"
    r"actual|random|api|app|auth|access|client|database|db|user|admin|root|secret|passphrase|password|passwd|pass|pwd|"
    r"token|key|value|string|credentials?|before|production|deploy|please|\d++))*+"
)
_MASK: Final = re.compile(r"(?P<mask>[*•●·.…xX_#?-]++)\w{0,4}")
_STARRED: Final = re.compile(r"[*•●·…?]{2}|[xX]{4}|\.{3}")
_RULED: Final = re.compile(r"[-_.]+")
_FILLED: Final = ("xxxxxx", "****", "••••", "●●●●", "....", "____", "example", "placeholder", "redacted")
"""Lower-case substrings that no secret has."""
_REFERENCE: Final = re.compile(
    r"[$\[{(<!]|%[\w(]|#[{\[(a-z]|&\w+$|\*[a-z]\w*$|@(?:\{|\w+@$)|\\?\(|"
    r"(?i:[a-z][a-z0-9+.-]{1,20}://)|"
    r"(?i:(?:ssm|vault|op|aws|gcp|azure|sops|env|file|arn|projects|secretref|keyvault|keyring|ref)[:/]\S)|"
    r"(?i:(?:os|env|self|this|process|config|settings|options|opts|args|request|req|ctx|params?|data|var|local|module|"
    r"user|dto|form|body|props|state|secrets|vars|conf|cfg|input|event|values|each|item)\??[.\[]\w)|"
    r"(?i:sha(?:1|224|256|384|512)[:-]|md5[:-]|h1:)|new [A-Z]|await |lambda |function\b|def |async |return |not |"
    r"yup\.|z\.|t\(|\w+=>|\.\.?/|~/|\w:\\"
)
"""Beginnings of values that refer to a secret's place, or compute it."""

_CALL: Final = re.compile(r"[A-Za-z_$][\w.$:?!>-]{0,80}[(\[{<]")
_IDENTIFIER: Final = re.compile(r"[A-Za-z_$][\w$]*(?:(?:\.|::|->|\?\.)[A-Za-z_$][\w$]*)*[;?!]?")
_WORDS_OF_CODE: Final = frozenset(
    """
    password passwd pass pwd pw secret secrets token tokens key keys api auth user username db database get make create
    generate generated random read load fetch new old current default input form field hash hashed hashing encrypted
    encrypt decrypt value str string env var config settings result response request raw plain text data name file path
    arg args param params option options self this client server access refresh id type is
    login credential credentials require required allow enable validate verify check find
    """.split()  # noqa: SIM905  the same
)
_CODE: Final = frozenset(_WORDS_OF_CODE) - {"new", "old", "fetch", "random", "plain", "name", "current", "id", "is"}
"""Those that no password of words and numbers has, either."""

_UUID: Final = re.compile(r"(?i)[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_HEX: Final = re.compile(r"(?i)(?:0x)?[0-9a-f]+")
_DATE: Final = re.compile(r"\d{4}-?\d{2}-?\d{2}(?:[T ]\d{2}[:\d.]*(?:Z|[+-]\d{2}:?\d{2})?)?")
_YEAR: Final = re.compile(r"\d{4}")
_SEPARATED: Final = re.compile(r"[^\W_]+")
_RUNS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])|\d+|[^\W\d_]+")
_ABBREVIATION: Final = re.compile(
    r"(?i)(?:sha|md|utf|base|argon|oauth|oauthv|pbkdf|x|h|p|r|ipv|ip|k|i|l|v|s|c|e|t|n|ec|ed|web|log|py|es|aes|rsa|rc|"
    r"http|curve|cl|rfc|iso|win|eu|us|ap|az|level|step|page|http|log|neo|mp|h|b|pg|nist|secp|prime|bcrypt|varchar|sql|"
    r"sec|phase|tls|ssl|ver|id|pk|sk|fk|pr|db)\d{1,5}(?:id|d|i|k1|r1|v1|k|s|n|e|x|l|a|b|j|js|fs)?"
)
_NUMERONYM: Final = re.compile(
    r"[Ee]2[Ee]|[Kk]8[Ss]|[Ii]18[Nn]|[Ll]10[Nn]|[Aa]11[Yy]|[Oo]11[Yy]|[PpBbCcGg]2[PpBbCcGg]|(?<![A-Za-z0-9])[Ss]3|EC2|"
    r"[Vv]\d{1,2}(?:(?:alpha|beta|rc)\d{1,2})?(?=[A-Z]|\Z)"
)
"""Words with numbers, as in names of tests: `TestE2E`, `parseV2`, `K8sV1beta2`."""

_MEASURE: Final = re.compile(
    r"(?i)\d+(?:ms|s|m|h|d|w|y|k|g|kb|mb|gb|px|em|pt|x|th|st|nd|rd|bit|bits|fa|chars|min|sec|hz|bpm|cpu|gi|mi|d|p)"
)
_VOWELS: Final = frozenset("aeiouyäöüáéíóúàèìòùâêîôûåæøœãõ")
_CONSONANTS: Final = re.compile(r"(?i)[bcdfghjklmnpqrstvwxz]{6}")
_USUAL: Final = """
a:abcdfgiklmnprstuvwxy b:aceilorsuy c:acdehiklorstu d:adefilorstu e:abcdefgilmnopqrstvwxy
f:aefilorstu g:aehilnorsu h:aeiort i:abcdefglmnoprstvxz k:eis l:adeilopstuy m:abeilmopsu
n:acdefgiklnopstuv o:abcdfgiklmnoprstuvw p:aehiloprstuy q:u r:acdefgiklmnoprstuvy s:acehiklmnopqstuy
t:acdefhilmoprstuy u:abcdefgilmnprst v:aeio w:aehinors x:ceipt y:inpst z:e
"""
"""The 280 most frequent pairs of letters, by first letter; from 13,437 words of this project's and its dependencies'
sources and documents.
"""

_PAIRS: Final = frozenset(
    first + second for first, _, others in (e.partition(":") for e in _USUAL.split()) for second in others
)

USUAL_PAIRS: Final = 0.7
"""Share of usual pairs that makes a word: 92 % of those words reach it, 15 % of six random letters."""

SPOKEN: Final = 0.62
"""Share of numbers and words of four or more letters that makes a name: `PKCS12PrivateKey`."""

_SENTENCE: Final = re.compile(
    r"(?i)\A(?:see|ask|stored|kept|lives|mounted|read)\s|"
    r"\b(?:enter|your|please|must|should|is|are|was|at least|characters?|required|invalid|choose|forgot|reset|"
    r"confirm|password|passwords|passwort|kennwort|contraseña|senha|mot de passe|wachtwoord|hasło|token|secret|"
    r"strong|incorrect|wrong|too|cannot|can't|does|not|use|the|for|with)\b"
)


def is_literal(value: str) -> bool:
    """Tell whether *value* is written out: no placeholder, variable, call, path, type, mask or label."""
    value = value[:LOOKED_AT].strip()
    if len(value) < PASSWORD_CHARACTERS_MIN or stands_for_something(value):
        return False
    return not _is_sentence(value) and not _is_path(value)


def is_password(value: str) -> bool:
    """Tell whether the unquoted *value* has the shape of a password."""
    value = value[:LOOKED_AT]
    if not is_literal(value) or _is_call(value) or " " in value:
        return False
    if value.isdigit() or ("." in value and _IDENTIFIER.fullmatch(value)):
        return value.isdigit()
    if value.isalpha():
        return value.isascii() and value.islower() and len(value) >= TOKEN_CHARACTERS_MIN
    if _IDENTIFIER.fullmatch(value) and _chance(value) == 0:
        return _is_of_words(value) or bool(_WORD_AND_NUMBER.fullmatch(value))
    if any(c.isdigit() for c in value) and any(c.isalpha() for c in value):
        return _chance(value) > 0 or bool(_WORD_AND_NUMBER.fullmatch(value)) or _has_symbols(value)
    return _has_symbols(value)


_WORD_AND_NUMBER: Final = re.compile(
    r"(?!(?i:step|page|level|version|oauth|argon|sha|base|utf|bcrypt))[A-Za-z][a-z]{3,}\d+[a-z]{0,2}!?"
)
_ONE_WORD: Final = re.compile(r"[A-Za-z0-9_-]+")


def is_strong(value: str) -> bool:
    """Tell whether *value* is a password or token anywhere: random letters and digits."""
    value = value[:LOOKED_AT]
    if len(value) < 8 or not is_literal(value) or _is_call(value) or " " in value or is_number(value):
        return False
    has_both = any(c.isdigit() for c in value) and any(c.isalpha() for c in value)
    if not has_both or _UUID.fullmatch(value) or _HEX.fullmatch(value) or _DATE.search(value):
        return False
    return _chance(value) >= 6 and "/" not in value and not ("." in value and _IDENTIFIER.fullmatch(value))


_TECHNICAL: Final = frozenset(
    """
    bcrypt argon scrypt pbkdf sha md hash hashes salted min max len length char chars character characters digit digits
    letter letters round rounds step page level version chapter section line row part phase policy reset utf base oauth
    saml oidc vault rfc iso http https aes rsa tls ssl issue ticket field column table rule test tests argon2id months
    minimum maximum days hours minutes seconds times attempts
    """.split()  # noqa: SIM905  the same
)
"""Words that, beside a number, make no password."""


def is_memorable(value: str) -> bool:
    """Tell whether *value* looks invented by a person: words with a number."""
    value = value[:LOOKED_AT]
    if not is_literal(value) or _is_call(value) or " " in value or "/" in value or _DATE.search(value):
        return False
    if not any(map(str.isdigit, value)) or ("." in value and _IDENTIFIER.fullmatch(value)):
        return False
    words = [run.lower() for run in _RUNS.findall(value) if not run.isdigit()]
    return any(len(word) >= 4 for word in words) and _TECHNICAL.isdisjoint(words) and _CODE.isdisjoint(words)


def is_odd(value: str) -> bool:
    """Tell whether *value* is no word, name or path: `zimaXKFLfNDH`, `Ab!de?gh`."""
    value = value[:LOOKED_AT]
    if len(value) < 8 or not is_literal(value) or _is_call(value) or " " in value or "/" in value or is_number(value):
        return False
    if value.isalpha():
        return value.isascii() and _chance(value) >= 8
    return _has_marks(value) and not _IDENTIFIER.fullmatch(value)


def _has_marks(value: str) -> bool:
    return bool(re.search(r"[!?#$%^*&@~+][^\s]*\w|\w{8}[!#$%^*&~+]+\Z", value)) and any(map(str.isupper, value))


def is_token(value: str, *, is_named: bool = False) -> bool:
    """Tell whether *value* is random. *is_named*: its name says secret, so an id may be one."""
    value = value[:LOOKED_AT].strip()
    if len(value) < TOKEN_CHARACTERS_MIN or " " in value or stands_for_something(value):
        return False
    if _UUID.fullmatch(value):
        return is_named
    if _HEX.fullmatch(value):
        return is_named or (len(value) >= 20 and any(c.isalpha() for c in value) and not value.isalpha())
    if value.isalpha() and value.isascii() and (value.islower() or value.isupper()):
        return is_named and len(value) >= 20
    if value.isdigit() or _is_call(value):
        return False
    chance = _chance(value)
    return chance >= 12 or (chance >= 8 and chance * 2 >= len(value))


def is_digest(value: str) -> bool:
    """Tell whether *value* is a hexadecimal hash, also behind words: `Linux-node-3f2a…`."""
    words, _, last = value.rpartition("-")
    return bool(_HEX.fullmatch(last)) and _chance(words) == 0


def is_address(value: str) -> bool:
    """Tell whether *value*, a part of a path, is random."""
    return is_token(value, is_named=True) and not value.isdigit()


def is_key(value: str) -> bool:
    """Tell whether *value*, quoted or in the environment, is a key or token."""
    if is_token(value, is_named=True) or is_strong(value):
        return True
    if len(value) < TOKEN_CHARACTERS_MIN or not is_literal(value) or not _ONE_WORD.fullmatch(value):
        return False
    return not any(word.lower() in _WORDS_OF_CODE for word in re.split(r"[_-]|(?<=[a-z])(?=[A-Z])", value))


def is_number(value: str) -> bool:
    """Tell whether *value* is a number, a version, a time or a list of numbers."""
    return not any(c.isalpha() for c in value)


def stands_for_something(value: str) -> bool:
    """Tell whether *value* is a placeholder, a reference, a type, or masked."""
    value = value[:LOOKED_AT]
    bare = value.strip("\"'`<>[]{}()*_-. ,;:").lower()
    if bare in _PLACEHOLDERS or bare in _TYPES or not bare:
        return True
    lowered = value.lower()
    if any(filled in lowered for filled in _FILLED):
        return True
    if _PLACEHOLDER.fullmatch(bare) or _RULED.fullmatch(value) or _REFERENCE.match(value):
        return True
    masked = _MASK.fullmatch(value)
    return bool(masked and _STARRED.search(masked["mask"]))


def _is_call(value: str) -> bool:
    called = _CALL.match(value)
    if not called:
        return False
    is_open = value.count("(") > value.count(")") or value.endswith((")", "]", "}"))
    return is_open or _chance(called.group()) == 0


def _is_sentence(value: str) -> bool:
    if " " not in value.strip():
        return False
    return bool(_SENTENCE.search(value)) or value.rstrip()[-1] in ".!?…:" or value.count(" ") > 8


def _is_path(value: str) -> bool:
    if "/" not in value and "\\" not in value:
        return False
    return _chance(value) == 0


def _is_of_words(value: str) -> bool:
    """Tell whether *value* is a passphrase of words with underscores, unlike a name in code."""
    words = [word.lower() for word in value.split("_") if word]
    if len(words) < 3 or not all(word.isalpha() and word.islower() for word in value.split("_") if word):
        return False
    return not any(word in _WORDS_OF_CODE for word in words)


def _has_symbols(value: str) -> bool:
    return sum(c in "$%^#@~+=!?*&" for c in value) >= 1 and sum(map(str.isalnum, value)) >= 4


def forget_pieces() -> None:
    """Clear the cache of judged pieces, which may hold secrets."""
    _is_explained.cache_clear()


def _chance(value: str) -> int:
    left = _DATE.sub(" ", value) if _YEAR.search(value) else value
    return sum([len(piece) for piece in _SEPARATED.findall(left) if len(piece) > 3 and not _is_explained(piece)])


@lru_cache(maxsize=PIECES_KEPT)
def _is_explained(piece: str) -> bool:
    if len(piece) <= 3 or piece.isdigit() or not piece.isascii():
        return True
    if _ABBREVIATION.fullmatch(piece) or _MEASURE.fullmatch(piece):
        return True
    runs = _RUNS.findall(_NUMERONYM.sub("", piece))
    letters = [run for run in runs if not run.isdigit()]
    digits = [run for run in runs if run.isdigit()]
    if len(digits) > 2 or any(len(run) > 5 for run in digits):
        return False
    if not digits:
        return not letters or _is_camel_case("".join(letters), letters)
    spoken = sum(len(run) for run in letters if len(run) >= 4 and _is_word(run))
    is_spoken = spoken >= 5 and spoken + sum(map(len, digits)) >= SPOKEN * len(piece)
    return is_spoken or (len(letters) <= len(digits) + 2 and all(map(_is_word, letters)))


def _is_camel_case(piece: str, runs: list[str]) -> bool:
    if len(runs) == 1:
        return len(piece) <= 40 and not _CONSONANTS.search(piece.lower())
    words = [run for run in runs if len(run) >= 4 and _is_word(run)]
    return sum(map(len, words)) * 2 >= len(piece)


def _is_word(run: str) -> bool:
    run = run.lower()
    if len(run) < 3:
        return run in _SHORT
    if not run.isascii():
        return True
    pairs = [a + b for a, b in pairwise(run)]
    return any(c in _VOWELS for c in run) and sum(pair in _PAIRS for pair in pairs) >= USUAL_PAIRS * len(pairs)


_SHORT: Final = frozenset(
    [
        "v",
        "id",
        "of",
        "to",
        "in",
        "on",
        "at",
        "by",
        "is",
        "no",
        "db",
        "io",
        "ip",
        "ui",
        "ux",
        "os",
        "js",
        "ts",
        "py",
        "go",
        "pr",
        "ci",
        "cd",
        "k",
        "s",
        "m",
        "x",
        "y",
        "o",
        "auth",
        "api",
    ]
)
