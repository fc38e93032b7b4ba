"""Input of any form from outside is sound, or is refused as documented."""

import json
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.reliability.documents import JSON, altered, as_json
from tests.reliability.effort import SOAK, times
from tests.reliability.test_damaged_files import READERS, files, refusal
from wizard_env import Game, Games, Rules, parse_position, position, record, replay
from wizard_env.agents.external import ExternalAgent
from wizard_env.agents.network import FILE_NAME
from wizard_env.evaluation.league import FILE_NAME as LEAGUE
from wizard_env.evaluation.league_file import LeagueFile
from wizard_env.files import compact_json, digest
from wizard_env.state_checks import check_states
from wizard_env.train.run import CONFIG
from wizard_env.train.selfplay.checkpoints import CHECKPOINT

pytestmark = pytest.mark.usefixtures("one_thread")
__all__ = ["files"]

fuzzing = settings(
    max_examples=times(40, 4000),
    deadline=None,
    derandomize=not SOAK,
    database=None,
    print_blob=True,
    suppress_health_check=list(HealthCheck),
)
SMALL = Rules(num_players=3, hand_sizes=(2, 1))


def finished() -> Game:
    game = Game(SMALL, seed=4)
    while game.phase != "over":
        game.step(game.legal_actions()[0])
    return game


RECORD = json.loads(record(finished()))


def made(make: Callable[[str], Game], text: str) -> Game | None:
    """The game of a text; None if it is refused."""
    try:
        return make(text)
    except ValueError:
        return None


# --- files


@fuzzing
@given(altered(RECORD))
def test_records_with_a_digest_that_fits(document: dict[str, Any]) -> None:
    """A forger can compute the digest."""
    document.pop("digest", None)
    document["digest"] = digest(compact_json(document, sort_keys=True))
    line = as_json(document)
    if (game := made(replay, line)) is not None:
        check_states(game.state)
        assert json.loads(record(game, replay(line).players)) == json.loads(line)


@fuzzing
@given(
    st.text(max_size=300)
    | st.lists(st.sampled_from([*position(finished()).split(), ":", "WI", "-"])).map(" ".join)
)
def test_positions(text: str) -> None:
    if (game := made(parse_position, text)) is not None:
        check_states(game.state)
        assert position(parse_position(position(game))) == position(game)


@fuzzing
@given(st.data())
def test_league_lines_with_a_digest_that_fits(files: Path, data: st.DataObject) -> None:
    document = json.loads((files / LEAGUE).read_text().splitlines()[0])
    del document["digest"]
    document = data.draw(altered(document))
    document["digest"] = digest(compact_json(document))
    path = files / "altered.jsonl"
    path.write_text(as_json(document) + "\n")
    if refusal(LeagueFile, path) is None:
        for table, deals in LeagueFile(path).tables.items():
            assert len(table.members) == table.rules.num_players
            assert all(scores.shape == (table.rules.num_players,) * 2 for scores in deals.values())


@fuzzing
@given(st.data())
def test_configs(files: Path, data: st.DataObject) -> None:
    document = data.draw(altered(json.loads((files / CONFIG).read_text())))
    path = files / "altered.json"
    path.write_text(as_json(document))
    refusal(READERS[CONFIG], path)


@fuzzing
@given(st.text(max_size=200))
def test_configs_in_toml(files: Path, text: str) -> None:
    path = files / "altered.toml"
    path.write_text(text, encoding="utf-8", errors="surrogatepass")
    assert refusal(READERS["champion.toml"], path) is not None


@pytest.mark.parametrize("name", [FILE_NAME, CHECKPOINT])
@fuzzing
@given(data=st.data())
def test_headers_of_safetensors(name: str, files: Path, data: st.DataObject) -> None:
    """Eight bytes tell the length of a JSON text, which tells where each tensor is."""
    content = (files / name).read_bytes()
    size = int.from_bytes(content[:8], "little")
    header = data.draw(altered(json.loads(content[8 : 8 + size])))
    text = as_json(header).encode()
    text += b" " * (-len(text) % 8)
    path = files / f"altered-{name}"
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + size :])
    refusal(READERS[name], path)


# --- programs

ANSWERS = """
import sys
from collections.abc import Callable
from pathlib import Path
print('{"protocol": "wizard-external", "version": 1, "name": "fuzz"}', flush=True)
for line in sys.stdin:
    if '"id":' not in line:
        continue
    number = line.split('"id":')[1].split(",")[0].strip().encode()
    answer = Path(sys.argv[1]).read_bytes().replace(b'"id": 1', b'"id": ' + number)
    sys.stdout.buffer.write(answer + b"\\n")
    sys.stdout.flush()
"""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """An agent whose program answers with a file's content, and the file."""
    folder = tmp_path_factory.mktemp("program")
    (folder / "program.py").write_text(ANSWERS)
    answer = folder / "answer"
    answer.write_bytes(b"{}")
    with ExternalAgent([sys.executable, str(folder / "program.py"), str(answer)], timeout=0.2) as agent:
        yield agent, answer


@fuzzing
@given(
    st.binary(max_size=50)
    | JSON.map(lambda value: as_json(value).encode())
    | altered({"id": 1, "action": "bid 1"}).map(lambda value: as_json(value).encode())
)
def test_answers_of_programs(program: tuple[ExternalAgent, Path], answer: bytes) -> None:
    """Every decision gets a legal action; the program still answers."""
    agent, path = program
    path.write_bytes(answer.replace(b"\n", b" "))
    games = Games(SMALL, 1, seed=1)
    (action,) = agent.act(games.view(), np.random.default_rng(0))
    assert games.mask[0, action]
