"""The options of `reset`, which hold for the game that it begins."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from wizard_env.checks import check_integer, check_names
from wizard_env.rules import Rules


@dataclass(frozen=True)
class ResetOptions:
    """Options of the next game; None leaves it to the environment."""

    seat: int | None = None
    """The learner's seat."""
    dealer: int | None = None
    """The seat that deals first, instead of the draw."""
    hand_sizes: tuple[int, ...] | None = None
    """The hand size of each round."""

    @classmethod
    def read(
        cls,
        given: Mapping[str, Any] | None,
        rules: Rules,
        *,
        without: tuple[str, ...] = (),
        history: bool = False,
    ) -> Self:
        """Read the options of a `reset`, except those that the environment does not have.

        history: whether the environment shows finished rounds, and so has room for those of `rules`.

        Raises TypeError for another name or type, and ValueError for a value out of range.
        """
        given = given or {}
        names = [field.name for field in fields(cls) if field.name not in without]
        check_names("reset(options=...)", given, names)
        options = cls(**given)
        for name in ("seat", "dealer"):
            if (value := getattr(options, name)) is not None:
                check_integer(f"options[{name!r}]", value, 0, rules.num_players - 1)
        if options.hand_sizes is None:
            return options
        changed, most = options.change(rules), len(rules.rounds)
        if history and len(changed.rounds) > most:
            raise ValueError(
                f"options['hand_sizes'] has {len(changed.rounds)} rounds: with history=True allowed are 1 to "
                f"{most}, as many as the environment was made with"
            )
        return replace(options, hand_sizes=changed.hand_sizes)

    def change(self, rules: Rules) -> Rules:
        """Return the rules of the next game."""
        return rules if self.hand_sizes is None else replace(rules, hand_sizes=self.hand_sizes)


NO_OPTIONS = ResetOptions()
