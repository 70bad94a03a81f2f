"""Proxy on loopback, in a thread, that simulates a cable between browser and server that can be cut."""

import socket
import threading


class Cable:
    """Forwards bytes to the port ``to``; `cut` closes open connections and refuses new ones, `mend` accepts them again."""

    def __init__(self) -> None:
        self.to, self.whole = 0, True
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._open: set[socket.socket] = set()
        self._near: set[socket.socket] = set()  # the open sockets at the browser's end
        self._silent: set[socket.socket] = set()  # left open without data
        self._lock = threading.Lock()
        threading.Thread(target=self._accept, daemon=True).start()

    def cut(self, both: bool = True) -> None:
        """Close the connections at both ends, or only at the server's: the browser's stay open without data."""
        self.whole = False
        with self._lock:
            if not both:
                self._silent |= self._near
            ends = self._open - self._silent
        for end in ends:
            self._end(end)

    def mend(self) -> None:
        self.whole = True

    def close(self) -> None:
        self._listener.close()
        self._silent.clear()
        self.cut()

    def _accept(self) -> None:
        while True:
            try:
                near, _ = self._listener.accept()
            except OSError:
                return
            try:
                far = socket.create_connection(("127.0.0.1", self.to))
            except OSError:
                near.close()
                continue
            with self._lock:
                self._open |= {near, far}
                self._near.add(near)
            if self.whole:  # checked after both are in `_open`: a cut in between closes them too
                for a, b in ((near, far), (far, near)):
                    threading.Thread(target=self._pass, args=(a, b), daemon=True).start()
            else:
                self._end(near)
                self._end(far)

    def _pass(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            sink.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # in the try: a cut before it ends this thread only
            while data := source.recv(65536):
                sink.sendall(data)
        except OSError:
            pass
        self._end(source)
        self._end(sink)

    def _end(self, one: socket.socket) -> None:
        with self._lock:
            if one in self._silent:
                return
            self._open.discard(one)
            self._near.discard(one)
        try:
            one.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass
        one.close()
