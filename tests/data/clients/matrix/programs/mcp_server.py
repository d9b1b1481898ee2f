"""Servers of the Model Context Protocol, spoken to over standard input and output as a model's host does.

mcp_server.py NAME COMMAND…: NAME chooses what its tools are asked.
"""

import json
import os
import queue
import re
import subprocess
import sys
import threading

from steps import URL, Steps

SELECTS = {
    "rows": "SELECT id, name, email, tags, notes, born FROM shop.customer ORDER BY id LIMIT 5",
    "join": "SELECT c.name, sum(p.total) AS total FROM shop.customer c JOIN shop.purchase p ON p.customer_id = c.id "
            "GROUP BY c.name ORDER BY total DESC, c.name LIMIT 5",
    "types": "SELECT a_bool, a_int8, a_numeric, a_text, a_uuid::text, a_jsonb, an_array, an_inet::text, a_date, an_enum "
             "FROM every_type WHERE a_bool",
    "with": "WITH t AS (SELECT number, total FROM shop.purchase WHERE customer_id = 7) SELECT * FROM t ORDER BY number",
    "explain": "EXPLAIN (COSTS OFF) SELECT * FROM item WHERE id = 1",
    "error of a column": "SELECT nope FROM item",
    "error of a function": "SELECT nofunc(1)",
    "error of syntax": "SELECT * FROM item WHERE id = = 1",
    "after an error": "SELECT 1 AS one",
}
WRITES = {
    "delete": "DELETE FROM shop.customer WHERE id = 1",
    "delete in WITH": "WITH gone AS (DELETE FROM shop.scratch RETURNING id) SELECT count(*) FROM gone",
    "create": "CREATE TABLE shop.made (id integer)",
    "escape from a transaction": "COMMIT; DROP TABLE shop.customer",
    "function": "SELECT setval('shop.invoice_number', 1)",
}
# Of each server: the tool that runs SQL, its argument, and the questions for its other tools.
SERVERS = {
    "server-postgres": ("query", "sql", {}),
    "dbhub": ("execute_sql", "sql", {
        f"search {kind} {level}": ("search_objects", {
            "object_type": kind, "pattern": pattern, "schema": "shop", "detail_level": level, "limit": 100}
            | ({"table": "customer"} if kind in ("column", "index") else {}))
        for kind, pattern in {"table": "%", "view": "%", "column": "%", "procedure": "%", "function": "%",
                              "index": "%"}.items()
        for level in ("names", "summary", "full")
    } | {"search schema": ("search_objects", {"object_type": "schema", "detail_level": "full"}),
         "search nothing": ("search_objects", {"object_type": "table", "pattern": "no_such%"}),
         "several reads": ("execute_sql", {"sql": "SELECT 1 AS first; SELECT count(*) AS second FROM shop.customer"})}),
    "postgres-mcp": ("execute_sql", "sql", {
        "schemas": ("list_schemas", {}),
        **{f"{kind}s": ("list_objects", {"schema_name": "shop", "object_type": kind})
           for kind in ("table", "view", "sequence", "extension")},
        **{f"details of {name}": ("get_object_details", {"schema_name": "shop", "object_name": name, "object_type": kind})
           for name, kind in {"customer": "table", "purchase_line": "table", "customer_total": "view",
                              "invoice_number": "sequence", "citext": "extension"}.items()},
        "plan": ("explain_query", {"sql": "SELECT * FROM shop.customer WHERE id = 1"}),
        "plan with actual times": ("explain_query", {"sql": "SELECT * FROM shop.customer WHERE id = 1", "analyze": True}),
        "plan with an index that is not there": ("explain_query", {
            "sql": "SELECT * FROM shop.purchase WHERE total = 1",
            "hypothetical_indexes": [{"table": "shop.purchase", "columns": ["total"]}]}),
        "indexes for a query": ("analyze_query_indexes", {"queries": ["SELECT * FROM shop.purchase WHERE total = 1"]}),
        "indexes for the workload": ("analyze_workload_indexes", {}),
        **{f"health of {kind}": ("analyze_db_health", {"health_type": kind})
           for kind in ("buffer", "connection", "constraint", "index", "replication", "sequence", "vacuum", "all")},
        **{f"top queries by {order}": ("get_top_queries", {"sort_by": order, "limit": 3})
           for order in ("total_time", "mean_time", "resources")},
    }),
    "mcp-alchemy": ("execute_query", "query", {
        "all tables": ("all_table_names", {}),
        "some tables": ("filter_table_names", {"q": "part"}),
        "definitions": ("schema_definitions", {"table_names": ["item", "part", "every_type", "Mixed Case", "computed"]}),
        "parameters": ("execute_query", {"query": "SELECT id, name FROM item WHERE id = :id OR name = :name ORDER BY id",
                                         "params": {"id": 3, "name": "item 4"}}),
    }),
    "database-mcp-postgres": ("execute_sql", "sql", {
        "objects": ("search_objects", {}),
        **{f"object {name}": ("search_objects", {"table": name})
           for name in ("item", "part", "every_type", "computed", "an error: no_such_table")},
    }),
}
# What these count or measure changes; that they answer, and under which headings, does not.
MEASURED = re.compile(r"plan with actual|health of (?!constraint|sequence)|top queries|for the workload")
SECONDS = 60


class Failed(Exception):
    """What a server says in place of an answer."""


class Server:
    """A server, its answers read by a thread."""

    def __init__(self, command):
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        self.process = subprocess.Popen(
            [word.replace("MATRIX_URL", URL) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True,
            env=environment | {"DB_URL": URL, "DATABASE_URL": URL, "NO_COLOR": "1"},
        )
        self.number, self.lines = 0, queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.process.stdout:
            self.lines.put(line)
        self.lines.put("")

    def ask(self, method, **parameters):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters})
        while True:
            line = self.lines.get(timeout=SECONDS)
            if not line:
                raise Failed("the server has ended")
            said = json.loads(line) if line.startswith("{") else {}
            if said.get("id") == self.number and "method" not in said:
                break
        if "error" in said:
            raise Failed(said["error"]["message"])
        return said["result"]

    def send(self, message):
        self.process.stdin.write(json.dumps(message) + "\n")
        self.process.stdin.flush()

    def call(self, tool, **arguments):
        """The text that a tool gives to the model."""
        said = self.ask("tools/call", name=tool, arguments=arguments)
        text = "\n".join(part.get("text", "") for part in said["content"]).replace(os.environ["PGPORT"], "PORT")
        if said.get("isError") or looks_like_error(text):
            raise Failed(complaint(text))
        return lasting(text)

    def close(self):
        self.process.stdin.close()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            self.process.kill()
            return "it had to be killed"


def looks_like_error(text):
    """Some servers tell of errors in the words of an ordinary answer."""
    if re.match(r"\s*(Error:|Error executing)", text):
        return True
    try:
        return json.loads(text).get("success") is False
    except (ValueError, AttributeError):
        return False


def complaint(text):
    """Its first line; the DETAIL and HINT that some show are pgsieve's own there."""
    return " ".join(text.split()) if text.startswith("{") else text.strip().splitlines()[0]


def lasting(text):
    """Without times that a server has measured."""
    return re.sub(r'"(executionTime|execution_time_ms|duration_ms|elapsed_ms|timestamp)": ?[0-9.]+', r'"\1": TIME', text)


def asked(name, tool, arguments):
    text = server.call(tool, **arguments)
    if MEASURED.match(name):
        heading = re.sub(r"[^A-Za-z]+", " ", text.partition("\n")[0]).strip()[:20]
        # What other clients have asked is behind its first word.
        return heading.split(" ")[0] if name.startswith("top queries") else heading
    return [line for line in text.splitlines() if not line.startswith(("DETAIL:", "HINT:"))]


name, command = sys.argv[1], sys.argv[2:]
server = Server(command)
hello = server.ask("initialize", protocolVersion="2024-11-05", capabilities={}, clientInfo={"name": "matrix", "version": "1"})
server.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
version = os.environ.get("SERVER_VERSION") or hello["serverInfo"]["version"]
step = Steps(name, version)
step.run("capabilities", lambda: sorted(hello["capabilities"]))
step.run("tools", lambda: sorted(tool["name"] for tool in server.ask("tools/list")["tools"]))
if "resources" in hello["capabilities"]:
    resources = server.ask("resources/list")["resources"]
    step.run("resources", lambda: sorted(
        [resource["name"], resource["uri"].replace(os.environ["PGPORT"], "PORT")] for resource in resources))
    for resource in resources[:12]:
        step.run(f"resource {resource['name']}", lambda resource=resource: [
            part["text"] for part in server.ask("resources/read", uri=resource["uri"])["contents"]])
tool, argument, questions = SERVERS[name]
for question, (asks, arguments) in questions.items():
    step.run(question, lambda question=question, asks=asks, arguments=arguments: asked(question, asks, arguments))
for title, text in SELECTS.items():
    step.run(f"read {title}", lambda text=text: asked("read", tool, {argument: text}))
for title, text in WRITES.items():
    step.run(f"write {title}", lambda text=text: asked("write", tool, {argument: text}), write=True)
step.run("read after writes", lambda: asked("read", tool, {argument: "SELECT count(*) AS customers FROM shop.customer"}))
step.run("end", server.close)
