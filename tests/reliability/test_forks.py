"""Forks: a child works though its parent had threads, which it does not have."""

import multiprocessing
import os
import threading
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
import pytest
from numba.core.caching import NullCache
from numba.core.compiler_lock import global_compiler_lock

from tests.reliability.effort import generator, times
from wizard_env import Games, Rules, View, load
from wizard_env.compiled.dispatchers import Kernel
from wizard_env.compiled.jit import COMPILES
from wizard_env.envs.gymnasium_env import WizardEnv

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork here"),
    pytest.mark.filterwarnings("ignore:This process.*is multi-threaded:DeprecationWarning"),
]
SECONDS = 120
METHODS = [
    "fork",
    pytest.param("forkserver", marks=pytest.mark.slow),
    pytest.param("spawn", marks=pytest.mark.slow),
]
NETWORK = "champion:backend=torch"


def in_child(action: Callable[[], Any], method: str = "fork") -> bool:
    """Return whether an action ends well in a child process, and in time."""
    child = multiprocessing.get_context(method).Process(target=action)  # type: ignore[attr-defined]
    child.start()
    child.join(SECONDS)
    ended: bool = child.exitcode == 0
    child.kill()
    child.join()
    return ended


# --- compiling


def _double(values: Any) -> int:
    total = 0
    for value in values:
        total += 2 * value
    return total


def compile_anew() -> None:
    kernel: Any = Kernel(_double, ([np.int64],), NullCache())
    assert kernel(np.arange(4)) == 12


@pytest.mark.skipif(not COMPILES, reason="nothing is compiled")
def test_a_child_compiles_though_a_thread_of_its_parent_does() -> None:
    """A fork waits until no thread compiles."""
    compiling, ended = threading.Event(), threading.Event()

    def compile_on() -> None:
        while not ended.is_set():
            compiling.set()
            compile_anew()

    thread = threading.Thread(target=compile_on)
    thread.start()
    try:
        assert compiling.wait(SECONDS)
        for _ in range(times(3, 30)):
            assert in_child(compile_anew)
    finally:
        ended.set()
        thread.join()
    with global_compiler_lock:
        compile_anew()


def test_a_child_reads_a_view_though_a_thread_of_its_parent_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread holds no lock while it encodes what it reads."""
    view, encode = Games(Rules(), 2).view(), View.encode
    encoding, ended = threading.Event(), threading.Event()

    def encode_slowly(view: View) -> Any:
        if threading.current_thread() is not threading.main_thread():
            encoding.set()
            assert ended.wait(SECONDS)
        return encode(view)

    monkeypatch.setattr(View, "encode", encode_slowly)
    thread = threading.Thread(target=lambda: view.observation)
    thread.start()
    try:
        assert encoding.wait(SECONDS)
        assert in_child(lambda: view.observation)
    finally:
        ended.set()
        thread.join()


# --- torch


@pytest.fixture
def torch_threads() -> Iterator[None]:
    """Use two threads of torch, which then wait for the next product."""
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    matrix = torch.ones((1000, 1000))
    assert (matrix @ matrix).relu().sum() > 0
    yield
    torch.set_num_threads(before)


def act_as(expected: Any, agent: Any, view: View) -> None:
    assert (agent.act(view, generator("unused")) == expected).all()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("torch_threads")
def test_a_network_that_has_used_torch_acts_in_a_child(method: str) -> None:
    view, agent = Games(Rules(), 1024).view(), load(NETWORK)
    expected = agent.act(view, generator("unused"))
    assert in_child(partial(act_as, expected, agent, view), method)
    act_as(expected, agent, view)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("torch_threads")
def test_environments_in_children_have_opponents_that_use_torch(method: str) -> None:
    load(NETWORK).act(Games(Rules(), 1024).view(), generator("unused"))
    make = partial(WizardEnv, opponents=NETWORK)
    environments = gymnasium.vector.AsyncVectorEnv([make] * 2, context=method)
    try:
        environments.reset_async(seed=1)
        _, infos = environments.reset_wait(timeout=SECONDS)
        environments.step_async(infos["action_mask"].argmax(axis=1))
        observations, *_ = environments.step_wait(timeout=SECONDS)
        assert observations.any(axis=1).all()
    finally:
        environments.close(terminate=True)


class Decisions:
    """A data set of what an agent answers."""

    def __len__(self) -> int:
        return 2

    def __getitem__(self, index: int) -> Any:
        return load(NETWORK).act(Games(Rules(), 1024, seed=index).view(), generator("unused"))


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.usefixtures("torch_threads")
def test_a_network_acts_in_the_workers_of_a_data_loader(method: str) -> None:
    from torch.utils.data import DataLoader

    data: Any = Decisions()
    loader = DataLoader(data, batch_size=None, num_workers=1, multiprocessing_context=method, timeout=SECONDS)
    assert [actions.tolist() for actions in loader] == [data[index].tolist() for index in range(2)]


def learn(folder: Path) -> None:
    from tests.train.tiny import tiny_config
    from wizard_env.train.run import train

    train(tiny_config(layers=[512, 512]), folder)


@pytest.mark.slow
@pytest.mark.usefixtures("torch_threads")
def test_a_child_learns_though_its_parent_has_learned(tmp_path: Path) -> None:
    learn(tmp_path / "parent")
    assert in_child(partial(learn, tmp_path / "child"))
