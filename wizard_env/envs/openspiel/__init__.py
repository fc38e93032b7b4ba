"""OpenSpiel: the game as `pyspiel.load_game("wizard", ...)`, agents as its bots, its policies as agents.

Importing this module registers the game (Lanctot et al. 2019, arXiv:1908.09453). Parameters, all optional:

players: 3 to 6; 4 by default.
hand_sizes: the hand sizes of the rounds, as in "1;2"; "" plays a whole game. In a game's name a single size
    needs its semicolon, `wizard(hand_sizes=1;)`, because OpenSpiel reads a bare 1 as an integer.
bid_restriction, bid_reveal, magic_edition: as in `Rules`.
dealer: the seat that deals the first round; -1 draws it.
deck: the cards that are dealt, as in "2S;3S;WI;JE"; "" deals the whole deck. A small one makes a game that
    tabular algorithms can enumerate. Whatever counts unseen cards counts those of the whole deck.
upcard: the card turned up in every round, which then lies apart before the hands are dealt; "" deals it.
returns: "points", or "lead": the points less the mean of the other seats, which adds up to zero.
chance: "explicit" draws the dealer and then deals card by card; "sampled" deals a round at one chance node,
    from a generator that the game's copies of its states share.
rng_seed: the seed of that generator.

Actions are those of the environment. Returns come at the end of the game. Seats take up their cards when all
are dealt: before that they see only the rounds that are finished.
"""

from wizard_env.envs.openspiel.agents import AgentBot, PolicyAgent
from wizard_env.envs.openspiel.game import WizardGame, WizardState

__all__ = ["AgentBot", "PolicyAgent", "WizardGame", "WizardState"]
