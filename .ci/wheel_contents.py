"""Whether a wheel has what it should have, and nothing else: ``python .ci/wheel_contents.py WHEEL``."""

import re
import sys
from pathlib import Path, PurePosixPath
from zipfile import ZipFile

SOURCES = Path(__file__).parents[1] / "src"
MOST_BYTES = 3_000_000


def expected() -> set[str]:
    """All files of the package but the sources of the kernel: code, types, and whatever data there is."""
    found = (path.relative_to(SOURCES) for path in (SOURCES / "imli").rglob("*") if path.is_file())
    return {path.as_posix() for path in found if "__pycache__" not in path.parts and path.parts[1] != "kernel"}


def main(wheel: Path) -> None:
    with ZipFile(wheel) as archive:
        names = set(archive.namelist())
        metadata = {name for name in names if PurePosixPath(name).parts[0].endswith(".dist-info")}
        assert {PurePosixPath(name).name for name in metadata} >= {"LICENSE", "METADATA", "RECORD", "entry_points.txt"}
        kernels = {name for name in names if re.fullmatch(r"imli/_kernel\.[\w.-]*(so|pyd)", name)}
        assert len(kernels) == 1, f"one compiled kernel is expected, not {sorted(kernels)}"
        package, wanted = names - metadata - kernels, expected()
        assert {"imli/py.typed", "imli/_kernel.pyi"} <= wanted
        assert package == wanted, f"missing: {sorted(wanted - package)}; too much: {sorted(package - wanted)}"
    n_bytes = wheel.stat().st_size
    assert n_bytes <= MOST_BYTES, f"{wheel.name} has {n_bytes:,} bytes, more than {MOST_BYTES:,}"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
