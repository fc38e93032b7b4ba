"""Data sets: their columns, the same however they are written, and read by other libraries."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from wizard_env import NUM_ACTIONS, Game, Rules, View, load, printed_actions
from wizard_env.evaluation.workers import workers

pytest.importorskip("pyarrow")
from wizard_env.evaluation.datasets.decisions import act_with_probabilities
from wizard_env.evaluation.datasets.parquet import COLUMNS, read_decisions
from wizard_env.evaluation.datasets.writer import write_dataset

RULES = Rules(4, hand_sizes=(2, 3, 1))
AGENTS = ("heuristic", "random", "champion:sample=True,backend=numpy")


def columns_of(folder: Path) -> dict[str, NDArray[Any]]:
    parts = list(read_decisions(folder, rows=100))
    return {name: np.concatenate([part[name] for part in parts]) for name in COLUMNS}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Write the decisions of three agents at one table."""
    path = tmp_path_factory.mktemp("data") / "mixed"
    written = sum(write_dataset(path, AGENTS, [RULES, Rules(3, hand_sizes=(2,))], 600, seed=3, records=False))
    assert written >= 600
    return path


def games_in(columns: dict[str, NDArray[Any]]) -> list[NDArray[np.int64]]:
    """Return the rows of each game."""
    starts = np.flatnonzero(columns["step"] == 0)
    return np.split(np.arange(len(columns["step"])), starts[1:])


def test_every_column_holds_what_it_says(folder: Path) -> None:
    """Every game is played again from its seed, and every decision compared."""
    columns = columns_of(folder)
    assert set(columns) == set(COLUMNS)
    found = games_in(columns)
    assert columns["game"][[rows[0] for rows in found]].tolist() == list(range(len(found)))
    for rows in found:
        first = {name: column[rows[0]] for name, column in columns.items()}
        rules = RULES if first["num_players"] == 4 else Rules(3, hand_sizes=(2,))
        game = Game(rules, seed=int(first["deal_seed"]))
        for step, row in enumerate(rows):
            seat = game.seat
            assert seat is not None
            assert np.array_equal(columns["observation"][row], game.observe(seat))
            assert np.array_equal(columns["mask"][row], game.legal_mask())
            place = tuple(int(columns[name][row]) for name in ("seat", "step", "round", "hand_size"))
            assert place == (seat, step, game.round_number, game.hand_size)
            assert columns["agent"][row] == (seat + first["game"]) % len(AGENTS)
            game.step(int(columns["action"][row]))
        assert game.phase == "over"
        for row in rows:
            seat, number = columns["seat"][row], columns["round"][row]
            points = [finished.points[seat] for finished in game.rounds[number - 1 :]]
            assert (columns["points"][row], columns["return"][row]) == (points[0], sum(points))


def test_probabilities_are_those_of_the_agent(folder: Path) -> None:
    columns = columns_of(folder)
    masks, given, agent = columns["mask"], columns["probabilities"], columns["agent"]
    assert given.shape == (len(agent), NUM_ACTIONS)
    np.testing.assert_allclose(given.sum(axis=1), 1, rtol=1e-5)
    assert not given[masks == 0].any()
    assert (given[np.arange(len(agent)), columns["action"]] > 0).all()
    assert (given[agent == 0].max(axis=1) == 1).all()
    by_chance = agent == 1
    np.testing.assert_allclose(
        given[by_chance], masks[by_chance] / masks[by_chance].sum(axis=1, keepdims=True)
    )
    row = int(np.flatnonzero((agent == 2) & (columns["step"] < 4))[0])
    rules = RULES if columns["num_players"][row] == 4 else Rules(3, hand_sizes=(2,))
    game = Game(rules, seed=int(columns["deal_seed"][row]))
    start = row - columns["step"][row]
    for action in columns["action"][start:row]:
        game.step(int(action))
    champion: Any = load("champion:backend=numpy")
    expected = champion.assess(View.of([game]), np.random.default_rng(0)).policy[0]
    np.testing.assert_allclose(given[row], expected, rtol=1e-4, atol=1e-6)


class Silent:
    """An agent that gives no probabilities."""

    def act(self, view: View, rng: np.random.Generator) -> Any:
        return view.mask.argmax(axis=1)


def test_an_agent_that_gives_no_probabilities() -> None:
    view = View.of([Game(RULES, seed=1), Game(RULES, seed=2)])
    agents = [Silent(), load("heuristic")]
    actions, given = act_with_probabilities(agents, np.array([0, 1]), view, np.random.default_rng(0))
    assert np.isnan(given[0]).all()
    assert given[1, actions[1]] == given[1].sum() == 1


def test_any_number_of_processes_writes_the_same(folder: Path, tmp_path: Path) -> None:
    with workers(2) as spread:
        rules = [RULES, Rules(3, hand_sizes=(2,))]
        assert sum(write_dataset(tmp_path, AGENTS, rules, 600, seed=3, spread=spread)) >= 600
    shards = sorted(path.name for path in folder.glob("*.parquet"))
    assert shards == sorted(path.name for path in tmp_path.glob("*.parquet"))
    for name in shards:
        assert (tmp_path / name).read_bytes() == (folder / name).read_bytes()


def test_an_interrupted_data_set_is_completed(folder: Path, tmp_path: Path) -> None:
    """A shard that is there is not played again; another data set is refused."""
    rules = [RULES, Rules(3, hand_sizes=(2,))]
    first, second = write_dataset(tmp_path, AGENTS, rules, 600, seed=3)
    kept, lost = sorted(tmp_path.glob("*.parquet"))
    lost.unlink()
    before = kept.stat().st_mtime_ns
    assert list(write_dataset(tmp_path, AGENTS, rules, 600, seed=3)) == [second]
    assert kept.stat().st_mtime_ns == before
    assert first + second == len(columns_of(tmp_path)["action"])
    with pytest.raises(ValueError, match="holds another data set: its seed differ"):
        list(write_dataset(tmp_path, AGENTS, rules, 600, seed=4))


def test_canonical_suits_are_those_that_networks_see(tmp_path: Path) -> None:
    """This holds for masks, actions and probabilities; forced decisions are left out."""
    agents = ["champion:backend=numpy"]
    list(write_dataset(tmp_path, agents, [RULES], 300, canonical_suits=True, skip_forced=True))
    columns = columns_of(tmp_path)
    assert (columns["mask"].sum(axis=1) > 1).all()
    rows = np.arange(len(columns["action"]))
    assert columns["mask"][rows, columns["action"]].all()
    assert (columns["probabilities"][rows, columns["action"]] == 1).all()
    champion: Any = load("champion:backend=numpy")
    logits = np.where(columns["mask"], champion.logits(columns["observation"]), -np.inf)
    assert (logits.argmax(axis=1) == columns["action"]).mean() > 0.999
    for first in np.flatnonzero(columns["step"] == 0)[:10]:
        view = View.of([Game(RULES, seed=int(columns["deal_seed"][first]))])
        encoding = view.encode(canonical_suits=True)
        assert np.array_equal(columns["observation"][first], encoding.observation[0])
        printed = printed_actions([columns["action"][first]], encoding.order)
        assert view.mask[0, printed[0]]


def test_columns_can_be_chosen(folder: Path) -> None:
    part = next(read_decisions(folder, ["mask", "points"]))
    assert list(part) == ["mask", "points"]
    with pytest.raises(FileNotFoundError, match=r"holds no data set: there is no decisions-\*.parquet"):
        next(read_decisions(folder.parent))


# --- read by others


def test_pandas_reads_it(folder: Path) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.read_parquet(folder, columns=["agent", "points", "mask"])
    columns = columns_of(folder)
    assert frame["points"].tolist() == columns["points"].tolist()
    assert np.array_equal(np.frombuffer(b"".join(frame["mask"]), np.uint8), columns["mask"].reshape(-1))


@pytest.mark.filterwarnings("ignore")  # the library's own
def test_minari_reads_it(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """There is an episode for each seat in each game; a round's last decision is paid its points."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path))
    minari = pytest.importorskip("minari")
    pytest.importorskip("h5py")
    from wizard_env.evaluation.datasets import minari as module

    monkeypatch.setattr(module, "_ROWS", 100)  # so that games go on in the next block
    columns = columns_of(folder)
    blocks = list(module.add_to_minari(folder, "wizard/test-v0"))
    assert len(blocks) > 3
    assert sum(block.decisions for block in blocks) == len(columns["action"])
    seats = np.unique(np.stack([columns["game"], columns["seat"]]), axis=1).T
    assert sum(block.episodes for block in blocks) == len(seats)
    loaded = minari.load_dataset("wizard/test-v0")
    assert loaded.total_steps == len(columns["action"])
    for number, (game, seat) in enumerate(seats):
        rows = np.flatnonzero((columns["game"] == game) & (columns["seat"] == seat))
        episode = loaded[number]
        assert np.array_equal(episode.observations[:-1], columns["observation"][rows])
        assert np.array_equal(episode.infos["action_mask"][:-1], columns["mask"][rows])
        assert np.array_equal(episode.actions, columns["action"][rows])
        ends = np.append(np.diff(columns["round"][rows]) != 0, True)
        assert np.array_equal(episode.rewards, np.where(ends, columns["points"][rows], 0))
        assert episode.rewards.sum() == columns["return"][rows[0]]
        assert episode.terminations.tolist() == [False] * (len(rows) - 1) + [True]
    with pytest.raises(ValueError, match="has a data set wizard/test-v0 already"):
        module.check_minari("wizard/test-v0")
    with pytest.raises(ValueError, match="Malformed"):
        module.check_minari("a name")


@pytest.mark.filterwarnings("ignore")  # the library's own
def test_minari_recovers_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It works if all games have the same rules."""
    monkeypatch.setenv("MINARI_DATASETS_PATH", str(tmp_path / "minari"))
    minari = pytest.importorskip("minari")
    pytest.importorskip("h5py")
    from wizard_env.evaluation.datasets.minari import add_to_minari

    list(write_dataset(tmp_path / "data", ["rule_based"], [RULES], 2000, seed=1))
    list(add_to_minari(tmp_path / "data", "wizard/rules-v0"))
    env = minari.load_dataset("wizard/rules-v0").recover_environment()
    env.reset(seed=1)
    assert env.unwrapped.game.rules == RULES
