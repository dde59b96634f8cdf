"""Forms of browsers' requests."""

import hashlib
from typing import Final

from starlette.requests import Request

OF_SESSION: Final = "form_token"

ONCE: Final = "once"
"""Field with the form's name."""

ONCE_CHARACTERS_MAX: Final = 40


def form_of(request: Request) -> dict[str, str]:
    """Return the form of *request*; empty without one."""
    form: dict[str, str] = request.scope["palimp.form"]
    return form


def once_of(form: dict[str, str]) -> str:
    """Return the idempotency key of a form, over all fields; empty: always a new change."""
    once = form.get(ONCE, "")
    if not (once.isascii() and 0 < len(once) <= ONCE_CHARACTERS_MAX):
        return ""
    typed = repr(sorted((name, value) for name, value in form.items() if name not in (OF_SESSION, ONCE)))
    return f"page-{once}-{hashlib.blake2b(typed.encode('utf-8', 'replace'), digest_size=8).hexdigest()}"
