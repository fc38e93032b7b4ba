"""Files are replaced atomically."""

import os
import stat
import sys
import threading
from pathlib import Path

import pytest

from wizard_env.files.writing import write_atomically


def test_a_file_is_replaced_atomically(tmp_path: Path) -> None:
    """In folders that are created for it; no other file is left behind."""
    path = tmp_path / "new" / "folder" / "file.txt"

    def write(text: str) -> None:
        def fill(temporary: Path) -> None:
            assert temporary.parent == path.parent
            assert temporary.suffix == path.suffix
            temporary.write_text(text)
            assert not path.exists() or path.read_text() == "first"

        write_atomically(path, fill)

    for text in ("first", "second"):
        write(text)
        assert path.read_text() == text
        assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize("error", [OSError("disk full"), KeyboardInterrupt()])
def test_a_file_that_cannot_be_written_stays_as_it_was(tmp_path: Path, error: BaseException) -> None:
    path = tmp_path / "file.txt"

    def fail(temporary: Path) -> None:
        temporary.write_text("half of")
        raise error

    with pytest.raises(type(error)):
        write_atomically(path, fail)
    assert list(tmp_path.iterdir()) == []
    path.write_text("old")
    with pytest.raises(type(error)):
        write_atomically(path, fail)
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_two_may_write_the_same_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Also in two containers, of which one does not see the other's process: here both are process 2**22."""
    monkeypatch.setattr(os, "getpid", lambda: 2**22)  # Linux gives no process that number
    path = tmp_path / "file.txt"

    def fill(temporary: Path) -> None:
        temporary.write_text("first")
        write_atomically(path, lambda other: other.write_text("second"))
        assert path.read_text() == "second"
        assert temporary.read_text() == "first"

    write_atomically(path, fill)
    assert path.read_text() == "first"
    assert list(tmp_path.iterdir()) == [path]


def test_threads_that_write_the_same_file_leave_it_whole(tmp_path: Path) -> None:
    path, errors = tmp_path / "file.txt", list[Exception]()
    write_atomically(path, lambda temporary: temporary.write_text("0" * 100_000))

    def write(letter: str) -> None:
        try:
            for _ in range(30):
                write_atomically(path, lambda temporary: temporary.write_text(letter * 100_000))
                found = path.read_text()
                assert found == found[0] * 100_000
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=write, args=(letter,)) for letter in "abcd"]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not errors
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_planted_link_is_not_followed(tmp_path: Path) -> None:
    """Names of temporary files cannot be guessed, and a file that is there is never opened."""
    victim, path = tmp_path / "victim", tmp_path / "file.txt"
    victim.write_text("untouched")
    seen = set()
    (tmp_path / f".file.{os.getpid()}.txt").symlink_to(victim)

    def fill(temporary: Path) -> None:
        seen.add(temporary)
        temporary.write_text("new")

    for _ in range(3):
        write_atomically(path, fill)
    assert len(seen) == 3
    assert victim.read_text() == "untouched"
    assert not path.is_symlink()


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_modes_are_kept(tmp_path: Path) -> None:
    """A new file gets what the umask leaves; nobody reads more of a file while it is replaced."""
    path = tmp_path / "file.txt"
    before = os.umask(0o027)
    try:
        write_atomically(path, lambda temporary: temporary.write_text("new"))
        assert stat.S_IMODE(path.stat().st_mode) == 0o640

        def fill(temporary: Path) -> None:
            assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
            temporary.write_text("newer")

        for mode in (0o600, 0o444, 0o664):
            path.chmod(mode)
            write_atomically(path, fill)
            assert stat.S_IMODE(path.stat().st_mode) == mode
        write_atomically(path, fill, mode=0o604)
        assert stat.S_IMODE(path.stat().st_mode) == 0o604
    finally:
        os.umask(before)


def test_a_long_name_is_no_hindrance(tmp_path: Path) -> None:
    path = tmp_path / ("n" * 250 + ".txt")
    write_atomically(path, lambda temporary: temporary.write_text("new"))
    assert list(tmp_path.iterdir()) == [path]
