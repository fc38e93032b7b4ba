"""Files are replaced as a whole, written through links, and refused before work is lost."""

import os
import stat
import subprocess
import sys
import threading
import time
from pathlib import Path

import numpy as np
import pytest
from safetensors.numpy import save

from wizard_env.files import check_distinct, check_file, locked, write_atomically, write_output, write_tensors

POSIX = pytest.mark.skipif(os.name != "posix", reason="links, modes, devices and pipes of POSIX")
LINUX = pytest.mark.skipif(sys.platform != "linux", reason="/proc of Linux")


@pytest.mark.parametrize("name", ["file.txt", "n" * 250 + ".txt"])
def test_a_file_is_replaced_atomically(name: str, tmp_path: Path) -> None:
    """In folders that are created for it; no other file is left behind."""
    path = tmp_path / "new" / "folder" / name

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


@POSIX
def test_a_folder_that_was_moved_is_written_no_more(tmp_path: Path) -> None:
    """Neither where another has locked a new one of its name, nor where there is none."""
    folder, moved = tmp_path / "run", tmp_path / "moved"
    with locked(folder):
        write_atomically(folder / "past" / "file", lambda path: path.write_text("ours"))
        folder.rename(moved)
        for other in (False, True):
            if other:
                folder.mkdir()
                (folder / "_lock").touch()
            with pytest.raises(FileNotFoundError, match=f"{folder} was moved or replaced"):
                write_atomically(folder / "past" / "file", lambda path: path.write_text("theirs"))
    assert (moved / "past" / "file").read_text() == "ours"
    assert [path.name for path in folder.iterdir()] == ["_lock"]


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


def test_leftovers_of_killed_processes_are_removed(tmp_path: Path) -> None:
    """After a day; the files of processes that still write stay."""
    path, kept = tmp_path / "a [1].csv", dict[str, Path]()

    def write(text: str) -> None:
        write_atomically(path, lambda temporary: temporary.write_text(text))

    def fill(temporary: Path) -> None:
        kept["new"] = temporary.rename(temporary.with_stem(f"{temporary.stem}-new"))
        kept["old"] = temporary.with_stem(f"{temporary.stem}-old")
        kept["old"].touch()
        os.utime(kept["old"], times=(time.time() - 100_000,) * 2)
        temporary.touch()

    write_atomically(path, fill)
    assert set(tmp_path.iterdir()) == {path, *kept.values()}
    write("whole")
    assert set(tmp_path.iterdir()) == {path, kept["new"]}


@POSIX
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
    finally:
        os.umask(before)


# --- files that a person named


def write_named(path: Path, text: str = "new") -> None:
    check_file(path)
    write_output(path, lambda file: file.write_text(text))


@POSIX
@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_written_through(tmp_path: Path, there: bool) -> None:
    """Through several links too, to a file that is there or not."""
    (tmp_path / "folder").mkdir()
    file, between, link = tmp_path / "folder" / "file", tmp_path / "between", tmp_path / "link"
    between.symlink_to("folder/file")
    link.symlink_to(between)
    if there:
        file.write_text("old")
    write_named(link)
    assert link.is_symlink()
    assert between.is_symlink()
    assert file.read_text() == "new"
    assert list(file.parent.iterdir()) == [file]


@POSIX
@pytest.mark.parametrize("spelling", ["itself", "symbolic link", "hard link", "longer path"])
def test_a_file_is_known_by_any_name(tmp_path: Path, spelling: str) -> None:
    """So an output does not overwrite an input."""
    file, other = tmp_path / "file", tmp_path / "other"
    file.touch()
    if spelling == "symbolic link":
        other.symlink_to(file)
    elif spelling == "hard link":
        other.hardlink_to(file)
    names = {"itself": file, "longer path": tmp_path / ".." / tmp_path.name / "file"}
    with pytest.raises(ValueError, match="which is read or written too"):
        check_distinct(names.get(spelling, other), [file])
    check_distinct(tmp_path / "another", [file])


def test_a_device_is_written_through(tmp_path: Path) -> None:
    """Itself, and through a link."""
    before = os.lstat(os.devnull)
    link = tmp_path / "link"
    link.symlink_to(os.devnull)
    write_named(Path(os.devnull))
    write_named(link)
    assert link.is_symlink()
    assert os.path.samestat(before, os.lstat(os.devnull))
    check_distinct(Path(os.devnull), [link])


@LINUX
@pytest.mark.parametrize("into_file", [True, False])
def test_what_the_process_has_open_is_written_through(into_file: bool, tmp_path: Path) -> None:
    """A file that the shell has opened is not replaced: what follows would be lost. Nor is a pipe."""
    code = """
from pathlib import Path
from wizard_env.files import check_file, write_output
path = Path("/dev/stdout")
check_file(path)
write_output(path, lambda file: file.write_text("new"))
"""
    with (tmp_path / "out").open("w+") as out:
        ended = subprocess.run(
            [sys.executable, "-c", code], stdout=out if into_file else subprocess.PIPE, check=True, text=True
        )
        out.seek(0)
        assert (out.read() if into_file else ended.stdout) == "new"


@POSIX
def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """Before any work."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "to a folder").symlink_to("folder")
    (tmp_path / "to nowhere").symlink_to("missing/file")
    (tmp_path / "file").touch()
    reasons = {
        "folder": "is a folder: the path of a file is needed",
        "to a folder": "is a folder: the path of a file is needed",
        "missing/file": "there is no folder",
        "to nowhere": "there is no folder",
        "file/file": "there is no folder",
        "n" * 300: "name too long",
    }
    for name, reason in reasons.items():
        with pytest.raises(OSError, match=reason):
            check_file(tmp_path / name)


# --- tensors

TENSORS = {"b": np.arange(6, dtype=np.float32).reshape(2, 3), "a": np.array([True]), "c": np.zeros(0)}
ABOUT = {name: f'"{name}" is ä value\n\x1f/' for name in "qwertyuiop"}


def test_equal_tensors_are_equal_bytes(tmp_path: Path) -> None:
    """safetensors itself writes metadata in an order that changes from call to call."""
    contents = set()
    for attempt in range(8):
        write_tensors(tmp_path / str(attempt), save(TENSORS, ABOUT))
        contents.add((tmp_path / str(attempt)).read_bytes())
    assert len(contents) == 1
