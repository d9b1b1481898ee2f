"""check_pgactivity: its services that ask a database and need no superuser; twice where they tell of the time between."""

import os
import re
import subprocess
import time

from steps import Steps

PROGRAM = "/usr/lib/nagios/plugins/check_pgactivity"
SHARES = ["-w", "90%", "-c", "95%"]
AGES = ["-w", "10d", "-c", "20d"]
SERVICES = {
    "autovacuum": [], "backends": SHARES,
    "backends_status": ["-w", "active=500", "-c", "active=600"], "bgwriter": SHARES,
    "checksum_errors": [], "commit_ratio": [], "configuration": [], "connection": [],
    "custom_query": ["--query", "SELECT count(*), 'customers' FROM shop.customer", "-w", "500", "-c", "600"],
    "database_size": ["-w", "size=10TB", "-c", "size=20TB"], "extensions_versions": [], "hit_ratio": ["-w", "1%", "-c", "0.5%"],
    "invalid_indexes": [], "is_hot_standby": [], "is_master": [], "is_replay_paused": [], "last_analyze": AGES,
    "last_vacuum": AGES, "locks": SHARES, "longest_query": AGES, "max_freeze_age": SHARES, "oldest_2pc": AGES,
    "oldest_idlexact": AGES, "oldest_xmin": [],
    "sequences_exhausted": SHARES, "session_stats": [], "settings": [], "stat_snapshot_age": AGES, "streaming_delta": [],
    "table_unlogged": [], "temp_files": [], "uptime": [], "wal_files": SHARES,
}
# Of these every word counts.
STABLE = {"custom_query", "extensions_versions", "invalid_indexes", "is_hot_standby", "is_master", "sequences_exhausted",
          "table_unlogged"}
# These keep what they saw in a file.
TWICE = {"autovacuum", "bgwriter", "checksum_errors", "commit_ratio", "database_size", "hit_ratio", "session_stats", "settings",
         "temp_files", "uptime", "wal_files"}


class Failed(Exception):
    """An answer that is an error of the database."""


def check(service, options):
    """The verdict, and what was measured; how much of it only where that does not change."""
    done = subprocess.run(
        [PROGRAM, "--service", service, "--host", os.environ["PGHOST"], "--port", os.environ["PGPORT"],
         "--username", os.environ["PGUSER"], "--dbname", os.environ["PGDATABASE"], "--status-file", "status",
         "--format", "human", "--dbexclude", "^(postgres|template.)$", *options],
        capture_output=True, text=True, check=False,
    )
    said = (done.stdout + done.stderr).replace(os.environ["PGPORT"], "PORT")
    if "ERROR:" in said:
        raise Failed(said[said.index("ERROR:"):].splitlines()[0])
    lines = said.splitlines()
    if service not in STABLE:
        lines = [re.sub(r"\d[\d.]*( ?([kMGT]?B|us|ms|s|m|h|d|%))?", "N", line) for line in lines]
        # How long, how many: a list may be longer by then.
        lines = [line for line in lines if line.startswith(("Service", "Returns"))]
    return {"status": done.returncode, "said": lines}


version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=False)
step = Steps("check_pgactivity", re.search(r"version ([\d.]+)", version.stdout)[1])
for service, options in SERVICES.items():
    for turn in ("first", "second") if service in TWICE else ("first",):
        if turn == "second":
            # It divides by whole seconds since the first, and ends with an error of its own where there is none.
            time.sleep(1.1)
        step.run(f"{service} {turn}", lambda service=service, options=options: check(service, options))
step.run("custom query with an error", lambda: check("custom_query", ["--query", "SELECT nope FROM item", "-w", "1", "-c", "2"]))
step.run("query that writes", write=True, function=lambda: check(
    "custom_query", ["--query", "DELETE FROM shop.scratch RETURNING 1, 'gone'", "-w", "1", "-c", "2"]))
