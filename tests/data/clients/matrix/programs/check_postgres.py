"""check_postgres: each of its actions that reads a database, and the one that writes."""

import os
import re
import subprocess

from steps import Steps

SIZES = ["--include=shop.", "--warning=100", "--critical=200"]
SECONDS = ["--warning=100d", "--critical=200d"]
COUNTS = ["--warning=100", "--critical=200"]
# Actions whose whole answer is the same in each run, what they measure with it.
STABLE = {
    "backends warn at none": ["backends", "--include=nobody", *COUNTS],
    "bloat": ["bloat", "--include=reading", "--warning=1GB", "--critical=2GB"],
    "connection": ["connection"],
    "custom query": ["custom_query", "--query=SELECT count(*) AS result FROM shop.customer", *COUNTS],
    "custom query of a string": ["custom_query", "--query=SELECT 'fine' AS result, 7 AS data", "--valtype=string",
                                 "--critical=bad"],
    "custom query of a size": ["custom_query", "--query=SELECT pg_table_size('item') AS result", "--valtype=size",
                               "--warning=1GB", "--critical=2GB"],
    "custom query with an error": ["custom_query", "--query=SELECT nope AS result FROM item", *COUNTS],
    "disabled triggers": ["disabled_triggers", *COUNTS],
    "index size": ["index_size", *SIZES],
    "indexes size": ["indexes_size", *SIZES],
    "table size": ["table_size", *SIZES],
    "relation size": ["relation_size", *SIZES],
    "total relation size": ["total_relation_size", *SIZES],
    "last autoanalyze": ["last_autoanalyze", "--include=nothing", *SECONDS],
    "last autovacuum": ["last_autovacuum", "--include=nothing", *SECONDS],
    "listener, an error of this version": ["listener", "--critical=nothing"],
    "pgagent jobs, an error without pgAgent": ["pgagent_jobs", *SECONDS],
    "prepared txns": ["prepared_txns", *COUNTS],
    "replication slots": ["replication_slots", *COUNTS],
    "same schema, an error but for superusers": ["same_schema", "--dbname2=matrix"],
    "sequence": ["sequence", "--warning=95%", "--critical=99%"],
    "slony status": ["slony_status"],
    "version": ["version", "--critical=15.0"],
}
# Those that tell times, loads or what else the server has to do: the words count, not the numbers.
CHANGING = {
    "archive ready": ["archive_ready", *COUNTS],
    "autovac freeze": ["autovac_freeze", "--warning=90%", "--critical=95%"],
    "backends": ["backends", "--warning=180", "--critical=199"],
    "commitratio": ["commitratio", "--warning=1%", "--critical=1%", "--include=matrix"],
    "database size": ["database_size", "--warning=10GB", "--critical=20GB", "--include=matrix"],
    "dbstats": ["dbstats"],
    "fsm pages": ["fsm_pages", "--warning=90%", "--critical=95%"],
    "fsm relations": ["fsm_relations", "--warning=90%", "--critical=95%"],
    "hitratio": ["hitratio", "--warning=1%", "--critical=1%", "--include=matrix"],
    "last analyze": ["last_analyze", "--include=reading", *SECONDS],
    "last vacuum": ["last_vacuum", "--include=reading", *SECONDS],
    "locks": ["locks", "--warning=10000", "--critical=20000"],
    "query runtime": ["query_runtime", "--queryname=shop.customer_total", *SECONDS],
    "query time": ["query_time", "--include=nobody", *SECONDS],
    "settings checksum": ["settings_checksum", "--critical=0"],
    "timesync": ["timesync", *COUNTS],
    "txn idle": ["txn_idle", "--includeuser=nobody", *SECONDS],
    "txn time": ["txn_time", "--includeuser=nobody", *SECONDS],
    "txn wraparound": ["txn_wraparound", "--warning=1000000000", "--critical=1500000000"],
    "wal files": ["wal_files", "--warning=10000", "--critical=20000"],
}


class Failed(Exception):
    """An answer that is an error of the database or of check_postgres itself."""


def check(words, stable):
    action, *options = words
    hosts = [] if any(option.startswith("--host") for option in options) else ["--host=127.0.0.1"]
    done = subprocess.run(
        ["check_postgres", f"--action={action}", f"--dbname={os.environ['PGDATABASE']}",
         f"--dbuser={os.environ['PGUSER']}", *hosts, *options],
        capture_output=True, text=True, check=False,
    )
    said = (done.stdout + done.stderr).replace(os.environ["PGPORT"], "PORT")
    if "ERROR:" in said:
        raise Failed(said[said.index("ERROR:"):].strip())
    said = re.sub(r"\btime=[0-9.]+s ?", "", said)
    if not stable:
        said = re.sub(r"\b[0-9a-f]{32}\b", "CHECKSUM", said.split("|")[0])
        said = re.sub(r"[0-9][0-9.:-]*", "N", said)
        said = re.sub(r"N [A-Z][a-z]+ N, N \(N (second|minute|hour)s?[^)]*\)", "TIME", said)
    return {"status": done.returncode, "said": sorted(said.split()) if stable else said.strip()}


def replicate(hosts):
    """Changes a row of the first and waits for it on the second."""
    return check(["replicate_row", f"--host={hosts}", "--warning=1", "--critical=1",
                  "--repinfo=shop.employee,id,1,name,employee 1,employee one"], stable=True)


version = subprocess.run(["check_postgres", "--version"], capture_output=True, text=True, check=True).stdout
step = Steps("check_postgres", version.split()[-1])
for name, words in STABLE.items():
    step.run(name, lambda words=words: check(words, stable=True))
for name, words in CHANGING.items():
    step.run(name, lambda words=words: check(words, stable=False))
step.run("replicate row", lambda: replicate("127.0.0.1,127.0.0.1"), write=True)
