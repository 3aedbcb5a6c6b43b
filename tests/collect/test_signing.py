"""Signatures by a real ssh-keygen, with keys made here: who signed, and why not."""

import os
import select
import subprocess
import sys
import time
from pathlib import Path

import pytest

from numaaudit.collect.signing import Signed, check_key, sign, who_signed
from numaaudit.core.errors import CollectError, InputError, UsageError

PATH = "/usr/bin:/bin"
MANIFEST = b'{"format":"numaaudit.bundle/1"}\n'


def make_key(path: Path, passphrase: str = "", kind: str = "ed25519") -> str:
    """Make a key pair; the answer is the public half as ssh-keygen writes it."""
    subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", passphrase, "-C", "", "-f", str(path)], check=True, stdin=subprocess.DEVNULL)
    return Path(f"{path}.pub").read_text().strip()


@pytest.fixture(scope="module")
def keys(tmp_path_factory) -> Path:
    """A folder with the keys ``own``, ``other`` and ``locked`` (passphrase: open sesame), and what lists of signers say of them."""
    folder = tmp_path_factory.mktemp("keys of ours")
    own, other, locked = make_key(folder / "own"), make_key(folder / "other"), make_key(folder / "locked", "open sesame")
    lists = {
        "signers": f"# who may\noncall@example.org {own}\nlocked@example.org {locked}\n",
        "others": f"other@example.org {other}\n",
        "expired": f'oncall@example.org valid-before="20200101" {own}\n',
        "renewed": f'oncall@example.org valid-before="20200101" {own}\nnow@example.org {own}\n',
        "for-git": f'oncall@example.org namespaces="git" {own}\n',
        "for-us": f'a@example.org,*@example.com namespaces="numaaudit.bundle" {own}\n',
        "empty": "",
        "binary": "\x00\x01\n",
    }
    for name, text in lists.items():
        (folder / name).write_text(text)
    return folder


@pytest.fixture(scope="module")
def signature(keys) -> bytes:
    return sign(MANIFEST, str(keys / "own"), PATH, "")


@pytest.mark.parametrize(
    ("signers", "expected"),
    [
        ("signers", Signed("oncall@example.org")),
        ("renewed", Signed("now@example.org")),
        ("for-us", Signed("a@example.org")),
        ("others", Signed(objection="No principal matched.")),
        ("empty", Signed(objection="No principal matched.")),
    ],
)
def test_who_signed_is_who_the_list_says(keys, signature, signers, expected):
    assert expected == who_signed(MANIFEST, signature, str(keys / signers), PATH)


@pytest.mark.parametrize(("signers", "part"), [("expired", "key has expired"), ("for-git", "not permitted"), ("binary", "")])
def test_a_key_that_may_not_sign_is_nobodys(keys, signature, signers, part):
    signed = who_signed(MANIFEST, signature, str(keys / signers), PATH)

    assert ("", True, True) == (signed.name, part in signed.objection, bool(signed.objection))


def test_another_manifest_is_not_what_was_signed(keys, signature):
    assert Signed(objection="Signature verification failed: incorrect signature") == who_signed(
        MANIFEST + b" ", signature, str(keys / "signers"), PATH
    )


def test_a_signature_made_for_another_purpose_is_none(keys):
    argv = ["ssh-keygen", "-Y", "sign", "-n", "file", "-f", str(keys / "own")]
    foreign = subprocess.run(argv, input=MANIFEST, capture_output=True, check=True).stdout

    signed = who_signed(MANIFEST, foreign, str(keys / "signers"), PATH)
    assert ("", True) == (signed.name, bool(signed.objection))


@pytest.mark.parametrize("cut", (40, 100, 200))
def test_a_damaged_signature_is_nobodys(keys, signature, cut):
    signed = who_signed(MANIFEST, signature[:cut], str(keys / "signers"), PATH)

    assert ("", True) == (signed.name, bool(signed.objection))


@pytest.mark.parametrize("kind", ("rsa", "ecdsa"))
def test_other_kinds_of_keys_sign_as_well(tmp_path, kind):
    (tmp_path / "signers").write_text(f"me {make_key(tmp_path / 'key', kind=kind)}\n")

    assert Signed("me") == who_signed(MANIFEST, sign(MANIFEST, str(tmp_path / "key"), PATH, ""), str(tmp_path / "signers"), PATH)


def test_nothing_is_left_behind(keys, signature, tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = os.listdir("/proc/self/fd")

    who_signed(MANIFEST, signature, str(keys / "signers"), PATH)

    assert ([], before) == (os.listdir(tmp_path), os.listdir("/proc/self/fd"))


def test_an_agent_signs_for_a_public_key(keys, tmp_path):
    socket = str(tmp_path / "agent")
    make_key(tmp_path / "held")
    (tmp_path / "signers").write_text(f"held@example.org {(tmp_path / 'held.pub').read_text()}")
    with subprocess.Popen(["ssh-agent", "-D", "-a", socket], stdout=subprocess.DEVNULL) as agent:
        while not os.path.exists(socket):
            time.sleep(0.01)
        environment = {**os.environ, "SSH_AUTH_SOCK": socket}
        subprocess.run(["ssh-add", "-q", str(tmp_path / "held")], env=environment, check=True, stdin=subprocess.DEVNULL)
        (tmp_path / "held").unlink()
        made = sign(MANIFEST, str(tmp_path / "held.pub"), PATH, socket)
        agent.kill()

    assert Signed("held@example.org") == who_signed(MANIFEST, made, str(tmp_path / "signers"), PATH)


def test_a_public_key_without_its_agent_cannot_sign(keys, tmp_path):
    (tmp_path / "own.pub").write_bytes((keys / "own.pub").read_bytes())

    with pytest.raises(CollectError, match=r"^not signed: .*own"):
        sign(MANIFEST, str(tmp_path / "own.pub"), PATH, "")


def test_what_is_no_key_cannot_sign(keys):
    with pytest.raises(CollectError, match=r"^not signed: .*signers"):
        sign(MANIFEST, str(keys / "signers"), PATH, "")


@pytest.mark.parametrize("name", ("missing", "."))
def test_a_key_that_cannot_be_read_is_said_before_anything_is_done(keys, name):
    with pytest.raises(UsageError, match=r"^--sign .*: no file that can be read$"):
        check_key(str(keys / name), PATH)


def test_without_openssh_its_package_is_named(keys, signature, tmp_path):
    with pytest.raises(CollectError, match=r"^--sign: ssh-keygen is not in PATH$") as signing:
        check_key(str(keys / "own"), str(tmp_path))
    with pytest.raises(InputError, match=r"^--allowed-signers: ssh-keygen is not in PATH$"):
        who_signed(MANIFEST, signature, str(keys / "signers"), str(tmp_path))
    assert "install OpenSSH's client (Debian: openssh-client)" == signing.value.hint


def test_a_list_of_signers_that_is_not_there_is_said(keys, signature):
    with pytest.raises(InputError, match=r"none: no file that can be read$"):
        who_signed(MANIFEST, signature, str(keys / "none"), PATH)


CODE = """
import fcntl, os, sys, termios
from numaaudit.collect.signing import sign
from numaaudit.core.errors import CollectError
if os.isatty(0):
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
try:
    sign(b"{}", sys.argv[1], "/usr/bin:/bin", "")
except CollectError as error:
    sys.exit(str(error))
print("signed")
"""


def at_a_terminal(key: Path, typed: bytes) -> str:
    """What is seen on a terminal on which this is typed when a passphrase is asked for."""
    terminal, end = os.openpty()
    argv = [sys.executable, "-c", CODE, str(key)]
    with subprocess.Popen(argv, stdin=end, stdout=end, stderr=end, start_new_session=True) as process:
        os.close(end)
        seen = b""
        while select.select([terminal], [], [], 60)[0]:
            try:
                chunk = os.read(terminal, 4096)
            except OSError:  # EIO: the last process on it has ended
                break
            if b"passphrase" in chunk and b"passphrase" not in seen:
                os.write(terminal, typed)
            seen += chunk
        os.close(terminal)
        process.wait(60)
    return seen.decode()


def test_a_passphrase_is_asked_for_at_the_terminal(keys):
    seen = at_a_terminal(keys / "locked", b"open sesame\n")

    assert ("signed", False) == (seen.splitlines()[-1], "open sesame" in seen)


def test_a_wrong_passphrase_is_one_line(keys):
    assert "incorrect passphrase" in at_a_terminal(keys / "locked", b"wrong\n").splitlines()[-1]


def test_without_a_terminal_nobody_is_asked(keys):
    argv = [sys.executable, "-c", CODE, str(keys / "locked")]
    ended = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, start_new_session=True, timeout=60)

    [line] = ended.stderr.splitlines()
    assert (1, True) == (ended.returncode, line.startswith("not signed: ") and "incorrect passphrase" in line)
