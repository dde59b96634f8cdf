"""Recognise generated, vendored, bundled, locked and binary files."""

import re
from typing import Final

from palimp_daemon.codediff.normalize import LINE_CHARACTERS_MAX

FILE_BYTES_MAX: Final = 1_000_000
"""Larger files are data, or generated."""

_FOLDERS: Final = frozenset(
    """
    node_modules vendor third_party third-party bower_components dist build out target .git .hg .svn .venv venv
    site-packages __pycache__ .tox .nox .mypy_cache .next .nuxt .cache coverage __snapshots__ _vendor vendored
    .palimp
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
_NAMES: Final = re.compile(
    r"(?i)(^|[-_.])lock(file)?(\.(json|ya?ml|toml))?$|^(package-lock\.json|npm-shrinkwrap\.json|pnpm-lock\.yaml|yarn\.lock"
    r"|go\.(sum|work\.sum)|cargo\.lock|poetry\.lock|uv\.lock|pipfile\.lock|composer\.lock|gemfile\.lock|flake\.lock"
    r"|bun\.lockb?|deno\.lock|\.ds_store)$"
    r"|\.(min|bundle|chunk)\.(js|css|mjs|cjs)$|\.(pb\.go|pb\.cc|pb\.h)$|_pb2(_grpc)?\.pyi?$|\.g\.dart$|\.designer\.cs$"
    r"|\.generated\.\w+$|_generated\.\w+$|\.snap$|\.map$"
)
_BINARY: Final = frozenset(
    """
    png jpg jpeg gif webp avif ico bmp tiff pdf zip gz bz2 xz zst tar tgz jar war class so dll dylib exe o a lib bin
    woff woff2 ttf otf eot mp3 mp4 mov avi wav ogg webm sqlite db pyc pyo wasm parquet npy npz pt onnx pkl jsonl csv
    tsv svg lockb
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
_GENERATED: Final = re.compile(
    r"(?i)@generated|code generated .{0,60} do not edit|auto-?generated (file|by)|do not edit"
)
_HEAD_LINES: Final = 5
_SETTINGS: Final = re.compile(
    r"(?i)(^|/)(requirements|constraints)[^/]*\.(txt|in|pip)$|(^|/)requirements/[^/]+\.(txt|in)$|\.(ya?ml|toml|ini|cfg|lock)$"
    r"|(^|/)(package|composer|bower|deno|tsconfig)[^/]*\.json$|(^|/)(go\.mod|gemfile|podfile|pipfile|brewfile|pom\.xml"
    r"|[\w.-]*\.gemspec|[\w.-]*\.csproj|[\w.-]*\.gradle(\.kts)?|libs\.versions\.toml|containerfile[\w.-]*|dockerfile[\w.-]*"
    r"|[\w.-]*\.dockerfile|\.tool-versions|\.[\w]+-version|runtime\.txt|\.pre-commit-config\.yaml|jenkinsfile)$"
)


def is_skipped(path: str) -> bool:
    """Tell from its *path* in the project whether to skip a file."""
    *folders, name = path.split("/")
    return (
        any(folder in _FOLDERS for folder in folders)
        or name.rsplit(".", 1)[-1].lower() in _BINARY
        or bool(_NAMES.search(name))
    )


def is_of_settings(path: str) -> bool:
    """Tell from its *path* whether a file lists dependencies, versions or build steps."""
    return bool(_SETTINGS.search(path))


def is_unreadable(text: str) -> bool:
    """Tell from its *text* whether a file is binary, generated or bundled."""
    if "\x00" in text[:8192]:
        return True
    lines = text.splitlines()
    if any(_GENERATED.search(line) for line in lines[:_HEAD_LINES]):
        return True
    long = sum(len(line) for line in lines if len(line) > LINE_CHARACTERS_MAX)
    return long > len(text) / 2
