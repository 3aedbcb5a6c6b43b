"""One gRPC call, against a server that knows as much of HTTP/2."""

import socket
import struct
import threading
from contextlib import suppress

import pytest

from numaaudit.collect.grpc import ask

DATA, HEADERS, RESET, SETTINGS, PING, GOAWAY = 0, 1, 3, 4, 6, 7
MESSAGE = b"\0\0\0\0\5hello"


def frame(kind, flags, stream, payload):
    return struct.pack("!I", len(payload))[1:] + struct.pack("!BBI", kind, flags, stream) + payload


@pytest.fixture
def serve(tmp_path):
    """Answer one connection with these bytes; gives the socket's path and what the client had sent by the end."""
    path, received, threads = str(tmp_path / "s"), bytearray(), []
    server = socket.socket(socket.AF_UNIX)
    server.bind(path)
    server.listen(1)

    def work(answer):
        with server, server.accept()[0] as client, suppress(ConnectionError):
            client.settimeout(10)
            client.sendall(answer)
            while part := client.recv(1 << 16):
                received.extend(part)

    def start(*frames):
        threads.append(threading.Thread(target=work, args=(b"".join(frames),)))
        threads[0].start()
        return path

    yield start, received, threads
    for thread in threads:
        thread.join(10)
    server.close()


def test_the_message_comes_out_of_its_frames(serve):
    start, received, threads = serve
    path = start(
        frame(SETTINGS, 0, 0, b""),
        frame(PING, 0, 0, b"12345678"),
        frame(HEADERS, 4, 1, b"\x88"),
        frame(DATA, 0, 3, b"of another stream"),
        frame(DATA, 0, 1, MESSAGE[:7]),
        frame(DATA, 8, 1, b"\2" + MESSAGE[7:] + b"\0\0"),
        frame(HEADERS, 5, 1, b""),
    )

    assert ask(path, "/v1.Lister/List", 10) == b"hello"
    threads[0].join(10)
    assert received.startswith(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n")
    assert b"/v1.Lister/List" in received
    assert frame(SETTINGS, 1, 0, b"") in received
    assert frame(PING, 1, 0, b"12345678") in received


@pytest.mark.parametrize(
    "frames",
    [
        [],
        [b"HTTP/1.1 400 Bad Request\r\n\r\n"],
        [frame(HEADERS, 5, 1, b"")],
        [frame(RESET, 0, 1, b"\0\0\0\7")],
        [frame(GOAWAY, 0, 0, b"\0" * 8)],
        [frame(DATA, 1, 1, MESSAGE[:-1])],
        [frame(DATA, 1, 1, b"\1" + MESSAGE[1:])],
    ],
)
def test_what_is_no_answer_is_an_error(serve, frames):
    start, _, _ = serve
    path = start(*frames)

    with pytest.raises(OSError):
        ask(path, "/v1.Lister/List", 0.3)


def test_without_a_server_there_is_no_answer(tmp_path):
    with pytest.raises(FileNotFoundError):
        ask(str(tmp_path / "none"), "/x/y", 1)
