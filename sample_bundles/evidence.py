"""Evidence as ``collect`` would have kept it: every text goes through the recorder that redacts it and writes its entry."""

import gzip
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from numaaudit.bundle.archive import write_bundle
from numaaudit.bundle.manifest import Manifest
from numaaudit.bundle.tree import braces
from numaaudit.collect.collector import NOT_HERE, Read, collectors, of_scope
from numaaudit.collect.exec import Result
from numaaudit.collect.host_files import is_glob
from numaaudit.collect.recorder import Recorder


class Evidence:
    """Files, links and command outputs of one host. Paths are those on the host, without the leading ``/``."""

    def __init__(self) -> None:
        self._record = Recorder()

    def file(self, collector: str, path: str, text: str) -> None:
        self._record.add(Read(collector, path, data=text.encode(), duration_ms=_reading_ms(text)))

    def files(self, collector: str, folder: str, texts: Mapping[str, object]) -> None:
        """Files of one directory; the kernel ends each with a newline."""
        for name, value in texts.items():
            self.file(collector, f"{folder}/{name}", f"{value}\n")

    def link(self, collector: str, path: str, target: str) -> None:
        self._record.add(Read(collector, path, link=target))

    def device(self, path: str, major: int, minor: int) -> None:
        """A character device: an empty file, its numbers in the manifest."""
        self._record.add(Read("accelerator_devices", path, data=b"", reason=f"character device {major}:{minor}"))

    def nothing_else(self) -> None:
        """Whatever else a collector asks for by name is not on this host; the first entry of a path counts."""
        for name, unit in of_scope(collectors(), "host").items():
            for path in (plain for pattern in unit.files + unit.links for plain in braces(pattern) if not is_glob(plain)):
                self._record.add(Read(name, path, "absent", reason=NOT_HERE))

    def again(self, path: str, text: str) -> None:
        """The second reading of a file."""
        self._record.add(Read("", path, data=text.encode(), duration_ms=_reading_ms(text)), "again/1/root/")

    def command(self, collector: str, argv: tuple[str, ...], text: str, duration_ms: float = 12.0) -> None:
        self._record.add_command(Result(argv, exit_code=0, stdout=text.encode(), duration_ms=duration_ms), collector)

    def log(self, name: str, text: str) -> None:
        self._record.add(Read("logs", name, data=text.encode(), duration_ms=_reading_ms(text)), "logs/")

    def write(self, path: Path, **about: Any) -> None:
        """Write the bundle as tar.gz; ``about`` are the fields of the manifest that do not follow from the files.

        These files are kept in the repository, so gzip works harder here than in ``collect``: 30 % less.
        """
        record = self._record
        manifest = Manifest(
            entries=record.entries(), commands=tuple(record.commands), redactions=dict(sorted(record.redactions.items())), **about
        )
        with tempfile.TemporaryDirectory() as folder, open(path, "wb") as file, gzip.GzipFile("", "wb", 9, file, mtime=0) as packed:
            tar = Path(folder, "bundle.tar")
            write_bundle(str(tar), manifest, record.members)
            packed.write(tar.read_bytes())


def _reading_ms(text: str) -> float:
    """About what reading that much from the kernel takes."""
    return round(0.02 + len(text) / 500_000, 2)
