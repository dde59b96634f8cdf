"""Rewrite an ONNX model so that int8 weights stay int8: a quarter of the memory, and faster.

An int8 MatMul becomes onnxruntime's MatMulNBits, in blocks of BLOCK with a scale each, moved by 128 to be unsigned; a
Gather takes its rows before they become floats. Measurements: docs/adr/0017.
"""

from collections import defaultdict
from itertools import chain
from typing import Any, Final, NamedTuple

import numpy as np

from palimp_daemon.embedding.worker.protobuf import BYTES, Field, data, fields, message, number, text

BLOCK: Final = 16
"""Weights of a block, the fewest that MatMulNBits takes. With 64, vectors deviate three times as far from floats', for
a tenth of the time.
"""

EIGHT_BITS: Final = 4
"""MatMulNBits's accuracy_level: round to int8. Floats would be slower than the MatMul was."""

RUNTIME: Final = "com.microsoft"
"""Domain and requested version of onnxruntime's own operators."""
RUNTIME_VERSION: Final = 1

FLOAT, UINT8, INT8 = 1, 2, 3
"""TensorProto.DataType of onnx.proto."""

INT: Final = 2
"""AttributeProto.AttributeType."""

# Numbers of fields, from onnx.proto.
MODEL_GRAPH, MODEL_OPERATORS = 7, 8
GRAPH_NODE, GRAPH_TENSOR = 1, 5
NODE_INPUT, NODE_OUTPUT, NODE_OPERATOR, NODE_ATTRIBUTE, NODE_DOMAIN = 1, 2, 4, 5, 7
ATTRIBUTE_NAME, ATTRIBUTE_INT, ATTRIBUTE_TYPE = 1, 3, 20
TENSOR_SHAPE, TENSOR_TYPE, TENSOR_NAME, TENSOR_DATA = 1, 2, 8, 9
OPERATORS_DOMAIN, OPERATORS_VERSION = 1, 2


class _Node(NamedTuple):
    operator: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    axis: int
    """Attribute of this name; 0 if missing: a Gather of rows."""


class _Weights(NamedTuple):
    name: str
    values: Any
    scale_name: str
    scale: Any
    steps: tuple[_Node, _Node]


class _Changes:
    def __init__(self) -> None:
        self.steps: dict[_Node, list[Field]] = {}
        self.tensors: list[Field] = []
        self.replaced: set[str] = set()


def with_small_weights(model: bytes) -> bytes | None:
    """Rewrite the ONNX file *model*; None if it has no int8 weights.

    Raises:
        WireFormatError: it is not in protobuf's wire format.
    """
    parts = fields(model)
    graphs = [part for part in parts if part.number == MODEL_GRAPH]
    graph = _rewrite(fields(_view(graphs[0]))) if len(graphs) == 1 else None
    if graph is None:
        return None
    operators = [text(OPERATORS_DOMAIN, RUNTIME), number(OPERATORS_VERSION, RUNTIME_VERSION)]
    rest = [part for part in parts if part.number != MODEL_GRAPH]
    return message([*rest, data(MODEL_GRAPH, graph), data(MODEL_OPERATORS, message(operators))])


def _rewrite(graph: list[Field]) -> bytes | None:
    nodes = {id(part): _node(_view(part)) for part in graph if part.number == GRAPH_NODE}
    users: defaultdict[str, list[_Node]] = defaultdict(list)
    for node in nodes.values():
        for each in node.inputs:
            users[each].append(node)
    changes = _Changes()
    for weights in _int8_weights(graph, list(nodes.values()), users):
        _note_changes(weights, users[weights.steps[1].outputs[0]], changes)
    if not changes.steps:
        return None
    parts = [part for part in graph if part.number != GRAPH_TENSOR or _name_of(part) not in changes.replaced]
    steps = (changes.steps.get(nodes[id(part)], [part]) if id(part) in nodes else [part] for part in parts)
    return message([*chain.from_iterable(steps), *changes.tensors])


def _note_changes(weights: _Weights, used_by: list[_Node], changes: _Changes) -> None:
    if all(_multiplies_with(weights, node) for node in used_by):
        changes.tensors += _blocks_of(weights)
        changes.replaced |= {weights.name, weights.scale_name}
        changes.steps |= {node: [_multiply_step(weights, node)] for node in used_by}
    elif all(_takes_rows_of(weights, node) for node in used_by):
        changes.steps |= {node: _row_steps(weights, node) for node in used_by}
    else:
        return
    changes.steps |= {step: [] for step in weights.steps}


def _int8_weights(graph: list[Field], nodes: list[_Node], users: dict[str, list[_Node]]) -> list[_Weights]:
    stored = {_name_of(part): part for part in graph if part.number == GRAPH_TENSOR}
    found: list[_Weights] = []
    for cast in nodes:
        if cast.operator != "Cast" or cast.inputs[0] not in stored:
            continue
        scalings = users[cast.outputs[0]]
        if len(scalings) != 1 or scalings[0].operator != "Mul" or scalings[0].inputs[0] != cast.outputs[0]:
            continue
        scale_name = scalings[0].inputs[1]
        values = _array(stored[cast.inputs[0]], INT8, np.int8)
        scale = _array(stored[scale_name], FLOAT, np.dtype("<f4")) if scale_name in stored else None
        are_theirs = len(users[cast.inputs[0]]) == len(users[scale_name]) == 1
        if values is not None and scale is not None and values.ndim == scale.ndim == 2 and are_theirs:
            found.append(_Weights(cast.inputs[0], values, scale_name, scale, (cast, scalings[0])))
    return found


def _multiplies_with(weights: _Weights, node: _Node) -> bool:
    rows, columns = weights.values.shape
    is_right = node.operator == "MatMul" and node.inputs[1] == weights.steps[1].outputs[0] != node.inputs[0]
    return is_right and rows % BLOCK == 0 and weights.scale.shape == (1, columns)


def _blocks_of(weights: _Weights) -> list[Field]:
    rows, columns = weights.values.shape
    blocks = (weights.values.T.view(np.uint8) ^ 0x80).reshape(columns, rows // BLOCK, BLOCK)
    scales = np.repeat(weights.scale.reshape(columns, 1), rows // BLOCK, axis=1)
    return [_tensor(f"{weights.name}_blocks", UINT8, blocks), _tensor(f"{weights.name}_scales", FLOAT, scales)]


def _multiply_step(weights: _Weights, node: _Node) -> Field:
    rows, columns = weights.values.shape
    inputs = node.inputs[0], f"{weights.name}_blocks", f"{weights.name}_scales"
    how = {"K": rows, "N": columns, "bits": 8, "block_size": BLOCK, "accuracy_level": EIGHT_BITS}
    return _step("MatMulNBits", inputs, node.outputs[0], RUNTIME, **how)


def _takes_rows_of(weights: _Weights, node: _Node) -> bool:
    is_first = node.operator == "Gather" and node.inputs[0] == weights.steps[1].outputs[0] and node.axis == 0
    return is_first and weights.scale.shape == (len(weights.values), 1)


def _row_steps(weights: _Weights, node: _Node) -> list[Field]:
    taken, numbers = node.outputs[0], node.inputs[1]
    return [
        _step("Gather", (weights.name, numbers), f"{taken}_int8"),
        _step("Cast", (f"{taken}_int8",), f"{taken}_float", to=FLOAT),
        _step("Gather", (weights.scale_name, numbers), f"{taken}_scale"),
        _step("Mul", (f"{taken}_float", f"{taken}_scale"), taken),
    ]


# --- onnx.proto ----------------------------------------------------------------------------------


def _node(node: memoryview) -> _Node:
    parts = fields(node)
    operator = next((_text(part) for part in parts if part.number == NODE_OPERATOR), "")
    inputs = tuple(_text(part) for part in parts if part.number == NODE_INPUT)
    outputs = tuple(_text(part) for part in parts if part.number == NODE_OUTPUT)
    axis = next((value for name, value in map(_attribute, parts) if name == "axis"), 0)
    return _Node(operator, inputs, outputs, axis)


def _attribute(part: Field) -> tuple[str, int]:
    parts = fields(_view(part)) if part.number == NODE_ATTRIBUTE else []
    name = next((_text(each) for each in parts if each.number == ATTRIBUTE_NAME), "")
    return name, next((each.value for each in parts if each.number == ATTRIBUTE_INT and isinstance(each.value, int)), 0)


def _step(operator: str, inputs: tuple[str, ...], output: str, domain: str = "", **attributes: int) -> Field:
    parts = [text(NODE_INPUT, each) for each in inputs]
    parts += [text(NODE_OUTPUT, output), text(NODE_OPERATOR, operator), text(NODE_DOMAIN, domain)]
    for name, value in attributes.items():
        attribute = [text(ATTRIBUTE_NAME, name), number(ATTRIBUTE_INT, value), number(ATTRIBUTE_TYPE, INT)]
        parts.append(data(NODE_ATTRIBUTE, message(attribute)))
    return data(GRAPH_NODE, message(parts))


def _array(tensor: Field, kind: int, as_kind: Any) -> Any:
    parts = fields(_view(tensor))
    shape = [part.value for part in parts if part.number == TENSOR_SHAPE and isinstance(part.value, int)]
    kinds = [part.value for part in parts if part.number == TENSOR_TYPE]
    values = [_view(part) for part in parts if part.number == TENSOR_DATA]
    if kinds != [kind] or len(values) != 1:
        return None
    return np.frombuffer(values[0], as_kind).reshape(shape)


def _tensor(name: str, kind: int, values: Any) -> Field:
    shape = [number(TENSOR_SHAPE, length) for length in values.shape]
    parts = [*shape, number(TENSOR_TYPE, kind), text(TENSOR_NAME, name), data(TENSOR_DATA, values.tobytes())]
    return data(GRAPH_TENSOR, message(parts))


def _name_of(tensor: Field) -> str:
    return next((_text(part) for part in fields(_view(tensor)) if part.number == TENSOR_NAME), "")


def _view(part: Field) -> memoryview:
    return memoryview(part.value) if part.kind == BYTES and not isinstance(part.value, int) else memoryview(b"")


def _text(part: Field) -> str:
    return str(_view(part), "utf-8")
