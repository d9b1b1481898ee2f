"""What becomes of the statements of attacks.txt through public MCP servers and through pgsieve, as a table.

Each statement has a database of its own, as a superuser: what it leaves behind there, in the server or in files is
found out past the MCP server. Arguments: the folder with the servers, and pgsieve.
"""

import asyncio
import os
import pathlib
import pwd
import shutil
import socket
import subprocess
import sys
import tempfile

import psycopg
from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client

SCHEMA = """
    CREATE SCHEMA shop;
    CREATE TABLE shop.orders (id int PRIMARY KEY, total numeric);
    INSERT INTO shop.orders SELECT n, n FROM generate_series(1, 100) n;
    CREATE SEQUENCE shop.numbers;
    CREATE FUNCTION shop.empty_orders() RETURNS bigint LANGUAGE sql VOLATILE
        AS 'WITH gone AS (DELETE FROM shop.orders RETURNING 1) SELECT count(*) FROM gone';
    CREATE PROCEDURE shop.empty() LANGUAGE sql AS 'DELETE FROM shop.orders';
"""

# What a statement may change, each as one value.
STATE = """
    SELECT
        to_regclass('shop.orders') IS NOT NULL,
        (SELECT string_agg(nspname || '.' || relname || relkind::text || coalesce(relacl::text, ''), ' ' ORDER BY 1)
            FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE nspname !~ '^pg_(toast|temp)'),
        (SELECT string_agg(proname || prosrc, ' ' ORDER BY 1)
            FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE nspname = 'shop'),
        (SELECT count(*) FROM pg_largeobject_metadata),
        (SELECT string_agg(setconfig::text, ' ') FROM pg_db_role_setting s
            JOIN pg_database d ON d.oid = setdatabase WHERE datname = current_database()),
        (SELECT count(*) FROM pg_locks WHERE locktype = 'advisory'),
        (SELECT count(*) FROM pg_stat_activity WHERE application_name = 'bystander')
"""


class Server:
    """A Postgres of its own."""

    def __init__(self):
        self.folder = tempfile.mkdtemp(prefix="compared-")
        bin_folder = subprocess.run(["pg_config", "--bindir"], capture_output=True, text=True, check=True).stdout.strip()
        self.user = pwd.getpwuid(os.getuid()).pw_name
        self.demote = []
        if os.getuid() == 0:
            shutil.chown(self.folder, "postgres")
            self.demote = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        data = f"{self.folder}/data"
        password = f"{self.folder}/password"
        with open(password, "w") as file:
            file.write("compared")
        os.chmod(password, 0o644)
        run = lambda *words: subprocess.run([*self.demote, *words], check=True, stdout=subprocess.DEVNULL)
        run(f"{bin_folder}/initdb", "-D", data, "-U", "admin", "-A", "scram-sha-256", f"--pwfile={password}")
        options = f"-p {self.port} -k {self.folder} -h 127.0.0.1 -c fsync=off"
        run(f"{bin_folder}/pg_ctl", "-D", data, "-l", f"{self.folder}/log", "-w", "-o", options, "start")
        self.stop = lambda: run(f"{bin_folder}/pg_ctl", "-D", data, "-m", "immediate", "stop")

    def url(self, database):
        return f"postgres://admin:compared@127.0.0.1:{self.port}/{database}"

    def admin(self, database, **more):
        return psycopg.connect(self.url(database), autocommit=True, **more)


def servers(folder, pgsieve):
    """What is compared: its name, how it is started, and the call that runs a read."""
    modules = f"{folder}/node_modules"

    def dbhub(url, scratch):
        config = f"{scratch}/dbhub.toml"
        with open(config, "w") as file:
            file.write(f'[[sources]]\nid = "default"\ndsn = "{url}?sslmode=disable"\n')
            file.write('[[tools]]\nname = "execute_sql"\nsource = "default"\nreadonly = true\n')
        return ["node", f"{modules}/.bin/dbhub", "--transport", "stdio", "--config", config], {}

    def variables(url):
        account, place = url.removeprefix("postgres://").split("@")
        user, password = account.split(":")
        host, port = place.split("/")[0].split(":")
        return {
            "PG_HOST": host, "PG_PORT": port, "PG_USER": user, "PG_PASSWORD": password,
            "PG_DATABASE": place.split("/")[1],
        }

    sql = lambda text: {"sql": text}
    return [
        ("pgsieve mcp", lambda url, _: ([pgsieve, "mcp", "--upstream", url], {}), "query", sql),
        ("server-postgres 0.6.2", lambda url, _: (["node", f"{modules}/.bin/mcp-server-postgres", url], {}), "query", sql),
        ("dbhub 1.4.0, readonly", dbhub, "execute_sql", sql),
        (
            "postgres-mcp-server 1.0.7, select",
            lambda url, _: (["node", f"{modules}/.bin/postgres-mcp", "--connection-string", url], {}),
            "pg_execute_query",
            lambda text: {"operation": "select", "query": text},
        ),
        ("mcp-postgres-server 0.3.1", lambda url, _: (["node", f"{modules}/.bin/mcp-postgres"], variables(url)), "query", sql),
        (
            "postgres-context-server 0.1.7",
            lambda url, _: (["node", f"{modules}/@zeddotdev/postgres-context-server/index.mjs"], {"DATABASE_URL": url}),
            "query",
            sql,
        ),
    ]


def state(server, database, rows=True):
    """What there is, for whoever looks past the MCP server."""
    with server.admin(database) as admin:
        found = list(admin.execute(STATE).fetchone())
        if found[0]:
            found.append(admin.execute("SELECT count(*), sum(total) FROM shop.orders").fetchone())
            found.append(admin.execute("SELECT last_value, is_called FROM shop.numbers").fetchone())
    stolen = pathlib.Path(f"/tmp/{database}.stolen")
    found.append(stolen.exists())
    return found


async def call(command, environment, tool, arguments):
    """Calls a tool: whether it answered without an error, and what it said."""
    parameters = StdioServerParameters(command=command[0], args=command[1:], env={**os.environ, **environment})
    with open(os.devnull, "w") as nowhere:
        async with stdio_client(parameters, errlog=nowhere) as (reading, writing):
            async with ClientSession(reading, writing) as session:
                await session.initialize()
                try:
                    answer = await session.call_tool(tool, arguments)
                except Exception as error:
                    return False, str(error)
                said = " ".join(getattr(part, "text", "") for part in answer.content)
                return not answer.isError, said


def attempt(server, number, contender, statement):
    name, start, tool, arguments = contender
    database = f"compared_{number}"
    with server.admin("postgres") as admin:
        admin.execute(f"CREATE DATABASE {database} TEMPLATE compared")
    text = statement.replace("NAME", database)
    bystander = server.admin(database, application_name="bystander")
    scratch = tempfile.mkdtemp(prefix="compared-")
    try:
        before = state(server, database)
        command, environment = start(server.url(database), scratch)
        answered, said = asyncio.run(asyncio.wait_for(call(command, environment, tool, arguments(text)), 60))
        after = state(server, database)
    finally:
        bystander.close()
        shutil.rmtree(scratch)
        pathlib.Path(f"/tmp/{database}.stolen").unlink(missing_ok=True)
    with server.admin("postgres") as admin:
        admin.execute(f"DROP DATABASE {database} (FORCE)")
    if before != after:
        return "changed"
    has_failed = not answered or '"error"' in said[:200].lower() or said.lower().startswith("error")
    return "refused" if has_failed else "ran"


def main():
    folder, pgsieve = sys.argv[1], os.path.abspath(sys.argv[2])
    attacks = []
    for line in pathlib.Path(__file__).with_name("attacks.txt").read_text().splitlines():
        if line and not line.startswith("#"):
            attacks.append(line.split(" | ", 1))
    server = Server()
    try:
        with server.admin("postgres") as admin:
            admin.execute("CREATE DATABASE compared")
        with server.admin("compared") as admin:
            admin.execute(SCHEMA)
        classes = list(dict.fromkeys(kind for kind, _ in attacks))
        print(f"| | {' | '.join(classes)} | all {len(attacks)} |")
        print("|---|" + "---|" * (len(classes) + 1))
        number = 0
        for contender in servers(folder, pgsieve):
            found = {}
            for kind, statement in attacks:
                number += 1
                ending = attempt(server, number, contender, statement)
                found.setdefault(kind, []).append(ending)
                print(f"{contender[0]}: {ending}: {statement}", file=sys.stderr)
            cells = [told(found[kind]) for kind in classes]
            print(f"| {contender[0]} | {' | '.join(cells)} | {told(sum(found.values(), []))} |", flush=True)
    finally:
        server.stop()
        shutil.rmtree(server.folder, ignore_errors=True)


def told(endings):
    counts = [(ending, endings.count(ending)) for ending in ("refused", "ran", "changed")]
    return ", ".join(f"{count} {ending}" for ending, count in counts if count)


main()
