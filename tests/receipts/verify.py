"""Refuses to draw a chart unless its SQL has a receipt that proves its rows.

    python verify.py --keys KEYS --sql FILE --rows FILE.jsonl --minutes N --nonce WORD RECEIPT

KEYS is a file with what /.well-known/jwks.json of the admin address answers, or its address. Each
line of the rows is an array of values or an object with the names of the columns. The nonce is what
the conversation's sessions have set pgsieve.receipt_nonce to. Needs PyJWT with cryptography, and
blake3. Exits with 0 if the chart may be drawn and with 1 if not.
"""

import argparse
import json
import struct
import sys
import time
import urllib.request

import jwt
from blake3 import blake3


class NotProven(Exception):
    """Why the chart is not drawn."""


def claims_of(receipt, key_set):
    """What a receipt says, if one of these keys has signed it and its time is not over."""
    try:
        header = jwt.get_unverified_header(receipt)
        if header.get("typ") != "receipt+jwt":
            raise NotProven("it is no receipt")
        keys = [key for key in key_set["keys"] if key.get("kid") == header.get("kid")]
        if not keys:
            raise NotProven("it names a key that is not published")
        key = jwt.PyJWK(keys[0], algorithm="EdDSA").key
        required = {"require": ["exp", "iat", "jti"]}
        return jwt.decode(receipt, key, algorithms=["EdDSA"], options=required)
    except jwt.PyJWTError as error:
        raise NotProven(f"the receipt does not count: {error}") from error


class NumberAsWritten(str):
    """A number of a line, with the digits that it has there."""


def text_of(value):
    """A value as Postgres writes it: the text format of the protocol."""
    if value is None:
        return None
    if value is True or value is False:
        return b"t" if value else b"f"
    if isinstance(value, (str, NumberAsWritten)):
        return str(value).encode()
    return json.dumps(value, ensure_ascii=False).encode()


def data_row(values):
    """A row as it is sent: the bytes of a DataRow message."""
    body = struct.pack("!H", len(values))
    for value in map(text_of, values):
        body += struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value
    return b"D" + struct.pack("!i", len(body) + 4) + body


def rows_of(lines, columns):
    """The rows of a file of JSON Lines, in the order of the receipt's columns."""
    names = [column["name"] for column in columns or []]
    for line in lines.splitlines():
        if not line.strip():
            continue
        row = json.loads(line, parse_float=NumberAsWritten, parse_int=NumberAsWritten)
        if isinstance(row, dict):
            if sorted(row) != sorted(names):
                raise NotProven("the rows have other columns")
            row = [row[name] for name in names]
        yield row


def check(receipt, key_set, sql, lines, minutes, nonce):
    """Raises NotProven unless the receipt proves that this SQL brought these rows."""
    claims = claims_of(receipt, key_set)
    if claims["outcome"] != "complete":
        raise NotProven(f"the statement did not run to its end: {claims['outcome']}")
    if time.time() - claims["iat"] > minutes * 60:
        raise NotProven("the receipt is too old")
    if claims.get("nonce") != nonce:
        raise NotProven("the receipt is of another conversation")
    if claims["stmt"] != blake3(sql.encode()).hexdigest():
        raise NotProven("the receipt is of another statement")
    columns = claims.get("columns")
    if any(column["format"] != "text" for column in columns or []):
        raise NotProven("the rows were sent in binary")
    result = blake3()
    for row in rows_of(lines, columns):
        result.update(data_row(row))
    if claims["result"] != result.hexdigest():
        raise NotProven("the statement brought other rows")
    return claims


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    for name in ("--keys", "--sql", "--rows", "--nonce"):
        parser.add_argument(name, required=True)
    parser.add_argument("--minutes", type=float, required=True)
    parser.add_argument("receipt")
    given = parser.parse_args()

    def read(name):
        with open(name, encoding="utf-8", newline="") as file:
            return file.read()

    if given.keys.startswith(("http://", "https://")):
        with urllib.request.urlopen(given.keys, timeout=10) as answer:
            key_set = json.load(answer)
    else:
        key_set = json.loads(read(given.keys))
    texts = read(given.sql), read(given.rows)
    try:
        claims = check(given.receipt, key_set, *texts, given.minutes, given.nonce)
    except NotProven as why:
        print(f"not drawn: {why}")
        return 1
    print(f"drawn: {claims['rows']} rows of {claims['user']} in {claims['database']}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
