"""Character classes for regular expressions, as spans of code points of Unicode 14.

Computing them would add 0.1 s to each start; a test compares them. Spans include unassigned code points.
"""

from typing import Final

_MARKS: Final = """
    ad 300-36f 483-489 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e8 6ea-6ed 711-7f3 7fd
    816-82d 859-85b 898-8e1 8e3-963 981-9e3 9fe-a75 a81-ae3 afa-b63 b82-bd7 c00-c63 c81-c83 cbc-d4d d57-d63
    d81-df3 e31-e3a e47-e4e eb1-ecd f18-f19 f35 f37 f39 f3e-f84 f86-fbc fc6 102b-103e 1056-109d 135d-135f
    1712-1734 1752-17d3 17dd 180b-180d 180f-193b 1a17-1a1b 1a55-1a7f 1ab0-1b44 1b6b-1b73 1b80-1bf3 1c24-1c37
    1cd0-1cd2 1cd4-1dff 200c-200d 20d0-20f0 2cef-2cf1 2d7f-2dff 302a-302f 3099-309a a66f-a672 a674-a67d
    a69e-a6f1 a802-a827 a82c a880-a8c5 a8e0-a8f1 a8ff-a92d a947-a953 a980-a9c0 a9e5-aa4d aa7b-aac1 aaeb-aaef
    aaf5-aaf6 abe3-abea abec-abed fb1e fe00-fe0f fe20-fe2f 101fd-1037a 10a01-10a3f 10ae5-10ae6 10d24-10eac
    10f46-10f50 10f82-10f85 11000-11046 11070-110ba 110c2 11100-11134 11145-11173 11180-111c0 111c9-111cc
    111ce-111cf 1122c-11237 1123e 112df-11446 1145e-114c3 115af-115c0 115dc-11640 116ab-116b7 1171d-1172b
    1182c-1183a 11930-11943 119d1-119e0 119e4-11a3e 11a47-11a99 11c2f-11c3f 11c92-11ef6 16af0-16af4 16b30-16b36
    16f4f-16f92 16fe4-16ff1 1bc9d-1bc9e 1cf00-1cf46 1d165-1d169 1d16d-1d172 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad
    1d242-1d244 1da00-1da36 1da3b-1da6c 1da75 1da84 1da9b-1e136 1e2ae-1e2ef 1e8d0-1e94a e0100-e01ef
"""

_SYMBOLS: Final = """
    a2-a6 a9 ac ae b0-b1 d7 f7 3f6 482 58d-58f 606-608 60b 60e-60f 6de 6e9 6fd-6fe 7f6 7fe-7ff 9f2-9f3 9fa-9fb
    af1 b70 bf3-bfa c7f d4f d79 e3f f01-f03 f13 f15-f17 f1a-f1f f34 f36 f38 fbe-fc5 fc7-fcf fd5-fd8 109e-109f
    1390-1399 166d 17db 1940 19de-19ff 1b61-1b6a 1b74-1b7c 203c 2049 2052 20a0-20a7 20a9-20c0 2104 2108 2114
    2117-2118 211e-211f 2123 2125 2127 2129 212e 213a 2141-2144 214a-214d 214f 218a-2199 219c-21ad 21af-21cc
    21d0-2203 2205-2208 220a-220b 220d-2223 2225 2227-222b 222e 2231-2240 2242-2243 2245-2246 2248 224a-225f
    2261 2263-226c 2272-2273 2276-2277 227a-227f 2282-2283 2286-2287 228a-22ab 22b0-22df 22e4-22e9 22ee-2307
    230c-2328 232b-244a 25a0-2767 2794-27c4 27c7-27e5 27f0-27ff 2900-2982 2999-29d7 29dc-29fb 29fe-2a0b
    2a0d-2a73 2a77-2adb 2add-2bff 2ce5-2cea 2e50-2e51 2e80-2e9e 2ea0-2ef2 2ff0-2ffb 3004 3012-3013 3020 3030
    3037 303e-303f 3190-3191 31c0-31e3 327f 1f000-1f0f5 1f10d-1f10f 1f12f 1f150-1f169 1f16d-1f18f 1f191-1f1ff
    1f260-1f3fa 1f400-1fbca
"""

_ACCENTS: Final = """
    300-333 339-34e 350-36f 483-487 591-5bd 5bf 5c1-5c2 5c4-5c5 5c7 610-61a 64b-65f 670 6d6-6dc 6df-6e4 6e7-6e8
    6ea-6ed 730-74a 7eb-7f3 7fd 816-819 81b-823 825-827 829-82d 859-85b 898-89f 8ca-8e1 8e3-8ff 951-954 9fe
    f18-f19 f35 f37 f39 f82-f83 f86-f87 fc6 108d 135d-135f 17dd 18a9 1939-193b 1a17-1a18 1a75-1a7f 1ab0-1abd
    1abf-1ace 1b6b-1b73 1cd0-1cd2 1cd5-1ce0 1ced 1cf4 1cf8-1cf9 1dc0-1dff 20d0-20d1 20d4-20d7 20db-20dc 20e1
    20e7-20e9 20ec-20f0 2cef-2cf1 2de0-2dff 302a-302f a66f a674-a67d a69e-a69f a6f0-a6f1 a8e0-a8f1 a92b-a92d
    aab0 aab2-aab4 aab7-aab8 aabe-aabf aac1 fb1e fe20-fe2f 101fd 102e0 10376-1037a 10a0d 10a0f 10a38 10a3a
    10ae5-10ae6 10d24-10d27 10eab-10eac 10f46-10f50 10f82-10f85 11100-11102 11366-11374 1145e 16b30-16b36
    1d165-1d166 1d16d-1d172 1d17b-1d182 1d185-1d18b 1d1aa-1d1ad 1d242-1d244 1e000-1e02a 1e130-1e136 1e2ae
    1e2ec-1e2ef 1e8d0-1e8d6 1e944-1e949
"""

_UNSEEN: Final = """
    ad 61c 180b-180f 200c-200f 202a-202e 2060-206f 20dd-20e0 20e2-20e4 fe00-fe0f feff 1f3fb-1f3ff e0000-e0fff
"""


def _spans(written: str) -> list[tuple[int, int]]:
    parts = (span.partition("-") for span in written.split())
    return [(int(first, 16), int(last or first, 16)) for first, _, last in parts]


def _class(written: str) -> str:
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in _spans(written))


def _deletion_table(written: str) -> dict[int, None]:
    return {code: None for first, last in _spans(written) for code in range(first, last + 1)}


MARKS: Final = _class(_MARKS)
"""Marks within words, with joiners and soft hyphens, for a character class."""

SYMBOLS: Final = _class(_SYMBOLS)
"""Searchable symbols and emoji, for a character class: categories So, Sm and Sc without a decomposition, and three
emoji of punctuation; no ASCII, no box drawing."""

ACCENTS: Final = _deletion_table(_ACCENTS)
"""Marks of combining classes 10 to 35 and from 200 on, for `str.translate`: Hebrew and Arabic points, and marks above,
below and across letters."""

UNSEEN: Final = _deletion_table(_UNSEEN)
"""Format controls, variation selectors, enclosing marks, skin tones and tags, for `str.translate`."""
