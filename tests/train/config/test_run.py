"""The config of a run: its values, its defaults, and what does not fit together."""

from typing import Any

import pytest
from pydantic import ValidationError

from wizard_env import Rules, configs
from wizard_env.agents.perturbed import generated_population
from wizard_env.train.config.ppo import PpoConfig
from wizard_env.train.config.reading import read_config
from wizard_env.train.config.run import Config


def config(**sections: Any) -> Config:
    return Config.model_validate({"name": "mine", "learning": {"decisions": 1}, **sections})


def test_values_and_defaults() -> None:
    """Every kind of value, and the defaults of `Rules`."""
    config = Config.model_validate(
        {
            "name": "a-b_1.2",
            "game": {"num_players": 5, "hand_sizes": [3, 1], "bid_restriction": "no_even"},
            "learning": {"decisions": 10, "learning_rate": 1, "layers": [8, 4]},
        }
    )
    assert config.game.rules() == Rules(5, "no_even", hand_sizes=(3, 1))
    assert isinstance(config.learning, PpoConfig)
    assert config.learning.layers == [8, 4]
    assert Config.model_validate_json(config.model_dump_json()) == config
    plain = Config.model_validate({"name": "plain", "learning": {"decisions": 1}})
    assert plain.game.rules() == Rules()
    assert plain.seed == 0


def test_a_config_is_frozen() -> None:
    config = read_config(configs.find("smoke"))
    with pytest.raises(ValueError, match="frozen"):
        config.seed = 3


@pytest.mark.parametrize(
    ("learning", "ratings", "complaint"),
    [
        ({"critic": [8]}, {}, "learning.maskable_ppo.critic"),
        ({"snapshot_decisions": 8}, {}, "learning.maskable_ppo.snapshot_decisions"),
        ({"partners": ["past"]}, {"agents": ["random"]}, "has no ratings and no partner 'past'"),
    ],
)
def test_options_that_maskable_ppo_does_not_have(
    learning: dict[str, Any], ratings: dict[str, Any], complaint: str
) -> None:
    with pytest.raises(ValidationError, match=complaint):
        config(learning={"decisions": 1, "learner": "maskable_ppo", **learning}, ratings=ratings)


def test_too_few_games_for_all_tables() -> None:
    kinds = [{"num_players": 3, "share": 2}, {"num_players": 6}, {"num_players": 5}]
    with pytest.raises(ValidationError, match="leaves no games"):
        config(learning={"decisions": 1, "num_games": 2}, tables=kinds)


def test_held_out_agents_are_no_partners() -> None:
    """Not by name, and not by chance in the population; otherwise any agent may be a partner."""
    assert config(learning={"decisions": 1, "partners": ["rival"]}).partners() == ["rival"]
    crowd = config(learning={"decisions": 1, "population": 3}, seed=2).partners()
    assert crowd == ["heuristic", *generated_population(3, seed=2)]
    for met in ("heuristic", crowd[2]):
        with pytest.raises(ValidationError, match=f"partner '{met}' is in held_out"):
            config(learning={"decisions": 1, "population": 3}, seed=2, held_out=["rival", met])


def test_a_population_of_any_size_is_refused() -> None:
    """Its names are made when the config is read: a number from a stranger must not take all memory."""
    with pytest.raises(ValidationError, match="less than or equal to 1000"):
        config(learning={"decisions": 1, "population": 10**25})
