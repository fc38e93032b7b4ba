"""Self-play PPO in one file of JAX, on the batched games: every seat is played by the network that learns.

python examples/jax_wizard.py --hand-sizes 1,2,3
"""

import argparse
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import partial
from typing import Annotated, Any, NamedTuple, get_args

import jax
import jax.numpy as jnp
import numpy as np
import optax
from numpy.typing import NDArray

from wizard_env import HIGHS, NUM_ACTIONS, Games, Rules

VALUE_UNIT = 20.0
"""Points; values are learned in this unit, so that they are about 1."""


@dataclass(frozen=True)
class Args:
    """The options of the command line, such as `--iterations 100`."""

    seed: Annotated[int, "of the deals and of everything drawn at random"] = 1
    num_players: Annotated[int, "players of a game, 3 to 6"] = 4
    hand_sizes: Annotated[str, "cards in the rounds of a game"] = "1,2,3"
    iterations: Annotated[int, "of playing and learning"] = 100
    num_games: Annotated[int, "played side by side"] = 256
    num_steps: Annotated[int, "decisions of each game in an iteration"] = 48
    learning_rate: Annotated[float, "of Adam"] = 1e-3
    width: Annotated[int, "of the two hidden layers"] = 256
    num_minibatches: Annotated[int, "gradient steps of a pass"] = 4
    update_epochs: Annotated[int, "passes over the decisions of an iteration"] = 4
    clip: Annotated[float, "clip range of the probability ratio (PPO)"] = 0.2
    entropy_bonus: Annotated[float, "weight of the entropy bonus"] = 0.005


def parse(arguments: Sequence[str] | None = None) -> Args:
    """Parse the fields of `Args` as options."""
    parser = argparse.ArgumentParser(formatter_class=argparse.ArgumentDefaultsHelpFormatter)
    for field in fields(Args):
        option = f"--{field.name.replace('_', '-')}"
        parser.add_argument(
            option, type=type(field.default), default=field.default, help=get_args(field.type)[1]
        )
    return Args(**vars(parser.parse_args(arguments)))


class Batch(NamedTuple):
    """Decisions to learn from, one in each row."""

    observation: Any
    mask: Any
    action: Any
    log_probability: Any
    value: Any
    """Points that the network expected, in units of VALUE_UNIT."""
    target: Any
    """Points of the seat that decided, in that round, in the same unit."""
    weight: Any
    """1, or 0 where the round was not finished."""


def init(key: Any, width: int) -> list[tuple[Any, Any]]:
    """Draw weights and biases of two hidden layers and the outputs: a logit per action, and the value."""
    sizes = [len(HIGHS), width, width, NUM_ACTIONS + 1]
    gains = [2**0.5, 2**0.5, 0.01]
    keys = jax.random.split(key, len(gains))
    orthogonal = jax.nn.initializers.orthogonal
    return [
        (orthogonal(gain)(each, (inputs, outputs)), jnp.zeros(outputs))
        for each, gain, inputs, outputs in zip(keys, gains, sizes, sizes[1:], strict=False)
    ]


def forward(layers: Any, observation: Any, mask: Any) -> tuple[Any, Any]:
    """Map uint8 [n, OBS_SIZE] and [n, NUM_ACTIONS] to log-probabilities [n, NUM_ACTIONS] and values [n]."""
    hidden = observation / jnp.sqrt(HIGHS.astype(np.float32))
    for weights, bias in layers[:-1]:
        hidden = jax.nn.relu(hidden @ weights + bias)
    weights, bias = layers[-1]
    outputs = hidden @ weights + bias
    logits = jnp.where(mask, outputs[:, :NUM_ACTIONS], -1e9)
    return jax.nn.log_softmax(logits), outputs[:, NUM_ACTIONS]


@jax.jit  # type: ignore[untyped-decorator]
def act(layers: Any, key: Any, observation: Any, mask: Any) -> tuple[Any, Any, Any]:
    """Draw an action for every row: actions, their log-probabilities, values; each [n]."""
    logs, values = forward(layers, observation, mask)
    actions = jax.random.categorical(key, logs)
    return actions, jnp.take_along_axis(logs, actions[:, None], 1)[:, 0], values


def loss(layers: Any, batch: Batch, clip: float, entropy_bonus: float) -> Any:
    """PPO's clipped objective, with the points of the round as the return of all its decisions."""
    logs, values = forward(layers, batch.observation, batch.mask)
    chosen = jnp.take_along_axis(logs, batch.action[:, None], 1)[:, 0]
    ratio = jnp.exp(chosen - batch.log_probability)
    count = batch.weight.sum()
    advantage = (batch.target - batch.value) * batch.weight
    advantage = advantage / (jnp.sqrt((advantage**2).sum() / count) + 1e-8)
    gain = jnp.minimum(ratio * advantage, jnp.clip(ratio, 1 - clip, 1 + clip) * advantage)
    entropy = -(jnp.exp(logs) * logs).sum(axis=1)
    error = (values - batch.target) ** 2
    return (batch.weight * (0.5 * error - gain - entropy_bonus * entropy)).sum() / count


@partial(jax.jit, static_argnames=("optimizer", "args"))
def update(layers: Any, moments: Any, key: Any, batch: Batch, optimizer: Any, args: Any) -> tuple[Any, Any]:
    """Take all gradient steps of an iteration, as one compiled program."""
    count = len(batch.action)
    size = count // args.num_minibatches

    def descend(carry: Any, rows: Any) -> tuple[Any, None]:
        layers, moments = carry
        part = jax.tree.map(lambda array: array[rows], batch)
        gradient = jax.grad(loss)(layers, part, args.clip, args.entropy_bonus)
        steps, moments = optimizer.update(gradient, moments)
        return (optax.apply_updates(layers, steps), moments), None

    orders = [jax.random.permutation(each, count) for each in jax.random.split(key, args.update_epochs)]
    minibatches = jnp.concatenate(orders)[: args.update_epochs * args.num_minibatches * size]
    carry, _ = jax.lax.scan(descend, (layers, moments), minibatches.reshape(-1, size))
    return carry


def credit(
    seats: NDArray[np.uint8], points: NDArray[np.int16], round_done: NDArray[np.bool_]
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return the points of each decision's seat in its round, and 1 where they are known, else 0.

    seats and round_done: [steps, games]; points: [steps, games, seats]. Returns two of [steps, games].
    """
    targets, weights = np.zeros(seats.shape, np.float32), np.zeros(seats.shape, np.float32)
    scored = np.zeros(points.shape[1:], np.float32)
    known = np.zeros(seats.shape[1], np.bool_)
    for step in reversed(range(len(seats))):
        ended = round_done[step]
        scored[ended], known = points[step, ended], known | ended
        targets[step] = np.take_along_axis(scored, seats[step, :, np.newaxis].astype(np.int64), 1)[:, 0]
        weights[step] = known
    return targets / VALUE_UNIT, weights


def train(args: Args) -> list[float]:
    """Learn and print the progress; return the mean points per round of every iteration."""
    rules = Rules(args.num_players, hand_sizes=tuple(map(int, args.hand_sizes.split(","))))
    games = Games(rules, args.num_games, args.seed)
    games.spread(np.random.default_rng(args.seed))
    key, first = jax.random.split(jax.random.key(args.seed))
    layers = init(first, args.width)
    optimizer = optax.chain(optax.clip_by_global_norm(0.5), optax.adam(args.learning_rate, eps=1e-5))
    moments, curve = optimizer.init(layers), []
    for iteration in range(args.iterations):
        rows: list[Any] = []
        played: list[Any] = []
        for _ in range(args.num_steps):
            key, drawn = jax.random.split(key)
            # JAX reads these arrays while numpy continues, and the next step rewrites them.
            observation, mask = games.observation.copy(), games.mask.copy()
            seat = games.seat.copy()
            action, log_probability, value = act(layers, drawn, observation, mask)
            rows.append((observation, mask, action, log_probability, value))
            games.step(np.asarray(action))
            played.append((seat, games.points.copy(), games.round_done.copy()))
        seats, points, round_done = (np.stack(each) for each in zip(*played, strict=True))
        seen = [np.concatenate(each) for each in zip(*rows, strict=True)]
        target, weight = (each.reshape(-1) for each in credit(seats, points, round_done))
        key, drawn = jax.random.split(key)
        batch = Batch(*[*seen, target, weight])
        layers, moments = update(layers, moments, drawn, batch, optimizer, args)
        scored = points[round_done]
        curve.append(float(scored.mean()))
        met = float((scored > 0).mean())
        print(f"iteration {iteration + 1:>4}  points per round {curve[-1]:+6.1f}  bids met {met:.3f}")
    return curve


if __name__ == "__main__":
    train(parse())
