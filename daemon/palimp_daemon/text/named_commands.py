"""The commands that a text names: written out in backticks, or said in words as what is done with a repository.

Of words only those count that developers of all languages use for it (commit, push, deploy, publish, migrate, install);
they become kinds of commands.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final

from palimp_daemon.text.shell_commands import SimpleCommand, commands_in

KINDS: Final = ("commit", "push", "deploy", "publish", "migrate", "install")
"""Kinds of commands that are said in words; `install:FAMILY` says whose packages."""

COMMAND_WORDS_MAX: Final = 4
"""Of a command that a text names, the program among them: what stands behind is what it is applied to."""

PROGRAMS: Final = frozenset(
    """
    act alembic ansible ansible-playbook apk apt apt-get artisan aws az bazel biome black brew buf buildah bun
    bundle cap cargo cdk celery clang-format cmake code codemagic composer conan conda cordova cp cross ctest curl
    dart dbmate dbt deno detekt diesel django-admin docker doctl dotnet drizzle-kit dvc eas ecs-deploy elixir
    esbuild eslint expo fab fastlane firebase flake8 flask flutter fly flyctl flyway forge gatsby gcloud gem gh git
    glab go goose goreleaser gradle gradlew gsutil gulp gunicorn helm heroku hg hugo ionic invoke isort java jest jj
    jq jupyter just k6 kamal knex kubectl kustomize lake lein lerna liquibase make mamba manage.py maven meson
    minikube mise mix mocha mongosh mvn mvnw mypy mysql nbstripout netlify next ng ninja nix nodemon nox npm npx
    nuget nx openssl packer pdm pg_dump pg_restore php phpunit pip pip-compile pip3 pipenv pipx playwright pnpm
    podman poetry pre-commit prettier prisma psql pulumi pyright pytest python python3 rails rake ray rebar3
    redis-cli rg rspec rsync rubocop ruff rustup rye sam sbatch sbt scp sed serverless sh skaffold snakemake
    sqlfluff sqlite3 sqlx srun ssh stack svn swift systemctl task terraform terragrunt tofu tox trunk tsc turbo
    twine twister typst uv uvicorn vagrant vault vercel vite vitest vsce west wrangler xcodebuild yarn yarnpkg zig
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""What developers run: a command is one whose program is among them, or lies in the project (`./x`, `bin/x`)."""

PACKAGE_MANAGERS: Final = {
    "npm": "js",
    "yarn": "js",
    "pnpm": "js",
    "bun": "js",
    "pip": "python",
    "uv": "python",
    "poetry": "python",
    "pipenv": "python",
    "pdm": "python",
    "conda": "python",
    "mamba": "python",
    "bundle": "ruby",
    "gem": "ruby",
    "composer": "php",
    "cocoapods": "apple",
    "apt": "system",
    "apt-get": "system",
    "brew": "system",
    "apk": "system",
    "dnf": "system",
}
"""Programs that add packages, and the family of packages: who names one of a family has a rule for all of it."""

_PROGRAM_PLACE: Final = re.compile(r"(?:\./|bin/|scripts?/|tools?/)[\w./-]+\Z")
_WORD_OF_COMMAND: Final = re.compile(r"[\w@.:/+-]+\Z")
_RUN: Final = re.compile(r"\b(?:run|runs|running|rerun|execute|ran)\s+((?:[\w./:-]+[ \t]*){1,4})", re.IGNORECASE)


def written_commands(span: str) -> Iterator[str]:
    """Return the commands that *span* writes out."""
    if span.startswith(("$ ", "% ", "> ")):
        span = span[2:]
    first = span.split(" ", 1)[0]
    if "(" in first or span.endswith("("):
        return
    for command in commands_in(span):
        if _is_program(command, span):
            yield _named(command)


def _is_program(command: SimpleCommand, span: str) -> bool:
    if command.program in PROGRAMS:
        return True
    if "/" in command.program or not (command.words or command.flags):
        return False
    is_module = re.search(rf"\bpython[0-9.]* -m {re.escape(command.program)}\b", span) is not None
    place = next((word for word in span.split() if word.rsplit("/", 1)[-1] == command.program), "")
    return is_module or bool(_PROGRAM_PLACE.match(place))


def _named(command: SimpleCommand) -> str:
    """Return how *command* is kept: program, the first words that are no placeholders, and long flags."""
    words: list[str] = []
    for word in command.words[: COMMAND_WORDS_MAX - 1]:
        if not _WORD_OF_COMMAND.match(word) or word in ("...", ".."):
            break
        words.append(word)
    flags = [flag for flag in command.flags if flag.startswith("--") and len(flag) > 2 and flag.isascii()][:3]
    return " ".join((command.program, *words, *flags))


def run_in_prose(prose: str) -> Iterator[str]:
    """Return the commands that are said without backticks: `run make lint`."""
    for found in _RUN.finditer(prose):
        words = found[1].split()
        if words[0] in PROGRAMS and words[0] not in ("go", "make", "just", "task", "next", "code", "cap", "mix"):
            yield words[0]
        elif words[0] in ("make", "just", "task") and len(words) > 1:
            yield f"{words[0]} {words[1].rstrip('.,;:')}"


_SAID: Final = {
    "commit": re.compile(
        r"(?<![\w-])(?<!on_)commit(?:s|ted|ting|ten|tez|ter)?(?![\w_])(?!\s*(?:`?[0-9a-f]{7,40}\b|[\"“«„]))|Commit-(?:Betreff|Nachricht)\w*"
        r"|コミット|提交信息|提交说明|提交前|커밋|коммит\w*",
        re.IGNORECASE,
    ),
    "push": re.compile(
        r"(?<![\w-])(?:force[- ])?push(?:es|ed|ing|en|t)?(?![\w-])"
        r"(?!\s*(?:notif|nachricht|message|token|benachricht|service))"
        r"|(?<!notificaciones )(?<!notifications )(?<!通知)プッシュ(?!通知)"
        r"|推送到|推送前|푸시(?! ?알림)|запуш\w*|(?<!\w)пуш\w*",
        re.IGNORECASE,
    ),
    "deploy": re.compile(
        r"(?<!\w)(?:re)?deploy(?:s|t|ed|ing|en|ment|ments|er|ez|ado|ar)?(?!\w| target)"
        r"|ausgerollt|ausrollen|(?<!\w)rollout"
        r"|déploi\w*|déploy\w*|mise en prod\w*|despleg\w*|desplieg\w*|implanta[rç]\w*|デプロイ|本番反映|部署|上线|배포"
        r"|депло\w*|развёр[тн]\w*|развер[тн]\w*",
        re.IGNORECASE,
    ),
    "publish": re.compile(
        r"(?<!\w)publish(?:es|ed|ing)?(?!\w)(?=.{0,60}(?:package|npm|pypi|crate|gem|registry|changeset|store|CI))"
        r"|(?<!\w)(?:cut|tag|make)s? (?:a|the) release"
        r"|(?<!\w)(?:store|app store|play store) (?:builds?|uploads?|releases?)",
        re.IGNORECASE,
    ),
    "migrate": re.compile(
        r"(?<!\w)(?:database |db |schema |sql |alembic |django |rails )?migrations(?!\w)"
        r"|(?<!\w)(?:database|db|schema|sql|alembic|django|rails) (?:re)?migrat\w+"
        r"|(?<!\w)Migrationen(?!\w)"
        r"|Datenbankmigration\w*|migraciones|migrações|マイグレーション|数据库迁移|迁移脚本|마이그레이션|миграци\w*",
        re.IGNORECASE,
    ),
    "install": re.compile(
        r"(?<!\w)(?:dependenc(?:y|ies)|Abhängigkeit(?:en)?|dependencias?|dependências?|dépendances?|зависимост\w*)(?!\w)"
        r"|(?<!\w)(?:add|install|upgrad|bump|updat)\w* "
        r"(?:\w+ ){0,2}(?:packages?|gems?|crates?|librar(?:y|ies)|modules?)(?!\w)"
        r"|(?:Gem|パッケージ|ライブラリ)\s*を(?:追加|更新|入れ)|依存(?:関係|パッケージ|を追加)|安装依赖|依赖包|의존성",
        re.IGNORECASE,
    ),
}
"""How the kinds are said, in the languages of those who use palimp."""

_HINTS: Final = {
    "commit": ("commit", "コミット", "提交", "커밋", "коммит"),
    "push": ("push", "プッシュ", "推送", "푸시", "пуш"),
    "deploy": (
        *("deploy", "roll", "déplo", "mise en prod", "despl", "implanta", "デプロイ", "本番反映", "部署", "上线"),
        *("배포", "депло", "разв"),
    ),
    "publish": ("publish", "release", "store"),
    "migrate": ("migra", "マイグレーション", "迁移", "마이그레이션", "миграц"),
    "install": (
        *("depend", "dépend", "abhängig", "зависим", "packag", "gem", "crate", "librar", "modul", "パッケージ"),
        *("ライブラリ", "依存", "安装", "依赖", "의존"),
    ),
}
"""In small letters, what a text has that says a kind: to look for these takes a hundredth of the time."""

_MANAGER: Final = re.compile(
    r"(?<![\w./@-])(npm|yarn|pnpm|bun|pip|poetry|pipenv|pdm|conda|mamba|bundler?|composer|cocoapods|uv)(?![\w/-]|\.\w)",
    re.IGNORECASE,
)
_MANAGERS: Final = ("npm", "yarn", "bun", "pip", "poetry", "pdm", "conda", "mamba", "composer", "cocoapods", "uv")
"""The same of those."""

_OF_WRITTEN: Final = {"git commit": "commit", "git push": "push"}


def kinds_said(prose: str, written: Iterable[str]) -> Iterator[str]:
    """Return the kinds of commands that *prose* speaks of."""
    for command in written:
        for start, kind in _OF_WRITTEN.items():
            if command.startswith(start):
                yield kind
    small = prose.lower()
    for kind, said in _SAID.items():
        if any(hint in small for hint in _HINTS[kind]) and said.search(prose):
            yield kind
    if not any(manager in small for manager in _MANAGERS):
        return
    for found in _MANAGER.finditer(prose):
        name = found[1].lower()
        yield f"install:{PACKAGE_MANAGERS['bundle' if name == 'bundler' else name]}"
