"""Networks as ONNX: onnxruntime computes what the agent computes."""

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from numpy.typing import NDArray

from tests.positions import decisions_by_all_rules, random_weights
from wizard_env import NUM_ACTIONS, OBS_SIZE
from wizard_env.agents.export import ILLEGAL, export
from wizard_env.agents.network import FORMAT, LAYOUT, VERSION, NetworkAgent, save_agent


def run(path: Path, observation: NDArray[np.uint8], mask: NDArray[np.uint8]) -> dict[str, NDArray[Any]]:
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    found = session.run(names, {"observation": observation, "mask": mask})
    return dict(zip(names, found, strict=True))


def exported(folder: Path, *widths: int, value: bool = False) -> tuple[NetworkAgent, Path]:
    """An untrained network, and its ONNX file."""
    save_agent(random_weights(*widths, value=value), folder / "agent.safetensors")
    export(folder, folder / "agent.onnx")
    return NetworkAgent(str(folder)), folder / "agent.onnx"


@pytest.mark.parametrize("value", [False, True])
@pytest.mark.parametrize("widths", [(), (256, 128)])
def test_it_computes_what_the_agent_computes(tmp_path: Path, widths: tuple[int, ...], value: bool) -> None:
    """In thousands of decisions, for every number of players and all options of the rules."""
    agent, path = exported(tmp_path, *widths, value=value)
    observation, mask, _ = decisions_by_all_rules(300)
    found = run(path, observation, mask)
    logits = np.where(mask, agent.logits(observation), np.float32(ILLEGAL))
    assert {name: (array.dtype.name, array.shape) for name, array in found.items()} == {
        "logits": ("float32", mask.shape),
        "action": ("int64", mask.shape[:1]),
        **({"value": ("float32", mask.shape[:1])} if value else {}),
    }
    np.testing.assert_allclose(found["logits"], logits, rtol=0, atol=1e-5)
    assert found["action"].tolist() == logits.argmax(axis=1).tolist()
    assert mask[np.arange(len(mask)), found["action"]].all()
    if value:
        np.testing.assert_allclose(found["value"], agent.values(observation), rtol=0, atol=1e-5)


def test_the_file_describes_its_inputs_and_outputs(tmp_path: Path) -> None:
    _, path = exported(tmp_path, 8, value=True)
    model = onnx.load(path)
    onnx.checker.check_model(model, full_check=True)
    assert {entry.key: entry.value for entry in model.metadata_props} == {
        "format": FORMAT,
        "version": VERSION,
        "layout": LAYOUT,
    }
    assert model.producer_name == "wizard-env"
    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"])
    ends = [*session.get_inputs(), *session.get_outputs()]
    assert [(end.name, end.type, end.shape) for end in ends] == [
        ("observation", "tensor(uint8)", ["n", OBS_SIZE]),
        ("mask", "tensor(uint8)", ["n", NUM_ACTIONS]),
        ("logits", "tensor(float)", ["n", NUM_ACTIONS]),
        ("action", "tensor(int64)", ["n"]),
        ("value", "tensor(float)", ["n"]),
    ]


@pytest.mark.parametrize("agent", ["heuristic", "variant:of=champion"])
def test_an_agent_without_a_network_is_refused(tmp_path: Path, agent: str) -> None:
    with pytest.raises(ValueError, match=f"agent='{agent}': .* has no network; allowed are 'champion'"):
        export(agent, tmp_path / "agent.onnx")
    assert not list(tmp_path.iterdir())


def test_a_network_that_reads_beliefs_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="needs the code that works them out"):
        export("adaptive", tmp_path / "agent.onnx")
    assert not list(tmp_path.iterdir())
