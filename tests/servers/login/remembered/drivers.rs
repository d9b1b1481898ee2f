//! Clients that people use.

use std::process::Command;

use super::{Sieve, Wish, role};
use crate::support::installed::{installed, run, text};

const PSYCOPG: &str = "
import psycopg, sys
url, user = sys.argv[1:]
with psycopg.connect(url) as one, psycopg.connect(url) as other:
    for step in range(12):
        for number, connection in enumerate((one, other)):
            row = connection.execute('SELECT current_user, %s::int', (step + number,)).fetchone()
            assert row == (user, step + number), row
            connection.commit()
try:
    psycopg.connect(url.replace(':' + user, ':wrong'))
except psycopg.OperationalError as error:
    assert 'password authentication failed' in str(error), error
else:
    raise AssertionError('a wrong password')
";

const ASYNCPG: &str = "
import asyncio, asyncpg, sys
url, user = sys.argv[1:]
async def main():
    pool = await asyncpg.create_pool(url, min_size=4, max_size=8)
    async def one(step):
        async with pool.acquire() as connection, connection.transaction():
            row = await connection.fetchrow('SELECT current_user AS who, $1::int AS step', step)
            assert tuple(row) == (user, step), row
    await asyncio.gather(*(one(step) for step in range(40)))
    await pool.close()
    try:
        await asyncpg.connect(url.replace(':' + user, ':wrong'))
    except asyncpg.InvalidPasswordError:
        return
    raise AssertionError('a wrong password')
asyncio.run(main())
";

#[test]
fn drivers_share_connections_and_notice_nothing() {
    let sieve = Sieve::start(&Wish::default());
    let ann = role("");
    let (host, database) = (sieve.stack.proxied_address(), sieve.stack.database());
    let url = format!("postgres://{ann}:{ann}@{host}/{database}?sslmode=disable");
    let python = installed("clients-venv/bin/python");
    for script in [PSYCOPG, ASYNCPG] {
        let done = run(Command::new(&python).args(["-c", script, &url, &ann]));
        assert!(done.status.success(), "{}", text(&done.stderr));
    }
    let done = run(Command::new("psql").args(["-XAtqd", &url, "-c", "SELECT current_user"]));
    assert_eq!(text(&done.stdout).trim(), ann, "{}", text(&done.stderr));
    assert!(sieve.connections(&ann) <= 2);
}
