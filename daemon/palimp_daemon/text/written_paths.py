"""Recognise paths in texts: `cart/ttl.py`, `migrations/`, `packages/*`, `.nvmrc`, `Makefile`."""

import re
from collections.abc import Iterator
from typing import Final

PATH_CHARACTERS_MAX: Final = 200
"""Longer ones are none."""

EXTENSIONS: Final = frozenset(
    """
    adoc asm astro avsc awk bash bat bazel bib bzl c cc cddl cfg cjs clj cljs cmake cmd conf cpp cs csproj css csv
    cts cu cxx dart db diff dockerfile dts ejs el elm env erb erl ex exs fish fs fsx gd go gql gradle graphql groovy
    h haml hbs hcl hh hpp hrl hs htm html hxx ini ipynb j2 java jinja jinja2 jl js json json5 jsonc jsonl jsx kt kts
    less liquid lock log lua m md mdx mjs mk ml mli mm mod mts nix nim njk patch php pl plist pm po pot prisma
    properties proto ps1 pug puml py pyi pyx r rake rb rego res rkt rmd robot rs rst rules sass sbatch sbt scala scm
    scss service sh sln sol sql sqlite storyboard strings styl sum sv svelte svg swift tcl tex tf tfvars thrift tmpl
    toml tpl ts tsv tsx txt typ v vb vhd vhdl vim vue wasm webp wgsl xaml xcconfig xib xml xsd xsl yaml yml zig zsh
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Extensions of files that developers write."""

FILE_NAMES: Final = frozenset(
    """
    Makefile makefile GNUmakefile Dockerfile Containerfile Jenkinsfile Justfile justfile Procfile Gemfile Rakefile
    Vagrantfile Brewfile Pipfile Podfile Fastfile Caddyfile Tiltfile Earthfile Snakefile CODEOWNERS Kconfig
    WORKSPACE BUILD CHANGELOG README LICENSE CMakeLists.txt go.mod go.sum
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
_WITH_DOT: Final = frozenset({"BUILD", "WORKSPACE", "README", "LICENSE", "CHANGELOG"})
"""Also words: file names only in backticks."""

_ONE_LETTER: Final = frozenset({"c", "h", "m", "r", "v"})
"""Extensions that count only in backticks or behind folders."""

_NO_FILES: Final = frozenset(
    """
    node.js next.js nuxt.js vue.js react.js express.js three.js d3.js ember.js backbone.js angular.js chart.js
    alpine.js moment.js solid.js deno.js asp.net docs.rs crates.rs socket.io ext.js p5.js video.js day.js discord.js
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)

_ROOTS: Final = frozenset(
    """
    app apps backend bin client cmd components conf config configs core crates daemon db deploy deps dist docs
    drivers etc examples ext figures frontend include infra internal jobs lib libs migrations mobile module modules
    notebooks packages pkg plugins public resources scripts server services shared site spec src static storage
    styles templates test tests tools ui vendor web website www
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""First folders of paths without an extension."""

_ABSOLUTE: Final = frozenset(
    """
    home usr etc opt var tmp srv mnt Users root dev proc sys lib data workspace app boot
    """.split()  # noqa: SIM905  as above
)
_NO_FOLDERS: Final = frozenset(
    """
    application audio image text video multipart font message model origin upstream feature fix bugfix hotfix chore
    release refs heads and either n input read client km
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Words before a slash that begin no path: media types, branches, alternatives."""

_NAME: Final = r"[A-Za-z0-9_.~@+\u00c0-\u024f\u0370-\u04ff-]"
_PROSE_PATH: Final = re.compile(
    rf"(?<![A-Za-z0-9_\u00c0-\u024f\u0370-\u04ff/:.@#<>=`-])(?:\./|~/|/)?(?:{_NAME}+|\*+)(?:/(?:{_NAME}|\*)+)*/?(?![<>=(A-Za-z0-9_])"
)
_SIGN_OF_PATH: Final = re.compile(r"/|\.\S")
"""Any text with a path has this, or one of FILE_NAMES."""

_COMPONENT: Final = re.compile(r"[\w.~@+*?{},\[\]()$-]+")
_NEVER_IN_PATHS: Final = re.compile(r"""[\s<>|"'=;:\\`^%]""")
_DOTFILE: Final = re.compile(r"\.[A-Za-z][\w.-]{2,}")


def is_path(given: str, *, is_prose: bool = False) -> bool:
    """Tell whether *given* is written like a path; *is_prose*: outside backticks."""
    if not given or len(given) > PATH_CHARACTERS_MAX or _NEVER_IN_PATHS.search(given):
        return False
    parts = given.removeprefix("./").strip("/").split("/")
    if given.startswith(("-", "//", "@", "$")) or not all(map(_COMPONENT.fullmatch, parts)):
        return False
    if given.lower() in _NO_FILES or not any(map(str.isalpha, given)):
        return False
    return _is_name(given, parts[0], is_prose=is_prose) if len(parts) == 1 else _is_way(given, parts, is_prose=is_prose)


def has_ending(name: str) -> bool:
    """Tell whether the file *name* has a common ending."""
    stem, dot, ending = name.rpartition(".")
    return bool(dot) and ending.lower() in EXTENSIONS and (bool(stem) or ending == "env")


def _is_way(given: str, parts: list[str], *, is_prose: bool) -> bool:
    first, name = parts[0], parts[-1]
    if given.startswith("/"):
        return first in _ABSOLUTE or (has_ending(name) and not is_prose)
    if has_ending(name) or name in FILE_NAMES:
        return True
    if first in _NO_FOLDERS or name.isdecimal():
        return False
    if given.endswith("/") or "*" in given or first in _ROOTS or first.startswith("."):
        return True
    if is_prose:
        return len(parts) > 2 and all(part.islower() and len(part) > 2 for part in parts)
    return not (len(parts) == 2 and any(part.isdecimal() or part.isupper() for part in parts))


def _is_name(given: str, name: str, *, is_prose: bool) -> bool:
    if given.endswith("/"):
        return not given.startswith("/") and name not in _NO_FOLDERS and len(name) > 1
    if has_ending(name):
        stem, _, ending = name.rpartition(".")
        if not any(map(str.isalpha, stem)) and not stem.startswith("*"):
            return name == ".env"
        return not (is_prose and ending.lower() in _ONE_LETTER)
    if name in FILE_NAMES:
        return not (is_prose and name in _WITH_DOT)
    if not _DOTFILE.fullmatch(name):
        return False
    return not is_prose or name.endswith(("rc", "ignore", "env", "config", "file"))


def paths_in_prose(prose: str) -> Iterator[str]:
    """Return the paths in *prose*, a text without backticks."""
    if not (_SIGN_OF_PATH.search(prose) or any(name in prose for name in FILE_NAMES)):
        return
    signed = [word for word in _PROSE_PATH.findall(prose) if "/" in word or "." in word or word in FILE_NAMES]
    for word in signed:
        given = word.rstrip(".,;:!?)")
        if ("/" in given or "." in given or given in FILE_NAMES) and is_path(given, is_prose=True):
            yield given
