"""A link between browsers and the server that can stop, break and count: what a phone on the way home has."""
import socket
import threading


class Link:
    """Passes octets from a port of its own to the server's. `hold` stops them without a word, as a dead network does; `cut` ends all connections."""

    def __init__(self, server):
        self.server = server
        self.changed = threading.Condition()
        self.is_held = False
        self.limit = None
        self.needle = None
        self.sent = 0
        self.sockets = set()
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=64)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    # As a `Server` of the harness.

    @property
    def url(self):
        return f"http://{self.server.host}:{self.port}"

    def __getattr__(self, name):
        return getattr(self.server, name)

    # What it does.

    def hold(self):
        with self.changed:
            self.is_held = True

    def hold_after(self, octets):
        """Holds once that many more octets have gone to the server."""
        with self.changed:
            self.limit = self.sent + octets

    def hold_at(self, octets):
        """Holds before these octets go to the server."""
        with self.changed:
            self.needle = octets

    def release(self):
        with self.changed:
            self.is_held = False
            self.limit = self.needle = None
            self.changed.notify_all()

    def cut(self):
        with self.changed:
            for one in list(self.sockets):
                try:
                    one.shutdown(socket.SHUT_RDWR)
                except OSError:
                    pass

    def wait_held(self):
        """Returns when the limit of `hold_after` was reached."""
        with self.changed:
            assert self.changed.wait_for(lambda: self.is_held, 30), "the octets never came"

    def close(self):
        self.release()
        self.listener.close()
        self.cut()

    def _accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except OSError:
                return
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        try:
            server = socket.create_connection(("127.0.0.1", self.server.port), timeout=5)
            server.settimeout(None)
        except OSError:
            client.close()
            return
        with self.changed:
            self.sockets |= {client, server}
        back = threading.Thread(target=self._pump, args=(server, client, False), daemon=True)
        back.start()
        self._pump(client, server, True)
        back.join()
        with self.changed:
            self.sockets -= {client, server}
        client.close()
        server.close()

    def _pump(self, source, sink, is_up):
        try:
            while data := source.recv(65_536):
                with self.changed:
                    self.changed.wait_for(lambda: not self.is_held)
                    if is_up and self.needle and self.needle in data:
                        self.is_held = True
                        self.needle = None
                        self.changed.notify_all()
                        self.changed.wait_for(lambda: not self.is_held)
                    if is_up:
                        self.sent += len(data)
                        if self.limit is not None and self.sent >= self.limit:
                            self.is_held = True
                            self.limit = None
                            self.changed.notify_all()
                sink.sendall(data)
        except OSError:
            pass
        for one in (source, sink):
            try:
                one.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass
