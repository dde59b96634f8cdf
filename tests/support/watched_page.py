"""A tab of a real browser that notes whatever a page must not do."""

from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from PIL import Image
from playwright.sync_api import Browser, ConsoleMessage, Page, Request

TOO_WIDE = """() => document.documentElement.scrollWidth <= innerWidth ? [] :
  [...document.querySelectorAll('*')].filter(each => each.getBoundingClientRect().right > innerWidth + 0.5)
  .slice(0, 5).map(each => each.outerHTML.slice(0, 120))"""
"""What reaches beyond the window to the right."""

BARRIERS = """async () => {
  const found = await axe.run(document, {runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa', 'best-practice']});
  const said = node => node.html.slice(0, 120) + ' ' + node.failureSummary;
  return {passes: found.passes.length, violations: found.violations.map(each =>
    each.id + ': ' + each.nodes.slice(0, 3).map(said).join(' | '))};
}"""
"""What axe-core finds."""

PASSES_MIN = 15
"""Of axe's rules on the barest page: fewer means that it looked at nothing."""

PROBLEMS_SHOWN = 30

PICTURE_COLOURS = 64
"""Enough for letters and a few quiet areas; a picture then takes a third of the bytes."""


class WatchedPage:
    """A tab with the width, the colours and the script that a test wants; *port* is the page's own."""

    def __init__(
        self, browser: Browser, port: int, width: int = 1280, height: int = 800, scheme: str = "light", **more: Any
    ) -> None:
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme, reduced_motion="reduce", **more
        )
        self._origin = f"http://127.0.0.1:{port}"
        self._watch(context.new_page())

    def another(self) -> "WatchedPage":
        """Return another tab of the same browser."""
        other = WatchedPage.__new__(WatchedPage)
        other._origin = self._origin
        other._watch(self.tab.context.new_page())
        return other

    def _watch(self, tab: Page) -> None:
        self.problems: list[str] = []
        self.asked: list[str] = []
        """Addresses that it asked for."""
        self.tab = tab
        self.tab.set_default_timeout(60_000)
        self.tab.on("console", self._note_console)
        self.tab.on("pageerror", lambda error: self.problems.append(f"a script failed: {error}"))
        self.tab.on("request", self._note_request)

    def _note_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.problems.append(f"{message.type} on the console of {self.tab.url}: {message.text}")

    def _note_request(self, request: Request) -> None:
        self.asked.append(request.url)
        at = urlsplit(request.url)
        if f"{at.scheme}://{at.netloc}" != self._origin:
            self.problems.append(f"a request to elsewhere: {request.url}")

    def open(self, path: str) -> None:
        """Open a page of the project, whose answer is a good one."""
        answer = self.tab.goto(path if path.startswith("http") else self._origin + path)
        if answer is None or answer.status != 200:
            self.problems.append(f"{path} was answered with {answer and answer.status}")

    def check_width(self) -> None:
        """Note whatever is wider than the window."""
        self.problems += [f"{self.tab.url} is too wide: {each}" for each in self.tab.evaluate(TOO_WIDE)]

    def check_barriers(self, axe: str) -> None:
        """Note what axe-core finds."""
        self.tab.evaluate(axe)
        found = self.tab.evaluate(BARRIERS)
        self.problems += [f"{self.tab.url} has a barrier: {each}" for each in found["violations"]]
        if found["passes"] < PASSES_MIN:
            self.problems.append(f"{self.tab.url}: only {found['passes']} of axe's rules looked at anything")

    def say(self) -> str:
        """Return the sentence about what was changed last."""
        return self.tab.locator("[role=status] p").inner_text()

    def assert_quiet(self) -> None:
        """Fail with all that was noted."""
        assert not self.problems, "\n".join(self.problems[:PROBLEMS_SHOWN])

    def picture(self, path: Path) -> None:
        """Keep what is in the window as a PNG of PICTURE_COLOURS colours."""
        with Image.open(BytesIO(self.tab.screenshot())) as taken:
            taken.convert("RGB").quantize(PICTURE_COLOURS).save(path, optimize=True)
