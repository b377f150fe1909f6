"""Runs inside the sandbox: carries a loopback port to a Unix socket while one program runs.

The sandbox has no network, and programs speak HTTP to an address with a port. So this
listens on 127.0.0.1, passes every byte on to the socket that the worker's proxy has put
into the sandbox, starts the program, and ends with its exit code. It knows no key, reads
nothing of what it carries, and needs nothing but the standard library: the system's own
Python runs its text (`python3 -I -S -c TEXT`), so the sandbox need not be shown where the
worker is installed.

Arguments: PORT SOCKET PROGRAM [ARGUMENT …]
"""

import contextlib
import os
import signal
import socket
import sys
import threading

CHUNK = 64 * 1024
MAX_CONNECTIONS = 64
"""At a time; more wait in the backlog. Each costs two threads of the session's processes."""
CANNOT_RUN = 127


def pump(source: socket.socket, target: socket.socket) -> None:
    """Carry bytes one way until one end is done, and tell the other end."""
    with contextlib.suppress(OSError):
        while chunk := source.recv(CHUNK):
            target.sendall(chunk)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)


def carry(client: socket.socket, path: str, slots: threading.Semaphore) -> None:
    """Carry one connection both ways until both ends are done, then give its slot back."""
    try:
        with (
            client,
            socket.socket(socket.AF_UNIX) as server,
            contextlib.suppress(OSError, RuntimeError),
        ):
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server.connect(path)
            back = threading.Thread(target=pump, args=(server, client), daemon=True)
            back.start()
            pump(client, server)
            back.join()
    finally:
        slots.release()


def serve(listener: socket.socket, path: str) -> None:
    """Take connections for as long as the process lives."""
    slots = threading.Semaphore(MAX_CONNECTIONS)
    while True:
        slots.acquire()
        client, _ = listener.accept()
        try:
            threading.Thread(target=carry, args=(client, path, slots), daemon=True).start()
        except RuntimeError:  # the session has used up its processes
            client.close()
            slots.release()


def start(argv: list[str]) -> int:
    """Start the program with our own standard streams; give its process id."""
    pid = os.fork()
    if pid:
        return pid
    try:
        os.execvp(argv[0], argv)  # noqa: S606 -- starting it is this script's duty
    except OSError as error:
        os.write(2, f"{argv[0]} cannot be run: {error.strerror}\n".encode())
    os._exit(CANNOT_RUN)


def main() -> int:
    """Listen, start the program, wait for it; its exit code, or 128 and its signal."""
    port, path, *argv = sys.argv[1:]
    listener = socket.create_server(("127.0.0.1", int(port)), backlog=128)
    # forked before the first thread: a child must not inherit a lock that a thread held
    pid = start(argv)
    with contextlib.suppress(OSError):
        os.close(0)  # the program's input is not ours to hold open
    threading.Thread(target=serve, args=(listener, path), daemon=True).start()
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 + signal.Signals(-code)


if __name__ == "__main__":
    sys.exit(main())
