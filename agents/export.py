"""Networks as ONNX: one file that runtimes for many languages can run without this package."""

import os
from importlib.metadata import version
from pathlib import Path

import numpy as np

from wizard_env import NUM_ACTIONS
from wizard_env.agents.layers import Layer
from wizard_env.agents.network import FORMAT, LAYOUT, VERSION, Network, NetworkAgent, find_agent
from wizard_env.checks import quoted
from wizard_env.extras import extra
from wizard_env.files import check_distinct, write_output
from wizard_env.loading import load
from wizard_env.observation.fields import OBS_SIZE
from wizard_env.view import Agent

with extra("export"):
    from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

ILLEGAL = -1e9
"""The logit of an illegal action: probability 0 in a softmax, but still finite."""
_OPSET = 17
_IR_VERSION = 8
"""Runtimes released since 2022 can read this version with _OPSET."""


def export(agent: str | os.PathLike[str] | Agent, path: Path) -> None:
    """Write an agent's network as ONNX.

    The inputs are any number n of decisions in canonical suits: `observation` uint8 [n, OBS_SIZE] and
    `mask` uint8 [n, NUM_ACTIONS]. The outputs are `logits` float32 [n, NUM_ACTIONS], ILLEGAL where the
    mask is 0; `action` int64 [n], the likeliest legal one; and, if the network has a value, `value`
    float32 [n], in points. The metadata holds the format, its version and the layout of observations.

    The file is replaced completely or not at all; a link to it stays. Raises ValueError if the agent has no
    network, or one that reads beliefs or a custom encoding, or if the file is the agent's.
    """
    loaded = load(agent)
    if isinstance(loaded, Network) and len(loaded.scale) > OBS_SIZE:
        raise ValueError(
            f"agent={quoted(agent)}: a network that reads beliefs needs the code that works them out, "
            "which a file of ONNX cannot hold"
        )
    if not isinstance(loaded, NetworkAgent):
        raise ValueError(
            f"agent={quoted(agent)}: {type(loaded).__name__} has no network; "
            "allowed are 'champion' and runs of `wizard train`, such as runs/quick"
        )
    if loaded.encode is not None:
        raise ValueError(
            f"agent={quoted(agent)}: a custom encoding is code, which a file of ONNX cannot hold"
        )
    check_distinct(path, [find_agent(loaded.path)])
    content = _build_model(loaded).SerializeToString()
    write_output(path, lambda file: file.write_bytes(content))


def _build_model(agent: NetworkAgent) -> ModelProto:
    constants = [
        numpy_helper.from_array(np.array(ILLEGAL, np.float32), "illegal"),
        numpy_helper.from_array(agent.scale, "scale"),
    ]

    def linear(name: str, layer: Layer, inputs: str, output: str) -> NodeProto:
        names = [f"{name}.weight", f"{name}.bias"]
        constants.extend(map(numpy_helper.from_array, layer, names))
        return helper.make_node("Gemm", [inputs, *names], [output])

    *trunk, policy = agent.layers
    hidden = "hidden.0"
    nodes = [
        helper.make_node("Cast", ["observation"], ["unscaled"], to=TensorProto.FLOAT),
        helper.make_node("Mul", ["unscaled", "scale"], [hidden]),
    ]
    for number, layer in enumerate(trunk):
        nodes.append(linear(f"layer.{number}", layer, hidden, f"sum.{number}"))
        hidden = f"hidden.{number + 1}"
        nodes.append(helper.make_node("Relu", [f"sum.{number}"], [hidden]))
    nodes += [
        linear(f"layer.{len(trunk)}", policy, hidden, "free"),
        helper.make_node("Cast", ["mask"], ["legal"], to=TensorProto.BOOL),
        helper.make_node("Where", ["legal", "free", "illegal"], ["logits"]),
        helper.make_node("ArgMax", ["logits"], ["action"], axis=1, keepdims=0),
    ]
    inputs = [
        helper.make_tensor_value_info("observation", TensorProto.UINT8, ["n", OBS_SIZE]),
        helper.make_tensor_value_info("mask", TensorProto.UINT8, ["n", NUM_ACTIONS]),
    ]
    outputs = [
        helper.make_tensor_value_info("logits", TensorProto.FLOAT, ["n", NUM_ACTIONS]),
        helper.make_tensor_value_info("action", TensorProto.INT64, ["n"]),
    ]
    if agent.value is not None:
        constants.append(numpy_helper.from_array(np.array([1]), "columns"))
        nodes.append(linear("value", agent.value, hidden, "points"))
        nodes.append(helper.make_node("Squeeze", ["points", "columns"], ["value"]))
        outputs.append(helper.make_tensor_value_info("value", TensorProto.FLOAT, ["n"]))
    model = helper.make_model(
        helper.make_graph(nodes, "wizard", inputs, outputs, constants),
        producer_name="wizard-env",
        producer_version=version("wizard-env"),
        opset_imports=[helper.make_opsetid("", _OPSET)],
        ir_version=_IR_VERSION,
    )
    helper.set_model_props(model, {"format": FORMAT, "version": VERSION, "layout": LAYOUT})
    return model
