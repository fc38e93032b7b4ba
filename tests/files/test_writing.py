"""Files are replaced atomically."""

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
