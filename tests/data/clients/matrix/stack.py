"""A private Postgres with the fixture, and a pgsieve before it for each policy.

Nothing of it outlives `close`: the data folder is temporary, the processes are ended by their ids.
"""

import json
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[4]
FIXTURES = [ROOT / "tests/data/answers/fixture.sql", Path(__file__).resolve().parent / "fixture.sql"]
DATABASE = "matrix"
SUPERUSER = "postgres"
# Roles that clients log in as; the password of each is its name.
ROLES = ["app", "reader", "monitor"]
POLICIES = ["agent", "bi"]
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    # A cancel that overtakes its statement, as on a busy machine, cancels nothing: it ends all the same.
    "statement_timeout": "60s",
    # Sizes and statistics stay what they are.
    "autovacuum": "off",
    "fsync": "off",
    "timezone": "UTC",
    "lc_messages": "C",
    "wal_level": "logical",
    "log_min_messages": "fatal",
    "password_encryption": "scram-sha-256",
}
START_SECONDS = 60


class Stack:
    """Postgres and the two pgsieves; `ports` maps each way to its port."""

    def __init__(self, program, postgres_folder=None, pool=None):
        self.program = program
        self.pool = pool
        self.binaries = Path(postgres_folder) if postgres_folder else newest_postgres()
        self.account = unprivileged_account()
        self.folder = Path(tempfile.mkdtemp(prefix="pgsieve-matrix-"))
        self.processes = []
        self.ports = {}
        try:
            self.start_postgres()
            self.load()
            for policy in POLICIES:
                self.start_pgsieve(policy)
        except BaseException:
            self.close()
            raise

    def start_postgres(self):
        self.folder.chmod(0o755)
        data, password = self.folder / "data", self.folder / "password"
        password.write_text(SUPERUSER + "\n")
        data.mkdir(mode=0o700)
        if self.account:
            for path in (data, password):
                shutil.chown(path, self.account.pw_uid, self.account.pw_gid)
        subprocess.run(
            [self.binaries / "initdb", "-D", data, "-U", SUPERUSER, "-E", "UTF8", "--locale=C.UTF-8",
             "--auth=scram-sha-256", f"--pwfile={password}", "--no-sync"],
            check=True, stdout=subprocess.DEVNULL, **self.as_account(),
        )
        self.ports["direct"] = port = free_port()
        settings = SETTINGS | {"port": str(port), "unix_socket_directories": str(data)}
        if has_library(self.binaries, "pg_stat_statements"):
            settings["shared_preload_libraries"] = "pg_stat_statements"
        arguments = [word for key, value in settings.items() for word in ("-c", f"{key}={value}")]
        self.spawn("postgres", [self.binaries / "postgres", "-D", data, *arguments], **self.as_account())
        self.wait_for("postgres", lambda: self.psql("SELECT 1", database="postgres"))

    def load(self):
        """Roles, the database and the fixtures."""
        for role in ROLES:
            self.psql(f"CREATE ROLE {role} LOGIN PASSWORD '{role}'", database="postgres")
        self.psql("GRANT pg_monitor TO monitor", database="postgres")
        self.psql(f"CREATE DATABASE {DATABASE} OWNER app", database="postgres")
        for fixture in FIXTURES:
            self.psql(file=fixture)
        self.psql("VACUUM ANALYZE")

    def start_pgsieve(self, policy):
        """One that lets clients log in by themselves, or on connections that those of a role share."""
        self.ports[policy] = port = free_port()
        environment = {name: value for name, value in os.environ.items() if not name.startswith("PGSIEVE")}
        settings = ["--config", self.shared_settings()] if self.pool else []
        account = f"{ROLES[0]}:{ROLES[0]}@" if self.pool else ""
        self.spawn(
            f"pgsieve-{policy}",
            [self.program, "serve", *settings, "--upstream", f"postgres://{account}127.0.0.1:{self.ports['direct']}/",
             "--listen", f"127.0.0.1:{port}", "--admin", "off", "--policy", policy],
            env=environment,
        )
        self.wait_for(f"pgsieve-{policy}", lambda: socket.create_connection(("127.0.0.1", port), 1).close())

    def shared_settings(self):
        """A file with settings: each role proves its password here, and shares connections with itself."""
        users = []
        for role in ROLES:
            password, verifier = self.folder / f"{role}.password", self.folder / f"{role}.verifier"
            password.write_text(f"{role}\n")
            verifier.write_text(self.psql(f"SELECT rolpassword FROM pg_authid WHERE rolname = '{role}'"))
            for secret in (password, verifier):
                secret.chmod(0o600)
            users.append({"name": role, "verifier_file": str(verifier), "upstream_user": role,
                          "upstream_password_file": str(password)})
        file = self.folder / "shared.yaml"
        file.write_text(json.dumps({
            "client": {"auth": {"method": "scram", "users": users}},
            "pool": {"mode": "transaction", "size": self.pool},
        }))
        return file

    def spawn(self, name, command, **options):
        log = open(self.folder / f"{name}.log", "wb")
        with log:
            process = subprocess.Popen(
                [str(word) for word in command], stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                start_new_session=True, **options,
            )
        process.title = name
        self.processes.append(process)

    def wait_for(self, name, probe):
        """Until the probe raises nothing, or the process has ended, or the time is over."""
        end = time.monotonic() + START_SECONDS
        while True:
            try:
                return probe()
            except (OSError, subprocess.CalledProcessError) as error:
                ended = [process for process in self.processes if process.poll() is not None]
                if ended or time.monotonic() > end:
                    log = (self.folder / f"{name}.log").read_text(errors="replace")
                    raise RuntimeError(f"{name} did not start: {error}\n{log}") from error
                time.sleep(0.1)

    def psql(self, text=None, file=None, database=DATABASE):
        """Runs a text or a file directly, as the superuser; any error raises."""
        what = ["-c", text] if text else ["-f", str(file)]
        done = subprocess.run(
            [self.binaries / "psql", "-X", "-q", "-A", "-t", "-v", "ON_ERROR_STOP=1", *what],
            env=os.environ | self.environment("direct", SUPERUSER, database), check=False,
            stdin=subprocess.DEVNULL, capture_output=True, text=True,
        )
        if done.returncode != 0:
            raise subprocess.CalledProcessError(done.returncode, done.stderr.strip())
        return done.stdout

    def environment(self, way, user, database=DATABASE):
        """What tells a program where to connect, one of the ways, and as whom."""
        return {
            "PGHOST": "127.0.0.1", "PGPORT": str(self.ports[way]), "PGUSER": user, "PGPASSWORD": user,
            "PGDATABASE": database, "PGSSLMODE": "disable", "MATRIX_WAY": way, "MATRIX_URL": self.url(way, user),
        }

    def url(self, way, user):
        return f"postgresql://{user}:{user}@127.0.0.1:{self.ports[way]}/{DATABASE}"

    def contents(self):
        """Everything the database holds, to compare before and after."""
        dump = subprocess.run(
            [self.binaries / "pg_dump", "--no-sync"], env=os.environ | self.environment("direct", SUPERUSER),
            check=True, stdin=subprocess.DEVNULL, capture_output=True,
        ).stdout
        # Newer ones put a random word around what psql is to read.
        return [line for line in dump.splitlines() if not line.startswith((b"\\restrict", b"\\unrestrict"))]

    def as_account(self):
        if not self.account:
            return {}
        return {"user": self.account.pw_uid, "group": self.account.pw_gid, "extra_groups": [], "cwd": "/"}

    def close(self):
        for process in reversed(self.processes):
            if process.poll() is None:
                # For Postgres: ends sessions and shuts down.
                process.send_signal(signal.SIGINT)
            try:
                process.wait(timeout=20)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


def newest_postgres():
    """The folder of the newest Postgres's programs, as the tests choose it."""
    folders = [path.parent for path in Path("/usr/lib/postgresql").glob("*/bin/postgres")]
    for prefix in ("/opt/homebrew/opt", "/usr/local/opt"):
        folders += [path.parent for path in Path(prefix).glob("postgresql@*/bin/postgres")]
    if folders:
        return max(folders, key=lambda folder: int("".join(filter(str.isdigit, folder.parent.name))))
    found = shutil.which("postgres")
    if not found:
        raise RuntimeError("There is no Postgres on this machine: run `make setup`")
    return Path(found).resolve().parent


def has_library(binaries, name):
    config = subprocess.run([binaries / "pg_config", "--pkglibdir"], capture_output=True, text=True, check=False)
    folder = Path(config.stdout.strip() or binaries.parent / "lib")
    return any((folder / f"{name}{end}").exists() for end in (".so", ".dylib"))


def unprivileged_account():
    """Whom Postgres runs as; none is needed but for root, whom it refuses."""
    if os.geteuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name)
        except KeyError:
            continue
    raise RuntimeError("Postgres does not run as root, and there is neither postgres nor nobody here")


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]
