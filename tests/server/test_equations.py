"""Equations of documents and of jobs over HTTP: errors and their places, formats, states, and agreement with a job's
row."""

import json
import pathlib
import time
import unittest

from support import DaemonTest, chain

MODELS = pathlib.Path(__file__).parents[2] / "models"


def model(name):
    return json.loads((MODELS / f"{name}.json").read_text())


def dense(matrix):
    """Returns the numbers of a matrix, row by row, assembled from its blocks."""
    rows = [row if isinstance(row, list) else [row] for row in matrix["blocks"]]
    return [sum((block["value"][k] for block in row), []) for row in rows for k in range(len(row[0]["value"]))]


class Equations(DaemonTest):
    def post(self, daemon, body, query="", status=200):
        answer = daemon.request("POST", f"/equations{query}", body)
        self.assertEqual(answer.status, status, answer.body)
        return answer

    def pointers(self, answer):
        return sorted(error["pointer"] for error in answer.json()["errors"])

    def test_documents(self):
        with self.daemon("--workers=1") as daemon:
            shown = self.post(daemon, model("SC")).json()
            self.assertEqual([block["text"] for block in shown["C"]["blocks"][0]], ["~d_{*,1}", "~d_{*,2}", "-u_3"])
            self.assertEqual([len(row) for row in dense(shown["C"])], [3, 3])
            self.assertLess(shown["residual"], 1e-10)
            self.assertIn("M theta'' - C' lambda = h", shown["system"])
            only = self.post(daemon, model("SC"), "?only=M,h").json()
            self.assertEqual([name for name in ("B", "C", "M", "h") if name in only], ["M", "h"])
            self.assertNotIn("d_{*,1}", [symbol["name"] for symbol in only["symbols"]])
            body = self.post(daemon, {"model": model("SC"), "formulation": "body"}).json()
            self.assertEqual(body["formulation"], "body")
            self.assertEqual(body["B"]["blocks"][0][0]["text"], "I")
            sparse = self.post(daemon, {"model": model("SC"), "sparse": True}).json()
            self.assertEqual([(block["row"], block["column"]) for block in sparse["B"]["blocks"]],
                             [(0, 0), (1, 0), (2, 0), (2, 1), (3, 0), (3, 1), (4, 2)])
            for form, kind in [("text", "text/plain"), ("latex", "application/x-latex"), ("mathml", "text/html")]:
                answer = self.post(daemon, model("SC"), f"?format={form}")
                self.assertTrue(answer.headers["Content-Type"].startswith(kind))
            # A model without an analysis has equations, too.
            bare = model("SC")
            del bare["analysis"]
            self.post(daemon, bare)

    def test_symbols_for_reading(self):
        with self.daemon("--workers=1") as daemon:
            meaning = "matrix that maps half the rates of the Euler parameters to the angular velocity of arm"
            for form, row, numbers in (("text", "\n  E_1 ", 12), ("latex", "\n$\\mathbf{E}_{1}$ & ", 12),
                                       ("mathml", f"<td>{meaning}</td>", 12)):
                text = self.post(daemon, model("McPherson"), f"?format={form}").body.decode()
                line = text[text.index(row):].lstrip("\n").split("\n")[0]
                values = line.replace(meaning, "").replace(row, "").split("&" if form == "latex" else "= ")[-1]
                self.assertEqual(values.count(",") + values.count(";"), numbers - 1, line)
                self.assertNotIn("-0.117547 1", text)
            self.assertRegex(text, "rate of the prescribed function of driver rise</td><td>4 m/s</td>")
            zeros = text[text.index("<h2>Bdot theta'</h2>"):].split("</table>")[0]
            self.assertIn("all rows are 0", zeros)

    def test_values_have_the_form_of_their_kind(self):
        kinds = {"scalar": 0, "vector": 1, "matrix": 2}
        rows = set()
        with self.daemon("--workers=1") as daemon:
            for path in sorted(MODELS.glob("*.json")):
                shown = self.post(daemon, json.loads(path.read_text())).json()
                for symbol in shown["symbols"]:
                    depth, part = 0, symbol["value"]
                    while isinstance(part, list):
                        depth, part = depth + 1, part[0]
                    self.assertEqual(depth, kinds[symbol["kind"]], (path.name, symbol["name"]))
                    rows |= {len(symbol["value"])} if depth == 2 else set()
        self.assertTrue({1, 3} <= rows)  # includes matrices of one row, such as D of a driver

    def test_states(self):
        with self.daemon("--workers=1") as daemon:
            at = {"t": 0, "q": {"rail.q": -0.524071, "pin.q": -0.26009}, "v": {"rail.qd": 0.176917, "pin.qd": 0.41568}}
            shown = self.post(daemon, {"model": model("SP"), "at": at}).json()
            numbers = {symbol["name"]: symbol["value"] for symbol in shown["symbols"]}
            for got, wanted in zip(numbers["d_{2,2}"] + numbers["dot(d_{2,2})"],
                                   [-0.128584, -0.483183, 0.20085, -0.0534497]):
                self.assertAlmostEqual(got, wanted, places=6)
            for got, wanted in zip(sum(dense(shown["M"]), []), [7, 0.966367, 0.966367, 0.7]):
                self.assertAlmostEqual(got, wanted, places=5)
            listed = self.post(daemon, {"model": model("SP"), "at": {"q": [-0.524071, -0.26009]}}).json()
            self.assertEqual(listed["q"]["pin.q"], -0.26009)
            off = self.post(daemon, {"model": model("SC"), "at": {"q": {"O.q": 2}}}).json()
            self.assertGreater(off["residual"], 1e-3)
            # The position of a driven mechanism is determined at any time.
            driven = self.post(daemon, {"model": model("SCd"), "at": {"t": 0.2},
                                        "analysis": {"type": "inverse-dynamics", "t_end": 1, "dt": 0.1}}).json()
            self.assertAlmostEqual(driven["q"]["O.q"], 2.3038346126325147, places=9)
            self.assertLess(driven["residual"], 1e-9)

    def test_refusals(self):
        with self.daemon("--workers=1") as daemon:
            answer = self.post(daemon, {"model": model("SP"), "at": {"q": {"pin.qq": 1, "rail.q": "x"}, "w": 1}}, status=422)
            self.assertEqual(self.pointers(answer), ["/at/q/pin.qq", "/at/q/rail.q", "/at/w"])
            self.assertIn("pin.q", answer.body.decode() if isinstance(answer.body, bytes) else answer.body)
            for at, pointer in [({"t": 0.3}, "/at/t"), ({"q": [1]}, "/at/q"), ({"v": 3}, "/at/v"), (4, "/at")]:
                answer = self.post(daemon, {"model": model("SP"), "at": at}, status=422)
                self.assertEqual(self.pointers(answer), [pointer])
            answer = self.post(daemon, {"model": model("SP"), "formulation": "jiont", "sparse": 1}, status=422)
            self.assertEqual(self.pointers(answer), ["/formulation", "/sparse"])
            wrong = model("SP")
            wrong["joints"][0]["type"] = "hinge"
            self.assertEqual(self.pointers(self.post(daemon, {"model": wrong}, status=422)), ["/model/joints/0/type"])
            for query in ("?format=xml", "?only=K", "?mathml=1", "?what=1"):
                self.post(daemon, model("SP"), query, status=400)

    def test_large(self):
        """Equations that are too large are refused before anything is derived, with an alternative."""
        with self.daemon("--workers=1") as daemon:
            links = chain(links=120, t_end=1, dt=0.1)
            for query, body in [("", links), ("?only=M", links), ("?only=B", {"model": chain(links=300, t_end=1, dt=0.1)})]:
                answer = self.post(daemon, body, query, status=413)
                problem = answer.json()
                self.assertEqual(problem["type"].rsplit(":", 1)[-1], "equations-too-large")
                self.assertNotIn("body", problem["title"])
                self.assertNotIn("errors", problem)
                self.assertIn("?only=B", problem["detail"])
            for only in ("B,Bdot_thetad", "Bdot_thetad"):
                shown = self.post(daemon, {"model": links, "sparse": True}, f"?only={only}").json()
                self.assertEqual([name in shown for name in ("B", "Bdot_thetad", "M")], ["B" in only.split(","), True, False])
            self.assertEqual(self.post(daemon, links, "?only=Bdot_thetad&format=text").status, 200)
            texts = [block["text"] for block in shown["Bdot_thetad"]["blocks"]]
            claim = {"model": links, "claim": {"Bdot_thetad": [text for text in self.whole(shown)]}}
            answer = daemon.request("POST", "/check", claim)
            self.assertEqual(answer.status, 200, answer.body)
            self.assertTrue(answer.json()["right"])
            self.assertGreater(len(texts), 100)
            answer = daemon.request("POST", "/check", {"model": links, "claim": {"M": [[None] * 120] * 120}})
            self.assertEqual(answer.status, 413, answer.body)
            self.assertIn('"claim" may contain only the matrices B', answer.json()["detail"])

    def test_shipped_models(self):
        """Each shipped model has equations in both formulations."""
        with self.daemon("--workers=1") as daemon:
            for path in sorted(MODELS.glob("*.json")):
                for formulation in ("joint", "body"):
                    with self.subTest(path.stem, formulation=formulation):
                        self.post(daemon, {"model": model(path.stem), "formulation": formulation})

    def test_all_wrong(self):
        """If everything is wrong, all errors are reported quickly and briefly; typical errors are identified only for
        the first blocks."""
        def wrong(block):
            zero = block["text"] == "0"
            return [[1.5] * len(row) for row in block["value"]] if zero else f"-2 ({block['text']})"

        with self.daemon("--workers=1") as daemon:
            links = chain(links=30, t_end=1, dt=0.1)
            shown = self.post(daemon, links).json()
            claim = {name: [[wrong(block) for block in row] if isinstance(row, list) else wrong(row)
                            for row in shown[name]["blocks"]] for name in ("B", "Bdot_thetad", "M", "h")}
            begun = time.monotonic()
            answer = daemon.request("POST", "/check", {"model": links, "claim": claim})
            print(f"{time.monotonic() - begun:.2f} s, {len(answer.body)} bytes")
            self.assertEqual(answer.status, 200, answer.body)
            self.assertLess(len(answer.body), 2 << 20)
            checked = answer.json()
            entries = checked["entries"]
            self.assertGreater(len(entries), 2000)
            self.assertNotIn("right", {entry["verdict"] for entry in entries})
            self.assertEqual(entries[0]["slips"][0]["slip"], "sign")
            self.assertTrue(any(entry.get("slips_sought") is False for entry in entries))
            self.assertEqual(entries[0]["at"], checked["states"][entries[0]["state"]])
            self.assertEqual([k for k, entry in enumerate(entries) if "at" in entry], list(range(100)))
            self.assertIn("assembled", checked["states"][0])

    def whole(self, shown):
        """Returns all blocks of a vector that was shown in sparse form."""
        vector = shown["Bdot_thetad"]
        blocks = {block["row"]: block["text"] for block in vector["blocks"]}
        return [blocks.get(row, 0) for row in range(len(vector["rows"]))]

    def test_jobs(self):
        with self.daemon("--workers=1") as daemon:
            job = daemon.submit(model("SC"), wait=True)["id"]
            answer = daemon.get(f"/jobs/{job}/equations?t=0.497")
            self.assertEqual(answer.status, 200, answer.body)
            shown = answer.json()
            rows = daemon.get(f"/jobs/{job}/results/T").json()["data"]
            times = [row[0] if isinstance(row, list) else row for row in rows]
            row = min(range(len(times)), key=lambda k: abs(times[k] - 0.497))
            self.assertEqual(shown["t"], times[row])
            jacobian = daemon.get(f"/jobs/{job}/results/Jac").json()["data"][row]
            for got, wanted in zip(sum(dense(shown["C"]), []), sum(jacobian, [])):
                self.assertAlmostEqual(got, wanted, places=12)
            self.assertEqual(daemon.get(f"/jobs/{job}/equations?t=soon").status, 400)
            self.assertEqual(daemon.get("/jobs/nothing/equations").status, 404)


if __name__ == "__main__":
    unittest.main()
