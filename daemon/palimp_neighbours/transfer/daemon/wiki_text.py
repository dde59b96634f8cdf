"""Note programs' additions to markdown: links between notes, and tags."""

import re
from typing import Final

_LINK: Final = re.compile(r"(?P<embeds>!?)\[\[(?P<target>[^\[\]|\n]{1,300})(?:\|(?P<shown>[^\[\]\n]{1,300}))?\]\]")
_TAG: Final = re.compile(r"(?<![\w/#&\[(])#([\w/-]*[^\W\d_][\w/-]*)")
_CODE: Final = re.compile(r"(?ms)^ {0,3}(```|~~~).*?^ {0,3}\1[^\n]*$|`[^`\n]*`")
_ADDRESS: Final = re.compile(r"\b\w+://\S+")


def without_links(text: str) -> str:
    """Replace links by shown words, embedded files by names."""
    return _LINK.sub(lambda found: (found["shown"] or found["target"]).strip(), text)


def inline_tags(text: str) -> tuple[str, ...]:
    """Return tags outside code, addresses and links, each once."""
    plain = _ADDRESS.sub(" ", _CODE.sub(" ", _LINK.sub(" ", text)))
    return tuple(dict.fromkeys(found[1].strip("/-") for found in _TAG.finditer(plain)))
