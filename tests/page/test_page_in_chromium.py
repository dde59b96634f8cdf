"""The page in a real browser: every page and every button, by the keyboard too, and nothing in anybody's way."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from claude_hooks import Agent
from conversation_services import transcript
from daemon_asking import ask, ask_in_session
from page_browser import PageBrowser
from palimp_copy import changed_copy
from playwright.sync_api import Browser, Route, sync_playwright
from repositories import Repository
from retry_helper import KEEP, RETRY
from running_daemon import end_daemon, temporary_home, wait_until
from team_machine import Machine
from watched_page import WatchedPage

from palimp_protocol import __version__
from palimp_protocol.messages.caller import SessionRef
from palimp_protocol.messages.daemon_messages import DoctorFinding

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]

ARRIVES_S = 60.0
"""Until what another machine saved is here, on a busy machine."""

WIDTHS = (320, 1280, 2560)

UNTIL_HTMX_IS_THERE = """() => new Promise(done => {
  const look = () => setTimeout(globalThis.htmx ? done : look);
  look();
})"""
"""And what it does by a timer, which was set before this one."""

ROOT = Path(__file__).parents[2]

PICTURES_BYTES_MAX = 800_000
"""All of them: a repository keeps each that ever was."""

HOSTILE = "<script>alert(1)</script> " + "W" * 3_000 + " \u202egnp.exe"


@pytest.fixture(scope="session")
def chromium():
    """The browser that `make page` found."""
    with sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=os.environ["PALIMP_CHROMIUM"])
        yield found
        found.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The script that looks for barriers."""
    return Path(os.environ["PALIMP_AXE"]).read_text(encoding="utf-8")


class Shop:
    """A project with something for every page to show, and a way in for a browser."""

    def __init__(self, env: dict[str, str], folder: Path) -> None:
        self.env, self.folder = env, folder
        repository = Repository(folder)
        repository.commit("Retry calls to the payment service", client_py=KEEP + RETRY)
        repository.commit("Drop retries: they hid that the payment service was down", client_py=KEEP)
        self.rule = self.save("Never use npm here, always pnpm.", kind="preference")
        self.deploys = self.save(
            "Deploys are on Tuesdays, because all of on-call is there.", kind="decision", tags=["deploy"]
        )
        self.deploys = self.ask("edit", id=self.deploys, text="Deploys are on Fridays before noon.").id
        self.ask("pin", ids=[self.deploys])
        self.muted = self.save("The old deploy script is slow.")
        self.ask("mute", ids=[self.muted])
        self.plain = self.save("The staging database is reset every night at three.", tags=["database"])
        ask_in_session(
            SessionRef("s-1", "claude-code"), env, folder, "save_memory", text="Deploys need two people who are awake."
        )
        self.ask("capture", text="User: We always deploy from the main branch, never from a laptop.\n")
        [self.proposal] = [each.id for each in self.ask("review").proposals]
        said = transcript("Why are deploys on Fridays?", "Since on-call asked for it.", *["More.", "Yes."] * 30)
        capture = [*PALIMP, "capture", "-"]
        subprocess.run(capture, env=env, cwd=folder, input=said.encode(), check=False, stdout=subprocess.DEVNULL)
        turns = self.ask("recall", kind="conversation", detail="full").memories
        [self.spoken] = {each.session for each in turns}
        self.ask(
            "add_doc",
            slug="limits",
            title="Limits",
            content="# Limits\n\n| of | a minute |\n|---|---|\n| requests | 60 |\n",
        )
        subprocess.run([*PALIMP, "changes", "import"], env=env, cwd=folder, check=True, capture_output=True)
        [self.hunk] = [each.id for each in self.ask("list_changes").hunks]
        self._door = PageBrowser(env, folder)
        self.first = self._door.first

    def ask(self, name: str, **arguments: object):
        """Return the reply of an operation."""
        return ask(self.env, self.folder, name, **arguments)

    def save(self, text: str, **more: object) -> str:
        """Return the id of a memory that was saved."""
        return self.ask("save_memory", text=text, **more).id

    def tab(self, browser: Browser, **more: object) -> WatchedPage:
        """Return a tab of *browser* that was let in."""
        opened = WatchedPage(browser, self._door.port, **more)
        opened.open(self.ask("page").url)
        return opened

    def pages(self) -> tuple[str, ...]:
        """Return the paths of all pages, and of what each can show besides."""
        paths = (
            "", "?kind=decision", "?tag=deploy", "search", "search?q=when+are+deploys", "search?q=unicorns",
            "search?q=deploys&since=nonsense", "?client=claude-code", "inbox",
            "sessions", "sessions?session=s-1", "rules", "removed",
            f"removed/{self.hunk}",
            f"conversation?session={self.spoken}", "about?name=deploys", "settings", "documents", "documents/limits",
            "history", "health", "team",
            f"memory/{self.rule}", f"memory/{self.deploys}", f"memory/{self.muted}", f"memory/{self.proposal}",
            f"memory/{self.deploys}/edit", f"memory/{self.deploys}/erase",
        )  # fmt: skip
        return ("/", "/?q=deploys", "/p/global/", *(self.first + path for path in paths))

    def work(self) -> None:
        """Have a session be given something, save, change and take out; and leave two memories that disagree."""
        agent = Agent(self.env, self.folder, "s-1")
        agent.start()
        agent.hook("UserPromptSubmit", prompt="When do we deploy, and who has to be awake then?")
        agent.write("cart.py", "TTL_MINUTES = 30\n")
        agent.stop()
        session = SessionRef("s-1", "claude-code")
        texts = [f"The cart in `cart.py` lives for {minutes} minutes." for minutes in (30, 60)]
        first = ask_in_session(session, self.env, self.folder, "save_memory", text=texts[0], kind="decision").id
        second = ask_in_session(session, self.env, self.folder, "edit", id=first, text=texts[1]).id
        wrong = ask_in_session(session, self.env, self.folder, "save_memory", text="`cart.py` is not used.").id
        self.ask("recall", ids=[wrong], action="purge")
        other = self.save("The cart in `cart.py` is emptied at midnight.")
        self.ask("supersede", older=second, newer=other, relation="disagrees", why="one of them was measured")
        little = DoctorFinding(
            check="disk", state="warning", text="1.2 GB are free.", hint="Run `palimp compact --apply`."
        )
        git = DoctorFinding(check="git", state="well", text="git version 2.39.5")
        self.ask("diagnose", found=[little, git])

    def share(self, desktop: Machine, carried: Path) -> None:
        """Share the project with another machine, which has said something; of what is here, one waits."""
        for words in (("create", str(carried), "--as", "laptop"), ("share", "--yes", "--as", "shop")):
            subprocess.run([*PALIMP, "team", *words], env=self.env, cwd=self.folder, check=True, capture_output=True)
        desktop.run("add", "The cart lives in Redis.", "--kind", "finding")
        desktop.run("team", "join", str(carried), "--as", "desktop")
        desktop.run("team", "share", "--yes", "--as", "shop")

        def has_arrived() -> bool:
            sync = [*PALIMP, "team", "sync"]
            subprocess.run(sync, env=self.env, cwd=self.folder, check=False, capture_output=True)
            return any(each.author for each in self.ask("recall", limit=20).memories)

        wait_until(has_arrived, ARRIVES_S)


@pytest.fixture
def shop(daemon, env, project) -> Shop:
    """A project with something for every page."""
    return Shop(env, project)


@pytest.fixture
def desktop():
    """Another machine."""
    with temporary_home() as home:
        yield Machine(home)


@pytest.mark.parametrize(("scheme", "looked_at"), [("light", 320), ("dark", 1280)])
def test_every_page_fits_every_window_and_has_no_barrier(
    chromium: Browser, axe: str, shop: Shop, scheme: str, looked_at: int
):
    """In both colours, from a telephone to the widest screen, whatever is stored."""
    shop.save(HOSTILE, title=HOSTILE[:80], tags=["w" * 50])
    shop.work()
    for width in WIDTHS:
        page = shop.tab(chromium, width=width, scheme=scheme)
        for path in shop.pages():
            page.open(path)
            page.check_width()
            if width == looked_at:  # axe takes half a second a page: each colour once, each layout once
                page.check_barriers(axe)
        page.assert_quiet()


def test_each_button_does_what_it_says_and_undo_takes_it_back(chromium: Browser, shop: Shop):
    page = shop.tab(chromium)
    for action in ("Pin", "Mute", "Purge"):
        page.open(f"{shop.first}memory/{shop.plain}")
        page.tab.get_by_role("button", name=action, exact=True).click()
        assert page.say().startswith({"Pin": "Pinned", "Mute": "Muted", "Purge": "Purged"}[action])
        page.tab.locator("[role=status]").get_by_role("button", name="Undo").click()
        assert page.say().startswith("Undone")
    page.tab.get_by_role("button", name="Purge").click()
    page.tab.get_by_role("button", name="Restore").click()
    assert page.say() == "Restored."
    for answer in ("Drop", "Keep"):
        page.open(f"{shop.first}inbox")
        page.tab.get_by_role("button", name=answer, exact=True).click()
        page.tab.get_by_text("Nothing waits.").wait_for()
        page.tab.locator("[role=status]").get_by_role("button", name="Undo").click()
    page.open(f"{shop.first}rules")
    page.tab.get_by_role("button", name="Refuse once").click()
    assert "refused once" in page.say()
    page.tab.locator("[role=status]").get_by_role("button", name="Undo").click()
    page.open(f"{shop.first}removed/{shop.hunk}")
    page.tab.get_by_role("button", name="Watch for it no more").click()
    page.tab.get_by_role("button", name="Watch for it again").click()
    shop.work()
    for answer, said in (("Keep this one", "Kept: the other"), ("Both hold", "Both hold")):
        page.open(f"{shop.first}inbox")
        page.tab.get_by_role("button", name=answer, exact=True).first.click()
        page.tab.locator("[role=status]", has_text=said).wait_for()
        page.tab.locator("[role=status]").get_by_role("button", name="Undo").click()
        page.tab.locator("[role=status]", has_text="Undone").wait_for()
    page.open(f"{shop.first}health")
    page.tab.get_by_role("button", name="Have the doctor look").click()
    page.tab.get_by_text("The doctor has looked").wait_for()
    page.open(f"{shop.first}memory/{shop.plain}/erase")
    page.tab.get_by_role("button", name="Erase for good").click()
    assert page.say().startswith("Erased for good.")
    assert shop.ask("recall", ids=[shop.plain]).unknown
    page.assert_quiet()


def test_a_memory_is_found_corrected_and_undone_by_the_keyboard_alone(chromium: Browser, shop: Shop):
    """From the search to the undo without a pointer, and what has the focus can be seen."""
    page = shop.tab(chromium)
    page.open(f"{shop.first}search")
    keys = page.tab.keyboard

    def go_to(name: str) -> None:
        for _ in range(60):
            keys.press("Tab")
            if page.tab.evaluate("document.activeElement.textContent.trim()") == name:
                assert page.tab.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
                return
        raise AssertionError(f"no key leads to {name}")

    page.tab.locator("#q:focus").wait_for()
    keys.type("staging database")
    keys.press("Enter")
    page.tab.wait_for_url(re.compile("q=staging"))
    go_to("The staging database is reset every night at three")
    keys.press("Enter")
    page.tab.wait_for_url("**/memory/*")
    go_to("Edit")
    keys.press("Enter")
    page.tab.wait_for_url("**/edit")
    while page.tab.evaluate("document.activeElement.id") != "text":
        keys.press("Tab")
    keys.press("ControlOrMeta+a")
    keys.type("The staging database is reset at four.")
    go_to("Keep as a new version")
    keys.press("Enter")
    page.tab.wait_for_url(re.compile("said="))
    assert page.say() == "Kept as a new version."
    go_to("Undo")
    keys.press("Enter")
    page.tab.locator("[role=status]", has_text="Undone").wait_for()
    assert shop.ask("recall", ids=[shop.plain]).memories[0].superseded_by == ""
    page.assert_quiet()


def test_proposals_are_walked_through_kept_edited_and_dropped_by_single_keys(chromium: Browser, shop: Shop):
    shop.ask("capture", text="User: We never deploy on a holiday, whatever the reason.\n")
    first, second = (each.id for each in shop.ask("review").proposals)
    page = shop.tab(chromium)
    page.open(f"{shop.first}inbox")
    keys = page.tab.keyboard
    focused = "document.activeElement.closest('li')?.id"
    keys.press("d")  # of no row
    for key, row in (("j", first), ("j", second), ("j", second), ("k", first)):
        keys.press(key)
        assert page.tab.evaluate(focused) == row
    keys.press("e")
    page.tab.wait_for_url(f"**/memory/{first}/edit")
    page.tab.get_by_label("Text", exact=True).press("d")
    page.open(f"{shop.first}inbox")
    keys.press("j")
    keys.press("d")
    page.tab.locator("[role=status]", has_text="Dropped").wait_for()
    assert [each.id for each in shop.ask("review").proposals] == [second]
    page.tab.wait_for_function(f"{focused} === '{second}'")  # it took the place of the other
    page.tab.locator("[role=status]").get_by_role("button", name="Undo").click()
    page.tab.locator("[role=status]", has_text="Undone").wait_for()
    assert len(shop.ask("review").proposals) == 2
    page.open(f"{shop.first}inbox")
    keys.press("j")
    keys.press("y")
    page.tab.locator("[role=status]", has_text="Kept").wait_for()
    assert [each.id for each in shop.ask("review").proposals] == [second]
    page.assert_quiet()


def test_pages_follow_what_agents_do_by_one_stream_for_all_tabs(chromium: Browser, shop: Shop):
    """A tab in the background, too, once it is looked at; and a memory that is typed over stays as it is typed."""
    first = shop.tab(chromium)
    first.open(f"{shop.first}sessions?session=s-1")
    second = first.another()
    second.open(shop.first)
    waits = second.tab.locator("#waiting")
    assert waits.text_content() == "1 wait"

    shop.ask("capture", text="User: We never deploy on a holiday, whatever the reason.\n")
    second.tab.get_by_text("2 wait for your yes").wait_for()
    assert waits.text_content() == "2 wait"
    session = SessionRef("s-1", "claude-code")
    ask_in_session(session, shop.env, shop.folder, "save_memory", text="The build cache is on the fast disk.")
    for page in (first, second):
        page.tab.get_by_text("The build cache is on the fast disk").wait_for()

    assert [any("/events" in url for url in page.asked) for page in (first, second)] == [True, False]
    first.assert_quiet()
    second.assert_quiet()


def test_a_page_follows_too_when_the_extension_for_events_comes_last(chromium: Browser, shop: Shop):
    """The browser fetches it after htmx, from a daemon that may be busy."""
    page = shop.tab(chromium)

    def answer_late(route: Route) -> None:
        page.tab.evaluate(UNTIL_HTMX_IS_THERE)
        route.continue_()

    page.tab.route("**/hx-sse.min.js", answer_late)
    with page.tab.expect_request("**/events*"):
        page.open(shop.first)
    page.assert_quiet()


def test_a_page_says_that_its_daemon_stopped_and_goes_on_with_the_next(chromium: Browser, shop: Shop):
    """Whatever starts it: nobody has to ask for the page again."""
    page = shop.tab(chromium)
    page.open(shop.first)
    with page.tab.expect_request("**/events*"):
        page.tab.reload()
    page.assert_quiet()
    subprocess.run([*PALIMP, "stop"], env=shop.env, cwd=shop.folder, check=True, capture_output=True)
    page.tab.get_by_text("palimp does not answer: its").wait_for()

    subprocess.run([*PALIMP, "list"], env=shop.env, cwd=shop.folder, check=True, capture_output=True)

    page.tab.get_by_text("palimp answers again").wait_for()
    shop.save("The build cache is on the fast disk.")
    page.tab.get_by_text("The build cache is on the fast disk").wait_for()
    page.open(f"{shop.first}memory/{shop.plain}")
    page.tab.get_by_role("button", name="Pin", exact=True).click()
    assert page.say().startswith("Pinned")


def test_a_form_is_not_sent_to_nobody_and_is_kept_until_palimp_answers(chromium: Browser, shop: Shop):
    page = shop.tab(chromium)
    page.open(f"{shop.first}memory/{shop.plain}/edit")
    with page.tab.expect_request("**/events*"):
        page.tab.reload()
    subprocess.run([*PALIMP, "stop"], env=shop.env, cwd=shop.folder, check=True, capture_output=True)
    page.tab.get_by_text("palimp does not answer: its").wait_for()
    page.tab.get_by_label("Text", exact=True).fill("The staging database is reset at four.")
    page.tab.get_by_role("button", name="Keep as a new version").click()
    page.tab.get_by_text("Nothing was sent").wait_for()

    subprocess.run([*PALIMP, "list"], env=shop.env, cwd=shop.folder, check=True, capture_output=True)
    page.tab.get_by_text("palimp answers again").wait_for()
    page.tab.get_by_role("button", name="Keep as a new version").click()

    page.tab.locator("[role=status]", has_text="Kept as a new version").wait_for()
    assert "reset at four" in page.tab.locator("main").inner_text()


def test_a_page_of_an_older_version_says_so_and_its_form_is_good_with_the_next(chromium: Browser, tmp_path: Path):
    """Its daemon is a copy of this tree that takes itself for an older one; any command starts this tree's."""
    with changed_copy(make_older) as older:
        (project := older.home / "work").mkdir()
        id_ = ask(older.env, project, "save_memory", text="We deploy on Tuesdays.").id
        door = PageBrowser(older.env, project)
        page = WatchedPage(chromium, door.port)
        page.open(ask(older.env, project, "page").url)
        page.open(f"{door.first}memory/{id_}/edit")
        with page.tab.expect_request("**/events*"):
            page.tab.reload()
        page.tab.get_by_label("Text", exact=True).fill("We deploy on Fridays.")
        page.assert_quiet()

        env = {name: value for name, value in older.env.items() if name != "PYTHONPATH"}
        for command in ("stop", "list"):
            subprocess.run([*PALIMP, command], env=env, cwd=project, check=True, capture_output=True)
        page.tab.get_by_text("palimp was upgraded").wait_for()
        page.tab.get_by_role("button", name="Keep as a new version").click()

        page.tab.locator("[role=status]", has_text="Kept as a new version").wait_for()
        assert "We deploy on Fridays." in page.tab.locator("main").inner_text()
        page.open(f"{door.first}health")
        page.tab.get_by_text(f"{__version__}+").wait_for()
        end_daemon(env)


def make_older(copied: Path) -> None:
    """Have the copy take itself for an older version, built before any other."""
    package = copied / "protocol" / "palimp_protocol" / "__init__.py"
    package.write_text(package.read_text().replace(f'"{__version__}"', '"0.0.1"'))


def test_on_paper_there_is_what_can_be_read_in_dark_letters(chromium: Browser, shop: Shop):
    """No button, no form and no navigation, whatever the colours of the screen are."""
    shop.work()
    page = shop.tab(chromium, scheme="dark")
    page.tab.emulate_media(media="print")
    for path in ("", "inbox", "history", f"memory/{shop.deploys}", "health"):
        page.open(shop.first + path)
        for unwanted in ("button", "form", "nav"):
            assert not any(each.is_visible() for each in page.tab.locator(unwanted).all()), (path, unwanted)
        assert page.tab.locator("h1").evaluate("each => getComputedStyle(each).color") == "rgb(31, 35, 40)"


def test_all_of_it_works_without_script(chromium: Browser, shop: Shop):
    shop.work()
    page = shop.tab(chromium, java_script_enabled=False)
    for path in shop.pages():
        page.open(path)
        page.tab.locator("main h1").first.wait_for()
    page.open(f"{shop.first}inbox")
    for answer, said in (("Keep this one", "Kept: the other"), ("Drop", "Dropped")):
        page.tab.get_by_role("button", name=answer, exact=True).first.click()
        assert page.say().startswith(said)
    page.open(f"{shop.first}memory/{shop.plain}/edit")
    page.tab.get_by_label("Text", exact=True).fill("The staging database is reset at four.")
    page.tab.get_by_role("button", name="Keep as a new version").click()
    assert page.say() == "Kept as a new version."
    page.assert_quiet()


def test_the_team_s_page_with_members_fits_every_window_and_has_no_barrier(
    chromium: Browser, axe: str, shop: Shop, desktop: Machine, tmp_path: Path
):
    shop.share(desktop, tmp_path / "carried")
    for width in WIDTHS:
        page = shop.tab(chromium, width=width)
        page.open(f"{shop.first}team")
        page.tab.get_by_role("heading", name="Machines").wait_for()
        page.tab.get_by_text("desktop").first.wait_for()
        page.check_width()
        page.check_barriers(axe)
        page.open(shop.first)
        page.tab.get_by_text("The cart lives in Redis").wait_for()
        page.assert_quiet()


def test_the_pictures_of_the_documentation_are_of_pages_that_are_there(
    chromium: Browser, shop: Shop, desktop: Machine, tmp_path: Path
):
    """`make pictures` writes them anew: small, and all that the page of the documentation shows."""
    folder = Path(os.environ.get("PALIMP_PICTURES") or tmp_path)
    shown = {
        "now": "", "search": "search?q=when+are+deploys", "memory": f"memory/{shop.deploys}", "inbox": "inbox",
        "session": "sessions?session=s-1", "rules": "rules", "removed-code": f"removed/{shop.hunk}",
        "document": "documents/limits", "history": "history", "health": "health", "team": "team",
    }  # fmt: skip
    shop.work()
    page = shop.tab(chromium, width=1000, height=700)
    for name, path in shown.items():
        if name == "team":
            shop.share(desktop, desktop.project.parent / "carried")
        page.open(shop.first + path)
        page.picture(folder / f"page-{name}.png")
    for name, width, scheme in (("narrow", 360, "light"), ("dark", 1000, "dark")):
        page = shop.tab(chromium, width=width, height=700, scheme=scheme)
        page.open(shop.first)
        page.picture(folder / f"page-{name}.png")
    made = {path.name for path in folder.glob("page-*.png")}
    assert sum((folder / name).stat().st_size for name in made) < PICTURES_BYTES_MAX
    told = (ROOT / "docs" / "how-to" / "look-in-the-browser.md").read_text(encoding="utf-8")
    assert set(re.findall(r"images/(page-[a-z-]+\.png)", told)) == made
