"""Verdicts: the results of an evaluation, a league, a score card or a learned response in a few sentences."""

from collections.abc import Sequence
from itertools import pairwise
from typing import TYPE_CHECKING

from wizard_env.evaluation.report.grids import signed

if TYPE_CHECKING:  # importing these takes a second
    from wizard_env.evaluation.crossplay import Crossplay
    from wizard_env.evaluation.evaluate import Evaluation
    from wizard_env.evaluation.exploitability import Exploit
    from wizard_env.evaluation.league import League
    from wizard_env.evaluation.one_card import ExactExploit
    from wizard_env.evaluation.scorecard import Scorecard
    from wizard_env.evaluation.seeds import SeedScores
    from wizard_env.evaluation.standings import Difference

_ROUNDING = 1e-9
"""Points; a gain below this is rounding."""


def evaluation_verdict(evaluations: "Sequence[Evaluation]") -> str:
    """Return a sentence per evaluation; with several, each names its number of players."""
    sentences = [_verdict(evaluation) for evaluation in evaluations]
    if len(sentences) == 1:
        return sentences[0]
    players = [evaluation.rules.num_players for evaluation in evaluations]
    return " ".join(f"With {count} players, {one}" for count, one in zip(players, sentences, strict=True))


def _verdict(evaluation: "Evaluation") -> str:
    best, *others = sorted(evaluation.standings, key=lambda one: -one.points)
    if not others:
        return (
            f"{best.name} scores {best.points:.1f} points per game against copies of itself and meets "
            f"{best.bid_accuracy:.1%} of its bids."
        )
    return _lead(evaluation.differences, best.name, others[0].name, "on the same hands")


def league_verdict(league: "League") -> str:
    """Name the best agent, and its lead over the next if they sat at the same tables."""
    best, *others = (rating.name for rating in league.ratings)
    if not others:
        return f"{best} is the only agent."
    pairs = {frozenset((line.name, line.other)) for line in league.differences}
    if {best, others[0]} not in pairs:
        return f"{best} is rated first and {others[0]} second; they never sat at the same table."
    lead = _lead(league.differences, best, others[0], "on the same deals")
    equal = [
        f"{one.name} and {other.name}" for one, other in pairwise(league.ratings) if other.name in one.equals
    ]
    told = f" By their ranks these cannot be told apart: {'; '.join(equal)}." if equal else ""
    return f"{best} is rated first. {lead}{told}"


def crossplay_verdict(result: "Crossplay") -> str:
    """Say what the agents lose on average among others instead of copies, and if that may be chance."""
    line = result.compatibility[-1]
    alone = f"Among copies of themselves the agents score {line.self_play.mean:.1f} points per game"
    if line.cross_play is None or line.difference is None:
        return f"{alone}."
    gap = line.difference
    interval = f"{signed(gap.low)} to {signed(gap.high)}"
    sure = (
        "the difference may be chance" if gap.low <= 0 <= gap.high else f"a difference of {signed(gap.mean)}"
    )
    return f"{alone}, among each other {line.cross_play.mean:.1f}: {sure} (95% interval {interval})."


def seeds_verdict(result: "SeedScores") -> str:
    """Name the group with the largest mean lead, and the probability that it is better than the next."""
    scores = [one for one in result.scores if not one.opponent] or result.scores
    best, *others = sorted(scores, key=lambda one: -one.mean)
    interval = f"95% interval {signed(best.mean_low)} to {signed(best.mean_high)}"
    seeds = f" over {best.seeds} seeds" if best.seeds > 1 else ""
    lead = f"{signed(best.mean)} points per game in the mean{seeds} ({interval})"
    sentence = (
        f"{best.name} has the largest lead, {lead}." if others else f"The lead of {best.name} is {lead}."
    )
    if not others:
        return sentence
    pair = best.name, others[0].name
    if 1 in (best.seeds, others[0].seeds):  # a single run says nothing about others of its group
        place = "lies above" if best.mean_low > others[0].mean_high else "overlaps"
        return f"{sentence} Its interval {place} that of {pair[1]}."
    line = next(one for one in result.improvements if (one.name, one.other) == pair)
    if line.low <= 0.5:
        return f"{sentence} {pair[0]} and {pair[1]} cannot be told apart by these seeds and deals."
    return (
        f"{sentence} One of its runs leads by more than one of {pair[1]} with probability "
        f"{line.probability:.2f} ({line.low:.2f} to {line.high:.2f})."
    )


def scorecard_verdict(card: "Scorecard") -> str:
    """Give the score, the bids met, and what is known of forfeits, of the answers' cost and of the time."""
    sentences = [
        f"{card.name} scores {card.score:.1f} (95% interval {card.score_low:.1f} to {card.score_high:.1f}), "
        f"where random scores 0 and champion:goal=points 100: protocol {card.protocol}, {card.effort}.",
        f"It took {card.decisions:,} decisions and met {card.bid_accuracy:.1%} of its bids.",
    ]
    if card.forfeits:
        reasons = ", ".join(f"{reason} {count:,}" for reason, count in sorted(card.forfeits.items()))
        sentences.append(f"Random actions replaced {sum(card.forfeits.values()):,} decisions: {reasons}.")
    if card.usage:
        counts = ", ".join(f"{name.replace('_', ' ')} {number:,.6g}" for name, number in card.usage.items())
        sentences.append(f"Its answers: {counts}.")
    if card.microseconds is not None:
        sentences.append(f"A decision takes {card.microseconds:,.1f} µs.")
    return " ".join(sentences)


def exploit_verdict(exploit: "Exploit") -> str:
    """Give the gain if there is one; otherwise say that none was found, and that this shows little."""
    start, gain = exploit.start, exploit.gain
    interval = f"95% interval {signed(exploit.gain_low)} to {signed(exploit.gain_high)}"
    if exploit.gain_low > 0:
        return (
            f"The response gains {gain:.1f} points per game over {start} ({interval}): a lower bound on what "
            f"the best response to {exploit.agent} gains."
        )
    if exploit.gain_high < 0:
        found = f"The response scores {-gain:.1f} points per game less than {start} (gain: {interval})"
    else:
        found = f"The response and {start} cannot be told apart: its gain is {signed(gain)} ({interval})"
    return (
        f"{found}: nothing was found that exploits {exploit.agent}. That does not show that nothing does; "
        "learning from more decisions may find it."
    )


def exact_verdict(exploit: "ExactExploit") -> str:
    """Give NashConv, and the seat whose best response gains most, if one gains anything."""
    most = max(exploit.gains)
    if most < _ROUNDING:
        return f"No response gains anything among copies of {exploit.agent}: they are in a Nash equilibrium."
    seat = exploit.gains.index(most) + 1
    return (
        f"Best responses to copies of {exploit.agent} gain {exploit.nash_conv:.4f} points per round in all, "
        f"and most in seat {seat}: {most:.4f}."
    )


def _lead(lines: "Sequence[Difference]", first: str, second: str, where: str) -> str:
    """Give the lead of the first of two agents, and say if it may be chance."""
    line = next(line for line in lines if {line.name, line.other} == {first, second})
    points, low, high = line.points, line.points_low, line.points_high
    if line.name != first:
        points, low, high = -points, -high, -low
    if low <= 0 <= high:
        return (
            f"{first} and {second} cannot be told apart: the lead of {first}, {signed(points)} points per "
            f"game {where}, has a 95% interval of {signed(low)} to {signed(high)}."
        )
    if high < 0:
        first, second, points, low, high = second, first, -points, -high, -low
    return (
        f"{first} leads {second} by {points:.1f} points per game {where} "
        f"(95% interval {low:.1f} to {high:.1f})."
    )
