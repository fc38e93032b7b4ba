"""Make the networks of the package from nothing: python -m tools.networks [STAGE...].

Each stage is a run of `wizard train`, the average of runs (Wortsman et al. 2022, "Model soups"), or a network
that learns lessons from search (see tools/lessons.py), in runs/networks/STAGE. A stage that was stopped
resumes; one that is finished is left alone. Naming stages makes just those. A network that the package ships
is also written to agents/weights, in half precision.
"""

import argparse
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save

from tools.lessons import Lessons, collect, learn, num_beliefs, own_games
from wizard_env import configs
from wizard_env.agents.network import (
    FILE_NAME,
    Network,
    find_agent,
    read_agent,
    save_agent,
)
from wizard_env.files import write_atomically, write_tensors
from wizard_env.sampling import best_legal
from wizard_env.train.config.reading import make_config
from wizard_env.train.config.run import Config
from wizard_env.train.ppo import CRITIC
from wizard_env.train.run import checkpoint_of, train
from wizard_env.train.selfplay.games import SelfPlayGames

WEIGHTS = Path(__file__).parent.parent / "agents" / "weights"

_PARTNERS: dict[str, dict[str, Any]] = {
    "early_17": {"decisions": 1_000_000},
    "mixed_15": {"sparring": 0.5, "partners": ["rule_based", "heuristic"]},
    "points_12": {"reward": "points"},
    "points_16": {
        "reward": "points",
        "sparring": 0.5,
        "partners": ["rule_based", "heuristic"],
        "layers": [64, 64],
    },
    "relative_11": {},
    "relative_13": {"layers": [256]},
    "spirit_14": {"reward": "points", "team_spirit": 0.9},
}
_BALANCES = ({"sparring": 0.3, "team_spirit": 0.8}, {"sparring": 0.7, "team_spirit": 0.3})
"""Partners raise the lead, team spirit the bids that copies meet; averages keep most of both."""
_EXPERTS: dict[str, dict[str, Any]] = {
    "rule_based": {"sparring": 0.9, "partners": ["rule_based"]},
    "heuristic": {"sparring": 0.9, "partners": ["heuristic", "variant:of=heuristic,bias=0.48,noise=0.0"]},
    "strong": {"sparring": 0.9, "partners": ["partner:name=relative_11", "partner:name=relative_13"]},
    "copies": {"sparring": 0.0, "team_spirit": 0.9},
}
_RESPONSES: dict[str, dict[str, Any]] = {
    **{
        partner: {
            "start": "points",
            "layers": [1024, 512],
            "decisions": 30_000_000,
            "learning_rate": 3e-4,
            "entropy_bonus": 0.0007,
            "sparring": 1.0,
            "partners": [partner],
        }
        for partner in ("rule_based", "heuristic")
    },
    "copy": {
        "start": "expert_copies",
        "decisions": 33_000_000,
        "learning_rate": 5e-4,
        "entropy_bonus": 0.0005,
        "sparring": 0.0,
        "team_spirit": 1.0,
    },
}
"""Networks that `adaptive` answers with where all other seats are of one family, by its name."""
_POOL = [
    *(["rule_based"] * 4),
    *(["heuristic"] * 4),
    *(["champion:goal=points"] * 8),
    *(["past"] * 4),
    *(f"partner:name={name}" for name in _PARTNERS),
    "variant:of=heuristic,bias=0.48,noise=0.0",
    "variant:of=rule_based,bias=-0.65,noise=0.02",
]
_CHAMPION: dict[str, Any] = {
    "reward": "win_probability",
    "num_games": 1024,
    "batch_size": 2048,
    "learning_rate": 3e-4,
    "entropy_bonus": 0.0007,
    "sparring": 0.7,
    "team_spirit": 0.0,
    "partners": _POOL,
}
"""The champion learns to win from the network that learned for points."""
_TO_WIN = ("heuristic", "rule_based")
"""Responses that learned for points, trained on for the probability of winning."""
_WINNING: dict[str, Any] = {
    "reward": "win_probability",
    "learning_rate": 1.5e-4,
    "sparring": 0.95,
    "mixed": 0.3,
    "team_spirit": 0.0,
}
_LESSONS_AT_ONCE = 50_000
"""Lessons per file; every file has a seed of its own."""
_FITS = 2
"""Networks trained on the same lessons, in different orders, and averaged."""
_STEPS_AT_ONCE = 128
"""Steps of games that are kept until their rounds end: a round has 63 decisions at most."""


class Stage(NamedTuple):
    """One network to make."""

    name: str
    config: str = ""
    """A config of the package, or a file. An average needs it only to prune."""
    learning: Mapping[str, Any] = {}
    """Keys of `[learning]` that differ from the config; `start` names a stage."""
    seed: int = 0
    average: Sequence[str] = ()
    """The stages to average, in place of training."""
    lessons: int = 0
    """The number of lessons from search that `start` is trained on, in place of a run; 0 for a run."""
    ships_as: str = ""
    """Its path in agents/weights, if the package ships it."""
    ships_critic: bool = False
    """True if its critic ships, too."""
    prunes: bool = False
    """True if units that never fire in its own games are left out at the end."""
    fits_value: bool = False
    """True if it gets a value of points at the end, since it learned for another reward."""


def stages() -> Iterator[Stage]:
    """Yield all stages, each after those that it builds on."""
    for name, learning in _PARTNERS.items():
        file = f"partners/{name}.safetensors"
        yield Stage(f"partner_{name}", "partner", learning, seed=int(name[-2:]), ships_as=file)
    yield Stage("rival", "rival", seed=1, ships_as=f"rival/{FILE_NAME}")
    yield Stage("champion_0", "champion")
    for step in range(1, 6):
        runs = [f"champion_{step}_{number}" for number in range(2)]
        for seed, (run, balance) in enumerate(zip(runs, _BALANCES, strict=True)):
            start = {"start": f"champion_{step - 1}", "decisions": 57_000_000, "learning_rate": 5e-4}
            yield Stage(run, "champion", start | balance, seed=10 * step + seed)
        yield Stage(f"champion_{step}", average=runs)
    for name, learning in _EXPERTS.items():
        start = {"start": "champion_5", "decisions": 24_000_000, "learning_rate": 3e-4}
        yield Stage(f"expert_{name}", "champion", start | learning)
    yield Stage("generalist", "generalist")
    runs = [f"champion_6_{number}" for number in range(4)]
    wide = {"start": "generalist", "decisions": 8_500_000, "learning_rate": 2e-4, "layers": [1024, 512]}
    for seed, run in enumerate(runs):
        yield Stage(run, "champion", wide | _BALANCES[seed % 2], seed=60 + seed)
    for_points = Stage("points", "champion", average=["generalist", *runs], prunes=True)
    yield for_points._replace(ships_as="champion/points.safetensors", ships_critic=True)
    small = {"teachers": {"points": []}, "sparring": 0.0, "layers": [128, 128], "decisions": 25_000_000}
    yield Stage("distilled", "generalist", small, ships_as=f"distilled/{FILE_NAME}")
    first = {"start": "points", "layers": [512, 384], "decisions": 16_000_000}
    yield Stage("champion_7", "champion", _CHAMPION | first)
    second = {"start": "champion_7", "layers": [640, 448], "decisions": 48_000_000}
    champion = Stage("champion", "champion", _CHAMPION | second, ships_as=f"champion/{FILE_NAME}")
    yield champion._replace(prunes=True, fits_value=True)
    to_win = small | {"teachers": {"champion": []}}
    yield Stage("distilled_to_win", "generalist", to_win, ships_as="distilled/win.safetensors")
    told = {"beliefs": True, "start": "points", "decisions": 12_000_000, "learning_rate": 4e-4}
    yield Stage("adaptive_0", "generalist", told)
    file = f"adaptive/{FILE_NAME}"  # its critic, which estimates points, comes from the first stage
    yield Stage("adaptive", "adaptive", {"start": "adaptive_0"}, ships_as=file, ships_critic=True)
    first = {"start": "adaptive", "decisions": 6_000_000}
    yield Stage("win_adaptive_0", "adaptive", _WINNING | first)
    second = {"start": "win_adaptive_0", "decisions": 7_000_000}
    yield Stage("win_adaptive", "adaptive", _WINNING | second, seed=1, prunes=True)
    last = _WINNING | {"start": "win_adaptive"}
    yield Stage("searched_adaptive", "adaptive", last, lessons=1_500_000, ships_as=file, prunes=True)
    for name, learning in _RESPONSES.items():
        file = "" if name in _TO_WIN else f"adaptive/{name}.safetensors"
        yield Stage(f"response_{name}", "champion", learning, ships_as=file)
    for name in _TO_WIN:
        alone = {"layers": [1024, 512], "entropy_bonus": 0.0007, "sparring": 1.0, "mixed": 0.0}
        response = {"start": f"response_{name}", "decisions": 6_000_000, "partners": [name]}
        file = f"adaptive/{name}.safetensors"
        win = Stage(f"win_{name}", "champion", _WINNING | alone | response, ships_as=file, prunes=True)
        if name == "rule_based":
            yield win._replace(ships_as="")
            learning = {**win.learning, "start": win.name}
            win = win._replace(name=f"searched_{name}", learning=learning, lessons=800_000)
        yield win


def config_of(stage: Stage, folder: Path) -> Config:
    """Return the config of a stage that trains. folder: of all stages."""
    given = tomllib.loads(configs.find(stage.config).read_text(encoding="utf-8"))
    learning = given["learning"] | stage.learning
    if "start" in stage.learning:
        learning["start"] = str(folder / stage.learning["start"])
    if stage.config == "generalist":
        learning["teachers"] = {
            str(folder / Path(name).name): partners for name, partners in learning["teachers"].items()
        }
    return make_config(given | {"name": stage.name, "seed": stage.seed, "learning": learning})


def average(folders: Sequence[Path], target: Path) -> None:
    """Average the weights of networks of one shape, and of their critics if all have one."""
    agents = [read_agent(find_agent(folder), beliefs=None) for folder in folders]
    target.mkdir(parents=True, exist_ok=True)
    write_atomically(target / FILE_NAME, lambda path: save_agent(_mean(agents), path))
    critics = [folder / CRITIC for folder in folders]
    if all(critic.exists() for critic in critics):
        content = save(_mean([load_file(critic) for critic in critics]))
        write_atomically(target / CRITIC, lambda path: write_tensors(path, content))


def _mean(weights: Sequence[Mapping[str, NDArray[np.float32]]]) -> dict[str, NDArray[np.float32]]:
    return {name: np.mean([each[name] for each in weights], axis=0) for name in weights[0]}


def _play(agent: Network, games: SelfPlayGames, decisions: int) -> Iterator[list[NDArray[np.float32]]]:
    """Take the likeliest actions; yield the hidden layers of each step's decisions, each [games, units]."""
    *trunk, last = agent.layers
    for _ in range(decisions // len(games.learns)):
        layers = [games.observe() * agent.scale]
        for layer in trunk:
            layers.append(np.maximum(layers[-1] @ layer.weights + layer.biases, 0))
        games.step(best_legal(layers[-1] @ last.weights + last.biases, games.games.mask))
        yield layers[1:]


def fired(network: Path, config: Config, decisions: int = 500_000) -> list[NDArray[np.bool_]]:
    """Return the units of each hidden layer that fire in games of a config: bool [units]."""
    agent, games = own_games(network, config, seed=0)
    found = [np.zeros(len(layer.biases), np.bool_) for layer in agent.layers[:-1]]
    for layers in _play(agent, games, decisions):
        for hidden, units in zip(layers, found, strict=True):
            units |= (hidden > 0).any(axis=0)
    return found


def fit_value(network: Path, config: Config, decisions: int = 1_000_000) -> dict[str, NDArray[np.float32]]:
    """Return the weights of a value of points, for a network that learned for another reward.

    Least squares fit the points of each round to the last hidden layer, in games of a config.
    """
    agent, games = own_games(network, config, seed=0)
    size = len(agent.layers[-1].weights)
    products, sums = np.eye(size + 1), np.zeros(size + 1)
    steps: list[tuple[NDArray[np.float32], NDArray[np.uint8], NDArray[np.bool_], NDArray[np.int16]]] = []
    for *_, hidden in _play(agent, games, decisions):
        inputs = np.insert(hidden, size, 1, axis=1)
        steps.append((inputs, games.acted.copy(), games.round_done.copy(), games.points.copy()))
        if len(steps) < _STEPS_AT_ONCE:
            continue
        points, ends = np.zeros(games.points.shape), np.zeros(len(hidden), np.bool_)
        for inputs, seats, done, scored in reversed(steps):  # a decision is paid by the next end of a round
            points[done], ends = scored[done], ends | done
            known = inputs[ends].astype(np.float64)
            products += known.T @ known
            sums += points[ends, seats[ends]] @ known
        steps.clear()
    *weights, bias = np.linalg.solve(products, sums).astype(np.float32)
    return {"value.weight": np.array([weights]), "value.bias": np.array([bias])}


def prune(
    weights: Mapping[str, NDArray[np.floating]], units: Sequence[NDArray[np.bool_]]
) -> dict[str, NDArray[np.floating]]:
    """Drop units. weights: as `read_agent` returns them. units: those to keep, of each hidden layer."""
    kept = dict(weights)
    for number, keep in enumerate(units):
        for name in (f"layer.{number}.weight", f"layer.{number}.bias"):
            kept[name] = kept[name][keep]
        readers = {f"layer.{number + 1}.weight"} | ({"value.weight"} if number == len(units) - 1 else set())
        for name in readers & kept.keys():
            kept[name] = kept[name][:, keep]
    return kept


def finish(network: Path, config: Config, prunes: bool, fits_value: bool) -> None:
    """Leave out the units of a network that never fire, and give it a value; see `Stage`."""
    beliefs = num_beliefs(network)
    weights: dict[str, NDArray[Any]] = {**read_agent(network, beliefs=None)}
    if fits_value:
        weights |= fit_value(network, config)
    if prunes:
        weights = prune(weights, fired(network, config))
    write_atomically(network, lambda path: save_agent(weights, path, beliefs=beliefs))


def ship(network: Path, target: Path, with_critic: bool = False) -> None:
    """Write a network in half precision, and its critic beside it."""
    beliefs = num_beliefs(network)
    half = {name: values.astype(np.float16) for name, values in read_agent(network, beliefs=None).items()}
    target.parent.mkdir(parents=True, exist_ok=True)
    write_atomically(target, lambda path: save_agent(half, path, beliefs=beliefs))
    if with_critic:
        critic = load_file(network.with_name(CRITIC))
        content = save({name: values.astype(np.float16) for name, values in critic.items()})
        write_atomically(target.with_name(CRITIC), lambda path: write_tensors(path, content))


def improve(stage: Stage, config: Config, folder: Path) -> None:
    """Collect the lessons that a stage lacks, train on all of them, and save the average of the networks.

    folder: of all stages.
    """
    own, start = folder / stage.name, folder / stage.learning["start"] / FILE_NAME
    own.mkdir(parents=True, exist_ok=True)
    files = [own / f"lessons-{seed}.npz" for seed in range(-(-stage.lessons // _LESSONS_AT_ONCE))]
    for seed, file in enumerate(files):
        if not file.exists():
            collect(start, config, _LESSONS_AT_ONCE, seed).save(file)
    lessons = Lessons.read(files)
    weights = _mean([learn(start, lessons, seed) for seed in range(_FITS)])
    beliefs = num_beliefs(start)
    write_atomically(own / FILE_NAME, lambda path: save_agent(weights, path, beliefs=beliefs))


def make(stage: Stage, folder: Path, weights: Path) -> None:
    """Make a network, or go on where it was stopped. folder: of all stages. weights: of the package."""
    own = folder / stage.name
    if stage.average:
        average([folder / name for name in stage.average], own)
    elif stage.lessons:
        improve(stage, config_of(stage, folder), folder)
    else:
        config = config_of(stage, folder)
        train(config, own, resume=checkpoint_of(config, own).exists())
    if stage.prunes or stage.fits_value:
        finish(own / FILE_NAME, config_of(stage, folder), stage.prunes, stage.fits_value)
    if stage.ships_as:
        ship(own / FILE_NAME, weights / stage.ships_as, stage.ships_critic)


def main(arguments: Sequence[str] | None = None) -> None:
    known = {stage.name: stage for stage in stages()}
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("stages", nargs="*", metavar="STAGE", help=f"all by default: {', '.join(known)}")
    parser.add_argument("--folder", type=Path, default=Path("runs/networks"), help="where to train")
    parser.add_argument("--weights", type=Path, default=WEIGHTS, help="where the package has its networks")
    options = parser.parse_args(arguments)
    if unknown := set(options.stages) - known.keys():
        parser.error(f"unknown stages {sorted(unknown)}: allowed are {', '.join(known)}")
    for name in options.stages or known:
        print(name, flush=True)
        make(known[name], options.folder, options.weights)


if __name__ == "__main__":
    main()
