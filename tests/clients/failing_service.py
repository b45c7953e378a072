"""A service that fails from time to time, to test how clients handle failures."""

import http.client
import http.server
import json
import socket
import threading
import time


class FailingService(http.server.ThreadingHTTPServer):
    """Keeps jobs by their Idempotency-Key. Treats each request by the next entry of `script`: "drop" (carried out, then
    closed without a response), "refuse" (closed before), "cut" (closed within the response), "page" (not JSON), a
    status, a status with its Retry-After, or "answer". The service `behind`, a (host, port), if given, carries out the requests."""

    daemon_threads = True

    def __init__(self, *script, unix=None, behind=None):
        self.script, self.seen, self.jobs, self.pauses = list(script), [], {}, []
        self.behind = behind
        if unix:
            self.address_family = socket.AF_UNIX
        super().__init__(unix or ("127.0.0.1", 0), FailingHandler)
        self.thread = threading.Thread(target=self.serve_forever, args=(0.01,))
        self.thread.start()

    def server_bind(self):
        if isinstance(self.server_address, str):
            self.socket.bind(self.server_address)
            self.server_name, self.server_port = "localhost", 0
        else:
            super().server_bind()

    def __exit__(self, *_):
        self.shutdown()
        self.thread.join()
        self.server_close()

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_address[1]}/below/"


class FailingHandler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def address_string(self):
        return "-"

    def log_message(self, *_):
        pass

    def respond(self):
        service = self.server
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        service.seen.append((time.monotonic(), self.command, self.path, dict(self.headers), body))
        act = service.script.pop(0) if service.script else "answer"
        act, later = act if isinstance(act, tuple) else (act, 1)
        if isinstance(act, int):
            self.answer(act, {"title": "Not now", "status": act, "detail": "try later"}, {"Retry-After": str(later)})
            return
        if act != "refuse":
            status, document = self.pass_on(body) if service.behind else self.work()
        if act in ("drop", "refuse"):
            self.close_connection = True
            return
        if act == "page":
            document = "<html>"
        self.answer(status, document, {"Content-Length": "1000"} if act == "cut" else None)
        self.close_connection |= act == "cut"

    def pass_on(self, body):
        connection = http.client.HTTPConnection(*self.server.behind)
        names = ("Content-Type", "Idempotency-Key", "Prefer")
        headers = {name: self.headers[name] for name in names if name in self.headers}
        connection.request(self.command, self.path.removeprefix("/below"), body, headers)
        answer = connection.getresponse()
        status, text = answer.status, answer.read().decode()
        connection.close()
        return status, text

    def work(self):
        jobs = self.server.jobs
        if self.command == "POST":
            key = self.headers["Idempotency-Key"]
            return 202, jobs.setdefault(key, {"id": f"job{len(jobs)}", "status": "succeeded", "report": {}})
        found = [key for key, job in jobs.items() if self.path.endswith(job["id"])]
        if not found:
            return 404, {"title": "Not found", "status": 404, "detail": "no such job"}
        job = jobs.pop(found[0]) if self.command == "DELETE" else jobs[found[0]]
        return 200, job

    def answer(self, status, document, headers=None):
        text = document.encode() if isinstance(document, str) else json.dumps(document).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(text)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text)

    do_GET = do_POST = do_DELETE = respond
