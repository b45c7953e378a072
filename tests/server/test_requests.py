"""What requests and responses carry beside their bodies: types, tags of versions, identifiers, origins; and how long
requests take."""

import unittest

from support import DaemonTest, endless, quick, until

PATCH = {"Content-Type": "application/merge-patch+json"}


class Requests(DaemonTest):
    def test_a_body_is_json(self):
        with self.daemon() as daemon:
            for path in ("/jobs", "/validate", "/equations", "/check", "/export/fmu"):
                for kind in ("text/plain", "application/x-www-form-urlencoded", "application/jsonx"):
                    answer = daemon.request("POST", path, quick(), {"Content-Type": kind})
                    self.assertEqual((answer.status, answer.json()["type"]), (415, "urn:mbsd:problem:media-type"))
                    self.assertEqual(answer.headers["Accept-Post"], "application/json")
            for kind in ("application/json", "Application/JSON; charset=utf-8", "application/vnd.model+json"):
                self.assertEqual(daemon.request("POST", "/validate", quick(), {"Content-Type": kind}).status, 200)

    def test_tags_of_a_job(self):
        with self.daemon() as daemon:
            place = f"/jobs/{daemon.submit(quick(), wait=True)['id']}"
            first = daemon.get(place)
            tag = first.headers["ETag"]
            self.assertEqual(daemon.get(place, **{"If-None-Match": tag}).status, 304)
            changed = daemon.request("PATCH", place, {"name": "a"}, {**PATCH, "If-Match": f'"0", {tag}'})
            self.assertEqual((changed.status, changed.json()["name"]), (200, "a"))
            for method, body in (("PATCH", {"name": "b"}), ("DELETE", None)):
                answer = daemon.request(method, place, body, {**(PATCH if body else {}), "If-Match": tag})
                self.assertEqual((answer.status, answer.json()["type"]), (412, "urn:mbsd:problem:precondition-failed"))
            now = daemon.get(place, **{"If-None-Match": tag})
            self.assertEqual((now.status, now.json()["name"]), (200, "a"))
            self.assertEqual(now.headers["ETag"], changed.headers["ETag"])
            self.assertEqual(daemon.request("PATCH", place, {"keep": True}, {**PATCH, "If-Match": "*"}).status, 200)
            tag = daemon.get(place).headers["ETag"]
            self.assertEqual(daemon.request("DELETE", place, headers={"If-Match": tag}).status, 204)
            self.assertEqual(daemon.request("DELETE", place, headers={"If-Match": tag}).status, 404)

    def test_identifiers(self):
        trace = f"00-{'0af7651916cd43dd8448eb211c80319c'}-{'b7ad6b7169203331'}-01"
        with self.daemon("--log-level=info") as daemon:
            for path, status in (("/jobs", 200), ("/jobs/nothing", 404)):
                answer = daemon.get(path, **{"X-Request-Id": "r-1/2", "traceparent": trace})
                self.assertEqual((answer.status, answer.headers["X-Request-Id"], answer.headers["traceparent"]),
                                 (status, "r-1/2", trace))
            lines = until(lambda: len(found := daemon.events("http_answer")) == 2 and found)
            self.assertEqual({(line["request_id"], line["traceparent"]) for line in lines}, {("r-1/2", trace)})
            for name, value in (("X-Request-Id", "a b"), ("X-Request-Id", "x" * 201), ("traceparent", trace[:-1]),
                                ("traceparent", trace + "-more"), ("traceparent", trace.upper())):
                self.assertNotIn(name, daemon.get("/healthz", **{name: value}).headers)
            # A body that is refused before it has arrived
            answer = daemon.raw(b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nX-Request-Id: r-3\r\n"
                                b"Content-Length: 1000000000\r\n\r\n")
            self.assertIn(b" 413 ", answer)
            self.assertIn(b"X-Request-Id: r-3\r\n", answer)

    def test_pages_of_named_origins(self):
        with self.daemon("--cors-origin=https://lab.example,http://localhost:3000") as daemon:
            foreign = {"Sec-Fetch-Site": "cross-site"}
            for origin in ("https://lab.example", "http://localhost:3000"):
                asked = daemon.request("OPTIONS", "/jobs", headers={
                    "Origin": origin, "Access-Control-Request-Method": "POST",
                    "Access-Control-Request-Headers": "content-type", **foreign})
                self.assertEqual((asked.status, asked.headers["Access-Control-Allow-Origin"]), (204, origin))
                self.assertIn("POST", asked.headers["Access-Control-Allow-Methods"])
                self.assertIn("Authorization", asked.headers["Access-Control-Allow-Headers"])
                answer = daemon.request("POST", "/jobs", quick(), {"Origin": origin, **foreign})
                self.assertEqual((answer.status, answer.headers["Access-Control-Allow-Origin"]), (202, origin))
                self.assertIn("Location", answer.headers["Access-Control-Expose-Headers"])
                self.assertIn("Origin", answer.headers.get_all("Vary"))
            for origin in ("https://lab.example.evil", "https://evil.example", "null"):
                answer = daemon.request("POST", "/jobs", quick(), {"Origin": origin, **foreign})
                self.assertEqual(answer.status, 403)
                self.assertNotIn("Access-Control-Allow-Origin", answer.headers)
                self.assertNotIn("Access-Control-Allow-Origin", daemon.get("/jobs", Origin=origin).headers)
                self.assertEqual(daemon.request("OPTIONS", "/jobs", headers={
                    "Origin": origin, "Access-Control-Request-Method": "POST"}).status, 405)

    def test_several_documents(self):
        with self.daemon() as daemon:
            named = {"model": quick(), "name": 'a, ] "b"'}
            bodies = [quick(), {**quick(), "unknown": 1}, named, 5]
            answer, again = (daemon.request("POST", "/jobs", bodies, {"Idempotency-Key": "k"}) for _ in range(2))
            self.assertEqual((answer.status, again.status), (207, 207))
            parts = answer.json()["jobs"]
            self.assertEqual([part["status"] for part in parts], [202, 422, 202, 422])
            self.assertEqual(parts[1]["problem"]["errors"][0]["pointer"], "/unknown")
            self.assertEqual(parts[2]["job"]["name"], named["name"])
            ids = [part["job"]["id"] for part in parts if "job" in part]
            self.assertEqual([part["job"]["id"] for part in again.json()["jobs"] if "job" in part], ids)
            for job in ids:
                self.assertEqual(daemon.await_job(job)["status"], "succeeded")
            self.assertEqual(daemon.get(f"/jobs/{ids[0]}/model").json(), quick())
            many = daemon.request("POST", "/jobs", [quick()] * 100).json()["jobs"]
            self.assertEqual((len(many), {part["status"] for part in many}), (100, {202}))
            for body, status in (("[" + ",".join(["{}"] * 101) + "]", 413), ("[{}", 400), ("[{}] 1", 400),
                                 ("[{}}", 400), ("[]", 422)):
                self.assertEqual(daemon.request("POST", "/jobs", body).status, status)
            until(lambda: daemon.metrics()["mbsd_queue_length"] == 0)
            self.assertEqual(len(daemon.jobs()), 102)

    def test_the_limit_of_a_client_has_a_name(self):
        with self.daemon("--client-queue=1", "--workers=1") as daemon:
            statuses = [daemon.request("POST", "/jobs", endless()) for _ in range(4)]
            refused = statuses[-1]
            self.assertEqual((refused.status, refused.json()["limit"]), (429, "client-queue"))
            self.assertGreater(int(refused.headers["Retry-After"]), 0)

    def test_wrong_chunks(self):
        head = b"POST /api/v1/jobs HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"
        with self.daemon() as daemon:
            for chunks in (b"ZZ\r\n", b"2\r\n{}\r\nzz\r\n", b"2\r\n{}{}\r\n0\r\n\r\n"):
                answer = daemon.raw(head + chunks)
                self.assertIn(b" 400 ", answer.split(b"\r\n")[0])
                self.assertIn(b"application/problem+json", answer)

    def test_durations(self):
        with self.daemon() as daemon:
            job = daemon.submit(quick(), wait=True)["id"]
            daemon.get(f"/jobs/{job}")
            daemon.get("/jobs/nothing")
            name = "mbsd_http_request_duration_seconds"
            values = daemon.metrics()
            of_job = 'method="GET",route="/api/v1/jobs/{id}"'
            self.assertGreaterEqual(values[f'{name}_count{{{of_job},code="200"}}'], 1)
            self.assertEqual(values[f'{name}_bucket{{{of_job},code="404",le="+Inf"}}'], 1)
            self.assertGreater(values[f'{name}_sum{{method="POST",route="/api/v1/jobs",code="200"}}'], 0)


if __name__ == "__main__":
    unittest.main()
