"""The pages of the models: each has its mechanism, its plots and its equations. Values from a seed are next to those
that the program computes, and curves and numbers equal those of a run made here."""

import contextlib
import csv
import html.parser
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", "server")]

from support import Answer, DaemonTest, lacks  # noqa: E402

MBS = os.path.abspath(os.environ.get("MBS", "build/release/mbs"))
REFERENCE = os.path.join(HERE, "..", "reference")
# A run of one instant has nothing to plot.
STILL = ("equilibrium", "linearization", "relative-equilibrium")


def read_json(*path):
    with open(os.path.join(REFERENCE, *path), encoding="utf-8") as file:
        return json.load(file)


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.frames, self.equations, self.heading, self.tables, self.plots = [], 0, "", [], []
        self.kept = None
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attributes = dict(attrs)
        if tag == "iframe":
            self.frames.append(attributes["src"])
        elif tag == "math":
            self.equations += 1
        elif tag in ("h2", "h3", "td", "th"):
            self.kept = ""
        elif tag == "table":
            self.tables.append((self.heading, []))
        elif tag == "tr":
            self.tables[-1][1].append([])
        elif tag == "svg":
            self.plots.append({"label": attributes["aria-label"], "curves": [], "marks": []})
        elif tag == "path" and attributes.get("class", "").startswith("series-"):
            numbers = [float(number) for number in re.findall(r"-?[\d.]+", attributes["d"])]
            self.plots[-1]["curves"].append(list(zip(numbers[::2], numbers[1::2])))
        elif tag == "text":
            self.kept = ""
            self.at = (float(attributes["x"]), float(attributes["y"]), attributes["text-anchor"])

    def handle_data(self, data):
        if self.kept is not None:
            self.kept += data

    def handle_endtag(self, tag):
        if tag in ("h2", "h3"):
            self.heading = self.kept
        elif tag in ("td", "th"):
            self.tables[-1][1][-1].append(self.kept)
        elif tag == "text":
            self.plots[-1]["marks"].append((*self.at, self.kept))
        if tag in ("h2", "h3", "td", "th", "text"):
            self.kept = None

    def rows_under(self, heading):
        return [rows for under, rows in self.tables if under.lower() == heading.lower()]


def run(name, analysis=None):
    """Columns of a run, {array: {label: numbers}}; an array is read on first use."""
    class Arrays:
        def __init__(self, folder):
            self.folder = folder

        def __getitem__(self, array):
            with open(os.path.join(self.folder, f"{array}.csv"), encoding="utf-8", newline="") as file:
                labels, *rows = csv.reader(file)
            return {label: [float(row[k]) for row in rows] for k, label in enumerate(labels)}

    @contextlib.contextmanager
    def made():
        with tempfile.TemporaryDirectory() as folder:
            options = []
            if analysis is not None:
                options = ["--analysis", os.path.join(folder, "analysis.json")]
                with open(options[1], "w", encoding="utf-8") as file:
                    json.dump(analysis, file)
            subprocess.run([MBS, "run", name, *options, "--out", folder], check=True, stdout=subprocess.DEVNULL)
            yield Arrays(folder)

    return made()


def value_at(columns, label, t):
    times = columns["t"]
    row = min(range(len(times)), key=lambda i: abs(times[i] - t))
    return columns[label][row]


def half_of_last(text):
    """Returns half a unit of the last digit of a number in text."""
    digits, _, exponent = text.lower().partition("e")
    return 0.5 * 10.0 ** (int(exponent or 0) - len(digits.partition(".")[2])) * 1.001


class ModelPages(DaemonTest):
    def setUp(self):
        super().setUp()
        self.running = self.enterContext(self.daemon())
        listed = subprocess.run([MBS, "examples"], capture_output=True, text=True, check=True).stdout
        self.names = [line.split()[0] for line in listed.splitlines()]
        if self.ask("docs/").status != 200:
            lacks("lowdown, which makes the manual,")

    def ask(self, path):
        with contextlib.closing(self.running.connection()) as connection:
            connection.request("GET", f"/{path}")
            return Answer(connection.getresponse())

    def page(self, name):
        answer = self.ask(f"docs/models/{name}.html")
        self.assertEqual(answer.status, 200, name)
        return Page(answer.body.decode())

    def test_every_page_is_whole(self):
        for name in self.names:
            page = self.page(name)
            self.assertEqual(page.frames, [f"../../?embed#example={name}"], name)
            self.assertGreater(page.equations, 3, name)
            kind = self.ask(f"api/v1/examples/{name}").json()["analysis"].get("type", "dynamics")
            if kind in STILL:
                self.assertEqual(page.plots, [], name)
            else:
                self.assertGreaterEqual(len(page.plots), 1, name)
            for plot in page.plots:
                self.assertRegex(plot["label"], r"^\w+, from \S+ to \S+ s: .+ between \S+ and \S+", name)
                self.assertTrue(plot["curves"] and all(len(curve) > 1 for curve in plot["curves"]), name)

    def check_curve(self, points, times, values, marks):
        """Checks that points are at the values, according to the numbers along both axes."""
        down = [(y - 4, float(text.replace("\N{MINUS SIGN}", "-").replace(",", ""))) for _, y, anchor, text in marks
                if anchor == "end" and not text.startswith("t ")]
        along = [(x, float(text)) for x, _, anchor, text in marks if anchor == "middle"]
        for k, wanted, scale in ((0, times, along), (1, values, down)):
            (at, low), (end, high) = scale[0], scale[-1]
            for point, value in zip(points, wanted):
                self.assertAlmostEqual(point[k], at + (value - low) * (end - at) / (high - low), delta=0.2)

    def test_curves_are_of_the_run(self):
        for name, count in (("SP", 4), ("TP", 3)):
            page = self.page(name)
            self.assertEqual(len(page.plots), count)
            with run(name) as arrays:
                theta = arrays["theta"]
                found = [plot for plot in page.plots if plot["label"].startswith("Coordinates")]
                curves = [(curve, plot["marks"]) for plot in found for curve in plot["curves"]]
                self.assertEqual(len(curves), len(theta) - 1)
                for (points, marks), label in zip(curves, [label for label in theta if label != "t"]):
                    # A curve of many rows is drawn by the extremes of each piece: only these are compared, otherwise
                    # all points.
                    if len(points) == len(theta["t"]):
                        self.check_curve(points, theta["t"], theta[label], marks)
                    else:
                        ends = [0, len(theta["t"]) - 1]
                        self.check_curve([points[0], points[-1]], [theta["t"][i] for i in ends],
                                         [theta[label][i] for i in ends], marks)
                        for which in (min, max):
                            row = theta[label].index(which(theta[label]))
                            top = {min: max, max: min}[which](points, key=lambda point: point[1])
                            self.check_curve([top], [], [theta[label][row]], marks)

    def check_row(self, row, given, is_, ours, what):
        """Compares a line of a table with the given number, with its notation, and with the number of a run made
        here."""
        self.assertEqual(row[2], given, what)
        self.assertAlmostEqual(float(row[3]), ours, delta=half_of_last(row[3]) + 1e-9 * abs(ours), msg=what)
        self.assertAlmostEqual(float(row[4]), ours - is_, delta=half_of_last(row[4]) + 1e-12 * abs(ours), msg=what)

    def test_numbers_that_seeds_print(self):
        compared = 0
        for name, entry in read_json("seeds.json")["models"].items():
            page = self.page(name)
            for values in entry.get("values", []):
                analysis = dict(values["analysis"])
                if "formulations" in values:
                    analysis["formulation"] = values["formulations"][-1]
                with run(name, analysis) as arrays:
                    columns = arrays[values["array"]]
                labels = [label for label in columns if label != "t"]
                tables = page.rows_under(values["place"])
                self.assertEqual(len(tables), 1, f"{name}: {values['place']}")
                wanted = [(t, labels[c], given) for t, row in zip(values["t"], values["given"])
                          for c, given in zip(values["columns"], row)]
                self.assertEqual(len(tables[0]), len(wanted) + 1)
                for line, (t, label, given) in zip(tables[0][1:], wanted):
                    ours = value_at(columns, label, t) * values.get("factor", 1)
                    self.assertAlmostEqual(float(line[0]), t, delta=1e-6)
                    self.check_row(line, given, float(given), ours, f"{name}: {values['place']}, {line}")
                    self.assertLessEqual(abs(float(line[4])), values["tolerance"])
                    compared += 1
            if "counts" in entry:
                rows = page.rows_under("What it counts")[0][1:]
                self.assertEqual([(row[0], row[2], row[3], row[4]) for row in rows],
                                 [(count["place"], str(count["value"]), str(count["value"]), "0")
                                  for count in entry["counts"]])
        self.assertGreaterEqual(compared, 45)

    def test_results_of_the_programs(self):
        seeds = read_json("seeds.json")
        shown = seeds["programs"]["shown"]
        for name, entry in seeds["models"].items():
            if "results" not in entry:
                continue
            theirs = read_json("dap", f"{entry['results']}.json")
            formulation = "body" if entry["results"].startswith("BC") else "joint"
            with run(name, {**seeds["programs"]["analysis"], "formulation": formulation}) as arrays:
                uT = arrays["uT"]
            labels = [label for label in uT if label != "t"][:(len(uT) - 1) // 2]
            instants, largest = self.page(name).rows_under("Results of the program that it comes from")
            wanted = [(theirs["T"].index(t), label, k) for t in shown for k, label in enumerate(labels)]
            self.assertEqual(len(instants), len(wanted) + 1)
            for line, (i, label, k) in zip(instants[1:], wanted):
                is_, ours = theirs["uT"][i][k], value_at(uT, label, theirs["T"][i])
                self.assertAlmostEqual(float(line[2]), is_, delta=half_of_last(line[2]) + 1e-7 * abs(is_))
                self.check_row(line, line[2], is_, ours, f"{name}: {line}")
            numbers = {row[0]: row[1:] for row in largest[1:]}
            difference = max(abs(value_at(uT, label, t) - row[k]) for t, row in zip(theirs["T"], theirs["uT"])
                             for k, label in enumerate(label for label in uT if label != "t"))
            self.assertEqual(int(numbers["uT"][0]), len(theirs["T"]) * (len(uT) - 1))
            self.assertAlmostEqual(float(numbers["uT"][2]), difference, delta=half_of_last(numbers["uT"][2]) + 1e-15)
            tolerances = {each["array"]: each["tolerance"] for each in seeds["programs"]["arrays"]}
            for array, (_, size, most) in numbers.items():
                self.assertLessEqual(float(most), tolerances[array] * max(1, float(size)), f"{name}: {array}")

    def test_misprints_are_told(self):
        text = self.ask("docs/models/SP.html").body.decode()
        self.assertIn("Misprints of the seed", text)
        self.assertIn("Meant: 0, by the manual", text)


if __name__ == "__main__":
    unittest.main()
