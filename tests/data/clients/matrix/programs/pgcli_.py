"""pgcli: its completer's refresh of the catalog, its special commands, its executor, and the program itself in batch."""

import os
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

from pgcli.completion_refresher import CompletionRefresher
from pgcli.pgexecute import PGExecute
from pgspecial.main import PGSpecial

from steps import ERRORS, WRITES, Steps

os.environ["PAGER"] = "cat"
PLACE = [os.environ[name] for name in ("PGDATABASE", "PGUSER", "PGPASSWORD", "PGHOST", "PGPORT")]
SPECIAL = r"""\d
\d shop.customer
\d+ shop.customer
\d item_view
\d shop.event
\dt
\dt+ shop.*
\dv shop.*
\dm shop.*
\ds shop.*
\di shop.*
\df shop.*
\dT shop.*
\dn
\dn+
\du
\l
\db
\dx
\dx+
\dp shop.*
\dD shop.*
\ddp
\dE
\sf shop.with_tax
\h SELECT
""".strip().split("\n")


def opened():
    return PGExecute(*PLACE)


executor = opened()


def recover():
    global executor
    executor = opened()


step = Steps("pgcli", version("pgcli"), recover)


def run(text):
    """Title, rows, header and status of each result, as pgcli prints them."""
    got = []
    for title, rows, headers, status, _, success, _ in executor.run(text, PGSpecial(), on_error_resume=False):
        if not success:
            raise RuntimeError(status)
        got.append([title, list(map(list, rows)) if rows else [], headers and list(headers), status])
    return got


step.run("on connect", lambda: [executor.dbname, executor.user, executor.server_version.split()[0], executor.get_socket_directory() is not None,
                                executor.superuser, executor.short_host])
step.run("search_path", lambda: executor.search_path())
step.run("schemata", lambda: executor.schemata())
step.run("tables", lambda: list(executor.tables()))
step.run("views", lambda: list(executor.views()))
step.run("columns of tables", lambda: [tuple(row) for row in executor.table_columns()])
step.run("columns of views", lambda: [tuple(row) for row in executor.view_columns()])
step.run("databases", lambda: executor.databases())
step.run("foreign keys", lambda: [tuple(row) for row in executor.foreignkeys()])
step.run("functions", lambda: [[row.schema_name, row.func_name, str(row.args())] for row in executor.functions()])
step.run("data types", lambda: list(executor.datatypes()))
step.run("casing", lambda: list(executor.casing())[:5])
step.run("view definition", lambda: executor.view_definition("shop.customer_total"))
step.run("function definition", lambda: executor.function_definition("shop.with_tax"))
step.run("refreshers", lambda: sorted(CompletionRefresher.refreshers))
for text in SPECIAL:
    step.run(text, lambda: run(text))
step.run("rows", lambda: run("SELECT id, name, price, tags FROM item WHERE id < 12 ORDER BY id"))
step.run("every type", lambda: run("SELECT * FROM every_type WHERE a_date = '2024-02-29' OR a_bool IS NULL"))
step.run("several", lambda: run("SELECT 1; SELECT 2; SHOW TimeZone"))
step.run("transaction", lambda: run("BEGIN; SELECT 1; SAVEPOINT a; ROLLBACK TO a; COMMIT"))
step.run("explain", lambda: run("EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id = 1"))
step.run("copy out", lambda: [run(r"\copy (SELECT id, name FROM item WHERE id < 4 ORDER BY id) to 'out.csv' with csv"), Path("out.csv").read_text()])
for name, text in ERRORS.items():
    step.run(f"error: {name}", lambda: run(text))
for name, text in WRITES.items():
    step.run(f"write: {name}", lambda: run(text), write=True)


def batch():
    """The program itself, told what to run on its standard input."""
    url = "postgresql://{1}:{2}@{3}:{4}/{0}".format(*PLACE)
    done = subprocess.run([Path(sys.executable).with_name("pgcli"), "--less-chatty", "--no-warn", "--list", url], capture_output=True,
                          text=True, stdin=subprocess.DEVNULL, timeout=60, check=False)
    return [done.returncode, sorted(line for line in done.stdout.splitlines() if line.startswith("| ") and "matrix" in line)]


step.run("list of databases", batch)
step.run("usable at the end", lambda: run("SELECT count(*) FROM item"))
