"""The stages that make the networks of the package."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.positions import decisions_by_all_rules
from tools import networks
from wizard_env import OBS_SIZE
from wizard_env.agents import load
from wizard_env.agents.layers import Layer
from wizard_env.agents.network import FILE_NAME, Network, read_agent, save_agent
from wizard_env.agents.pretrained import ADAPTIVE
from wizard_env.observation.fields import USED_SIZE
from wizard_env.train.config.reading import make_config


def test_every_stage_builds_on_earlier_ones(tmp_path: Path) -> None:
    """Their configs are valid; what they start from, average or learn from is made before them."""
    made: set[str] = set()
    for stage in list(networks.stages()):
        needed = {*stage.average, *([stage.learning["start"]] if "start" in stage.learning else [])}
        if stage.config:
            learning = networks.config_of(stage, tmp_path).learning
            teachers = getattr(learning, "teachers", {})
            needed |= {Path(name).name for name in teachers}
        assert needed <= made, stage.name
        assert stage.name not in made
        made.add(stage.name)


def test_every_network_of_the_package_is_made() -> None:
    shipped = {networks.WEIGHTS / stage.ships_as for stage in networks.stages() if stage.ships_as}
    critics = set(networks.WEIGHTS.glob("*/critic.safetensors"))  # written with their networks
    assert shipped == set(networks.WEIGHTS.glob("*/*.safetensors")) - critics


def test_an_average_of_networks(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    matrices = rng.normal(size=(2, 79, OBS_SIZE)).astype(np.float32)
    for number, matrix in enumerate(matrices):
        (tmp_path / str(number)).mkdir()
        weights = {"layer.0.weight": matrix, "layer.0.bias": np.zeros(79, np.float32)}
        save_agent(weights, tmp_path / str(number) / "agent.safetensors")
    networks.average([tmp_path / "0", tmp_path / "1"], tmp_path / "mean")
    mean = read_agent(tmp_path / "mean" / "agent.safetensors")["layer.0.weight"]
    expected = matrices.mean(axis=0) * (np.arange(OBS_SIZE) < USED_SIZE)
    np.testing.assert_allclose(mean, expected, rtol=1e-6)


def test_a_network_is_shipped_in_half_precision(tmp_path: Path) -> None:
    """It is the same network, and reads the same."""
    target = tmp_path / "adaptive" / "agent.safetensors"
    networks.ship(ADAPTIVE / "agent.safetensors", target)
    assert target.read_bytes() == (ADAPTIVE / "agent.safetensors").read_bytes()
    assert type(load(target)) is type(load(ADAPTIVE))


def test_units_that_never_fire_are_left_out() -> None:
    """The outputs stay the same where they did not fire."""
    rng = np.random.default_rng(0)
    sizes = [(30, 20), (10, 30), (4, 10)]
    weights = {f"layer.{number}.weight": rng.normal(size=size) for number, size in enumerate(sizes)}
    weights |= {f"layer.{number}.bias": rng.normal(size=size[0]) for number, size in enumerate(sizes)}
    weights |= {"value.weight": rng.normal(size=(1, 10)), "value.bias": rng.normal(size=1)}
    weights["layer.0.bias"][:12] = weights["layer.1.bias"][:3] = -1000
    pruned = networks.prune(weights, [np.arange(30) >= 12, np.arange(10) >= 3])

    def outputs(of: dict[str, Any]) -> tuple[Any, Any]:
        hidden = np.linspace(-1, 1, 100).reshape(5, 20)
        for name in ("layer.0", "layer.1"):
            hidden = np.maximum(hidden @ of[f"{name}.weight"].T + of[f"{name}.bias"], 0)
        return tuple(hidden @ of[f"{name}.weight"].T + of[f"{name}.bias"] for name in ("layer.2", "value"))

    for before, after in zip(outputs(weights), outputs(pruned), strict=True):
        np.testing.assert_allclose(before, after)
    assert [pruned[f"layer.{number}.weight"].shape for number in range(3)] == [(18, 20), (7, 18), (4, 7)]


@pytest.mark.parametrize("name", ["champion", "adaptive"])
def test_units_that_fire_are_found(name: str) -> None:
    """Of networks with beliefs and without."""
    learning = {"learner": "ppo", "decisions": 1, "num_games": 16, "sparring": 0.5, "partners": ["heuristic"]}
    config = make_config({"name": "units", "seed": 0, "game": {"num_players": 4}, "learning": learning})
    file = networks.WEIGHTS / name / FILE_NAME
    weights = read_agent(file, beliefs=None)
    units = networks.fired(file, config, decisions=160)
    assert [len(layer) for layer in units] == [len(weights[f"layer.{number}.bias"]) for number in range(2)]
    assert all(0 < layer.sum() < len(layer) for layer in units)


def test_a_value_is_fitted() -> None:
    """It tells good hands from bad ones about as well as the value that a network learned."""
    learning = {"learner": "ppo", "decisions": 1, "num_games": 32, "partners": ["heuristic"]}
    config = make_config({"name": "value", "seed": 0, "game": {"num_players": 4}, "learning": learning})
    file = networks.WEIGHTS / "partners" / "points_12.safetensors"
    fitted = networks.fit_value(file, config, decisions=32 * 256)
    network, seen = Network(file), decisions_by_all_rules(500).observation
    learned = network.values(seen)
    network.value = Layer(fitted["value.weight"].T, fitted["value.bias"])
    assert np.corrcoef(network.values(seen), learned)[0, 1] > 0.8


def test_an_unknown_stage_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        networks.main(["champiom"])
    assert "unknown stages ['champiom']" in capsys.readouterr().err
