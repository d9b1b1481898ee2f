"""pgAdmin 4: its whole tree with properties, SQL, statistics and dependencies, the query tool, data, dashboards.

The application runs in this process, as on a desktop; it is asked through its REST endpoints.
"""

import importlib.metadata
import json
import logging
import os
import sys
import time
import warnings
from pathlib import Path

from steps import Steps

HOME = Path.cwd() / "pgadmin"
SETTINGS = {
    "SERVER_MODE": False, "DATA_DIR": HOME, "SQLITE_PATH": HOME / "pgadmin.db", "LOG_FILE": HOME / "log",
    "SESSION_DB_PATH": HOME / "sessions", "STORAGE_DIR": HOME / "storage", "AZURE_CREDENTIAL_CACHE_DIR": HOME / "azure",
    "KERBEROS_CCACHE_DIR": HOME / "kerberos", "CONSOLE_LOG_LEVEL": 60, "FILE_LOG_LEVEL": 60,
    "MASTER_PASSWORD_REQUIRED": False, "UPGRADE_CHECK_ENABLED": False, "USE_OS_SECRET_STORAGE": False,
}
# Each node is asked for these; statistics count what happens meanwhile.
VIEWS = ["obj", "sql", "stats", "dependency", "dependent"]
# All nodes are listed; of each list so many are opened: the rest is alike.
OPENED = {"schema": 9, "table": 10, "view": 2, "function": 3, "catalog": 2}
OPENED_ELSE, OPENED_OF_CATALOGS = 1, 1
# What tells of the moment, of the way, or of a count that goes on.
CHANGING = {"datfrozenxid", "age", "xmin", "acltype", "icon", "id", "_pid", "backend_start", "last_vacuum", "last_analyze",
            "last_autovacuum", "last_autoanalyze", "connected", "canDisconn", "already_connected", "rows_cnt"}
LONG = "SELECT count(*) FROM shop.reading a, shop.reading b WHERE a.value + b.value < 0"
CHARTS = "session_stats,tps_stats,ti_stats,to_stats,bio_stats"


QUERIES = {
    "select": "SELECT * FROM shop.customer ORDER BY id LIMIT 20",
    "every type": "SELECT * FROM every_type ORDER BY a_bool",
    "statements": "SELECT 1 AS first; SELECT count(*) AS second FROM shop.customer",
    "many rows": "SELECT id, note FROM shop.reading ORDER BY id LIMIT 5000",
    "begin": "BEGIN", "in a transaction": "SELECT count(*) FROM item", "rollback": "ROLLBACK",
    "set": "SET work_mem = '5MB'", "show": "SHOW work_mem", "explain": "EXPLAIN SELECT * FROM item WHERE id = 1",
    "error of a column": "SELECT nope FROM item", "error of a function": "SELECT nofunc(1)", "error of syntax": "SELECT * FROM item WHERE id = = 1",
    "nothing": "-- nothing",
}
WRITES = {
    "delete": "DELETE FROM shop.customer WHERE id = 1", "create": "CREATE TABLE shop.made (id integer)",
    "insert between reads": "SELECT 1; INSERT INTO shop.scratch VALUES (1, 'a'); SELECT 2",
    "vacuum": "VACUUM shop.customer", "do": "DO $$ BEGIN DELETE FROM shop.scratch; END $$",
}


class Failed(Exception):
    """An answer that says that something went wrong."""


def start():
    import builtins

    builtins.SERVER_MODE = False
    package = Path(importlib.metadata.distribution("pgadmin4").locate_file("pgadmin4"))
    sys.path.insert(0, str(package))
    import config

    HOME.mkdir()
    for name, value in SETTINGS.items():
        setattr(config, name, str(value) if isinstance(value, Path) else value)
    warnings.simplefilter("ignore")
    # What it prints goes where it disturbs nobody.
    said, sys.stdout = sys.stdout, sys.stderr
    from pgadmin import create_app

    application = create_app()
    application.PGADMIN_RUNTIME, application.PGADMIN_INT_KEY = True, ""
    application.config["WTF_CSRF_ENABLED"] = False
    application.run_before_app_start()
    sys.stdout = said
    logging.disable(logging.CRITICAL)
    return application


class Absent(Exception):
    """A view that nodes of this kind do not have."""


class PgAdmin:
    """A browser at the application, and the server and database that are open."""

    def __init__(self, application):
        self.client = application.test_client()
        self.client.get("/browser/")
        self.transaction = 1000

    def ask(self, path, body=None, method=None, form=None):
        method = method or ("GET" if body is None and form is None else "POST")
        options = {"data": form} if form is not None else {}
        if body is not None:
            options = {"data": json.dumps(body), "content_type": "application/json"}
        said = self.client.open(path, method=method, **options)
        found = said.get_json(silent=True)
        if said.status_code == 406 or said.status_code == 404 and not found:
            raise Absent(path)
        if said.status_code >= 400:
            words = (found or {}).get("errormsg") or (found or {}).get("info") if isinstance(found, dict) else None
            raise Failed(f"{said.status_code} {words or said.get_data(as_text=True)[:200]}")
        return found

    def data(self, path, **more):
        return self.ask(path, **more)["data"]

    def connect(self):
        parameters = [{"name": "sslmode", "keyword": "sslmode", "value": "disable"}]
        server = self.ask("/browser/server/obj/1/", {
            "name": "matrix", "host": os.environ["PGHOST"], "port": int(os.environ["PGPORT"]), "comment": "",
            "db": os.environ["PGDATABASE"], "username": os.environ["PGUSER"], "save_password": False,
            "connect_now": False, "connection_params": parameters})
        self.server = server["node"]["_id"]
        said = self.data(f"/browser/server/connect/1/{self.server}", form={"password": os.environ["PGPASSWORD"]})
        databases = self.data(f"/browser/database/nodes/1/{self.server}/")
        self.database = next(node["_id"] for node in databases if node["label"] == os.environ["PGDATABASE"])
        self.ask(f"/browser/database/connect/1/{self.server}/{self.database}", method="POST")
        self.path = f"1/{self.server}/{self.database}"
        return {name: said[name] for name in ("version", "type", "db", "in_recovery")}


def settled(value):
    if isinstance(value, dict):
        return {key: settled(item) for key, item in value.items() if key not in CHANGING}
    if isinstance(value, list):
        return [settled(item) for item in value]
    return value


def names_of(statistics):
    """The names of what is counted, and of which things."""
    columns = [column["name"] for column in statistics["data"]["columns"]]
    rows = statistics["data"]["rows"]
    return {"columns": columns, "rows": sorted({str(row.get("Statistics") or row.get("name")) for row in rows})
            if columns[:1] == ["Statistics"] else len(columns)}


def failure(error):
    """What has failed. Its HINT is pgsieve's own where the server gives none."""
    return {"failed": str(error).split("\nHINT:")[0]}


def look(name, kind, path, view):
    """A step for one view of one node, where the node has it."""
    try:
        found = pgadmin.ask(f"/browser/{kind}/{view}/{path}")
    except Absent:
        return
    except Failed as error:
        # Some statistics are not to be had of some kinds of relations.
        return step.run(f"{name} {view}", lambda error=error: failure(error))

    def told():
        if view == "stats":
            return names_of(found)
        if view in ("dependency", "dependent"):
            return sorted(settled(found), key=json.dumps)
        return settled(found)
    step.run(f"{name} {view}", told)


def walk(name, kind, path, ours=True):
    """All lists below a node, and below each of what they list; less of what is the server's own."""
    try:
        children = pgadmin.data(f"/browser/{kind}/children/{path}")
    except Absent:
        return
    except Failed as error:
        return step.run(f"{name} children", lambda error=error: failure(error))
    step.run(f"{name} children", lambda: settled(children))
    for child in children:
        if child["_type"].startswith("coll-"):
            walk_list(name, child["_type"].removeprefix("coll-"), path, ours)


def walk_list(name, kind, path, ours):
    try:
        nodes = pgadmin.data(f"/browser/{kind}/nodes/{path}/")
    except Absent:
        return
    except Failed as error:
        return step.run(f"{name} {kind} list", lambda error=error: failure(error))
    step.run(f"{name} {kind} list", lambda: [[node["_type"], node["label"], settled(node)] for node in nodes])
    for node in nodes[: OPENED.get(kind, OPENED_ELSE) if ours else OPENED_OF_CATALOGS]:
        below = f"{name} {node['_type']} {node['label']}"
        if below in seen:
            below = f"{below} {node['_id']}"
        seen.add(below)
        for view in VIEWS:
            look(below, node["_type"], f"{path}/{node['_id']}", view)
        if node.get("inode"):
            walk(below, node["_type"], f"{path}/{node['_id']}", ours and kind != "catalog")


class QueryTool:
    """One tab of the query tool."""

    def __init__(self, path=None):
        pgadmin.transaction += 1
        self.number = pgadmin.transaction
        opened = path or f"sqleditor/{self.number}/{pgadmin.path}"
        pgadmin.ask(f"/sqleditor/initialize/{opened.replace('NUMBER', str(self.number))}",
                    {"dbname": os.environ["PGDATABASE"]})

    def run(self, text, **more):
        said = pgadmin.ask(f"/sqleditor/query_tool/start/{self.number}", {"sql": text, "explain_plan": None} | more)
        if not said["data"]["status"]:
            raise Failed(said["data"]["result"])
        return self.poll()

    def poll(self):
        for _ in range(600):
            found = pgadmin.data(f"/sqleditor/poll/{self.number}")
            if found["status"] != "Busy":
                break
            time.sleep(0.05)
        if found["status"] not in ("Success", "NotConnected"):
            raise Failed(f"{found['status']}: {found['result']}")
        names = [column["name"] for column in found.get("colinfo") or []]
        types = [column["type_code"] for column in found.get("colinfo") or []]
        return {"status": found["status"], "names": names, "types": types, "rows": found["result"],
                "affected": found["rows_affected"]}


def view_data(kind, node, command):
    """The rows that "View/Edit Data" shows: all, the first, the last hundred."""
    tool = QueryTool(f"viewdata/NUMBER/{command}/{kind}/{pgadmin.path}/{node}")
    pgadmin.ask(f"/sqleditor/view_data/start/{tool.number}")
    found = tool.poll()
    return found | {"window": pgadmin.data(f"/sqleditor/fetch_window/{tool.number}/1/5")["result"]}


def change_data(node):
    """A cell that is changed in the grid."""
    tool = QueryTool(f"viewdata/NUMBER/1/table/{pgadmin.path}/{node}")
    pgadmin.ask(f"/sqleditor/view_data/start/{tool.number}")
    tool.poll()
    found = pgadmin.data(f"/sqleditor/save/{tool.number}", body={
        "updated": {"1": {"err": False, "data": {"name": "changed"}, "primary_keys": {"id": 1}}},
        "added": {}, "staged_rows": {}, "deleted": {}, "updated_index": {}, "added_index": {},
        "columns": [{"name": "id", "type": "integer"}, {"name": "name", "type": "text"}]})
    if not found["status"]:
        raise Failed(found["result"])
    return found


def cancelled():
    """Cancels a query that runs, as the button of the query tool does."""
    tool = QueryTool()
    pgadmin.ask(f"/sqleditor/query_tool/start/{tool.number}", {"sql": LONG, "explain_plan": None})
    time.sleep(1)
    busy = pgadmin.data(f"/sqleditor/poll/{tool.number}")["status"]
    said = pgadmin.data(f"/sqleditor/cancel/{tool.number}", body={})["status"]
    try:
        after = tool.poll()["status"]
    except Failed as error:
        after = str(error).splitlines()[0]
    return {"before": busy, "cancel": said, "after": after}


def ended(verb):
    """Cancels or terminates a session from the dashboard; what it and the query tool say."""
    tool = QueryTool()
    pid = tool.run("SELECT pg_backend_pid()")["rows"][0][0]
    pgadmin.ask(f"/sqleditor/query_tool/start/{tool.number}", {"sql": LONG, "explain_plan": None})
    time.sleep(1)
    try:
        # Who has no right to, or whom the database refuses, is told so in the answer.
        said = pgadmin.ask(f"/dashboard/{verb}/{pgadmin.server}/{pid}", method="DELETE")
        if isinstance(said, dict) and not said.get("success"):
            raise Failed(said.get("errormsg") or said.get("info"))
        return said if isinstance(said, str) else said["info"]
    finally:
        pgadmin.ask(f"/sqleditor/cancel/{tool.number}", body={})


def node_of(kind, label, path):
    return next(node["_id"] for node in pgadmin.data(f"/browser/{kind}/nodes/{path}/") if node["label"] == label)


def activity():
    found = pgadmin.ask(f"/dashboard/activity/{pgadmin.server}/{pgadmin.database}")
    found = found[0]["activity"] if isinstance(found, list) else found
    ours = [row for row in found if "CONN" in (row["application_name"] or "")]
    return {"columns": sorted(found[0]), "ours": bool(ours)}


def columns_of(path):
    """The columns of a list of the dashboard, whose rows change."""
    found = pgadmin.ask(f"{path}/{pgadmin.server}/{pgadmin.database}")
    return sorted(found[0]) if isinstance(found, list) and found else found


def configuration():
    """The settings that it lists; a policy sets some of this session."""
    found = pgadmin.ask(f"/dashboard/config/{pgadmin.server}")
    own = ("port", "application_name", "default_transaction_read_only", "transaction_read_only")
    return {row["name"]: row["setting"] for row in found if row["name"] not in own and "timeout" not in row["name"]}


def without_autocommit():
    """A tab whose statements stand in a transaction of pgAdmin's."""
    tool = QueryTool()
    pgadmin.ask(f"/sqleditor/auto_commit/{tool.number}", False)
    found = [tool.run("SELECT count(*) FROM shop.customer")["rows"], tool.run("SELECT txid_current_if_assigned()")["rows"]]
    return [*found, tool.run("COMMIT")["status"]]


def download():
    """A result as a file."""
    tool = QueryTool()
    text = "SELECT id, name, tags, notes FROM shop.customer ORDER BY id LIMIT 30"
    said = pgadmin.client.post(f"/sqleditor/query_tool/download/{tool.number}", data={"query": text, "filename": "rows.csv"})
    return said.status_code, said.get_data(as_text=True)


def erd():
    """The tables of the database as its diagram takes them."""
    pgadmin.transaction += 1
    place = f"{pgadmin.transaction}/{pgadmin.path}"
    pgadmin.ask(f"/erd/initialize/{place}", method="POST")
    found = pgadmin.data(f"/erd/prequisite/{place}")
    return sorted(found) if isinstance(found, dict) else found


step = Steps("pgAdmin 4", importlib.metadata.version("pgadmin4"))
application = start()
rules = [rule.rule for rule in application.url_map.iter_rules()]
pgadmin, seen = PgAdmin(application), set()
step.run("connect", pgadmin.connect)
server = f"1/{pgadmin.server}"
for kind in ("database", "role", "tablespace"):
    step.run(f"{kind} list", lambda kind=kind: settled(pgadmin.data(f"/browser/{kind}/nodes/{server}/")))
for kind in ("database", "role"):
    step.run(f"{kind} properties of all", lambda kind=kind: settled(pgadmin.ask(f"/browser/{kind}/obj/{server}/")))
for view in VIEWS:
    look("database matrix", "database", pgadmin.path, view)
    look("role app", "role", f"{server}/{node_of('role', 'app', server)}", view)
walk("matrix", "database", pgadmin.path)

shop = f"{pgadmin.path}/{node_of('schema', 'shop', pgadmin.path)}"
customer = node_of("table", "customer", shop)
for script in ("select_sql", "insert_sql", "update_sql", "delete_sql", "count_rows", "get_types"):
    step.run(f"table customer {script}", lambda script=script: settled(pgadmin.ask(f"/browser/table/{script}/{shop}/{customer}")))
for text in ("cust", "with_tax", "nothing of this name"):
    step.run(f"search {text}", lambda text=text: settled(pgadmin.ask(
        f"/search_objects/search/{pgadmin.server}/{pgadmin.database}?text={text}&type=all")))

tool = QueryTool()
for name, text in QUERIES.items():
    step.run(f"query tool {name}", lambda text=text: tool.run(text))
step.run("query tool explained", lambda: tool.run("SELECT id FROM shop.customer WHERE id = 1", explain_plan={
    "format": "json", "analyze": False, "verbose": True, "costs": False, "buffers": False, "timing": False,
    "summary": False, "settings": False, "wal": False}))
step.run("query tool analyzed", lambda: tool.run("SELECT id FROM shop.customer WHERE id = 1", explain_plan={
    "format": "text", "analyze": True, "verbose": False, "costs": False, "buffers": False, "timing": False,
    "summary": False, "settings": False, "wal": False}))
step.run("query tool without autocommit", lambda: without_autocommit())
step.run("query tool completion", lambda: sorted(pgadmin.data(
    f"/sqleditor/autocomplete/{tool.number}", body=["SELECT * FROM shop.cus", "SELECT * FROM shop.cus"])["result"]))
step.run("query tool download", lambda: download())
for name, text in WRITES.items():
    step.run(f"query tool {name}", lambda text=text: QueryTool().run(text), write=True)
step.run("query tool cancels", cancelled)
for command, name in {1: "all", 2: "first", 3: "last"}.items():
    step.run(f"{name} rows of a table", lambda command=command: view_data("table", customer, command))
step.run("rows of a view", lambda: view_data("view", node_of("view", "customer_total", shop), 1))
step.run("changed cell", lambda: change_data(customer), write=True)

step.run("dashboard", lambda: {chart: sorted(values) for chart, values in pgadmin.ask(
    f"/dashboard/dashboard_stats/{pgadmin.server}/{pgadmin.database}?chart_names={CHARTS}").items()})
step.run("dashboard of the server", lambda: sorted(pgadmin.ask(
    f"/dashboard/dashboard_stats/{pgadmin.server}?chart_names={CHARTS}")))
step(activity)
for name in ("locks", "prepared"):
    step.run(f"dashboard {name}", lambda name=name: columns_of(f"/dashboard/{name}"))
step.run("dashboard configuration", configuration)
for name in ("replication_slots", "replication_stats"):
    step.run(f"dashboard {name}", lambda name=name: pgadmin.ask(f"/dashboard/{name}/{pgadmin.server}"))
step.run("dashboard logs", lambda: pgadmin.ask(f"/dashboard/log_formats/{pgadmin.server}"))
step.run("dashboard cancels a session", lambda: ended("cancel_query"))
step.run("dashboard ends a session", lambda: ended("terminate_session"))
step.run("ERD", lambda: erd())
step.run("schema diff", lambda: settled(pgadmin.data(f"/schema_diff/schemas/{pgadmin.server}/{pgadmin.database}")))
step.run("drop a table", lambda: pgadmin.ask(f"/browser/table/delete/{shop}/{customer}", method="DELETE"), write=True)
step.run("truncate a table", lambda: pgadmin.ask(f"/browser/table/truncate/{shop}/{customer}", {"cascade": False}, "PUT"),
         write=True)
step.run("create a schema", lambda: pgadmin.ask(f"/browser/schema/obj/{pgadmin.path}/", {
    "name": "made", "namespaceowner": os.environ["PGUSER"], "deftblacl": [], "nspacl": [], "seclabels": []}), write=True)
sys.stdout.flush()
# Its threads are not waited for.
os._exit(0)
