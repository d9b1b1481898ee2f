"""Run as `kinds.py MODULE URL WISH…`; says which kinds of server a driver takes it for."""

import asyncio
import importlib
import sys

TURNED_AWAY = (
    "session is read-only",
    "session is not read-only",
    "server is in hot standby mode",
    "server is not in hot standby mode",
    "None of the hosts match the target attribute requirement",
)


async def by_asyncpg(driver, url):
    connection = await driver.connect(url)
    assert await connection.fetchval("SELECT 1") == 1
    await connection.close()


def by_libpq(driver, url):
    connection = driver.connect(url)
    cursor = connection.cursor()
    cursor.execute("SELECT 1")
    assert cursor.fetchone()[0] == 1
    connection.close()


def connects(module, url):
    driver = importlib.import_module(module)
    try:
        if module == "asyncpg":
            asyncio.run(by_asyncpg(driver, url))
        else:
            by_libpq(driver, url)
    except Exception as error:
        if not any(reason in str(error) for reason in TURNED_AWAY):
            raise
        return False
    return True


module, url, *wishes = sys.argv[1:]
for wish in wishes:
    if connects(module, f"{url}&target_session_attrs={wish}"):
        print(wish)
