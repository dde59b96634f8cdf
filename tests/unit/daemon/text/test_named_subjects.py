"""A text's paths, symbols, commits and commands are found by their form, and what only looks like one is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.named_commands import KINDS
from palimp_daemon.text.named_subjects import EACH_MAX, SUBJECT_CHARACTERS_MAX, subjects_of


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ("See `cart/ttl.py`.", ["cart/ttl.py"]),
        ("See cart/ttl.py.", ["cart/ttl.py"]),
        ("(invoices/tax.py)", ["invoices/tax.py"]),
        ("`payments/views.py::hook` and `a/b.go:12`", ["payments/views.py", "a/b.go"]),
        ("everything under `planner/gen/`", ["planner/gen/"]),
        ("no `use()` in packages/react", ["packages/react"]),
        ("`packages/*` and `tests/**/*.py`", ["packages/*", "tests/**/*.py"]),
        ("money.rs, `.nvmrc`, the Dockerfile and `Makefile`", [".nvmrc", "Makefile", "money.rs", "Dockerfile"]),
        ("clean /opt/airflow/logs first", ["/opt/airflow/logs"]),
        ("`sbatch jobs/fit.sbatch`", ["jobs/fit.sbatch"]),
        ("検証はapp/validators/number.rbだけ、`app/モデル/税.rb`", ["app/モデル/税.rb", "app/validators/number.rb"]),
        ("Файл `src/счёт.py` важен", ["src/счёт.py"]),
        ("read/write and/or 10/12 km/h", []),
        ("`image/png`, `origin/main`, `feature/x`", []),
        ("GET `/api/orders/`, https://a.example/b/c.py", []),
        ("Node.js, Next.js 14 and docs.rs", []),
        ("version 3.2.1, e.g. this", []),
        ("`packages/<name>/x`", []),
    ],
)
def test_paths_are_what_is_written_like_one(text: str, paths: list[str]):
    assert list(subjects_of(text).paths) == paths


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("`reserve` and `Invoice#total`", ["reserve", "Invoice#total"]),
        ('`SearchVector("name")`', ["SearchVector"]),
        ("`a/b.py::expire`", ["expire"]),
        ("CART_TTL_DAYS=30, class LoginThrottle, settings_load() and core.start()", None),
        ("GitHub, PostgreSQL, kHz and JavaScript", []),
        ("`<script setup>` or `x = 1`", []),
        ("only words", []),
    ],
)
def test_symbols_are_what_is_written_like_an_identifier(text: str, symbols: list[str] | None):
    if symbols is None:
        symbols = ["CART_TTL_DAYS", "LoginThrottle", "settings_load", "core.start"]
    assert list(subjects_of(text).symbols) == symbols


@pytest.mark.parametrize(
    ("text", "commits"),
    [
        ("see 1f3a9c2 and `F9C4F30`", ["1f3a9c2", "f9c4f30"]),
        ("since commit deadbeef", ["deadbeef"]),
        ("commit 1234567", ["1234567"]),
        ("defaced facades 1234567 at #ff00aa1", []),
        ("550e8400-e29b-41d4-a716-446655440000", []),
    ],
)
def test_commits_are_digits_and_letters_or_said_to_be_one(text: str, commits: list[str]):
    assert list(subjects_of(text).commits) == commits


@pytest.mark.parametrize(
    ("text", "commands"),
    [
        ("run `cargo sqlx prepare --workspace`", ["cargo sqlx prepare --workspace"]),
        ("`FOO=1 uv run alembic heads`", ["alembic heads"]),
        ("`./bin/kamal deploy`", ["kamal deploy"]),
        ("before push run make lint", ["make lint", "push"]),
        ("`SELECT * FROM x`, `x = 1`, `warn`", []),
        ("No emojis in commit messages", ["commit"]),
        ("Commit-Betreff auf Englisch", ["commit"]),
        ("コミットメッセージは日本語", ["commit"]),
        ("提交信息用中文", ["commit"]),
        ("broken since commit 1f3a9c2, see on_commit", []),
        ("`git push` erst nach den Tests", ["git push", "push"]),
        ("Push notifications are silent", []),
        ("Deployt wird dienstags", ["deploy"]),
        ("本番へのデプロイは平日のみ", ["deploy"]),
        ("On déploie le jeudi", ["deploy"]),
        ("Database migrations need a down part", ["migrate"]),
        ("We migrate from A to B", []),
        ("web/ uses pnpm", ["install:js"]),
        ("Neue Abhängigkeiten nur nach Rückfrage", ["install"]),
    ],
)
def test_commands_are_written_out_or_said_in_words(text: str, commands: list[str]):
    assert list(subjects_of(text).commands) == commands


@pytest.mark.parametrize("kind", KINDS)
def test_whatever_says_a_kind_has_a_hint_of_it(kind: str):
    """Each way to say it begins or ends with one, in any case."""
    for text in SAID[kind].split("|"):
        for form in (text, text.upper(), text.capitalize()):
            assert kind in subjects_of(f"x {form} x").commands, form


SAID = {
    "commit": "commits|committing|commit-betreff|コミット|提交信息|커밋|коммитить",
    "push": "force-push|pushing|gepusht wird: push|プッシュ|推送到|푸시|запушить|пуш",
    "deploy": "redeployed|deployment|ausgerollt|rollout|déploie|déployer|mise en production|despliegue|desplegar"
    "|implantação|デプロイ|本番反映|部署|上线|배포|деплой|развёрнуто|развертывание",
    "publish": "publish the package|make a release|store builds",
    "migrate": "migrations|database migration|sql migrate|datenbankmigration|migraciones"
    "|マイグレーション|数据库迁移|마이그레이션|миграции",
    "install": "dependency|abhängigkeiten|dependencias|dependências|dépendances|зависимости|add packages"
    "|パッケージを追加|依存関係|安装依赖|의존성",
}


@given(st.text())
def test_any_text_has_few_and_short_subjects(text: str):
    for found in subjects_of(text):
        assert len(found) <= EACH_MAX
        assert all(0 < len(each) <= SUBJECT_CHARACTERS_MAX for each in found)


@given(st.text(alphabet="`/._:-()aA1* \n", max_size=200))
def test_no_form_is_too_odd(text: str):
    assert len(subjects_of(text).paths) <= EACH_MAX


def test_a_text_that_names_much_is_read_in_part():
    assert len(subjects_of("`a/b.py` " * 3 + " ".join(f"`f{n}.py`" for n in range(10_000))).paths) == EACH_MAX


@given(st.text(alphabet="aB9_./()*`:#é \n", max_size=40))
def test_a_text_names_the_same_alone_and_above_one_that_names_something(text: str):
    alone, above = subjects_of(text), subjects_of(f"{text}\n\nsrc/made.py and made_up()\n")
    assert above.paths == (*alone.paths, "src/made.py")
    assert above.symbols == (*alone.symbols, "made_up")
