"""Partners with compiled policies, which play on without returning to Python after each decision."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wizard_env import Agent
from wizard_env.agents.heuristic import SCRATCH, HeuristicAgent, greedy_action
from wizard_env.agents.rule_based import RuleBasedAgent, best_action
from wizard_env.compiled.jit import at, kernel
from wizard_env.engine import take
from wizard_env.games import BATCH, OPTIONS, Batch, Options, clear_result, end_round, show_game
from wizard_env.state import DECK_ORDER, SCORED

_OTHER, _RULE_BASED, _HEURISTIC = range(3)
_PLAYERS = {RuleBasedAgent: _RULE_BASED, HeuristicAgent: _HEURISTIC}


def compiled_players(agents: Sequence[Agent]) -> NDArray[np.int8]:
    """Return the number of each agent's compiled player: int8 [agents + 1], 0 for others and at the end."""
    return np.array([*(_PLAYERS.get(type(agent), _OTHER) for agent in agents), _OTHER], np.int8)


@kernel(BATCH, [np.int64], [[np.int8]], OPTIONS)
def play_compiled(batch: Batch, games: Any, players: Any, options: Options) -> None:
    """Play for compiled players until another one acts or a round has ended; `Games.run` calls it.

    games: where one of them acts.
    players: int8 [n, seats], the compiled player in each seat of all games, or 0.
    """
    states, rows, masks, results, _ = batch
    scratch, decks = np.empty(1, SCRATCH), np.empty(1, DECK_ORDER)
    for index in range(len(games)):
        game = at(games[index])
        state, result = states[game], results[game]
        clear_result(result)
        player = players[game, at(state.seat)]
        while player != _OTHER and not result.round_done:
            if player == _RULE_BASED:
                action = best_action(state)
            else:
                action = greedy_action(state, scratch[0])
            take(state, action, options.skip_forced)
            if state.phase >= SCORED:
                end_round(batch, game, decks[0], options)
            player = players[game, at(state.seat)]
        written = game if options.observe else at(0)
        show_game(state, rows[written], masks[written], result, options)
