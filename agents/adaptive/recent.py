"""Recent: a dictionary that forgets what was not looked up for long."""

from collections.abc import Iterable
from typing import Generic, TypeVar

_T = TypeVar("_T")


class Recent(Generic[_T]):
    """Entries by name: at least the last `size` ones that were added or looked up are kept."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._recent: dict[bytes, _T] = {}
        self._older: dict[bytes, _T] = {}

    def __reduce__(self) -> tuple[type["Recent[_T]"], tuple[int]]:
        return Recent, (self._size,)  # what is kept can be worked out again

    def __len__(self) -> int:
        return len(self._recent) + len(self._older)

    def __getitem__(self, key: bytes) -> _T:
        """Return an entry that was found or added since there was made room."""
        return self._recent[key]

    def make_room(self) -> None:
        """Forget the entries before the last `size` ones."""
        if len(self._recent) > self._size:
            self._older, self._recent = self._recent, {}

    def find(self, key: bytes) -> _T | None:
        """Return an entry, or None."""
        found = self._recent.get(key)
        if found is None and (found := self._older.get(key)) is not None:
            self._recent[key] = found
        return found

    def add(self, entries: Iterable[tuple[bytes, _T]]) -> None:
        """Add entries, or replace them."""
        self._recent.update(entries)
