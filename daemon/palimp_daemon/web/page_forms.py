"""What a browser sent with a request: its form."""

from starlette.requests import Request


def form_of(request: Request) -> dict[str, str]:
    """Return the form that came with *request*; empty: none did."""
    form: dict[str, str] = request.scope["palimp.form"]
    return form


def once_of(form: dict[str, str]) -> str:
    """Return the idempotency key of a form; without one the change is a new one each time."""
    once = form.get("once", "")
    return f"page-{once}" if once.isascii() and 0 < len(once) <= 40 else ""
