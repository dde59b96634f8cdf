"""What a text names that can be looked up: paths, symbols, commits, and commands.

Theory
------
A memory is worth telling when a tool is about to touch what it names, and its age shows when that is gone. Both need
to know what it names, whatever language it is written in; so what counts is form: what stands in backticks, has a
slash or a file's ending, is written like an identifier. Of words only those count that developers of all languages use
for what they do with a repository (commit, push, deploy, migrate, install, publish); they become kinds of commands.

Rather too little than too much: `and/or`, `image/png`, `origin/main`, `Node.js` and `/api/orders` are no paths.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from palimp_daemon.text.shell_commands import SimpleCommand, commands_in

VERSION: Final = 1
"""Raised when a text has other subjects than before: what was made of them is made anew."""

CHARACTERS_MAX: Final = 8_000
"""Of a text, what is looked at; hardly a memory is longer."""

EACH_MAX: Final = 16
"""Subjects of one sort: a text that names more is a list of them, and about none in particular."""

SUBJECT_CHARACTERS_MAX: Final = 200
"""Longer ones are no names."""

PATHS_OF_SPAN: Final = 8
"""Words of what stands in backticks that may be paths: `backfill.py --max-days` names a file."""

COMMAND_WORDS_MAX: Final = 4
"""Of a command that a text names, the program among them: what stands behind is what it is applied to."""

KINDS: Final = ("commit", "push", "deploy", "publish", "migrate", "install")
"""Kinds of commands that are said in words; `install:FAMILY` says whose packages."""


class Subjects(NamedTuple):
    """What a text names, each once, in its order."""

    paths: tuple[str, ...] = ()
    """As written: files, folders (with a slash at their end, if one was written), globs."""
    symbols: tuple[str, ...] = ()
    """Without parentheses: `reserve`, `Invoice#total`, `SyncConfig.PERIOD_MIN`."""
    commits: tuple[str, ...] = ()
    """7 to 40 hexadecimal digits, in lower case."""
    commands: tuple[str, ...] = ()
    """Program, words and flags of those that are written out (`cargo sqlx prepare --workspace`), and KINDS."""


def subjects_of(text: str) -> Subjects:
    """Return what *text* names."""
    read = text[:CHARACTERS_MAX]
    spans = [found[1].strip() for found in _SPAN.finditer(read)]
    prose = _SPAN.sub(" \n ", read)
    written = [command for span in spans for command in _written_commands(span)]
    paths: list[str] = []
    symbols: list[str] = []
    for span in spans:
        path, symbol = _path_and_symbol(span)
        paths += [path] if path else []
        symbols += [symbol] if symbol else []
        paths += [word for word in span.split()[:PATHS_OF_SPAN] if " " in span and _is_path(word)]
    paths += _paths_in_prose(prose)
    symbols += _symbols_in_prose(prose)
    commits = [found[0].lower() for found in _COMMIT.finditer(read) if _is_commit(found, read)]
    commands = [*written, *_run_in_prose(prose), *_kinds_said(prose, written)]
    return Subjects(_bounded(paths), _bounded(symbols), _bounded(commits), _bounded(commands))


def _bounded(found: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(each for each in found if 0 < len(each) <= SUBJECT_CHARACTERS_MAX))[:EACH_MAX]


_SPAN: Final = re.compile(r"`{1,3}([^`\n]{1,400})`{1,3}")

# ---------------------------------------------------------------------------------------------------------------- paths

EXTENSIONS: Final = frozenset(
    """
    adoc asm astro avsc awk bash bat bazel bib bzl c cc cddl cfg cjs clj cljs cmake cmd conf cpp cs csproj css csv cts
    cu cxx dart db diff dockerfile dts ejs el elm env erb erl ex exs fish fs fsx gd go gql gradle graphql groovy h haml
    hbs hcl hh hpp hrl hs htm html hxx ini ipynb j2 java jinja jinja2 jl js json json5 jsonc jsonl jsx kt kts less liquid
    lock log lua m md mdx mjs mk ml mli mm mod mts nix nim njk patch php pl plist pm po pot prisma properties proto ps1
    pug puml py pyi pyx r rake rb rego res rkt rmd robot rs rst rules sass sbatch sbt scala scm scss service sh sln sol
    sql sqlite storyboard strings styl sum sv svelte svg swift tcl tex tf tfvars thrift tmpl toml tpl ts tsv tsx txt typ
    v vb vhd vhdl vim vue wasm webp wgsl xaml xcconfig xib xml xsd xsl yaml yml zig zsh
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Endings of files that developers write."""

FILE_NAMES: Final = frozenset(
    """
    Makefile makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Justfile justfile Procfile Gemfile Rakefile
    Vagrantfile Brewfile Pipfile Podfile Fastfile Caddyfile Tiltfile Earthfile Snakefile CODEOWNERS Kconfig WORKSPACE
    BUILD CHANGELOG README LICENSE CMakeLists.txt go.mod go.sum
    """.split()  # noqa: SIM905
)
_WITH_DOT: Final = frozenset({"BUILD", "WORKSPACE", "README", "LICENSE", "CHANGELOG"})
"""Words, too: file names only in backticks."""

_ONE_LETTER: Final = frozenset({"c", "h", "m", "r", "v"})
"""Endings that make a path only of what is in backticks or has a slash."""

_NO_FILES: Final = frozenset(
    """
    node.js next.js nuxt.js vue.js react.js express.js three.js d3.js ember.js backbone.js angular.js chart.js alpine.js
    moment.js solid.js deno.js asp.net docs.rs crates.rs socket.io ext.js p5.js video.js day.js discord.js
    """.split()  # noqa: SIM905
)

_ROOTS: Final = frozenset(
    """
    app apps backend bin client cmd components conf config configs core crates daemon db deploy deps dist docs drivers
    etc examples ext figures frontend include infra internal jobs lib libs migrations mobile module modules notebooks
    packages pkg plugins public resources scripts server services shared site spec src static storage styles templates
    test tests tools ui vendor web website www
    """.split()  # noqa: SIM905
)
"""First folders of what is a path though it has no ending."""

_ABSOLUTE: Final = frozenset(
    "home usr etc opt var tmp srv mnt Users root dev proc sys lib data workspace app boot".split()
)
_NO_FOLDERS: Final = frozenset(
    """
    application audio image text video multipart font message model origin upstream feature fix bugfix hotfix chore
    release refs heads and either n input read client km
    """.split()  # noqa: SIM905
)
"""First words before a slash of what is no path: media types, branches, alternatives."""

_NAME: Final = r"[A-Za-z0-9_.~@+\u00c0-\u024f\u0370-\u04ff-]"
_PROSE_PATH: Final = re.compile(
    rf"(?<![A-Za-z0-9_\u00c0-\u024f\u0370-\u04ff/:.@#<>=`-])(?:\./|~/|/)?(?:{_NAME}+|\*+)(?:/(?:{_NAME}|\*)+)*/?(?![<>=(A-Za-z0-9_])"
)
_LINE: Final = re.compile(r":\d+(?:[-:]\d+)?\Z")
_COMPONENT: Final = re.compile(r"[\w.~@+*?{},\[\]()$ -]+\Z")


def _path_and_symbol(span: str) -> tuple[str, str]:
    """Return the path, and the symbol, that *span* is or names together: `cart/ttl.py::expire` is both."""
    path, _, symbol = span.partition("::")
    if symbol and _is_path(path):
        return path, _symbol(symbol)
    plain = _LINE.sub("", span)
    if _is_path(plain):
        return plain, ""
    return "", _symbol(span)


def _is_path(given: str, *, is_prose: bool = False) -> bool:
    """Tell whether *given*, which has no white space around it, is written like a path."""
    if not given or len(given) > SUBJECT_CHARACTERS_MAX or any(each in given for each in "<>|\"'=;:\n\\`^%"):
        return False
    if given.startswith(("-", "//", "@", "$")) or given.lower() in _NO_FILES or (" " in given and "/" not in given):
        return False
    parts = given.removeprefix("./").strip("/").split("/")
    if not all(part and _COMPONENT.match(part) for part in parts) or not any(map(str.isalpha, given)):
        return False
    if " " in given:
        return False
    name = parts[-1]
    stem, dot, ending = name.rpartition(".")
    has_ending = bool(dot) and ending.lower() in EXTENSIONS and (bool(stem) or ending == "env")
    if len(parts) == 1:
        return _is_file_name(name, has_ending=has_ending, is_prose=is_prose) or (
            given.endswith("/") and not given.startswith("/") and name not in _NO_FOLDERS and len(name) > 1
        )
    if given.startswith("/"):
        return parts[0] in _ABSOLUTE or (has_ending and not is_prose)
    if has_ending or name in FILE_NAMES:
        return True
    if parts[0] in _NO_FOLDERS or name.isdecimal() and not parts[0].isalpha():
        return False
    if given.endswith("/") or "*" in given or parts[0] in _ROOTS or parts[0].startswith("."):
        return True
    if is_prose:
        return len(parts) > 2 and all(part.islower() and len(part) > 2 for part in parts)
    return not (len(parts) == 2 and any(part.isdecimal() or part.isupper() for part in parts))


def _is_file_name(name: str, *, has_ending: bool, is_prose: bool) -> bool:
    ending = name.rsplit(".", 1)[-1].lower()
    if has_ending:
        if name.count(".") and not any(map(str.isalpha, name.rsplit(".", 1)[0])) and not name.startswith("*"):
            return name == ".env"
        return not (is_prose and (ending in _ONE_LETTER or name.startswith("*") and ending in _ONE_LETTER))
    if name in FILE_NAMES:
        return not (is_prose and name in _WITH_DOT)
    is_dotfile = (
        name.startswith(".") and len(name) > 3 and name[1:].replace("-", "").replace("_", "").replace(".", "").isalnum()
    )
    return (
        is_dotfile and name[1].isalpha() and (not is_prose or name.endswith(("rc", "ignore", "env", "config", "file")))
    )


def _paths_in_prose(prose: str) -> Iterator[str]:
    for found in _PROSE_PATH.finditer(prose):
        given = found[0].rstrip(".,;:!?)")
        if ("/" in given or "." in given or given in FILE_NAMES) and _is_path(given, is_prose=True):
            yield given


# -------------------------------------------------------------------------------------------------------------- symbols

_IDENTIFIER: Final = r"[A-Za-z_$\u00c0-\u024f][\w$]*"
_SYMBOL: Final = re.compile(
    rf"({_IDENTIFIER}(?:(?:\.|::|#|->|/)(?=[A-Za-z_]){_IDENTIFIER})*[!?]?)(?:\(.*\)?)?\Z", re.DOTALL
)
_PROSE_WORD: Final = re.compile(r"(?<![\w./:@#-])[A-Za-z_][\w.:]{2,199}(?:\(\))?(?![\w/-])", re.ASCII)
_CAMEL: Final = re.compile(r"[a-z0-9][A-Z][a-z0-9]")
_CAMEL_CHARACTERS_MIN: Final = 5
"""`kHz` and `MwSt` are words."""
_BRANDS: Final = frozenset(
    """
    GitHub GitLab BitBucket JavaScript TypeScript CoffeeScript PostgreSQL MySQL SQLite MongoDB GraphQL OpenAPI macOS iOS
    iPhone iPad iCloud YouTube WordPress LinkedIn DevOps FastAPI NumPy SciPy PyPI PyTorch TensorFlow OpenSSL OAuth JUnit
    IntelliJ PyCharm WebSocket WebSockets RabbitMQ CockroachDB DynamoDB ClickHouse BigQuery PowerShell VSCode WebAssembly
    CloudFront CloudFlare DuckDB TimescaleDB WebKit DataDog PagerDuty TeamCity CircleCI OpenTelemetry PlayStore AppStore
    TestFlight StackOverflow HashiCorp WhatsApp PayPal
    """.split()  # noqa: SIM905
)
"""Names of products that are written like identifiers."""

_SYMBOL_CHARACTERS_MIN: Final = 3


def _symbol(span: str) -> str:
    """Return the symbol that *span* is, without what is given to it; empty when it is none."""
    found = _SYMBOL.fullmatch(span)
    if not found or len(found[1]) < _SYMBOL_CHARACTERS_MIN or found[1] in _BRANDS or " " in found[1]:
        return ""
    return "" if "/" in found[1] else found[1]


def _symbols_in_prose(prose: str) -> Iterator[str]:
    for found in _PROSE_WORD.finditer(prose):
        name = found[0].rstrip(".:")
        is_called = name.endswith("()")
        name = name.removesuffix("()")
        is_file = "." in name and name.rsplit(".", 1)[-1].lower() in EXTENSIONS
        is_camel = "_" not in name and not is_called
        if name in _BRANDS or is_file or (is_camel and len(name) < _CAMEL_CHARACTERS_MIN):
            continue
        if is_called or ("_" in name.strip("_")) or (is_camel and _CAMEL.search(name)):
            yield name


# -------------------------------------------------------------------------------------------------------------- commits

_COMMIT: Final = re.compile(r"(?<![\w#/.-])[0-9a-fA-F]{7,40}(?![\w-])")
_SAID_COMMIT: Final = re.compile(r"(?:commits?|revision|sha|提交|コミット|коммит\w*)[ :`(]{0,3}\Z", re.IGNORECASE)


def _is_commit(found: re.Match[str], text: str) -> bool:
    digits = sum(map(str.isdigit, found[0]))
    if 0 < digits < len(found[0]):
        return True
    return bool(_SAID_COMMIT.search(text[max(0, found.start() - 16) : found.start()]))


# ------------------------------------------------------------------------------------------------------------- commands

PROGRAMS: Final = frozenset(
    """
    act alembic ansible ansible-playbook apk apt apt-get artisan aws az bazel biome black brew buf buildah bun bundle
    cap cargo cdk celery clang-format cmake code codemagic composer conan conda cordova cp cross ctest curl dart dbmate
    dbt deno detekt diesel django-admin docker doctl dotnet drizzle-kit dvc dvc eas ecs-deploy elixir esbuild eslint expo
    fab fastlane firebase flake8 flask flutter fly flyctl flyway forge gatsby gcloud gem gh git glab go goose goreleaser
    gradle gradlew gsutil gulp gunicorn helm heroku hg hugo ionic invoke isort java jest jj jq jupyter just k6 kamal
    knex kubectl kustomize lake lein lerna liquibase make mamba manage.py maven meson minikube mise mix mocha mongosh
    mvn mvnw mypy mysql nbstripout netlify next ng ninja nix nodemon nox npm npx nuget nx openssl packer pdm pg_dump
    pg_restore php phpunit pip pip-compile pip3 pipenv pipx playwright pnpm podman poetry pre-commit prettier prisma psql
    pulumi pyright pytest python python3 rails rake ray rebar3 redis-cli rg rspec rsync rubocop ruff rustup rye sam
    sbatch sbt scp sed serverless sh skaffold snakemake sqlfluff sqlite3 sqlx srun ssh stack svn swift systemctl
    task terraform terragrunt tofu tox trunk tsc turbo twine twister typst uv uvicorn vagrant vault vercel vite vitest
    vsce west wrangler xcodebuild yarn yarnpkg zig
    """.split()  # noqa: SIM905
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


def _written_commands(span: str) -> Iterator[str]:
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


def _run_in_prose(prose: str) -> Iterator[str]:
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
        r"(?<![\w-])(?:force[- ])?push(?:es|ed|ing|en|t)?(?![\w-])(?!\s*(?:notif|nachricht|message|token|benachricht|service))"
        r"|(?<!notificaciones )(?<!notifications )(?<!通知)プッシュ(?!通知)|推送到|推送前|푸시(?! ?알림)|запуш\w*|(?<!\w)пуш\w*",
        re.IGNORECASE,
    ),
    "deploy": re.compile(
        r"(?<!\w)(?:re)?deploy(?:s|t|ed|ing|en|ment|ments|er|ez|ado|ar)?(?!\w| target)|ausgerollt|ausrollen|(?<!\w)rollout"
        r"|déploi\w*|déploy\w*|mise en prod\w*|despleg\w*|desplieg\w*|implanta[rç]\w*|デプロイ|本番反映|部署|上线|배포"
        r"|депло\w*|развёрт\w*|развертыва\w*",
        re.IGNORECASE,
    ),
    "publish": re.compile(
        r"(?<!\w)publish(?:es|ed|ing)?(?!\w)(?=.{0,60}(?:package|npm|pypi|crate|gem|registry|changeset|store|CI))"
        r"|(?<!\w)(?:cut|tag|make)s? (?:a|the) release|(?<!\w)(?:store|app store|play store) (?:builds?|uploads?|releases?)",
        re.IGNORECASE,
    ),
    "migrate": re.compile(
        r"(?<!\w)(?:database |db |schema |sql |alembic |django |rails )?migrations(?!\w)"
        r"|(?<!\w)(?:database|db|schema|sql|alembic|django|rails) (?:re)?migrat\w+"
        r"|(?<!\w)Migrationen(?!\w)|Datenbankmigration\w*|migraciones|migrações|マイグレーション|数据库迁移|迁移脚本|마이그레이션|миграци\w*",
        re.IGNORECASE,
    ),
    "install": re.compile(
        r"(?<!\w)(?:dependenc(?:y|ies)|Abhängigkeit(?:en)?|dependencias?|dependências?|dépendances?|зависимост\w*)(?!\w)"
        r"|(?<!\w)(?:add|install|upgrad|bump|updat)\w* (?:\w+ ){0,2}(?:packages?|gems?|crates?|librar(?:y|ies)|modules?)(?!\w)"
        r"|(?:Gem|パッケージ|ライブラリ)\s*を(?:追加|更新|入れ)|依存(?:関係|パッケージ|を追加)|安装依赖|依赖包|의존성",
        re.IGNORECASE,
    ),
}
"""How the kinds are said, in the languages of those who use palimp."""

_MANAGER: Final = re.compile(
    r"(?<![\w./@-])(npm|yarn|pnpm|bun|pip|poetry|pipenv|pdm|conda|mamba|bundler?|composer|cocoapods|uv)(?![\w/-]|\.\w)",
    re.IGNORECASE,
)
_OF_WRITTEN: Final = {"git commit": "commit", "git push": "push"}


def _kinds_said(prose: str, written: Iterable[str]) -> Iterator[str]:
    """Return the kinds of commands that *prose* speaks of."""
    for command in written:
        for start, kind in _OF_WRITTEN.items():
            if command.startswith(start):
                yield kind
    for kind, said in _SAID.items():
        if said.search(prose):
            yield kind
    for found in _MANAGER.finditer(prose):
        name = found[1].lower()
        yield f"install:{PACKAGE_MANAGERS['bundle' if name == 'bundler' else name]}"
