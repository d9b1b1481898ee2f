"""The exceptions that refused writes are, by name: psycopg's, psycopg2's and asyncpg's."""

import asyncio
import os

import asyncpg
import psycopg
import psycopg2


def name(error):
    bases = [kind.__name__ for kind in type(error).__mro__]
    return " ".join(bases[:2])


for module in (psycopg, psycopg2):
    connection = module.connect("")
    try:
        connection.cursor().execute("CREATE TABLE other (n int)")
    except module.Error as error:
        print(module.__name__, name(error))
    connection.close()


async def main():
    connection = await asyncpg.connect(host=os.environ["PGHOST"], port=os.environ["PGPORT"])
    for statement in ("CREATE TABLE other (n int)", "DELETE FROM pg_class"):
        try:
            await connection.execute(statement)
        except asyncpg.PostgresError as error:
            print("asyncpg", name(error))
    await connection.close()


asyncio.run(main())
