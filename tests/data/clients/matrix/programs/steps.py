"""What the Python programs of the matrix share: the steps of the contract in the head of `run`.

    step = Steps("psycopg", psycopg.__version__, recover=connection.rollback)

    @step
    def rows():
        return connection.execute("SELECT 1").fetchall()

    @step.write
    def delete():
        connection.execute("DELETE FROM item")

A step runs where it is defined, once. It may be a coroutine function where a loop was given.
"""

import datetime
import decimal
import enum
import inspect
import json
import math
import os
import re
import sys
import uuid

WAY = os.environ["MATRIX_WAY"]
URL = os.environ["MATRIX_URL"]
DIRECT = WAY == "direct"

# Writes that every client is tried with.
WRITES = {
    "insert": "INSERT INTO item (id, name) VALUES (0, 'x')",
    "update returning": "UPDATE shop.customer SET name = 'x' RETURNING id",
    "delete in with": "WITH gone AS (DELETE FROM item RETURNING id) SELECT * FROM gone",
    "temporary table": "CREATE TEMP TABLE t (a int)",
    "lock rows": "SELECT * FROM item FOR UPDATE",
    "nextval": "SELECT nextval('shop.invoice_number')",
    "notify": "NOTIFY a, 'b'",
    "terminate others": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity",
    "advisory lock": "SELECT pg_advisory_lock(1)",
    "call": "CALL shop.close_day()",
    "do": "DO $$ BEGIN END $$",
    "replication role": "SET session_replication_role = replica",
}

# Statements that fail, whoever sends them.
ERRORS = {
    "missing column": "SELECT no_such_column_at_all FROM item",
    "missing table": "SELECT * FROM no_such_table_at_all",
    "missing function": "SELECT no_such_function_at_all(1)",
    "syntax": "WHERE BY GROUP",
    "division by zero": "SELECT 1/0",
    "not granted": "SELECT * FROM secret_table",
    "raised": "SELECT 'P0042' !!!> 'told'",
}


class Steps:
    """Runs steps and says what came of them; `recover` runs after one that failed."""

    def __init__(self, client, version, recover=None, loop=None):
        self.recover = recover
        self.loop = loop
        say({"client": client, "version": str(version)})

    def __call__(self, function):
        self.run(function.__name__, function)
        return function

    def write(self, function):
        self.run(function.__name__, function, write=True)
        return function

    def run(self, name, function, write=False):
        """For steps of a loop: the name says which."""
        said = {"step": name.replace("_", " ")}
        if write:
            if DIRECT:
                return
            said["write"] = True
        try:
            said["value"] = plain(self.finish(function()))
        except (KeyboardInterrupt, SystemExit):
            raise
        # Panics of drivers in Rust are no Exception.
        except BaseException as error:
            said |= failure(error)
            if self.recover:
                try:
                    self.finish(self.recover())
                except Exception as second:
                    print(f"{name}: recovery: {second!r}", file=sys.stderr)
        say(said)

    def finish(self, result):
        if inspect.isawaitable(result):
            return self.loop.run_until_complete(result)
        return result


def say(said):
    sys.stdout.write(json.dumps(said, ensure_ascii=True, sort_keys=True) + "\n")
    sys.stdout.flush()


def failure(error):
    """SQLSTATE or class of an error, and the first line of what it says."""
    return {"error": sqlstate(error) or type(error).__name__, "message": message(error)}


def sqlstate(error, depth=5):
    """The SQLSTATE of an error or of what it wraps."""
    if error is None or depth == 0:
        return None
    for name in ("sqlstate", "pgcode"):
        code = getattr(error, name, None)
        if isinstance(code, str) and code:
            return code
    for argument in getattr(error, "args", ()):
        if isinstance(argument, dict) and isinstance(argument.get("C"), str):
            return argument["C"]
    for inner in (getattr(error, "orig", None), error.__cause__, error.__context__):
        if isinstance(inner, BaseException):
            found = sqlstate(inner, depth - 1)
            if found:
                return found
    return None


def message(error):
    """The first line; of an error that pg8000 keeps in a dict, its M, also where another error wraps it."""
    for inner in (error, getattr(error, "orig", None), error.__cause__):
        for argument in getattr(inner, "args", ()):
            if isinstance(argument, dict) and "M" in argument:
                return argument["M"]
    lines = [line for line in str(error).splitlines() if line.strip()]
    return without_addresses(lines[0]) if lines else ""


def plain(value):
    """A value as JSON that says the same in each run; types that JSON lacks are told by a prefix."""
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, enum.Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, int):
        return value if abs(value) < 2**53 else f"int {value}"
    if isinstance(value, float):
        return value if math.isfinite(value) else f"float {value}"
    if isinstance(value, (bytes, bytearray, memoryview)):
        return f"bytes {bytes(value).hex()}"
    if isinstance(value, decimal.Decimal):
        return f"decimal {value}"
    if isinstance(value, uuid.UUID):
        return f"uuid {value}"
    if isinstance(value, (datetime.datetime, datetime.date, datetime.time, datetime.timedelta)):
        return f"{type(value).__name__} {value!s}"
    if isinstance(value, dict):
        return {key if isinstance(key, str) else str(plain(key)): plain(item) for key, item in value.items()}
    if isinstance(value, (set, frozenset)):
        return sorted((plain(item) for item in value), key=str)
    if isinstance(value, (list, tuple)) or inspect.isgenerator(value):
        return [plain(item) for item in value]
    return f"{type(value).__name__} {without_addresses(str(value))}"


def without_addresses(text):
    """Without the places of objects in memory."""
    return re.sub(r"0x[0-9a-f]{6,}", "0x…", text)
