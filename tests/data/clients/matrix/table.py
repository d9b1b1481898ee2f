"""The results, in a file that is sorted and stable, and as the table of tests/README.md."""

import csv
from pathlib import Path

from stack import POLICIES, ROOT

RESULT = Path(__file__).resolve().parent / "result.tsv"
PAGE = ROOT / "tests/README.md"
COLUMNS = ["client", "version", "policy", "verdict", "note"]
BEGIN = "<!-- clients: written by `make clients` -->"
END = "<!-- end of clients -->"


def read_rows(path=RESULT):
    """The rows of a result file as dicts, none where it is not there."""
    if not path.exists():
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE, quotechar=None))


def write_rows(rows, path=RESULT):
    lines = ["\t".join(COLUMNS)]
    for row in sorted(rows, key=lambda row: (row["client"].lower(), row["policy"])):
        lines.append("\t".join(one_line(row[column]) for column in COLUMNS))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def one_line(text):
    return " ".join(text.split())


def table(rows):
    """The rows as Markdown: a line for each client, a column for each policy."""
    lines = [f"| Client | Version | {' | '.join(POLICIES)} | |", f"|---|---|{'---|' * len(POLICIES)}---|"]
    clients = {}
    for row in sorted(rows, key=lambda row: row["client"].lower()):
        clients.setdefault(row["client"], {})[row["policy"]] = row
    for name, by_policy in clients.items():
        version = next((row["version"] for row in by_policy.values() if row["version"]), "")
        words = [by_policy[policy]["verdict"] if policy in by_policy else "" for policy in POLICIES]
        lines.append(f"| {' | '.join(cell(text) for text in [name, version, *words, notes(by_policy)])} |")
    return "\n".join(lines)


def notes(by_policy):
    """What both policies say alike once, else each with its policy."""
    said = {policy: by_policy[policy]["note"] for policy in POLICIES if policy in by_policy}
    if len(set(said.values())) == 1:
        return next(iter(said.values()))
    return "; ".join(f"{policy}: {note}" for policy, note in said.items() if note)


def cell(text):
    return one_line(text).replace("|", "\\|").replace("<", "&lt;")


def page_with_table(rows):
    """The page's text with the table of these rows between the two comments."""
    text = PAGE.read_text(encoding="utf-8")
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise RuntimeError(f"{PAGE} has no place for the table: {BEGIN} … {END}")
    return f"{before}{BEGIN}\n{table(rows)}\n{END}{after}"
