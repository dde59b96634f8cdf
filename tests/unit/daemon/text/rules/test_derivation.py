import pytest

from palimp_daemon.text.rules.derivation import checks_of
from palimp_protocol.messages.rule_messages import Check


@pytest.mark.parametrize(
    ("text", "check"),
    [
        ("Use pnpm, never npm.", Check(sort="command", commands=("npm",), instead="pnpm")),
        ("Statt `pip install` bitte `uv add`.", Check(sort="command", commands=("pip install",), instead="uv add")),
        ("npmではなくpnpmを使うこと。", Check(sort="command", commands=("npm",), instead="pnpm")),
        ("不要修改 generated/ 目录下的文件。", Check(sort="edit", paths=("generated/",))),
        ("Ne touche pas au dossier generated/.", Check(sort="edit", paths=("generated/",))),
        ("Run the tests before you push.", Check(sort="before", commands=("git push",), first=("=test",))),
        ("Vor dem Push immer die Tests laufen lassen!", Check(sort="before", commands=("git push",), first=("=test",))),
        ("推送之前必须先跑测试。", Check(sort="before", commands=("git push",), first=("=test",))),
        (
            "Run `make lint` before every commit.",
            Check(sort="before", commands=("git commit",), first=("make lint",)),
        ),
        ("Nunca hagas commit en main.", Check(sort="command", commands=("git commit",), branches=("main",))),
        ("Não adicione dependências sem perguntar.", Check(sort="command", commands=("=dependency",))),
        ("Commit messages in the imperative.", Check(sort="message", style="imperative")),
        ("Branch names start with feat/ or fix/", Check(sort="branch", begins=("feat/", "fix/"))),
        ("No `print` in src, use the logger.", Check(sort="edit", paths=("src/",), added=("print(",))),
        ("Leave packages/legacy alone.", Check(sort="edit", paths=("packages/legacy",))),
        ("dist配下のファイルは手で編集しないこと。", Check(sort="edit", paths=("dist/",))),
        ("generated/ is made by a tool. Don't edit it.", Check(sort="edit", paths=("generated/",))),
        ("Stop editing the README unasked.", Check(sort="edit", paths=("README", "README.*", "readme.*"))),
        ("Commit-Messages immer auf Englisch.", Check(sort="message", style="english")),
        ("Los mensajes de commit van sin punto final.", Check(sort="message", style="no-period")),
        ("Every commit message has a ticket number.", Check(sort="message", style="ticket")),
        ("Don't run the whole test suite.", Check(sort="command", commands=("=all-tests",))),
        ("Starte nie den Dev-Server.", Check(sort="command", commands=("=serve",))),
        ("Never delete with `rm -rf`.", Check(sort="command", commands=("rm -rf",))),
        ("测试通过之后才能提交。", Check(sort="before", commands=("git commit",), first=("=test",))),
        ("Ohne Tests wird nicht gepusht.", Check(sort="before", commands=("git push",), first=("=test",))),
        ("The api/ folder belongs to Ana. Hands off!", Check(sort="edit", paths=("api/",))),
        ("Der Ordner api/ gehört Ana. Finger weg!", Check(sort="edit", paths=("api/",))),
        ("Never run npm or yarn in `web/`.", Check(sort="command", commands=("npm", "yarn"), paths=("web/",))),
        ("Use Vitest, not Jest.", Check(sort="command", commands=("jest",), instead="vitest")),
        (
            "Ne supprime pas de branches sans demander.",
            Check(
                sort="command",
                commands=(
                    "git branch -d",
                    "git branch -D",
                    "git branch --delete",
                    "git push --delete",
                    "git push -d",
                ),
            ),
        ),
        (
            "Always pass --frozen-lockfile to pnpm install.",
            Check(sort="command", commands=("pnpm install",), instead="pnpm install --frozen-lockfile"),
        ),
    ],
)
def test_derives_a_check_from_a_rule_as_people_write_it(text: str, check: Check):
    assert checks_of(text) == (check,)


@pytest.mark.parametrize(
    "text",
    [
        "Answer briefly, no preamble.",
        "Deutsche Texte in der Oberfläche immer mit Sie.",
        "I prefer composition over inheritance.",
        "We moved the parser to src/parse.py.",
        "No caret in the range; the npm packages are pinned.",
        "Should I use npm? No.",
        "Don't rely on Jest mocks.",
        "Never add new ESLint rules.",
        "We were twelve once; the staging server is heron, not crane.",
        "",
        "never " * 400,
    ],
)
def test_gives_no_check_for_what_no_act_can_break(text: str):
    assert checks_of(text) == ()


def test_takes_a_wanting_word_behind_a_forbidding_one_as_part_of_it():
    (check,) = checks_of("Never use npm here.")
    assert check.commands == ("npm",)


def test_does_not_read_words_in_backticks_as_words_of_the_rule():
    assert checks_of("`never npm` is what the old docs said, use npm and pnpm as you like") == ()


def test_lets_a_command_be_run_by_the_wrapper_that_the_rule_names():
    (check,) = checks_of("Always run things through `uv run`, don't call python or pytest directly.")
    assert (check.commands, check.within) == (("python", "pytest"), "uv run")


@pytest.mark.parametrize(
    "text",
    [
        "No unwrap in the library, `bug!` macro instead; it prints the span and asks to file an issue.",
        "Diagnostics have no full stop, say what was found and what was expected, put the advice into a `help:`.",
        "Python is typed throughout and has to pass pyright in strict mode. The user rejects dicts as records.",
    ],
)
def test_takes_no_example_further_on_in_a_sentence_for_forbidden(text: str):
    assert checks_of(text) == ()


def test_lets_a_prohibition_reach_over_a_comma_only_in_a_list():
    (one,) = checks_of("On n'utilise plus yarn ici, tout passe par pnpm.")
    (many,) = checks_of("No npm, yarn or bun.")
    assert (one.commands, many.commands) == (("yarn",), ("npm", "yarn", "bun"))


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("Decided: use pnpm, never npm.", ("npm",)),
        ("Python 3.13 and uv; poetry is gone. `uv sync`, never pip install into the venv", ("pip install",)),
        ("We never push to main.", ("git push",)),
        ("We decided to use Vitest instead of Jest.", ("jest",)),
        ("Wir haben beschlossen, Vitest statt Jest zu nutzen.", ("jest",)),
        ("Decidimos usar pnpm en vez de npm.", ("npm",)),
        ("Ab jetzt kein npm, immer pnpm.", ("npm",)),
        ("Désormais, jamais npm.", ("npm",)),
        ("A partir de ahora nunca npm.", ("npm",)),
        ("npmは使わないこと。", ("npm",)),
        ("以后禁止使用 npm。", ("npm",)),
    ],
)
def test_gives_a_check_for_a_decision_that_is_written_as_a_rule(text: str, commands: tuple[str, ...]):
    assert checks_of(text, is_decision=True)[0].commands == commands


@pytest.mark.parametrize(
    "text",
    [
        "We moved from npm to pnpm, since npm was slow.",
        "We chose pnpm instead of npm for the monorepo.",
        "No npm was left after the move.",
        "Only the docs use npm.",
        "Wir haben npm durch pnpm ersetzt, weil npm nicht deterministisch war.",
        "We never touch card data ourselves, so `payments/` only holds the session creation.",
        "From May the table `legacy_urls` is filled by `artisan urls:freeze` and must never be truncated.",
        "npmからpnpmに移行しました。",
        "我们不再用 npm 了。",
    ],
)
def test_gives_no_check_for_a_decision_that_reports(text: str):
    assert checks_of(text, is_decision=True) == ()
