"""The project speaks only of itself: no file names the place it was made in."""

import re
import subprocess
from pathlib import Path


def test_no_file_names_a_folder_of_this_machine(project: Path):
    folders = [folder for folder in (project, project.parent, Path.home()) if folder not in (Path("/"), Path("/root"))]
    here = re.compile(rb"(?<![\w./-])(?:" + b"|".join(re.escape(bytes(folder)) for folder in folders) + rb")/")
    assert [name for name in _tracked(project) if here.search((project / name).read_bytes())] == []


def test_texts_end_with_a_line_end_and_have_no_carriage_return(project: Path):
    texts = [name for name in _tracked(project) if name.endswith((".py", ".md", ".toml", ".sh", ".j2", ".yaml", "Makefile"))]
    contents = {name: (project / name).read_bytes() for name in texts}
    assert [name for name, data in contents.items() if data and (data[-1:] != b"\n" or b"\r\n" in data)] == []


def _tracked(project: Path) -> list[str]:
    """Files known to git; all files where there is no git, as in an unpacked sdist."""
    if not (project / ".git").exists():
        return [str(file.relative_to(project)) for file in project.rglob("*") if file.is_file() and ".venv" not in file.parts]
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=project, capture_output=True, text=True, check=True).stdout
    return [name for name in listed.split("\0") if name and (project / name).is_file()]
