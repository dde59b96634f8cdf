"""Templates of the page: values are escaped as HTML, invisible characters dropped."""

import secrets
from functools import partial
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup, escape
from starlette.responses import HTMLResponse

from palimp_daemon.render.times import date, date_and_time
from palimp_daemon.runtime.caller_zone import answering_in
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.web.svg_plots import bar, columns
from palimp_protocol.messages.act_messages import DID
from palimp_protocol.text import count_of, encodable, one_line, shown_name, without_control
from palimp_protocol.versions import running_version

ROOM: Final = Path(__file__).parent

ONCE_BYTES: Final = 12
"""Random bytes of a form's name, which exposes a repeated submission."""


MARK: Final = "\x02"
"""Stands around matched words."""


def environment() -> Environment:
    """Return the templates, with filters for foreign text."""
    made = Environment(
        # All at once: an upgrade of the files must not mix with this version.
        loader=DictLoader({path.name: path.read_text(encoding="utf-8") for path in (ROOM / "templates").iterdir()}),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    filters: dict[str, Any] = {"line": _line, "text": _text, "name": _name, "day": date, "minute": date_and_time}
    filters["marked"] = _with_marks
    filters["with_code"] = _with_code
    filters["counted"] = count_of
    made.filters.update(filters)
    names: dict[str, Any] = made.globals
    names.update(once=_once, bar=bar, columns=columns, query=_query, mark=MARK, DID=DID, version=running_version())
    return made


def _line(text: str) -> str:
    return encodable(one_line(text))


def _text(text: str) -> str:
    return encodable(without_control(text))


def _name(text: str) -> str:
    return encodable(shown_name(text))


def _with_marks(text: str) -> Markup:
    parts = [escape(_text(part)) for part in text.split(MARK)]
    is_closed = len(parts) % 2 == 1
    return Markup().join(
        Markup("<mark>{}</mark>").format(part) if at % 2 and is_closed else part for at, part in enumerate(parts)
    )


def _with_code(text: str) -> Markup:
    parts = [escape(part) for part in text.split("`")]
    if len(parts) % 2 == 0:
        return escape(text)
    return Markup().join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def _query(**asked: object) -> str:
    return urlencode({name: value for name, value in asked.items() if value})


def _once() -> str:
    return secrets.token_urlsafe(ONCE_BYTES)


class Templates:
    """Renders templates."""

    def __init__(self) -> None:
        self._environment = environment()

    async def answer(self, name: str, values: dict[str, Any], zone: str = "", status: int = 200) -> HTMLResponse:
        """Render the template *name* with *values*, and times in *zone*."""
        # Fifty long texts take a second, and the daemon answers others meanwhile.
        return HTMLResponse(await in_thread(partial(self._render, name, values, zone)), status)

    def _render(self, name: str, values: dict[str, Any], zone: str) -> str:
        with answering_in(zone):
            return self._environment.get_template(name).render(values)
