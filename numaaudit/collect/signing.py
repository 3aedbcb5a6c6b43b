"""Who vouches for a bundle: its manifest, signed and verified by OpenSSH's ``ssh-keygen -Y``.

ssh-keygen(1): ``-Y sign`` is there from OpenSSH 8.1 on, ``-Y find-principals`` from 8.2 on; the format is PROTOCOL.sshsig.
"""

from __future__ import annotations

import os
from typing import List, NamedTuple, Tuple

from numaaudit.bundle.manifest import SIGNATURE, SIGNATURE_START
from numaaudit.collect.exec import Result, find_program, run_at_terminal, safe_folders
from numaaudit.core.errors import CollectError, InputError, UsageError, shown

NAMESPACE = "numaaudit.bundle"  # a signature made for another purpose is none for this one
SIGN_S = 60.0  # somebody may have to type a passphrase, or to touch a key
VERIFY_S = 20.0
SSH_KEYGEN = "ssh-keygen"
_INSTALL = "install OpenSSH's client (Debian: openssh-client)"


def check_key(key: str, path: str) -> None:
    """UsageError if it is no key, CollectError without ssh-keygen; ask before the host is read. ``path`` is a PATH."""
    if find_program(SSH_KEYGEN, safe_folders(path)) is None:
        raise CollectError("--sign: %s is not in PATH" % SSH_KEYGEN, _INSTALL)
    if not (os.path.isfile(key) and os.access(key, os.R_OK)):
        raise UsageError("--sign %s: no file that can be read" % key, "name a private key, or a public one whose other half an agent has")


def sign(manifest: bytes, key: str, path: str, agent: str) -> bytes:
    """The signature of a manifest, armored. ``key`` may be a public one if the agent at the socket ``agent`` has the private one.

    CollectError says in one line why there is none.
    """
    argv = (SSH_KEYGEN, "-Y", "sign", "-n", NAMESPACE, "-f", os.path.abspath(key))
    result = run_at_terminal(argv, manifest, SIGN_S, path, {"SSH_AUTH_SOCK": agent} if agent else {})
    if result.exit_code != 0 or not result.stdout.startswith(SIGNATURE_START):
        said = _said(result)[-1]
        raise CollectError("not signed: " + said[max(said.find("Load key"), 0) :])  # without the prompt before it
    return result.stdout


class Signed(NamedTuple):
    """``name`` is what the file of allowed signers calls whoever signed; where it is empty, ``objection`` says why."""

    name: str = ""
    objection: str = ""


def who_signed(manifest: bytes, signature: bytes, allowed_signers: str, path: str) -> Signed:
    """Whose signature it is, by ssh-keygen(1)'s ALLOWED SIGNERS; names are those of that file only. InputError if nobody can tell."""
    import tempfile  # 4 ms at start-up that few need

    if find_program(SSH_KEYGEN, safe_folders(path)) is None:
        raise InputError("--allowed-signers: %s is not in PATH" % SSH_KEYGEN, _INSTALL)
    if not (os.path.isfile(allowed_signers) and os.access(allowed_signers, os.R_OK)):
        raise InputError("%s: no file that can be read" % allowed_signers, "name a file of allowed signers, see ssh-keygen(1)")
    with tempfile.TemporaryDirectory(prefix="numaaudit-") as folder:
        file = os.path.join(folder, SIGNATURE)
        with open(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600), "wb") as writing:
            writing.write(signature)
        return _who_signed(manifest, ("-s", file, "-f", os.path.abspath(allowed_signers)), path)


def _who_signed(manifest: bytes, files: Tuple[str, ...], path: str) -> Signed:
    found = run_at_terminal((SSH_KEYGEN, "-Y", "find-principals") + files, b"", VERIFY_S, path, {})
    if found.exit_code != 0:
        return Signed(objection=_said(found)[0])
    objection = "%s names nobody" % SSH_KEYGEN
    for name in filter(None, found.stdout.decode("utf-8", "backslashreplace").split("\n")):
        answer = run_at_terminal((SSH_KEYGEN, "-Y", "verify", "-n", NAMESPACE, "-I", name) + files, manifest, VERIFY_S, path, {})
        if answer.exit_code == 0:
            return Signed(name)
        objection = _said(answer)[0]
    return Signed(objection=objection)


def _said(result: Result) -> List[str]:
    """What ssh-keygen has said of its failure, at least one line."""
    lines = [shown(line.strip()) for line in result.stderr.decode("utf-8", "backslashreplace").splitlines() if line.strip()]
    if result.signal is not None:
        return ["%s was ended by signal %d" % (SSH_KEYGEN, result.signal)]
    return [result.reason] if result.reason else lines or ["%s did not say why" % SSH_KEYGEN]
