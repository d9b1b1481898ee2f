"""pg_top: its batch mode, with each of its lists and orders."""

import os
import re
import subprocess

from steps import Steps

WAYS = {
    "processes": [],
    "by memory": ["-o", "size"],
    "commands": ["-c"],
    "busy ones alone": ["-I"],
    "input and output": ["-X"],
    "replication": ["-R"],
    "of a user": ["-z", os.environ["PGUSER"]],
    "remote": ["-r"],
    "twice": ["-x", "2", "-s", "1"],
}


def top(options):
    """What it shows. On a busy machine it ends now and then without having shown a list: then it is asked again."""
    for _ in range(5):
        seen = shown(options)
        if seen["heads"] or seen["errors"]:
            break
    return seen


def shown(options):
    """Its headings, and the lines about sessions of ours, without what changes."""
    done = subprocess.run(
        ["pg_top", "-b", "-x", "1", *options, "-h", os.environ["PGHOST"], "-p", os.environ["PGPORT"],
         "-U", os.environ["PGUSER"], "-d", os.environ["PGDATABASE"]],
        capture_output=True, text=True, check=False, timeout=60,
    )
    lines = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    heads = {re.sub(r"[\d.,+:]+[KMGT%]?", "N", line) for line in lines if re.match(r"(PID|Swap)", line)}
    roles = {match[1] for line in lines if (match := re.match(r"\d+ (postgres|monitor)\b", line))}
    errors = [line for line in lines if re.search(r"error|fail|not allowed|denied", line, re.IGNORECASE)]
    return {"status": done.returncode, "heads": sorted(heads), "roles": sorted(roles), "errors": errors}


version = subprocess.run(["pg_top", "--version"], capture_output=True, text=True, check=True).stdout
step = Steps("pg_top", version.split()[-1])
for name, options in WAYS.items():
    step.run(name, lambda options=options: top(options))
