"""Check slugs, documents' names; paths are built only from checked slugs."""

import re
import unicodedata
from typing import Final

from palimp_protocol.errors import RequestError
from palimp_protocol.limits import SLUG_CHARACTERS_MAX

RULE: Final = f"A slug has 1 to {SLUG_CHARACTERS_MAX} lower-case letters (a-z), digits and inner hyphens: api-guide."

_SLUG: Final = re.compile(r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?", re.ASCII)


def checked_slug(slug: str) -> str:
    """Return *slug*.

    Raises:
        PalimpError: it breaks the rule; the hint says which.
    """
    if len(slug) > SLUG_CHARACTERS_MAX or not _SLUG.fullmatch(slug):
        raise RequestError(f"slug: {slug[:100]!r} is not a slug.", RULE)
    return slug


def slug_of_path(path: str) -> str:
    """Make a slug of a relative *path*: folders become parts between hyphens."""
    plain = unicodedata.normalize("NFKD", path.rsplit(".", 1)[0]).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", plain).strip("-")[:SLUG_CHARACTERS_MAX].rstrip("-")
