"""Files are written whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from imli.files import new_file, write_whole


def test_a_file_is_written(tmp_path: Path) -> None:
    write_whole(tmp_path / "rule.txt", "größe > 3\n")
    assert (tmp_path / "rule.txt").read_bytes() == "größe > 3\n".encode()
    assert os.listdir(tmp_path) == ["rule.txt"]


def test_what_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    write_whole(tmp_path / "rule.txt", "old")

    def write_half() -> None:
        with new_file(tmp_path / "rule.txt") as unfinished:
            unfinished.write_text("half")
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_half()
    assert (tmp_path / "rule.txt").read_text() == "old"
    assert os.listdir(tmp_path) == ["rule.txt"]


def test_permissions_stay_and_new_files_get_the_usual_ones(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "new", b"")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == stat.S_IMODE((tmp_path / "usual").stat().st_mode)
    (tmp_path / "new").chmod(0o640)
    write_whole(tmp_path / "new", b"more")
    assert stat.S_IMODE((tmp_path / "new").stat().st_mode) == 0o640


def test_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "rule.txt")
    write_whole(tmp_path / "link", "new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "rule.txt").read_text() == "new"


def test_a_device_is_written_to_and_stays_one() -> None:
    write_whole("/dev/null", "x")
    assert Path("/dev/null").is_char_device()
    with pytest.raises(OSError) as caught:
        write_whole("/dev/full", "x")
    assert caught.value.strerror == "No space left on device"


def test_a_missing_folder_names_the_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as caught:
        write_whole(tmp_path / "gone" / "rule.txt", "x")
    assert caught.value.filename == str(tmp_path / "gone" / "rule.txt")
