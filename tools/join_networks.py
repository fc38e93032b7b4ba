"""Join two networks by a gate: python tools/join_networks.py COPIES STRANGERS FOLDER.

The first decides where the gate takes the other seats for copies, the second where it takes them for
strangers: a mixture of two experts (Jacobs et al. 1991, "Adaptive Mixtures of Local Experts"). The result is
one network with ReLU like any other.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from shutil import copyfile

import numpy as np
import torch
from numpy.typing import NDArray

from wizard_env import configs
from wizard_env.agents.network import FILE_NAME, NetworkAgent, input_scale, read_agent, save_agent
from wizard_env.play.report.console import say
from wizard_env.sampling import best_legal
from wizard_env.train.config.reading import read_config
from wizard_env.train.networks import Mlp, layers_of
from wizard_env.train.ppo.learner import CRITIC
from wizard_env.train.selfplay.games import NO_PARTNER, SelfPlayGames

Weights = dict[str, NDArray[np.float32]]
HIDDEN = 128
"""Units of the gate."""
LEAN = 1.0
"""How sure the gate has to be, in log odds, before it speaks of strangers: mistaken copies cost harmony."""
SLOPE = 100.0
"""By how much a gate's output of 1 silences the outputs of the expert that it speaks against."""
REPORTED = 200
"""Steps of all games between one line and the next."""
PLAIN = ("rule_based", "heuristic", "variant:")
"""How the names of partners begin that the gate learns to tell; good networks look like copies."""


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Join two networks of two layers by a gate.")
    parser.add_argument("copies", type=Path, help="folder of the network that plays with copies")
    parser.add_argument("strangers", type=Path, help="folder of the network that plays with strangers")
    parser.add_argument("folder", type=Path, help="where to write the result, in float16")
    parser.add_argument("--config", default="champion", help="whose tables and partners the gate learns from")
    parser.add_argument("--steps", type=int, default=4000, help="how many decisions in each game")
    parser.add_argument("--seed", type=int, default=0, help="of the deals, the seating and the gate")
    given = parser.parse_args(arguments)
    given.folder.mkdir(parents=True)
    runs = given.copies, given.strangers
    config = read_config(configs.find(given.config))
    partners = [name for name in config.partners() if name.startswith(PLAIN)]
    rules = [kind for kind, count in config.kinds() for _ in range(count)]
    games = SelfPlayGames(rules, len(rules), given.seed, 0.5, partners, alone=True)
    gate = learn(games, [NetworkAgent(str(run)) for run in runs], given.steps, given.seed)
    joined = join([read_agent(run / FILE_NAME) for run in runs], gate)
    save_agent({name: values.astype(np.float16) for name, values in joined.items()}, given.folder / FILE_NAME)
    copyfile(given.strangers / CRITIC, given.folder / CRITIC)  # it knows a seat's own points


def learn(games: SelfPlayGames, experts: Sequence[NetworkAgent], steps: int, seed: int) -> Mlp:
    """A gate whose output is above 0 where it takes the other seats for partners.

    It learns from decisions of games that go as the joined network would play them. A game's first deal
    does not count: `spread` played part of it at random, and so the scores look like nobody's.
    """
    gate = Mlp(input_scale(), [HIDDEN], [0.01], seed)
    optimizer = torch.optim.Adam(gate.parameters(), 1e-3)
    batch = games.games
    partners = torch.from_numpy((games.partner != NO_PARTNER).astype(np.float32))
    first_deals = batch.seeds.copy()
    counts = np.zeros(batch.num_games, np.bool_)
    right: list[float] = []
    for step in range(1, steps + 1):
        counts |= batch.seeds != first_deals
        output = gate(torch.from_numpy(batch.observation))[:, 0]
        if counts.any():
            rows = torch.from_numpy(counts)
            optimizer.param_groups[0]["lr"] = 1e-3 * (1 - step / steps)
            loss = torch.nn.functional.binary_cross_entropy_with_logits(output[rows], partners[rows])
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            right.append(((output > 0) == (partners > 0))[rows].float().mean().item())
        logits = [expert.logits(batch.observation) for expert in experts]
        chosen = np.where(output.detach().numpy()[:, np.newaxis] > LEAN, logits[1], logits[0])
        games.step(best_legal(chosen, batch.mask))
        if step % REPORTED == 0 and right:
            say(f"{step} of {steps} steps: {np.mean(right):.3f} of decisions told right")
            right.clear()
    with torch.no_grad():
        gate.head.bias.sub_(LEAN)
    return gate


def join(experts: Sequence[Weights], gate: Mlp) -> Weights:
    """The weights of the joined network, of four layers, for two experts of three and the gate's output g.

    The first layer is that of the experts and of the gate. The second is that of the experts, and max(g, 0)
    and max(-g, 0), of which one is 0. The third has each expert's logits twice, with either sign, and
    lowers all of them by the one of the two that speaks against this expert: ReLU makes them 0, or leaves
    the positive ones as they are. The last one adds up. The value is the mean of the experts' values.
    """
    (seen, seen_bias), (told, told_bias) = (
        [values.detach().numpy() for values in layer] for layer in layers_of(gate)
    )
    first, second, last = (
        [(expert[f"{name}.weight"], expert[f"{name}.bias"]) for expert in experts]
        for name in ("layer.0", "layer.1", "layer.2")
    )
    logits, logits_bias = _diagonal([weight for weight, _ in last]), np.hstack([bias for _, bias in last])
    actions = len(last[0][1])
    against = -SLOPE * np.eye(2).repeat(actions, axis=0)  # max(g, 0) speaks against the first expert
    value = np.hstack([expert["value.weight"] / 2 for expert in experts] + [np.zeros((1, 2))])
    value_bias = np.mean([expert["value.bias"] for expert in experts], axis=0)
    signs, adding = np.array([[1, -1]]), np.hstack([np.eye(actions)] * 2)
    joined = {
        "layer.0.weight": np.vstack([*(weight for weight, _ in first), seen]),
        "layer.0.bias": np.hstack([*(bias for _, bias in first), seen_bias]),
        "layer.1.weight": _diagonal([*(weight for weight, _ in second), np.vstack([told, -told])]),
        "layer.1.bias": np.hstack([*(bias for _, bias in second), told_bias, -told_bias]),
        "layer.2.weight": np.vstack(
            [np.hstack([logits, against]), np.hstack([-logits, against]), value, -value]
        ),
        "layer.2.bias": np.hstack([logits_bias, -logits_bias, value_bias, -value_bias]),
        "layer.3.weight": np.hstack([adding, -adding, np.zeros((actions, 2))]),
        "layer.3.bias": np.zeros(actions),
        "value.weight": np.hstack([np.zeros((1, 4 * actions)), signs]),
        "value.bias": np.zeros(1),
    }
    return {name: values.astype(np.float32) for name, values in joined.items()}


def _diagonal(matrices: Sequence[NDArray[np.float32]]) -> NDArray[np.float32]:
    """A matrix with these on its diagonal, and 0 elsewhere."""
    rows, columns = np.cumsum([(0, 0), *(matrix.shape for matrix in matrices)], axis=0).T.tolist()
    found = np.zeros((rows[-1], columns[-1]), np.float32)
    for number, matrix in enumerate(matrices):
        found[rows[number] : rows[number + 1], columns[number] : columns[number + 1]] = matrix
    return found


if __name__ == "__main__":
    main()
