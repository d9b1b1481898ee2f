"""pg_activity: each query of its own module in each mode, cancelling, and its screen on a terminal."""

import fcntl
import importlib.metadata
import os
import pty
import select
import signal
import struct
import sys
import termios
import threading
import time

import attr
import psycopg
from pgactivity import data as activity
from pgactivity.types import Filters

from steps import Steps

MODES = {1: "query", 2: "transaction", 3: "backend"}
LONG = "SELECT count(*) FROM shop.reading a, shop.reading b WHERE a.value + b.value < 0"
# Of what the server is asked about itself, what does not change from run to run.
SETTLED = ["max_connections", "autovacuum_max_workers", "logical_replication_workers", "max_worker_processes",
           "max_wal_senders", "max_replication_slots", "wal_senders", "wal_receivers", "replication_slots"]


def connect(**options):
    return activity.Data.pg_connect(
        host=os.environ["PGHOST"], port=int(os.environ["PGPORT"]), user=os.environ["PGUSER"],
        password=os.environ["PGPASSWORD"], database=os.environ["PGDATABASE"], **options,
    )


def server(of, **options):
    info = of.pg_get_server_information(**options)
    found = attr.asdict(info)
    # A step of its own.
    del found["temporary_file"]
    missing = sorted(name for name, value in found.items() if value is None)
    return {"missing": missing, "settled": {name: found[name] for name in SETTLED if name in found}}


def temporary_files(of):
    """As the head of its screen has them: where it may not see them it leaves them out."""
    found = of.pg_get_server_information().temporary_file
    if found is None:
        raise LookupError("the server's temporary files are left out")
    return sorted(attr.asdict(found))


class Worker:
    """A session with a long query, to be seen and ended."""

    def __init__(self):
        self.connection = psycopg.connect(application_name="matrix worker", autocommit=True)
        self.pid = self.connection.info.backend_pid
        self.outcome = None
        self.thread = threading.Thread(target=self.work)
        self.thread.start()

    def work(self):
        try:
            self.connection.execute(LONG)
            self.outcome = "it ended by itself"
        except psycopg.Error as error:
            self.outcome = error.sqlstate

    def ended(self):
        self.thread.join(20)
        return self.outcome or "it still runs"

    def close(self):
        if self.outcome is None:
            self.connection.cancel_safe()
        self.thread.join(20)
        self.connection.close()


def seen(of, mode):
    """The worker's row, as the table of running queries has it."""
    for _ in range(100):
        rows = [row for row in of.pg_get_activities(mode) if row.application_name == "matrix worker" and row.query]
        if rows:
            found = attr.asdict(rows[0])
            return {name: found[name] for name in ("database", "user", "client", "wait", "state", "query")}
        time.sleep(0.05)
    return None


def ends(name, end):
    """Ends a worker by its pid; what both sides hear."""
    worker = Worker()
    try:
        known = seen(data, 1) is not None
        return {"known": known, "answer": end(worker.pid), "worker": worker.ended()}
    finally:
        worker.close()


def hidden():
    """What it sets there is for superusers: refused either way, each in its own words."""
    try:
        return connect(hide_queries_in_logs=True).pg_version
    except psycopg.Error as error:
        return error.sqlstate


def screen(*options):
    """Runs the program on a terminal, looks at its three lists, quits; the headings that it draws."""
    program = os.path.join(os.path.dirname(sys.executable), "pg_activity")
    pid, terminal = pty.fork()
    if pid == 0:
        os.environ |= {"TERM": "vt100", "COLUMNS": "160", "LINES": "40"}
        os.execv(program, [program, "--refresh", "1", *options])
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
    keys = {"RUNNING QUERIES": b"2", "WAITING QUERIES": b"3", "BLOCKING QUERIES": b"q"}
    drawn, end = "", time.monotonic() + 40
    while time.monotonic() < end:
        if select.select([terminal], [], [], 0.2)[0]:
            try:
                drawn += os.read(terminal, 65536).decode(errors="replace")
            except OSError:
                break
        for heading in [heading for heading in keys if heading in drawn]:
            os.write(terminal, keys.pop(heading))
    else:
        os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    words = ["RUNNING QUERIES", "WAITING QUERIES", "BLOCKING QUERIES", "Sessions:", "Worker processes:", "temp files",
             "Traceback", "ERROR"]
    return {"status": os.waitstatus_to_exitcode(status), "drawn": [word for word in words if word in drawn]}


step = Steps("pg_activity", importlib.metadata.version("pg_activity"))
data = connect()
worker = Worker()
step.run("connect", lambda: [data.pg_version, data.pg_num_version, data.server_encoding])
step.run("local access", lambda: data.pg_is_local_access())
step.run("server", lambda: server(data))
step.run("server of RDS", lambda: server(data, using_rds=True, skip_tempfile=True))
step.run("server without sizes", lambda: server(data, skip_db_size=True, skip_walreceiver=True))
step.run("temporary files", lambda: sorted(attr.asdict(data.pg_get_temporary_file())))
step.run("temporary files of the server", lambda: temporary_files(data))
step.run("counts", lambda: [data.pg_get_wal_senders(), data.pg_get_wal_receivers(), data.pg_get_replication_slots()])
for mode, name in MODES.items():
    step.run(f"running by {name}", lambda mode=mode: seen(data, mode))
    step.run(f"waiting by {name}", lambda mode=mode: [row.query for row in data.pg_get_waiting(mode)])
    step.run(f"blocking by {name}", lambda mode=mode: [row.query for row in data.pg_get_blocking(mode)])
worker.close()
step.run("worker cancelled by its driver", lambda: worker.outcome)
step.run("cancel", lambda: ends("cancel", data.pg_cancel_backend))
step.run("terminate", lambda: ends("terminate", data.pg_terminate_backend))
for name, filters in {"filter": "matrix", "filter of nothing": "nowhere"}.items():
    step.run(name, lambda filters=filters: server(connect(filters=Filters(dbname=filters), min_duration=1.0)))
step.run("hide queries in logs", hidden)
step.run("reconnect", lambda: data.try_reconnect().pg_version)
step.run("screen", lambda: screen())
step.run("screen with less", lambda: screen("--no-db-size", "--no-tempfiles", "--no-walreceiver", "--wrap-query"))
