"""Environments and agents work in the processes of AsyncVectorEnv and DataLoader, with their defaults."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import gymnasium
import numpy as np
import pytest

from wizard_env import Games, Rules, load
from wizard_env.compiled.threads import num_threads
from wizard_env.envs.gymnasium_env import WizardEnv

torch = pytest.importorskip("torch")

pytestmark = pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning")
SECONDS = 120
AGENTS = ("champion:backend=torch", "search:worlds=64")


def act(name: str, seed: int = 0) -> Any:
    return load(name).act(
        Games(Rules(), 256 if "torch" in name else 2, seed).view(), np.random.default_rng(0)
    )


@pytest.fixture(autouse=True)
def _threads_of_the_parent() -> Iterator[None]:
    """Use two threads of torch and of a search, which a forked child does not have."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    with num_threads(2):
        for name in AGENTS:
            act(name)
        yield
    torch.set_num_threads(before)


@pytest.mark.parametrize("opponents", AGENTS)
def test_opponents_act_in_the_processes_of_a_vector_environment(opponents: str) -> None:
    environments = gymnasium.vector.AsyncVectorEnv([partial(WizardEnv, opponents=opponents)] * 2)
    try:
        environments.reset_async(seed=1)
        _, infos = environments.reset_wait(timeout=SECONDS)
        environments.step_async(infos["action_mask"].argmax(axis=1))
        observations, *_ = environments.step_wait(timeout=SECONDS)
        assert observations.any(axis=1).all()
    finally:
        environments.close(terminate=True)


class Answers:
    """A data set of what an agent answers."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return act(self.name, index)


@pytest.mark.parametrize("name", AGENTS)
def test_agents_act_in_the_workers_of_a_data_loader(name: str) -> None:
    from torch.utils.data import DataLoader

    data: Any = Answers(name)
    loader = DataLoader(data, batch_size=None, num_workers=1, timeout=SECONDS)
    assert [actions.tolist() for actions in loader] == [data[index].tolist() for index in range(2)]
