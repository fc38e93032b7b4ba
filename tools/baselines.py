"""Remake docs/baselines.md: python -m tools.baselines, or `make baselines`.

Each job trains one row of the page with one seed and one budget, in runs/baselines/ROW-BUDGET/seedN, measures
the agent, and writes result.json there. The results of all jobs are kept in docs/baselines.json, and a job in
it is skipped; to repeat one, remove its line there and its folder. A job that was stopped resumes if its
command does, and starts again if not. The page is written after each job.
"""

import argparse
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from tools.marked_tables import estimated, fill, head, row
from wizard_env import Rules
from wizard_env.evaluation.duplicate_deals import Entrant, load_players
from wizard_env.evaluation.one_card import measure_exactly
from wizard_env.evaluation.seeds import estimate_mean_and_iqm, measure_leads
from wizard_env.evaluation.statistics import Estimate, estimate_small_mean
from wizard_env.files import write_atomically

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "baselines.md"
RESULTS = ROOT / "docs" / "baselines.json"
RUNS = Path("runs/baselines")
RESULT = "result.json"

SMALL, USUAL, LARGE = BUDGETS = (200_000, 2_000_000, 10_000_000)
"""Decisions to learn from: the first two for rounds of one card, the second for whole games, and also the
third where a seed then takes at most a quarter of an hour."""
SEEDS = 5
OPPONENTS = ("rule_based", "heuristic", "champion:goal=points")
RULES, DEALS, DEALS_SEED = Rules(4), 100, 2026
ONE_CARD = Rules(3, hand_sizes=(1,))
DECISIONS_PER_ITERATION = 12.7
"""The mean number of decisions in an iteration of MCCFR, which walks through a deal for each seat."""
NOT_MEASURED = "–"  # noqa: RUF001 - an en dash

_WHOLE_GAMES = ",".join(map(str, RULES.rounds))
_OWN = (
    "wizard train baseline --runs {runs} --name {name} --seed {seed} --workers 1 "
    "--set learning.decisions={decisions}"
)
_CLONE = (
    "wizard dataset {folder}/data TEACHER --decisions {decisions} --seed {seed} "
    "--canonical-suits --skip-forced",
    "python examples/imitation.py {folder}/data {folder} --seed {seed} --width 256 --epochs 2",
)
THREADS = {"OMP_NUM_THREADS": "1"}
_RLLIB = ROOT / ".venv-rllib" / "bin" / "python"


class Job(NamedTuple):
    """One training."""

    row: str
    decisions: int
    seed: int

    @property
    def folder(self) -> Path:
        return RUNS / f"{self.row}-{self.decisions}" / f"seed{self.seed}"

    def fill(self, text: str) -> str:
        """Return a command, or the name of an agent, with the parts in braces replaced."""
        steps = -(-self.decisions // (128 * 32))
        places = {"folder": self.folder, "runs": self.folder.parent, "name": self.folder.name}
        return text.format(**places, decisions=self.decisions, seed=self.seed, steps=steps)


def leads(job: Job) -> dict[str, Any]:
    """Measure the leads of a job's agent, in points per game, rounded: [opponents][deals]."""
    agent = job.fill(ROWS[job.row].agent)
    found = measure_leads(load_players([agent]), load_players(OPPONENTS), RULES, DEALS, DEALS_SEED)
    return {"leads": np.rint(found[0]).astype(int).tolist()}


def nash_conv(job: Job) -> dict[str, Any]:
    """Measure NashConv of a job's agent in rounds of one card, in points per round."""
    return {"nash_conv": round(measure_exactly(job.fill(ROWS[job.row].agent), ONE_CARD).nash_conv, 3)}


def solve(job: Job) -> dict[str, Any]:
    """Run MCCFR on rounds of one card, and measure NashConv of the average policy."""
    from examples.openspiel_wizard import ONE_CARD as GAME
    from examples.openspiel_wizard import make_solver
    from wizard_env.envs.openspiel import PolicyAgent, WizardGame

    solver = make_solver(job.seed)
    for _ in range(round(job.decisions / DECISIONS_PER_ITERATION)):
        solver.iteration()
    average = Entrant(job.row, PolicyAgent(solver.average_policy(), WizardGame(GAME)))
    return {"nash_conv": round(measure_exactly(average, ONE_CARD).nash_conv, 3)}


class Row(NamedTuple):
    """A row of the page."""

    text: str
    commands: tuple[str, ...]
    """They train the agent; in braces the parts that `Job.fill` replaces."""
    agent: str = "{folder}"
    """The name that `load` takes."""
    budgets: tuple[int, ...] = (USUAL,)
    measure: Callable[[Job], dict[str, Any]] = leads
    module: str = ""
    """A module that has to be installed."""
    install: str = "make test"
    """The command that installs it."""
    seeds: int = SEEDS


FIXED = ("random", *OPPONENTS, "champion")
"""Agents that learn nothing here, to compare with."""
ROWS: dict[str, Row] = {
    **{name: Row("", (), agent=name, budgets=(0,), seeds=1) for name in FIXED},
    "ppo": Row("PPO of this package, `configs/baseline.toml`", (_OWN,), budgets=(USUAL, LARGE)),
    "maskable_ppo": Row(
        "MaskablePPO of sb3-contrib, in the same games with the same options",
        (f"{_OWN} --set learning.learner=maskable_ppo",),
        budgets=(USUAL, LARGE),
        module="sb3_contrib",
        install='pip install -c constraints.txt -e ".[train]"',
    ),
    **{
        f"clone_{teacher.partition(':')[0]}": Row(
            f"Behaviour cloning: cross-entropy to the decisions of four copies of `{teacher}`, in two passes",
            tuple(command.replace("TEACHER", teacher) for command in _CLONE),
            module="pyarrow",
            install='pip install -c constraints.txt -e ".[data]"',
        )
        for teacher in OPPONENTS[1:]
    },
    "one_card_mccfr": Row(
        "External-sampling MCCFR of OpenSpiel (Lanctot et al. 2009)",
        (),
        budgets=(SMALL, USUAL),
        measure=solve,
        module="pyspiel",
        install='pip install -c constraints.txt -e ".[openspiel]"',
    ),
    "one_card_ppo": Row(
        "PPO of this package, `configs/one_card.toml`",
        (_OWN.replace("baseline", "one_card"),),
        budgets=(SMALL, USUAL),
        measure=nash_conv,
    ),
    "recurrent": Row(
        "PPO with a GRU that remembers the game; it bids, and `heuristic` plays the cards",
        (
            "python examples/recurrent_wizard.py --folder {folder} --seed {seed} --memories game "
            f"--hand-sizes {_WHOLE_GAMES} --bids {{decisions}}",
        ),
        agent="examples.recurrent_wizard:Recurrent:path={folder}/game",
    ),
    "dqn": Row(
        "The published DQN (Schumacher and Pleines 2022), in self-play of whole games",
        (
            "python examples/paper_dqn.py --folder {folder} --seed {seed} "
            f"--hand-sizes {_WHOLE_GAMES} --decisions {{decisions}}",
        ),
    ),
    "torchrl": Row(
        "PPO of TorchRL, one learner beside three `heuristic`, with suits as printed",
        (
            "python examples/torchrl_wizard.py --folder {folder} --seed {seed} --opponents heuristic "
            f"--hand-sizes {_WHOLE_GAMES} --num-envs 32 --num-steps 128 --iterations {{steps}}",
        ),
        agent="examples.torchrl_wizard:Learned:path={folder}",
        module="torchrl",
        install="pip install -c constraints.txt torchrl",
    ),
    "rllib": Row(
        "PPO of RLlib, beside the same partners with the same options",
        (
            ".venv-rllib/bin/python examples/rllib_wizard.py --folder {folder} --seed {seed} "
            "--decisions {decisions}",
        ),
        install="make .venv-rllib/.for-tests",
    ),
}


def is_missing(name: str) -> bool:
    """Return whether something that a row needs is not installed."""
    if name == "rllib":
        return not _RLLIB.exists()
    module = ROWS[name].module
    return bool(module) and find_spec(module) is None


def read_results() -> dict[Job, dict[str, Any]]:
    """Return the results that are kept, by job."""
    kept = json.loads(RESULTS.read_text("utf-8")) if RESULTS.exists() else []
    return {Job(*(each.pop(field) for field in Job._fields)): each for each in kept}


def write_results(results: dict[Job, dict[str, Any]]) -> None:
    """Write results, a line for each job, in the order of the rows."""
    order = list(ROWS)
    jobs = sorted(results, key=lambda job: (order.index(job.row), job.decisions, job.seed))
    lines = ",\n".join(json.dumps(job._asdict() | results[job], separators=(",", ":")) for job in jobs)
    write_atomically(RESULTS, lambda path: path.write_text(f"[\n{lines}\n]\n", "utf-8"))


def run(job: Job) -> dict[str, Any]:
    """Train and measure, unless the job's folder has its result; return the result.

    Raises CalledProcessError if a command fails.
    """
    kept = ROOT / job.folder / RESULT
    if kept.exists():
        result: dict[str, Any] = json.loads(kept.read_text("utf-8"))
        return result
    kept.parent.mkdir(parents=True, exist_ok=True)
    began = processor_seconds()
    for command in ROWS[job.row].commands:
        subprocess.run(words(job.fill(command)), cwd=ROOT, env=os.environ | THREADS, check=True)
    found = ROWS[job.row].measure(job)
    result = {"minutes": round((processor_seconds() - began) / 60, 1)} | found
    write_atomically(kept, lambda path: path.write_text(json.dumps(result), "utf-8"))
    return result


def words(command: str) -> list[str]:
    """Return the words of a command, with the programs of this environment."""
    program, *rest = shlex.split(command)
    own = {"python": sys.executable, "wizard": str(Path(sys.executable).with_name("wizard"))}
    return [own.get(program, program), *rest]


def processor_seconds() -> float:
    """Return the time that this process and its children that have ended spent on a processor."""
    return sum(os.times()[:4])


def table(results: dict[Job, dict[str, Any]], measure: Callable[[Job], dict[str, Any]]) -> str:
    """Return the table of rows that are measured by NashConv, or by `leads`."""
    columns = [f"3 `{name}`" for name in OPPONENTS] if measure is leads else ["NashConv"]
    lines = head("algorithm", "decisions", "seeds", *columns, "processor minutes per seed")
    for name, one in ROWS.items():
        if (one.measure is leads) != (measure is leads):
            continue
        for budget in one.budgets:
            found = [results[job] for job in results if job[:2] == (name, budget)]
            cells = estimates(name, found) if found else [NOT_MEASURED] * len(columns)
            seeds = str(len(found)) if budget else ""
            minutes = f"{np.mean([each['minutes'] for each in found]):.1f}" if found and budget else ""
            lines.append(row(f"`{name}`", f"{budget:,}" if budget else "", seeds, *cells, minutes))
    return "\n".join(lines) + "\n"


def estimates(name: str, found: Sequence[dict[str, Any]]) -> list[str]:
    """Return the cells of a row; a single seed has no interval. found: the results of its seeds."""
    if ROWS[name].measure is not leads:
        values = np.array([each["nash_conv"] for each in found])
        mean = estimate_small_mean(values) if len(found) > 1 else Estimate(*values.repeat(3))
        return [estimated(mean, ".2f", len(found) > 1)]
    by_seed = np.array([each["leads"] for each in found], np.float64)
    with_interval = name in FIXED or len(found) > 1
    means = [estimate_mean_and_iqm(by_seed[:, [number]], DEALS_SEED)[0] for number in range(len(OPPONENTS))]
    return [estimated(mean, "+.0f", with_interval) for mean in means]


def commands_table() -> str:
    """Return the table of what each row is, and how to train it alone."""
    lines = head("algorithm", "what it is", "commands")
    places = dict.fromkeys(("decisions", "seed", "steps"), "N") | {
        "folder": "RUN",
        "runs": "RUNS",
        "name": "RUN",
    }
    for name, one in ROWS.items():
        if name not in FIXED:
            commands = ", then ".join(f"`{command.format(**places)}`" for command in one.commands)
            lines.append(row(f"`{name}`", one.text, commands or f"`python -m tools.baselines --only {name}`"))
    return "\n".join(lines) + "\n"


def hours(results: dict[Job, dict[str, Any]]) -> str:
    found = sum(result["minutes"] for result in results.values()) / 60
    return f"The {len(results)} jobs measured so far took {found:.1f} hours of processor time.\n"


def filled(page: str, results: dict[Job, dict[str, Any]]) -> str:
    """Return the page with its tables replaced."""
    page = fill(page, "hours", hours(results))
    page = fill(page, "baselines", table(results, leads))
    page = fill(page, "one-card", table(results, nash_conv))
    return fill(page, "commands", commands_table())


def write_page(results: dict[Job, dict[str, Any]]) -> None:
    page = filled(PAGE.read_text("utf-8"), results)
    write_atomically(PAGE, lambda path: path.write_text(page, "utf-8"))


def jobs(names: Sequence[str], budgets: Sequence[int], seeds: int) -> list[Job]:
    """Return jobs in the order in which to run them: small budgets first, then small seeds, for all rows."""
    found = [
        Job(name, budget, seed)
        for name in names
        for budget in ROWS[name].budgets
        if budget in (0, *budgets)
        for seed in range(min(seeds, ROWS[name].seeds))
    ]
    return sorted(found, key=lambda job: (job.decisions, job.seed))


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only", nargs="+", choices=ROWS, metavar="ROW", default=list(ROWS), help=", ".join(ROWS)
    )
    parser.add_argument("--seeds", type=int, default=SEEDS, help="number of seeds, from 0 up")
    parser.add_argument("--budget", nargs="+", type=int, choices=BUDGETS, default=BUDGETS, help="decisions")
    parser.add_argument("--page", action="store_true", help="only write the page, from the results")
    options = parser.parse_args(arguments)
    results = read_results()
    if not options.page:
        todo = [job for job in jobs(options.only, options.budget, options.seeds) if job not in results]
        if missing := {job.row: None for job in todo if is_missing(job.row)}:
            hints = "; ".join(f"for {name}: {ROWS[name].install}" for name in missing)
            parser.error(f"something is not installed ({hints}): install it, or name other rows with --only")
        for job in todo:
            print(f"{job.row}: {job.decisions:,} decisions, seed {job.seed}", flush=True)
            result = run(job)
            results = read_results() | {job: result}
            write_results(results)
            write_page(results)
    write_page(results)


if __name__ == "__main__":
    main()
