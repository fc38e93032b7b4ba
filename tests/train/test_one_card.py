"""Learning against truth: in rounds of one card the equilibrium is known."""

from pathlib import Path

import pytest

from wizard_env import configs
from wizard_env.evaluation.one_card import measure_exactly
from wizard_env.train.config.reading import read_config
from wizard_env.train.run import train

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.mark.slow
def test_self_play_comes_near_the_equilibrium(tmp_path: Path) -> None:
    """Three seeds end at a NashConv of about 0.3; random play has 30, `heuristic` 3.6, and `champion` 0.7."""
    config = read_config(configs.find("one_card"))
    train(config, tmp_path / "run")
    found = measure_exactly(str(tmp_path / "run"), config.game.rules())
    assert found.nash_conv < 0.5
    assert found.values == pytest.approx(found.equilibrium, abs=0.5)
