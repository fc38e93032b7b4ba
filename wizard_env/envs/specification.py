"""Specifications of environments, which data sets keep as JSON."""

from gymnasium.envs.registration import EnvSpec

from wizard_env.envs.opponents import GamesWithOpponents


class OwnSpec:
    """Keeps the specification of an environment such that JSON can hold it."""

    _spec: EnvSpec | None = None
    _games: GamesWithOpponents

    @property
    def spec(self) -> EnvSpec | None:
        """The specification, from `gymnasium.make` or `make_vec`; its hand sizes are a list."""
        return self._spec

    @spec.setter
    def spec(self, spec: EnvSpec | None) -> None:
        if spec is not None and spec.kwargs.get("hand_sizes") is not None:
            spec.kwargs["hand_sizes"] = list(self._games.rules.rounds)
        self._spec = spec
