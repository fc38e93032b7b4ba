"""Average two runs, one of which started from the other: python tools/average_networks.py A B FOLDER.

Networks that lie between two such are often better than a run of the same mix would be (Wortsman et al. 2022,
"Robust fine-tuning of zero-shot models").
"""

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from safetensors.numpy import load_file, save_file

from wizard_env.agents.network import FILE_NAME, read_agent, save_agent
from wizard_env.train.ppo.learner import CRITIC


def main() -> None:
    parser = argparse.ArgumentParser(description="Average the weights of two runs, critics included.")
    parser.add_argument("first", type=Path, help="folder of a run")
    parser.add_argument("second", type=Path, help="folder of a run that started from it")
    parser.add_argument("folder", type=Path, help="where to write the average, in float16")
    parser.add_argument("--share", type=float, default=0.5, help="of the second, from 0 to 1")
    given = parser.parse_args()
    runs = given.first, given.second
    given.folder.mkdir(parents=True)
    agents = [read_agent(run / FILE_NAME) for run in runs]
    save_agent(average(agents, given.share), given.folder / FILE_NAME)
    critics = [load_file(run / CRITIC) for run in runs]
    save_file(average(critics, given.share), given.folder / CRITIC)


def average(weights: list[dict[str, NDArray[Any]]], share: float) -> dict[str, NDArray[Any]]:
    first, second = weights
    return {
        name: ((1 - share) * first[name].astype(np.float64) + share * second[name]).astype(np.float16)
        for name in first
    }


if __name__ == "__main__":
    main()
