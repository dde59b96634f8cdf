import pytest

from palimp_daemon.text.rules.commit_messages import commit_messages
from palimp_daemon.text.rules.verdicts import Act, FileEdit, verdict_of
from palimp_daemon.text.shell_commands import given_commands_in
from palimp_protocol.messages.rule_messages import Check, Style


def act(line: str, branch: str = "", done: str | None = "") -> Act:
    commands = given_commands_in(line)
    ended = None if done is None else tuple(given_commands_in(done))
    return Act(tuple(commands), tuple(commit_messages(line, commands)), branch=branch, done=ended)


def edit(path: str, added: str = "x = 1", *, is_new: bool = False) -> Act:
    return Act(edits=(FileEdit(tuple(path.split("/")), added, is_new),))


NPM = Check(sort="command", commands=("npm",), instead="pnpm")
FORCE = Check(sort="command", commands=("git push --force", "git push -f"))


@pytest.mark.parametrize(
    ("check", "line", "verdict"),
    [
        (NPM, "cd web && CI=1 npm ci", "broken"),
        (NPM, "sudo npm i -g x", "broken"),
        (NPM, "pnpm add x", "kept"),
        (NPM, "npm --version", ""),
        (NPM, "grep npm README.md", ""),
        (NPM, "npx jest", ""),
        (FORCE, "git push -fu origin x", "broken"),
        (FORCE, "git fetch --force", ""),
        (Check(sort="command", commands=("sudo",)), "sudo apt update", "broken"),
        (Check(sort="command", commands=("docker-compose",)), "docker compose up", ""),
        (Check(sort="command", commands=("docker-compose",)), "docker-compose up", "broken"),
        (Check(sort="command", commands=("pip install",)), "python3 -m pip install x", "broken"),
        (Check(sort="command", commands=("pip install",)), "pip3 install x", "broken"),
        (Check(sort="command", commands=("pip install",)), "pip list", ""),
        (Check(sort="command", commands=("python",), within="uv run"), "uv run python x.py", "kept"),
        (Check(sort="command", commands=("python",), within="uv run"), "python x.py", "broken"),
        (Check(sort="command", commands=("=dependency",)), "pip install -r requirements.txt", ""),
        (Check(sort="command", commands=("=dependency",)), "cargo add serde", "broken"),
        (Check(sort="command", commands=("git add ... .env",)), "git add src .env", "broken"),
        (Check(sort="command", commands=("rg",)), "ps aux | grep node", ""),
        (Check(sort="command", commands=("grep",)), "ps aux | grep node", ""),
        (Check(sort="command", commands=("rm -rf",)), "rm -r -f build", "broken"),
        (Check(sort="command", commands=("rm -rf",)), "rm -f build/x", ""),
        (Check(sort="command", commands=("docker ... *:latest",)), "docker build -t shop:latest .", "broken"),
        (Check(sort="command", commands=("docker ... *:latest",)), "docker build -t shop:1.4 .", ""),
        (Check(sort="command", commands=("=all-tests",)), "npx vitest run", "broken"),
        (Check(sort="command", commands=("=all-tests",)), "pytest tests/test_cart.py", ""),
        (Check(sort="command", commands=("=all-tests",)), "cargo test -p cart", ""),
        (Check(sort="command", commands=("=serve",)), "pnpm run dev", "broken"),
        (Check(sort="command", commands=("=serve",)), "pnpm build", ""),
        (Check(sort="command", commands=("pytest",), instead="pytest -x"), "pytest -qx", "kept"),
        (Check(sort="command", commands=("pytest",), instead="pytest -x"), "pytest", "broken"),
    ],
)
def test_tells_a_command_that_breaks_a_rule_from_one_that_does_not(check: Check, line: str, verdict: str):
    assert verdict_of([check], act(line)) == verdict


@pytest.mark.parametrize(
    ("line", "branch", "verdict"),
    [
        ("git commit -m x", "main", "broken"),
        ("git commit -m x", "fix", "kept"),
        ("git commit -m x", "", "kept"),
        ("git switch main && git commit -m x", "fix", "broken"),
        ("git checkout -b main2 && git commit -m x", "fix", "kept"),
        ("git push origin HEAD:main", "fix", "broken"),
        ("git push origin fix", "main", "kept"),
    ],
)
def test_looks_at_the_branch_that_a_commit_or_a_push_goes_to(line: str, branch: str, verdict: str):
    check = Check(sort="command", commands=("git commit", "git push"), branches=("main",))
    assert verdict_of([check], act(line, branch)) == verdict


@pytest.mark.parametrize(
    ("line", "done", "verdict"),
    [
        ("git push", "", "broken"),
        ("git push", "pytest -q", "kept"),
        ("git push", "ruff check .", "broken"),
        ("npm test && git push", "", "kept"),
        ("git push && npm test", "", "broken"),
        ("git push", None, ""),
    ],
)
def test_wants_the_tests_to_have_ended_well_before_a_push(line: str, done: str | None, verdict: str):
    check = Check(sort="before", commands=("git push",), first=("=test",))
    assert verdict_of([check], act(line, done=done)) == verdict


@pytest.mark.parametrize(
    ("check", "given", "verdict"),
    [
        (Check(sort="edit", paths=("generated/",)), edit("api/generated/x.ts"), "broken"),
        (Check(sort="edit", paths=("generated/",)), edit("src/generated.ts"), ""),
        (Check(sort="edit", paths=("config/prod.yml",)), edit("config/prod.yml"), "broken"),
        (Check(sort="edit", paths=("*.md",), files="new"), edit("docs/a.md", is_new=True), "broken"),
        (Check(sort="edit", paths=("*.md",), files="new"), edit("docs/a.md"), ""),
        (Check(sort="edit", paths=("src/",), added=("print(",)), edit("src/a.py", "  print(x)"), "broken"),
        (Check(sort="edit", paths=("src/",), added=("print(",)), edit("src/a.py", "blueprint(x)"), "kept"),
        (Check(sort="edit", paths=("src/",), added=("print(",)), edit("tests/a.py", "print(x)"), ""),
        (Check(sort="edit", added=("TODO",)), edit("README.md", "TODO"), ""),
    ],
)
def test_looks_at_the_file_and_at_what_is_added_to_it(check: Check, given: Act, verdict: str):
    assert verdict_of([check], given) == verdict


@pytest.mark.parametrize(
    ("check", "message", "verdict"),
    [
        (Check(sort="message", style="imperative"), "Added a retry", "broken"),
        (Check(sort="message", style="imperative"), "fix: adds a retry", "broken"),
        (Check(sort="message", style="imperative"), "Add a retry", "kept"),
        (Check(sort="message", style="imperative"), "Embed the font", "kept"),
        (Check(sort="message", style="imperative"), "Merge branch 'x'", "kept"),
        (Check(sort="message", begins=("feat", "fix")), "fix(cart)!: round", "kept"),
        (Check(sort="message", begins=("feat", "fix")), "fixed: round", "broken"),
        (Check(sort="message", subject_max=10), "Round totals up", "broken"),
        (Check(sort="message", style="no-emoji"), "🚀 Ship", "broken"),
        (Check(sort="message", lacks=("co-authored-by: claude",)), "x\n\nCo-Authored-By: Claude <a@b>", "broken"),
    ],
)
def test_judges_the_message_of_a_commit(check: Check, message: str, verdict: str):
    assert verdict_of([check], Act(messages=(message,))) == verdict


@pytest.mark.parametrize("line", ["git checkout -b retry", "git switch -c retry main", "git branch retry"])
def test_judges_the_name_of_a_branch_that_is_made(line: str):
    assert verdict_of([Check(sort="branch", begins=("fix/",))], act(line)) == "broken"
    assert verdict_of([Check(sort="branch", begins=("ret",))], act(line)) == "kept"


def test_reads_a_command_of_two_megabytes_without_looking_at_all_of_it():
    line = "echo " + "x" * 2_000_000 + "; npm install"
    assert verdict_of([NPM], act(line)) == ""


@pytest.mark.parametrize(
    ("style", "subject", "verdict"),
    [
        ("english", "Rundung der Rabatte im Warenkorb korrigiert", "broken"),
        ("english", "修复购物车的折扣计算", "broken"),
        ("english", "Fix the discounts in the cart", "kept"),
        ("english", "Fix 表 in titles of the cart", "kept"),
        ("german", "Fix the discounts in the cart", "broken"),
        ("german", "v1.2.3", "kept"),
        ("chinese", "Fix discounts in carts", "broken"),
        ("no-period", "Fix carts.", "broken"),
        ("no-period", "Fix carts...", "kept"),
        ("ticket", "Fix carts", "broken"),
        ("ticket", "SHOP-12: Fix carts", "kept"),
        ("lowercase", "feat: Add carts", "broken"),
        ("lowercase", "feat: add carts", "kept"),
    ],
)
def test_tells_a_message_in_another_style_or_language(style: Style, subject: str, verdict: str):
    assert verdict_of([Check(sort="message", style=style)], act(f"git commit -m '{subject}'")) == verdict
