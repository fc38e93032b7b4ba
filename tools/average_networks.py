"""Average runs that share a start, or a run with its start; the critics too, if all of them have one.

    python tools/average_networks.py RUN RUN ... --to FOLDER

Such a mean often keeps more of what each run gained than a single run on a mix of their settings
(Wortsman et al. 2022, "Model soups", and "Robust fine-tuning of zero-shot models").
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from wizard_env.agents.network import FILE_NAME, read_agent, save_agent
from wizard_env.train.ppo.learner import CRITIC


def main() -> None:
    parser = argparse.ArgumentParser(description="Average the weights of runs, and those of their critics.")
    parser.add_argument("runs", type=Path, nargs="+", help="folders of runs")
    parser.add_argument("--to", type=Path, required=True, help="folder for the average, in float16")
    parser.add_argument("--shares", type=float, nargs="+", help="one for each run; equal ones if not given")
    given = parser.parse_args()
    shares = given.shares or [1.0] * len(given.runs)
    if len(shares) != len(given.runs):
        parser.error(f"{len(shares)} shares for {len(given.runs)} runs")
    agents = [read_agent(run / FILE_NAME) for run in given.runs]
    given.to.mkdir(parents=True)
    save_agent(average(agents, shares), given.to / FILE_NAME)
    critics = [load_file(run / CRITIC) for run in given.runs if (run / CRITIC).exists()]
    if len(critics) == len(given.runs):
        save_file(average(critics, shares), given.to / CRITIC)


def average(weights: Sequence[dict[str, NDArray[Any]]], shares: Sequence[float]) -> dict[str, NDArray[Any]]:
    return {
        name: np.average([each[name] for each in weights], axis=0, weights=shares).astype(np.float16)
        for name in weights[0]
    }


if __name__ == "__main__":
    main()
