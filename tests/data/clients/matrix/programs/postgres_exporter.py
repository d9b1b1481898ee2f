"""postgres_exporter: scrapes with its default collectors, with the optional ones and with queries of one's own."""

import os
import re
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request

from steps import URL, Steps

PROGRAM = "prometheus-postgres-exporter"
# What the values of are compared too: the rest counts what the server does meanwhile.
STABLE = re.compile(
    r"pg_(up|static|settings_\w+|replication_\w+|exporter_last_scrape_error|exporter_user_queries_load_error"
    r"|scrape_collector_success)|customers_\w+|kinds_\w+"
)
# The server's port, which is masked; and what a policy sets of the session that asks.
UNCOMPARED = re.compile(r"pg_settings_(port|\w*_read_only|statement_timeout\w*|lock_timeout\w*|idle_in_transaction_session_timeout\w*)")
OF_THE_PROGRAM = re.compile(r"(go|process|promhttp)_")
QUERIES = """
customers:
  query: "SELECT active, count(*) AS many, max(id) AS newest FROM shop.customer GROUP BY active"
  master: true
  metrics:
    - active: {usage: "LABEL", description: "Whether active"}
    - many: {usage: "GAUGE", description: "How many"}
    - newest: {usage: "COUNTER", description: "The newest"}
kinds:
  query: "SELECT kind, count(*) AS events, extract(epoch FROM max(at)) AS last FROM shop.event GROUP BY kind ORDER BY kind"
  cache_seconds: 30
  metrics:
    - kind: {usage: "LABEL", description: "Which"}
    - events: {usage: "GAUGE", description: "How many"}
    - last: {usage: "GAUGE", description: "When"}
"""
WRITES = """
changed:
  query: "WITH gone AS (DELETE FROM shop.scratch RETURNING id) SELECT count(*) AS many FROM gone"
  metrics:
    - many: {usage: "GAUGE", description: "How many"}
"""
WAYS = {
    "scrape": [],
    "scrape without settings": ["--disable-settings-metrics"],
    "scrape of the collectors alone": ["--disable-default-metrics", "--disable-settings-metrics"],
    "scrape without collectors": ["--no-collector.database", "--no-collector.bgwriter"],
    "scrape of all databases": ["--auto-discover-databases", "--exclude-databases=template0,template1"],
    "scrape with labels": ["--constantLabels=site=here", "--metric-prefix=pg"],
}


class Failed(Exception):
    pass


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def scrape(*options, times=1):
    """The text of a scrape, and what the exporter has logged of errors."""
    port = free_port()
    with tempfile.TemporaryFile("w+") as log:
        process = subprocess.Popen(
            [PROGRAM, f"--web.listen-address=127.0.0.1:{port}", *options],
            env=os.environ | {"DATA_SOURCE_NAME": f"{URL}?sslmode=disable"}, stdout=log, stderr=log,
        )
        try:
            for _ in range(times):
                text = fetch(port, process)
        finally:
            process.terminate()
            process.wait(20)
        log.seek(0)
        return text, re.findall(r"pq: [^\"\\]*|level=error.*", log.read())


def fetch(port, process):
    for _ in range(100):
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=60) as answer:
                return answer.read().decode()
        except urllib.error.URLError as error:
            if process.poll() is not None or not isinstance(error.reason, ConnectionRefusedError):
                raise
            time.sleep(0.1)
    raise TimeoutError("the exporter does not listen")


def metrics(*options, times=1):
    """Each series by name and labels, the value of those that are settled; and errors."""
    text, errors = scrape(*options, times=times)
    found = {}
    for line in text.replace(os.environ["PGPORT"], "PORT").splitlines():
        series, _, value = line.rpartition(" ")
        name = series.partition("{")[0]
        if line.startswith("#") or OF_THE_PROGRAM.match(name) or name.startswith("pg_stat_activity"):
            continue
        found[series] = value if STABLE.fullmatch(name) and not UNCOMPARED.fullmatch(name) else "some"
    # One line for each name and value, so that a difference can be read.
    return {"series": found, "errors": sorted(set(errors))}


def queries(text, times=1):
    with open("queries.yaml", "w", encoding="utf-8") as file:
        file.write(text)
    return metrics("--extend.query-path=queries.yaml", "--disable-settings-metrics", times=times)


def write():
    """An exporter hides what the database says in a counter and its log."""
    found = queries(WRITES)
    if found["errors"]:
        raise Failed(found["errors"][-1])
    return found


version = subprocess.run([PROGRAM, "--version"], capture_output=True, text=True, check=True)
step = Steps("postgres_exporter", re.search(r"version (\S+)", version.stdout + version.stderr)[1].rstrip(","))
for name, options in WAYS.items():
    step.run(name, lambda options=options: metrics(*options))
step.run("second scrape", lambda: metrics(times=2))
step.run("own queries", lambda: queries(QUERIES, times=2))
step.run("own query that writes", write, write=True)
