"""Publishing a run on the Hugging Face Hub: the agent, its config and curves, and a card."""

import json
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

from wizard_env import __version__
from wizard_env.agents.adaptive.checkpoint import load_network
from wizard_env.agents.hub import check_repo, hub
from wizard_env.agents.network import FILE_NAME
from wizard_env.files import read_object
from wizard_env.train.run import CONFIG
from wizard_env.train.selfplay.curves import CURVES, DECISIONS, read_curves
from wizard_env.train.selfplay.progress import SELF_PLAY
from wizard_env.train.snapshot_ratings import RATING

_FILES = (FILE_NAME, CONFIG, CURVES)
_CARD = "README.md"


def push(run: Path, repo: str, private: bool = False, notes: str = "") -> str:
    """Publish the agent of a run; `load("hf:owner/name")` then loads it.

    Args:
        run: the folder of a run of `wizard train`.
        repo: owner/name; it is created if it is missing.
        private: whether a new repository is private.
        notes: Markdown to add to the card.

    Returns its address.

    Raises:
        FileNotFoundError, ValueError: the folder holds no agent that this version reads; its config or curves
            are damaged; `repo` is not of the form owner/name.
        ModuleNotFoundError: huggingface_hub is not installed.
    """
    check_repo(repo)
    load_network(str(run))
    api = hub().HfApi()
    api.create_repo(repo, private=private, exist_ok=True)
    with TemporaryDirectory() as folder:
        for name in _FILES:
            if (run / name).is_file():
                (Path(folder) / name).write_bytes((run / name).read_bytes())
        (Path(folder) / _CARD).write_text(model_card(run, repo, notes), encoding="utf-8")
        address: str = api.upload_folder(
            repo_id=repo, folder_path=folder, commit_message=f"wizard-env {__version__}: {run.name}"
        )
    return address


def model_card(run: Path, repo: str, notes: str = "") -> str:
    """Return the card of a run, as Markdown with the head that the hub reads."""
    lines = [
        "---",
        "library_name: wizard-env",
        "tags: [reinforcement-learning, wizard, card-game, self-play]",
        "---",
        f"# {repo.partition('/')[2] or repo}",
        "",
        "A network that plays Wizard, trained by self-play with wizard-env "
        f"{__version__}. It reads the observation of that version.",
        "",
        "```python",
        "from wizard_env import load",
        "",
        f'agent = load("hf:{repo}")',
        "```",
        "",
        *([notes, ""] if notes else []),
        *_results(run),
        *_settings(run),
    ]
    return "\n".join(lines) + "\n"


def _results(run: Path) -> Iterator[str]:
    """Yield the last line of the curves as Markdown."""
    path = run / CURVES
    lines = read_curves(path) if path.is_file() else []
    if not lines:
        return
    rows = {
        name: value for name, value in lines[-1].items() if value and name.startswith((SELF_PLAY, RATING))
    }
    yield from (f"## After {int(lines[-1][DECISIONS]):,} decisions", "", "| metric | value |", "|---|---|")
    yield from (f"| `{name}` | {float(value):.4g} |" for name, value in sorted(rows.items()))
    yield ""


def _settings(run: Path) -> Iterator[str]:
    path = run / CONFIG
    if path.is_file():
        yield from ("## Config", "", "```json", json.dumps(read_object(path), indent=2), "```")
