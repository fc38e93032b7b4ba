"""The protocol: its tables, opponents and deals."""

from wizard_env import Rules, configs
from wizard_env.evaluation.scorecard.protocol import (
    ADAPTATION_ROUNDS,
    ADAPTATION_RULES,
    DEALS,
    PANEL,
    PARTS,
    STRANGERS,
    tables,
)
from wizard_env.rules import BID_RESTRICTIONS, BID_REVEALS
from wizard_env.train.config.reading import read_config


def test_tables_have_names_of_their_own() -> None:
    keys = [table.key for table in tables()]
    assert len(set(keys)) == len(keys)


def test_every_part_has_tables() -> None:
    assert list(dict.fromkeys(table.part for table in tables())) == list(PARTS)


def test_the_agent_is_alone_among_opponents() -> None:
    assert all(len(table.opponents) == table.rules.num_players - 1 for table in tables())


def test_every_number_of_players_meets_the_whole_panel() -> None:
    for players in (3, 4, 5, 6):
        found = [table.opponents[0] for table in tables() if table.part == f"{players} players"]
        assert found == list(PANEL)


def test_every_rule_is_played() -> None:
    found = [table.rules for table in tables()]
    assert {rules.bid_restriction for rules in found} == set(BID_RESTRICTIONS)
    assert {rules.bid_reveal for rules in found} == set(BID_REVEALS)
    assert {rules.magic_edition for rules in found} == {True, False}
    assert {rules.num_players for rules in found} == {3, 4, 5, 6}


def test_no_agent_of_the_project_has_trained_with_the_strangers() -> None:
    strangers = {name for table in STRANGERS for name in table} - {"rival"}
    for name in ("champion", "rival", "quick"):
        config = read_config(configs.find(name))
        assert not strangers & set(getattr(config.learning, "partners", ()))


def test_the_rounds_of_adaptation_are_alike() -> None:
    assert Rules(4, hand_sizes=(5,) * ADAPTATION_ROUNDS) == ADAPTATION_RULES
    assert ADAPTATION_ROUNDS % 2 == 0


def test_the_short_card_has_a_tenth_of_the_deals() -> None:
    assert DEALS["short"] * 10 == DEALS["full"]
