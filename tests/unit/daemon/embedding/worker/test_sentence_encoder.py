"""The multilingual model: what it says of texts, and which file it takes."""

from pathlib import Path

import numpy as np
import pytest

from palimp_daemon.embedding.models import MULTILINGUAL, installed_models
from palimp_daemon.embedding.worker.model_file import ModelError
from palimp_daemon.embedding.worker.sentence_encoder import DIMENSIONS, SentenceEncoder


@pytest.fixture(scope="module")
def encoder() -> SentenceEncoder:
    return SentenceEncoder(installed_models()[MULTILINGUAL].file.path)


def cosine(*vectors: bytes) -> float:
    one, other = (np.frombuffer(vector, np.int8).astype(float) for vector in vectors)
    return float(one @ other / (np.linalg.norm(one) * np.linalg.norm(other)))


def test_a_text_is_near_what_it_says_in_another_language(encoder: SentenceEncoder):
    """And far from what is about something else."""
    dog, hund, invoice = encoder.embed(
        ["The dog sleeps on the sofa.", "Der Hund schläft auf dem Sofa.", "Invoices are paid on Fridays."]
    )

    assert len(dog) == DIMENSIONS
    assert cosine(dog, hund) > 0.8
    assert cosine(dog, invoice) < 0.3


def test_a_text_has_the_same_vector_alone_and_beside_others(encoder: SentenceEncoder):
    """So whether it is embedded as a query or as a memory makes no difference."""
    texts = ["One.", "二つ目。", ""]

    assert encoder.embed(texts) == [encoder.embed([text])[0] for text in texts]


def test_weights_from_elsewhere_are_refused(tmp_path: Path):
    """The package would load its own."""
    with pytest.raises(ModelError, match="not that of the package"):
        SentenceEncoder(tmp_path / "weights.npz")
