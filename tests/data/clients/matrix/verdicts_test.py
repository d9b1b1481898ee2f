"""What a verdict says of reports that are alike, differ, are cut off or hide something."""

import json
import sys
import unittest
from pathlib import Path

sys.dont_write_bytecode = True
sys.path.insert(0, str(Path(__file__).resolve().parent))

import table  # noqa: E402
from verdicts import judge, read_report  # noqa: E402

WHO = {"client": "c", "version": "1"}
ROWS = {"step": "rows", "value": [[1, "a"], [2, None]]}
WRITE = {"step": "delete", "write": True, "error": "25006", "message": "no"}


def report(*lines, status=0, timed_out=False, errors=""):
    return read_report("\n".join(json.dumps(line) for line in lines), status, errors, timed_out)


class Verdicts(unittest.TestCase):
    def check(self, direct, proxied, word, note, refused=None, unshared=()):
        verdict = judge(report(WHO, *direct), report(WHO, *proxied), refused or {}, unshared)
        self.assertEqual((verdict.word, verdict.note), (word, note))

    def test_alike(self):
        self.check([ROWS], [ROWS, WRITE], "ok", "1 steps, 1 writes refused")

    def test_another_value(self):
        other = {"step": "rows", "value": [[1, "a"], [2, "b"]]}
        self.check([ROWS], [other], "FAIL", 'rows: [1][1] is null direct and "b" through pgsieve')

    def test_a_step_of_an_unshared_connection(self):
        other = {"step": "rows", "value": [[1, "b"]]}
        self.check([ROWS], [other], "ok", "1 steps, 0 writes refused", unshared={"rows"})
        broken = {"step": "rows", "error": "57P01", "message": "gone"}
        self.check([ROWS], [broken], "FAIL", 'rows: [[1, "a"], [2, null]] direct and 57P01 gone through pgsieve',
                   unshared={"rows"})
        self.check([ROWS], [ROWS], "FAIL",
                   "no step has the name pid, which is listed as one of a connection of one's own", unshared={"pid"})

    def test_a_row_less(self):
        other = {"step": "rows", "value": [[1, "a"]]}
        self.check([ROWS], [other], "FAIL", 'rows: [1] is [2, null] direct and "nothing" through pgsieve')

    def test_true_is_not_one(self):
        self.check([{"step": "v", "value": {"a": True}}], [{"step": "v", "value": {"a": 1}}], "FAIL",
                   "v: .a is true direct and 1 through pgsieve")

    def test_an_error_in_place_of_a_value(self):
        error = {"step": "rows", "error": "42501", "message": "no"}
        self.check([ROWS], [error], "FAIL", 'rows: [[1, "a"], [2, null]] direct and 42501 no through pgsieve')

    def test_another_message(self):
        one, other = ({"step": "error: e", "error": "42703", "message": text} for text in ("a", "b"))
        self.check([one], [one], "ok", "1 steps, 0 writes refused")
        self.check([one], [other], "FAIL", "error: e: 42703 a direct and 42703 b through pgsieve")

    def test_a_step_that_is_not_there(self):
        self.check([ROWS], [WRITE], "FAIL", "rows: is no step of the run through pgsieve")
        self.check([ROWS], [ROWS, {"step": "more", "value": 1}], "FAIL", "more: is no step of the direct run")

    def test_a_write_that_passes(self):
        self.check([ROWS], [ROWS, {"step": "delete", "write": True, "value": 1}], "FAIL", "delete: a write was not refused: 1")

    def test_a_write_without_pgsieve(self):
        self.check([ROWS, WRITE], [ROWS, WRITE], "FAIL", "delete: a write was run without pgsieve")

    def test_an_accident_without_pgsieve(self):
        error = {"step": "rows", "error": "NameError", "message": "x"}
        self.check([error], [error], "FAIL", "rows: has no error in its name, and ends in one without pgsieve: NameError x")

    def test_refused(self):
        error = {"step": "rows", "error": "42501", "message": "no"}
        refused = {"rows": "ddl: why"}
        self.check([ROWS], [error, WRITE], "refused", "rows: ddl: why", refused)
        self.check([ROWS], [ROWS], "FAIL", "rows: is listed as refused, and passes", refused)
        self.check([ROWS], [ROWS], "FAIL", "no step has the name gone, which is listed as refused", {"gone": "ddl: why"})

    def test_all_else_refused(self):
        error = {"step": "rows", "error": "42501", "message": "no"}
        more = {"step": "more", "value": 1}
        refused = {"*": "ddl: why"}
        self.check([ROWS, more], [error, more, WRITE], "refused", "1 of 2 steps: ddl: why", refused)
        self.check([ROWS], [ROWS], "FAIL", "all else is listed as refused, and all else passes", refused)
        other = {"step": "rows", "value": 7}
        self.check([ROWS], [other], "FAIL", 'rows: value is [[1, "a"], [2, null]] direct and 7 through pgsieve', refused)

    def test_broken(self):
        for broken, note in (
            (report(WHO, ROWS, status=1, errors="a\nKeyError: 'x'\n"), "ended with 1 after the step rows: KeyError: 'x'"),
            (report(WHO, ROWS, status=-9, timed_out=True), "did not end within its time, after the step rows"),
            (report(WHO), "has no step"),
            (report(ROWS), "never said who it is"),
            (report(WHO, ROWS, ROWS), "said the step rows twice"),
            (report(WHO, {"step": "x"}), 'said what is no step: {"step": "x"}'),
            (read_report("hello", 0, "", False), "said what is no JSON: hello"),
        ):
            self.assertEqual(judge(report(WHO, ROWS), broken, {}).note, f"through pgsieve: {note}")
            self.assertEqual(judge(broken, report(WHO, ROWS), {}).word, "FAIL")


class Tables(unittest.TestCase):
    def test_a_line_for_each_client(self):
        rows = [
            {"client": "b", "version": "2", "policy": "bi", "verdict": "ok", "note": "3 steps"},
            {"client": "b", "version": "2", "policy": "agent", "verdict": "refused", "note": "x: a | b"},
            {"client": "A", "version": "", "policy": "agent", "verdict": "SKIPPED", "note": "not here"},
            {"client": "A", "version": "", "policy": "bi", "verdict": "SKIPPED", "note": "not here"},
        ]
        self.assertEqual(table.table(rows).splitlines()[2:], [
            "| A |  | SKIPPED | SKIPPED | not here |",
            "| b | 2 | refused | ok | agent: x: a \\| b; bi: 3 steps |",
        ])


unittest.main(verbosity=0)
