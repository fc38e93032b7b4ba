"""Files that a person named: links, devices, pipes, folders."""

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from wizard_env.files.outputs import check_distinct, check_file, write_output

pytestmark = pytest.mark.skipif(os.name != "posix", reason="devices and pipes of POSIX")


def write(path: Path, text: str = "new") -> None:
    check_file(path)
    write_output(path, lambda file: file.write_text(text))


@pytest.mark.parametrize("there", [True, False])
def test_a_link_is_written_through(tmp_path: Path, there: bool) -> None:
    """Through several links too, to a file that is there or not."""
    (tmp_path / "folder").mkdir()
    file, between, link = tmp_path / "folder" / "file", tmp_path / "between", tmp_path / "link"
    between.symlink_to("folder/file")
    link.symlink_to(between)
    if there:
        file.write_text("old")
    write(link)
    assert link.is_symlink()
    assert between.is_symlink()
    assert file.read_text() == "new"
    assert list(file.parent.iterdir()) == [file]


def test_a_device_is_written_through(tmp_path: Path) -> None:
    """Itself, and through a link."""
    before = os.lstat(os.devnull)
    link = tmp_path / "link"
    link.symlink_to(os.devnull)
    write(Path(os.devnull))
    write(link)
    assert link.is_symlink()
    assert os.path.samestat(before, os.lstat(os.devnull))
    assert stat.S_ISCHR(os.lstat(os.devnull).st_mode)
    check_distinct(Path(os.devnull), [link])


def test_a_pipe_is_written_through(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", pipe], stdout=subprocess.PIPE, text=True) as reader:
        write(pipe)
        assert reader.stdout
        assert reader.stdout.read() == "new"
    assert stat.S_ISFIFO(pipe.lstat().st_mode)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc of Linux")
@pytest.mark.parametrize("path", ["/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("into_file", [True, False])
def test_what_the_process_has_open_is_written_through(path: str, into_file: bool, tmp_path: Path) -> None:
    """A file that the shell has opened is not replaced: what follows would be lost."""
    code = f"""
from pathlib import Path
from wizard_env.files.outputs import check_file, write_output
check_file(Path({path!r}))
write_output(Path({path!r}), lambda file: file.write_text("new"))
"""
    with (tmp_path / "out").open("w+") as out:
        ended = subprocess.run(
            [sys.executable, "-c", code], stdout=out if into_file else subprocess.PIPE, check=True, text=True
        )
        out.seek(0)
        assert (out.read() if into_file else ended.stdout) == "new"


def test_what_cannot_be_written_is_refused(tmp_path: Path) -> None:
    """Before any work."""
    (tmp_path / "folder").mkdir()
    (tmp_path / "to a folder").symlink_to("folder")
    (tmp_path / "to nowhere").symlink_to("missing/file")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "file").touch()
    reasons = {
        "folder": "is a folder: the path of a file is needed",
        "to a folder": "is a folder: the path of a file is needed",
        "missing/file": "there is no folder",
        "to nowhere": "there is no folder",
        "file/file": "there is no folder",
        "loop": "symbolic links",
        "n" * 300: "name too long",
    }
    for name, reason in reasons.items():
        with pytest.raises(OSError, match=reason):
            check_file(tmp_path / name)


@pytest.mark.skipif(sys.platform != "linux", reason="/proc of Linux")
def test_a_folder_that_only_seems_writable_is_refused() -> None:
    """As /proc is to root."""
    with pytest.raises(OSError, match="/proc/found: the folder /proc may not be written to"):
        check_file(Path("/proc/found"))


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="root makes devices")
def test_a_disk_is_refused(tmp_path: Path) -> None:
    disk = tmp_path / "disk"
    try:
        os.mknod(disk, stat.S_IFBLK | 0o600, os.makedev(7, 99))
    except OSError:
        pytest.skip("no device may be made here")
    with pytest.raises(OSError, match="is neither a file nor a stream"):
        check_file(disk)
