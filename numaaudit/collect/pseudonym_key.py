"""``--pseudonyms KEYFILE``: the key, and the names of accounts that no other file tells."""

from __future__ import annotations

import os
import shlex
import stat
from typing import Iterator

from numaaudit.bundle.pseudonyms import CONTAINER, KEY_BYTES, POD, USER, Pseudonyms
from numaaudit.bundle.tree import Tree
from numaaudit.collect.options import CollectOptions
from numaaudit.core.errors import UsageError

_MOST_BYTES = 4096
_MAKE_ONE = "make one: (umask 077; head -c 32 /dev/urandom > FILE); bundles of one key have the same pseudonyms"
_FIRST_USER, _NOBODY = 1000, 65534  # login.defs(5) UID_MIN; the kernel's overflow user id


def pseudonyms_of(options: CollectOptions, tree: Tree) -> Pseudonyms:
    """Pseudonyms under the content of the key file, byte by byte. UsageError if it is no key, or if others can read it.

    They know the names of accounts, and of the pod and the container that were asked for.
    """
    names = Pseudonyms(_key(options.pseudonyms))
    for kind, typed in ((CONTAINER, options.container), *((POD, name) for name in options.pod.split("/"))):
        if typed:
            names.learn_name(kind, typed)
    for user in _users(tree.text("root/etc/passwd") or ""):
        names.learn(user, names.name(USER, user))
    return names


def _key(path: str) -> bytes:
    try:
        with open(path, "rb", opener=lambda name, flags: os.open(name, flags | os.O_NONBLOCK)) as file:
            status = os.fstat(file.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise UsageError("--pseudonyms %s: not a regular file" % path, _MAKE_ONE)
            if stat.S_IMODE(status.st_mode) & 0o077:
                raise UsageError("--pseudonyms %s: others may read the key" % path, "chmod 600 %s" % shlex.quote(path))
            key = file.read(_MOST_BYTES + 1)
    except OSError as error:
        raise UsageError("--pseudonyms %s: %s" % (path, error.strerror), _MAKE_ONE.replace("FILE", shlex.quote(path))) from None
    if not KEY_BYTES <= len(key) <= _MOST_BYTES:
        raise UsageError("--pseudonyms %s: a key has %d to %d bytes" % (path, KEY_BYTES, _MOST_BYTES), _MAKE_ONE)
    return key


def _users(passwd: str) -> Iterator[str]:
    """People's accounts (passwd(5)): names of the system's are the same everywhere."""
    for fields in (line.split(":") for line in passwd.splitlines()):
        if len(fields) > 2 and fields[2].isascii() and fields[2].isdigit() and _FIRST_USER <= int(fields[2][:9]) < _NOBODY:
            yield fields[0]
