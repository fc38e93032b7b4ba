"""Hints in words."""

from collections.abc import Iterator, Sequence

from wizard_env.agents.assessment import PlayerKind
from wizard_env.evaluation.advice import Advice, RecognisedSeat
from wizard_env.words import action_text
from wizard_table.translation import points_text, t


def narrate_advice(advice: Advice, players: Sequence[str], most: int | None = None) -> Iterator[str]:
    """Yield a line for each of the `most` best actions (None: all), the best first.

    Then one for each seat whose player is recognised. players: the names of the seats, see `seat_names`.
    """
    shown = advice.choices[:most]
    names = [action_text(one.action, t) for one in shown]
    width = max(map(len, names), default=0)
    for one, name in zip(shown, names, strict=True):
        chance = t("meets the bid: {percent}", percent=f"{one.met:>4.0%}")
        points = t("{points} points", points=f"{points_text(one.points, 1):>5}")
        yield f"{name:<{width}}  {chance}  {points}"
    for recognised in advice.recognised:
        yield _recognised_text(recognised, players[recognised.seat])


def _recognised_text(recognised: RecognisedSeat, name: str) -> str:
    belief = _kind_text(recognised.kind, name)
    if recognised.bids is None:
        return belief
    if recognised.bids == "high":
        return t("{belief} and bids high", belief=belief)
    return t("{belief} and bids low", belief=belief)


def _kind_text(kind: PlayerKind, name: str) -> str:
    if kind == PlayerKind.COPY:
        return t("{name} plays like the adviser", name=name)
    if kind == PlayerKind.LEARNED:
        return t("{name} plays like a trained network", name=name)
    if kind == PlayerKind.UNKNOWN:
        return t("{name} has a style of their own", name=name)
    return t("{name} plays like {agent}", name=name, agent=kind)
