"""pgbench: its select-only script and scripts of one's own, by each protocol, and the scripts that write."""

import re
import subprocess

from steps import Steps

# The contents are checked by the scripts themselves: a division by zero of pgbench's own is an error.
SCRIPTS = {
    "gset": r"""
SELECT abalance AS balance, aid FROM pgbench_accounts WHERE aid = 7 \gset
\if :balance = 0 and :aid = 7
\else
\set wrong 1 / 0
\endif
""",
    "aset": r"""
SELECT 1 AS one \; SELECT 2 AS two \aset
\if :one + :two <> 3
\set wrong 1 / 0
\endif
""",
    "variables": r"""
\set aid random_zipfian(1, 100000, 1.1)
\set delta random(-5000, 5000)
SELECT a.aid, b.bid, a.abalance + :delta FROM pgbench_accounts a JOIN pgbench_branches b USING (bid) WHERE aid = :aid;
""",
    "transaction": r"""
BEGIN;
SELECT count(*) AS many FROM pgbench_tellers \gset
SAVEPOINT s;
SELECT count(*) FROM pgbench_branches;
ROLLBACK TO s;
END;
\if :many <> 10
\set wrong 1 / 0
\endif
""",
    "sleep": r"""
SELECT bid FROM pgbench_branches;
\sleep 5 ms
SELECT tid FROM pgbench_tellers ORDER BY tid;
""",
    "error of a table": "SELECT * FROM no_such_table;\n",
}
PIPELINES = {
    "pipeline": r"""
\startpipeline
SELECT abalance FROM pgbench_accounts WHERE aid = 1;
SELECT abalance FROM pgbench_accounts WHERE aid = 2;
SELECT bbalance FROM pgbench_branches WHERE bid = 1;
\endpipeline
SELECT 1;
""",
}
WRITES = {
    "TPC-B": ["--builtin=tpcb-like"], "simple update": ["--builtin=simple-update"],
    "initialization": ["--initialize", "--init-steps=dtgvp"],
}


class Failed(Exception):
    """What pgbench says in place of its report."""


def bench(*options, script=None):
    """How many transactions were processed, and what the report says beside times."""
    words = ["pgbench", *options]
    if script:
        with open("script.sql", "w", encoding="utf-8") as file:
            file.write(script)
        words.append("--file=script.sql")
    if "--initialize" not in options:
        words += ["--no-vacuum", "--client=2", f"--transactions={2 if '--connect' in options else 20}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    errors = re.findall(r"^(?:pgbench: error: |ERROR: +)(.*)", done.stderr, re.MULTILINE)
    if done.returncode or errors:
        # Which of the clients was first changes, and what it was at.
        raise Failed((errors[0] if errors else done.stderr).rpartition("ERROR:")[2].strip())
    report = re.findall(r"^(transaction type|scaling factor|query mode|number of (?:clients|threads|transactions actually"
                        r" processed|failed transactions)): (.*)", done.stdout, re.MULTILINE)
    return dict(report)


version = subprocess.run(["pgbench", "--version"], capture_output=True, text=True, check=True).stdout
step = Steps("pgbench", re.search(r"[\d.]+", version)[0])
for mode in ("simple", "extended", "prepared"):
    step.run(f"select only, {mode}", lambda mode=mode: bench("--select-only", f"--protocol={mode}"))
    step.run(f"reconnecting, {mode}", lambda mode=mode: bench("--select-only", "--connect", f"--protocol={mode}"))
    for name, script in (SCRIPTS | PIPELINES if mode != "simple" else SCRIPTS).items():
        # Only in a simple message can several statements stand.
        if name != "aset" or mode == "simple":
            step.run(f"{name}, {mode}", lambda mode=mode, script=script: bench(f"--protocol={mode}", script=script))
step.run("latencies", lambda: bench("--select-only", "--report-per-command", "--latency-limit=10000"))
step.run("rate", lambda: bench("--select-only", "--rate=2000"))
for name, options in WRITES.items():
    step.run(name, lambda options=options: bench(*options), write=True)
