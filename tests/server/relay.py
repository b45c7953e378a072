"""A network address in front of a database server's socket, which can be cut off, or forward nothing."""

import contextlib
import os
import socket
import threading


class Relay:
    """Listens on 127.0.0.1 and forwards to a PostgreSQL server's socket in a folder, until it is cut off."""

    def __init__(self, folder):
        self.folder, self.lock, self.pairs, self.listener = folder, threading.Lock(), [], None
        self.flows = threading.Event()
        self.flows.set()
        with socket.create_server(("127.0.0.1", 0)) as first:
            self.port = first.getsockname()[1]
        self.mend()

    def mend(self):
        self.listener = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self.accept, args=(self.listener,), daemon=True).start()

    def cut(self):
        """Ends all connections and refuses new ones."""
        listener, self.listener = self.listener, None
        if not listener:
            return
        self.flows.set()
        listener.shutdown(socket.SHUT_RDWR)  # ends accept()
        listener.close()
        with self.lock:
            pairs, self.pairs = self.pairs, []
        for client, server, threads in pairs:
            for end in (client, server):
                with contextlib.suppress(OSError):
                    end.shutdown(socket.SHUT_RDWR)
            for thread in threads:
                thread.join()
            client.close()
            server.close()

    @contextlib.contextmanager
    def silence(self):
        """Forwards nothing, although the kernel still accepts connections and data."""
        self.flows.clear()
        try:
            yield
        finally:
            self.flows.set()

    def accept(self, listener):
        while True:
            try:
                client = listener.accept()[0]
            except OSError:
                return
            self.flows.wait()
            if listener is not self.listener:
                client.close()
                return
            server = socket.socket(socket.AF_UNIX)
            server.connect(os.path.join(self.folder, ".s.PGSQL.5432"))
            threads = [threading.Thread(target=self.pass_on, args=ends, daemon=True)
                       for ends in ((client, server), (server, client))]
            with self.lock:
                self.pairs.append((client, server, threads))
                for thread in threads:
                    thread.start()

    def pass_on(self, one, other):
        with contextlib.suppress(OSError):
            while data := one.recv(65536):
                self.flows.wait()
                other.sendall(data)
        for end in (one, other):
            with contextlib.suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
