"""Clients that request a large result and do not read it, for test_hanging_readers.py and tests/soak."""

import contextlib
import hashlib
import json
import socket
import time

from support import PATIENCE

# All arrays in one file, and the largest array as each kind of text and of file.
FORMATS = ("results.npz", "results/rP?format=csv", "results/rP?format=json", "results/rP?format=npy")
SMALL_BUFFER = 4096


def memory_of(daemon, what="VmRSS"):
    """Returns the memory of the daemon's own process in megabytes."""
    with open(f"/proc/{daemon.process.pid}/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(what)) / 1024


def percentile(values, part):
    values = sorted(values)
    return values[min(len(values) - 1, int(len(values) * part / 100))]


class Hanging:
    """A job whose result many clients request."""

    def __init__(self, daemon, job):
        self.daemon, self.job, self.clients = daemon, job, []
        self.whole = {name: self.digest(self.open(name)) for name in FORMATS}
        self.sizes = {name: size for name, (size, _) in self.whole.items()}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for _, client in self.clients:
            client.close()

    def open(self, name):
        client = socket.socket()
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, SMALL_BUFFER)
        client.settimeout(PATIENCE)
        client.connect((self.daemon.host, self.daemon.port))
        client.sendall(f"GET /api/v1/jobs/{self.job}/{name} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".encode())
        return client

    @staticmethod
    def digest(client):
        """Reads a response to its end. Returns the size and hash of its body, chunked or not."""
        with client, client.makefile("rb") as file:
            head = b"".join(iter(file.readline, b"\r\n")).lower()
            assert head.startswith(b"http/1.1 200 "), head
            hashed, size = hashlib.sha256(), 0
            while True:
                part = file.read(int(file.readline(), 16)) if b"chunked" in head else file.read(65536)
                hashed.update(part)
                size += len(part)
                if not part:
                    return size, hashed.hexdigest()
                if b"chunked" in head:
                    file.readline()

    def ask(self, count):
        """Opens `count` connections that request a result and do not read it."""
        for i in range(count):
            name = FORMATS[i % len(FORMATS)]
            self.clients.append((name, self.open(name)))

    def look(self, seconds):
        """Polls the service and the job, and posts documents, each on its own connection. Returns the milliseconds of
        each."""
        looks = {"/healthz": [], f"/jobs/{self.job}": [], "POST /validate": []}
        paths = ("/healthz", f"/api/v1/jobs/{self.job}")
        document = json.dumps({"bodies": [{"name": "a"}]})
        client = self.daemon.connection()
        with contextlib.closing(client):
            end = time.monotonic() + seconds
            while time.monotonic() < end:
                for name, (method, path, body) in zip(looks, (("GET", paths[0], None), ("GET", paths[1], None),
                                                              ("POST", "/api/v1/validate", document))):
                    begin = time.monotonic()
                    client.request(method, path, body)
                    client.getresponse().read()
                    looks[name].append(1000 * (time.monotonic() - begin))
                time.sleep(0.005)
        return looks

    def read_on(self, count):
        """Lets `count` of the clients read their response. Returns how many get the same as a fast reader."""
        chosen, self.clients = self.clients[:count], self.clients[count:]
        return sum(self.digest(client) == self.whole[name] for name, client in chosen)
