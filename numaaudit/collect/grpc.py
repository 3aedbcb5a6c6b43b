"""One gRPC call over a socket of this host: as much of HTTP/2 (RFC 9113) and HPACK (RFC 7541) as asking one question takes.

Requests are sent as literals without compression, and headers of the answer are not looked at: the answer is the message in its DATA.
"""

from __future__ import annotations

import errno
import socket
import struct
from typing import Iterator, List, Tuple

from numaaudit.core.units import MIB

MOST_BYTES = 16 * MIB  # of an answer; the kubelet's own limit (pkg/kubelet/apis/podresources/constants.go)
_PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
_DATA, _HEADERS, _RESET, _SETTINGS, _PING, _GOAWAY, _WINDOW = 0, 1, 3, 4, 6, 7, 8
_END_STREAM, _ACK, _END_HEADERS, _PADDED = 1, 1, 4, 8
_STREAM = 1
_FRAME_BYTES = 1 << 14  # the largest that a peer may send unless told otherwise


def ask(path: str, method: str, seconds: float) -> bytes:
    """The answer of ``/package.Service/Method`` to an empty message. OSError, also for an answer that is none."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as connection:
        connection.settimeout(seconds)
        connection.connect(path)
        connection.sendall(_question(method))
        message = b"".join(_answer(connection))
    if len(message) < 5 or message[0] or len(message) - 5 != struct.unpack("!I", message[1:5])[0]:
        raise OSError(errno.EPROTO, "no answer to %s" % method)
    return message[5:]


def _question(method: str) -> bytes:
    settings = struct.pack("!HIHI", 2, 0, 4, MOST_BYTES)  # no push; the window of a stream
    headers = (
        (":method", "POST"), (":scheme", "http"), (":path", method), (":authority", "localhost"),
        ("content-type", "application/grpc"), ("te", "trailers"),
    )  # fmt: skip
    literals = b"".join(b"\0" + _string(name) + _string(value) for name, value in headers)
    return b"".join(
        [
            _PREFACE,
            _frame(_SETTINGS, 0, 0, settings),
            _frame(_WINDOW, 0, 0, struct.pack("!I", MOST_BYTES)),
            _frame(_HEADERS, _END_HEADERS, _STREAM, literals),
            _frame(_DATA, _END_STREAM, _STREAM, b"\0" + struct.pack("!I", 0)),
        ]
    )


def _string(text: str) -> bytes:
    return bytes([len(text)]) + text.encode()


def _frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


def _answer(connection: socket.socket) -> Iterator[bytes]:
    """The parts of the answer's body, until the stream ends."""
    size = 0
    for kind, flags, stream, payload in _frames(connection):
        if kind in (_RESET, _GOAWAY):
            return
        if kind in (_SETTINGS, _PING) and not flags & _ACK:
            connection.sendall(_frame(kind, _ACK, 0, payload if kind == _PING else b""))
        if stream != _STREAM:
            continue
        if kind == _DATA:
            size += len(payload)
            if size > MOST_BYTES:
                raise OSError(errno.EFBIG, "an answer of more than %d MiB" % (MOST_BYTES // MIB))
            yield payload[1 : len(payload) - payload[0]] if flags & _PADDED and payload else payload
        if kind in (_DATA, _HEADERS) and flags & _END_STREAM:
            return


def _frames(connection: socket.socket) -> Iterator[Tuple[int, int, int, bytes]]:
    while True:
        head = _exactly(connection, 9)
        size = struct.unpack("!I", b"\0" + head[:3])[0]
        kind, flags, stream = struct.unpack("!BBI", head[3:])
        if size > _FRAME_BYTES:
            raise OSError(errno.EPROTO, "no frame of HTTP/2")
        yield kind, flags, stream & 0x7FFFFFFF, _exactly(connection, size)


def _exactly(connection: socket.socket, size: int) -> bytes:
    parts: List[bytes] = []
    while size:
        part = connection.recv(size)
        if not part:
            raise OSError(errno.ECONNRESET, "the connection ended before the answer")
        parts.append(part)
        size -= len(part)
    return b"".join(parts)
