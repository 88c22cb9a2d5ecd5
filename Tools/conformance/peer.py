#!/usr/bin/env python3
"""The `websockets` library (PyPI) at the other end of our WebSocket code, with every parameter of permessage-deflate.

    peer.py server WSECHO      talks to the program WSECHO, which it starts
    peer.py client WSCLIENT    lets the program WSCLIENT talk to it

Prints how many messages came back right; exit status 0 when all did. Always part of the tests, where Autobahn's suite needs an old Python.
"""
import asyncio
import itertools
import json
import random
import subprocess
import sys

from websockets.asyncio.client import connect
from websockets.asyncio.server import serve
from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory, ServerPerMessageDeflateFactory

EVENT = json.dumps({"type": "change", "kind": "event", "fields": {"name": "Official visit, Ashgrove", "status": "registered"}})
NOISE = random.Random(7).randbytes(70_000)
# Empty, short, what is said before, what does not get shorter, longer than a window, and in fragments.
MESSAGES = ["", "a", EVENT, EVENT, "zażółć gęślą jaźń 🏈 " * 40, b"", b"\x00" * 5000, NOISE, NOISE[:300], EVENT * 400, b"\x01\x02" * 40_000]
FRAGMENTS = [EVENT[:20], EVENT[20:], EVENT * 9, ""]


async def converse(socket):
    for message in MESSAGES:
        await socket.send(message)
        assert await socket.recv() == message, f"{len(message)} octets came back changed"
    await socket.send(FRAGMENTS)
    assert await socket.recv() == "".join(FRAGMENTS)
    # Many under way at the same time, and control frames between them.
    pongs = [await socket.ping(str(number)) for number in range(8)]
    for message in MESSAGES:
        await socket.send(message)
    for message in MESSAGES:
        assert await socket.recv() == message
    for pong in pongs:
        await pong
    return 2 * len(MESSAGES) + 1


def clients():
    yield None
    for takeover, bits in itertools.product(itertools.product([False, True], repeat=2), [(None, None), (9, 9), (15, True), (12, 10)]):
        yield ClientPerMessageDeflateFactory(
            server_no_context_takeover=takeover[0], client_no_context_takeover=takeover[1],
            server_max_window_bits=bits[0], client_max_window_bits=bits[1])
    yield ClientPerMessageDeflateFactory(server_max_window_bits=8)


async def against_server(path, *options):
    process = subprocess.Popen([path, "--listen", "127.0.0.1:0", *options], stdout=subprocess.PIPE, text=True)
    try:
        address = process.stdout.readline().split()[-1]
        count = 0
        for factory in clients():
            async with connect(f"ws://{address}", compression=None, extensions=[factory] if factory else None, max_size=None) as socket:
                assert bool(socket.protocol.extensions) == bool(factory), "compression was not granted"
                count += await converse(socket)
                await socket.close(4001, "bye")
                assert socket.close_code == 4001
        return count
    finally:
        process.terminate()
        assert process.wait(10) == 0


async def against_client(path):
    count = 0
    for takeover, bits in itertools.product(itertools.product([False, True], repeat=2), [(None, None), (9, 9), (15, 15), (12, 10)]):
        outcome = asyncio.get_running_loop().create_future()

        async def handle(socket):
            try:
                assert socket.protocol.extensions, "compression was not agreed on"
                result = await converse(socket)
                await socket.close(4002)
                assert socket.close_code == 4002
                outcome.set_result(result)
            except BaseException as failure:
                outcome.set_exception(failure)

        factory = ServerPerMessageDeflateFactory(
            server_no_context_takeover=takeover[0], client_no_context_takeover=takeover[1],
            server_max_window_bits=bits[0], client_max_window_bits=bits[1])
        async with serve(handle, "127.0.0.1", 0, compression=None, extensions=[factory], max_size=None) as server:
            port = server.sockets[0].getsockname()[1]
            process = await asyncio.create_subprocess_exec(path, "--server", f"127.0.0.1:{port}", "--target", "/")
            count += await asyncio.wait_for(outcome, 60)
            assert await asyncio.wait_for(process.wait(), 10) == 0
    return count


if __name__ == "__main__":
    against = {"server": against_server, "client": against_client}[sys.argv[1]]
    print(asyncio.run(against(*sys.argv[2:])))
