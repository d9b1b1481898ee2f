"""SQLsmith: what it learns of a database, by value, and whether a session survives what it makes up.

The statements that it makes up hang on addresses in its memory, so these are not compared. They write and call
whatever there is: directly they are only made, not sent.
"""

import hashlib
import os
import re
import socket
import struct
import subprocess
import threading

from steps import DIRECT, Steps

# Where the database or the way to it would be broken. 53 and 54 are limits, 57014 is a time limit.
BROKEN = re.compile(r"08...|XX...|57P..|58...|0A001")
STATEMENTS = 60


class Relay:
    """Passes connections on and keeps what the server says: rows as a hash, errors by SQLSTATE."""

    def __init__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.rows, self.hash, self.errors = 0, hashlib.sha256(), []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            client, _ = self.listener.accept()
            server = socket.create_connection((os.environ["PGHOST"], int(os.environ["PGPORT"])))
            threading.Thread(target=copy, args=(client, server), daemon=True).start()
            threading.Thread(target=self.relay, args=(client, server), daemon=True).start()

    def relay(self, client, server):
        waiting = b""
        while part := received(server):
            sent(client, part)
            waiting += part
            at = 0
            while len(waiting) >= at + 5:
                end = at + 1 + struct.unpack_from("!I", waiting, at + 1)[0]
                if len(waiting) < end:
                    break
                self.see(waiting[at : at + 1], waiting[at + 5 : end])
                at = end
            waiting = waiting[at:]
        client.close()

    def see(self, kind, body):
        if kind == b"D":
            self.rows += 1
            self.hash.update(body)
        elif kind == b"E":
            self.errors.append(re.search(rb"\0C(.{5})\0", b"\0" + body)[1].decode())


def received(peer):
    """What comes, or nothing where the peer is gone, with or without a word."""
    try:
        return peer.recv(65536)
    except OSError:
        return b""


def sent(peer, part):
    try:
        peer.sendall(part)
    except OSError:
        pass


def copy(client, server):
    while part := received(client):
        sent(server, part)
    server.shutdown(socket.SHUT_WR)


def smith(*options):
    """A run of it, and what came by."""
    relay = Relay()
    user, database = os.environ["PGUSER"], os.environ["PGDATABASE"]
    target = f"host=127.0.0.1 port={relay.port} user={user} password={user} dbname={database} sslmode=disable"
    done = subprocess.run(
        ["sqlsmith", f"--target={target}", *options], capture_output=True, text=True, check=False, errors="replace",
    )
    return relay, done


def learned():
    relay, done = smith("--dry-run", "--max-queries=1", "--seed=1")
    return {"status": done.returncode, "rows": relay.rows, "hash": relay.hash.hexdigest(), "errors": relay.errors,
            "loaded": re.findall(r"^(Loading .*|Generating .*)$", done.stderr, re.MULTILINE)}


def survived(seed):
    """What of the errors is more than a refusal or an error of the statement."""
    dry = ["--dry-run"] if DIRECT else []
    relay, done = smith(f"--max-queries={STATEMENTS}", f"--seed={seed}", *dry)
    return {"status": done.returncode, "broken": sorted({code for code in relay.errors if BROKEN.match(code)}),
            "lost connection": "connection to server was lost" in done.stderr.lower()}


version = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", "sqlsmith"], capture_output=True, text=True, check=False)
step = Steps("SQLsmith", version.stdout)
step(learned)
for seed in (2, 3):
    step.run(f"survived with seed {seed}", lambda seed=seed: survived(seed))
