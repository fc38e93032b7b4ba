"""The options of `reset`: what is special about the game that it begins."""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, Self

from wizard_env.checks import check_integer, check_names
from wizard_env.rules import Rules


@dataclass(frozen=True)
class ResetOptions:
    """What `reset(options=...)` asks of the next game; what is None is as the environment was made."""

    seat: int | None = None
    """The learner's seat."""
    dealer: int | None = None
    """The seat that deals first, whatever the draw says."""
    hand_sizes: tuple[int, ...] | None = None
    """The hand size of each round."""

    @classmethod
    def read(cls, given: Mapping[str, Any] | None, rules: Rules, *, without: tuple[str, ...] = ()) -> Self:
        """Read the options of a `reset`.

        Args:
            given: the options by name; `{"dealer": None}` asks for nothing.
            rules: of the environment.
            without: those that the environment does not have.

        Raises:
            TypeError: an option has another name, or a value of the wrong type.
            ValueError: a value is out of range.
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
        return replace(options, hand_sizes=options.rules(rules).hand_sizes)

    def rules(self, rules: Rules) -> Rules:
        """The rules of the next game, in an environment of these rules."""
        return rules if self.hand_sizes is None else replace(rules, hand_sizes=self.hand_sizes)


AS_MADE = ResetOptions()
"""Nothing special."""
