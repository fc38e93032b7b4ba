"""The judgement of a round, in tenths of points, so that the figures add up as they are printed."""

from dataclasses import replace
from time import perf_counter
from typing import Any

from wizard_env import Agent, Game
from wizard_env.evaluation.analysis import Analysis, Decision, PlayedSeat, analyse


def judge(game: Game, round_number: int, name: str, agent: Agent) -> dict[str, Any]:
    """Ask the agent of that name where points were lost in a round.

    Returns an `Analysis` of that round as plain values, see `round_to_tenths`, and "seconds": the time that
    the agent took. Raises ValueError as `analyse` does.
    """
    start = perf_counter()
    analysis = analyse(game, agent, name, only=[round_number])
    return round_to_tenths(analysis).to_dict() | {"seconds": round(perf_counter() - start, 1)}


def round_to_tenths(analysis: Analysis) -> Analysis:
    """Round every figure of an analysis to a tenth of a point, and errors to a hundredth.

    As printed, a seat's losses are the sum of its decisions', and points = par + luck - lost. The rest from
    rounding goes to the luck, which is all that decisions do not explain anyway.
    """
    decisions = [_round(decision) for decision in analysis.decisions]
    par = round(analysis.par, 1)

    def sum_up(seat: PlayedSeat) -> PlayedSeat:
        own = [decision for decision in decisions if decision.seat == seat.seat]
        lost = round(sum(decision.lost for decision in own), 1)
        by_bids = round(sum(decision.lost for decision in own if decision.phase == "bid"), 1)
        return replace(seat, lost=lost, lost_by_bids=by_bids, luck=round(seat.points + lost - par, 1))

    return replace(analysis, par=par, seats=[sum_up(seat) for seat in analysis.seats], decisions=decisions)


def _round(decision: Decision) -> Decision:
    points = {action: round(each, 1) for action, each in decision.points.items()}
    return replace(decision, lost=round(decision.lost, 1), error=round(decision.error, 2), points=points)
