"""psycopg2 by itself and under SQLAlchemy's pool habits: connects from the environment of libpq."""

import io
import threading
import time

import psycopg2
import psycopg2.extensions
import psycopg2.extras
from psycopg2 import errorcodes

ISOLATION = ("READ COMMITTED", "REPEATABLE READ", "SERIALIZABLE", "READ UNCOMMITTED", "DEFAULT")


def cancel_once_it_runs(connection):
    """Cancels a statement of the connection once somebody else has seen that it runs."""
    other = psycopg2.connect("")
    other.autocommit = True
    cursor = other.cursor()
    asked = "SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE '%%generate_series%%' AND pid = %s"
    while not cursor.rowcount > 0:
        time.sleep(0.02)
        cursor.execute(asked, [connection.info.backend_pid])
    connection.cancel()
    other.close()


def refused(cursor, text, code):
    try:
        cursor.execute(text)
    except psycopg2.Error as error:
        print("refused", text.split()[0], error.pgcode)
        assert error.pgcode == code, error
    else:
        raise AssertionError(f"{text} was not refused")


def main():
    connection = psycopg2.connect("")
    print(connection.encoding, connection.get_parameter_status("standard_conforming_strings"), connection.protocol_version)
    cursor = connection.cursor()
    cursor.execute("SELECT id, name, price, made, tags FROM item WHERE id <= %s AND name LIKE %s ORDER BY id", (12, "item%"))
    print(cursor.fetchall(), [column.name for column in cursor.description], cursor.statusmessage)
    cursor.execute("SELECT a_bool, a_int8, a_numeric, a_text, a_date, an_interval, a_jsonb FROM every_type WHERE a_int2 < 0")
    print(cursor.fetchone())
    connection.commit()

    with connection.cursor("a server cursor") as named:
        named.itersize = 17
        named.execute("SELECT id FROM item ORDER BY id")
        print(named.fetchone(), named.fetchmany(2), sum(row[0] for row in named))
    connection.rollback()

    out = io.StringIO()
    cursor.copy_expert("COPY (SELECT id, name FROM item WHERE id < 4 ORDER BY id) TO STDOUT CSV HEADER", out)
    cursor.copy_to(out, "item", columns=("id", "price"), null="none")
    cursor.copy_expert("COPY part TO STDOUT", out)
    print(out.getvalue())
    try:
        cursor.copy_expert("COPY item FROM STDIN", io.StringIO("1\tx\n"))
    except psycopg2.Error as error:
        print("copy in", error.pgcode)
    print(connection.get_transaction_status() == psycopg2.extensions.TRANSACTION_STATUS_INERROR)
    connection.rollback()

    cursor.execute("SELECT 'notice' ~~~> 'hello'")
    print(connection.notices)
    refused(cursor, "UPDATE item SET name = ''", errorcodes.READ_ONLY_SQL_TRANSACTION)
    refused(cursor, "SELECT 1", errorcodes.IN_FAILED_SQL_TRANSACTION)
    connection.rollback()
    cursor.execute("SELECT 1")
    print(cursor.fetchone())
    connection.rollback()

    try:
        cursor.execute("SELECT 'P0042' !!!> 'told'")
    except psycopg2.Error as error:
        diag = error.diag
        print(error.pgcode, diag.message_primary, diag.message_detail, diag.message_hint, diag.table_name)
    connection.rollback()

    for level in ISOLATION:
        connection.set_session(isolation_level=level, readonly=True, deferrable=True)
        cursor.execute("SHOW transaction_isolation")
        print(level, cursor.fetchone())
        connection.rollback()
    connection.set_session(isolation_level="DEFAULT", readonly="DEFAULT", deferrable="DEFAULT")

    timer = threading.Thread(target=cancel_once_it_runs, args=[connection])
    timer.start()
    refused(cursor, "SELECT count(*) FROM generate_series(1, 1000000000)", errorcodes.QUERY_CANCELED)
    timer.join()
    connection.rollback()

    connection.reset()
    connection.set_session(autocommit=True)
    connection.set_client_encoding("UTF8")
    cursor.execute("SHOW transaction_read_only")
    print(cursor.fetchone())
    dictionary = connection.cursor(cursor_factory=psycopg2.extras.RealDictCursor)
    dictionary.execute('SELECT * FROM "Mixed Case" ORDER BY 1')
    print(dictionary.fetchall())
    psycopg2.extras.execute_batch(cursor, "SELECT %s", [(1,)], page_size=1)
    cursor.execute("DISCARD ALL")
    cursor.execute("SHOW default_transaction_read_only")
    print(cursor.fetchone())
    connection.close()
    print("done")


main()
