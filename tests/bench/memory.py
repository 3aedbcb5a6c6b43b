"""The peak memory of ``check`` on an archive of 2 GiB."""

import io
import tarfile
from collections.abc import Iterator

from check_bundles import make_bundles
from measure import BUILD, NUMAAUDIT, Row, Settings, run

from numaaudit.core.units import GIB, MIB

_ARCHIVE = BUILD / "sosreport-gpu-load.tar"
_LOG_BYTES, _LOGS = 64 * MIB, 32
_FIXED_BYTES = 150 * MIB


def measure(settings: Settings) -> Iterator[Row]:
    make_bundles(["R300"])
    largest = _make_archive()
    peaks = [run((*NUMAAUDIT, "check", str(_ARCHIVE)), exit_codes=(0, 1)).peak_bytes for _ in range(3)]
    used, budget = max(peaks) / MIB, (_FIXED_BYTES + 2 * largest) / MIB
    what = f"`check` of a sosreport of {_ARCHIVE.stat().st_size / GIB:.1f} GiB, peak memory"
    yield Row(what, f"{used:.0f} MiB", f"largest file it reads: {largest / 1024:.0f} KiB", used, "MiB", round(budget, 1))


def _make_archive() -> int:
    """The files of R300's host as sos lays them out, then logs of zeros that take no room on the disk; the largest file's size."""
    largest = 0
    with tarfile.open(BUILD / "R300.tar.gz") as bundle, open(_ARCHIVE, "wb") as file:
        for member in bundle:
            if member.name.startswith("root/"):
                data = bundle.extractfile(member).read() if member.isfile() else b""  # type: ignore[union-attr]
                member.name = "sosreport-gpu-load/" + member.name.removeprefix("root/")
                file.write(member.tobuf(tarfile.GNU_FORMAT) + data + bytes(-len(data) % tarfile.BLOCKSIZE))
                largest = max(largest, len(data))
        file.write(tarfile.TarInfo("sosreport-gpu-load/sos_commands/date/date").tobuf())
        for number in range(_LOGS):
            log = tarfile.TarInfo(f"sosreport-gpu-load/var/log/messages-{number}")
            log.size = _LOG_BYTES
            file.write(log.tobuf())
            file.seek(_LOG_BYTES, io.SEEK_CUR)
        file.write(bytes(2 * tarfile.BLOCKSIZE))
    return largest
