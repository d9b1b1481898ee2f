"""What a client did by each way, and what is said of it.

A program says JSON lines: who it is, then its steps; see the head of `run`.
"""

import json
from dataclasses import dataclass, field

SHOWN = 160
# Stands for every step that is not named: a client that a policy is not for.
ALL_ELSE = "*"


@dataclass
class Report:
    """What one run of a program said."""

    client: str = ""
    version: str = ""
    steps: dict = field(default_factory=dict)
    # Why the run itself counts for nothing.
    broken: str = ""


def read_report(output, status, errors, timed_out):
    """The report of a run, from its standard output, exit status and standard error."""
    report = Report()
    for line in output.splitlines():
        try:
            said = json.loads(line)
        except ValueError:
            report.broken = report.broken or f"said what is no JSON: {line[:SHOWN]}"
            continue
        if "client" in said:
            report.client, report.version = said["client"], str(said.get("version", ""))
        elif "step" not in said or not ("value" in said or "error" in said or "write" in said):
            report.broken = report.broken or f"said what is no step: {line[:SHOWN]}"
        elif said["step"] in report.steps:
            report.broken = report.broken or f"said the step {said['step']} twice"
        else:
            report.steps[said["step"]] = said
    if timed_out:
        report.broken = f"did not end within its time, after the step {last(report.steps)}"
    elif status != 0:
        words = [line for line in errors.splitlines() if line.strip()]
        report.broken = f"ended with {status} after the step {last(report.steps)}: {(words or [''])[-1][:SHOWN]}"
    elif not report.client:
        report.broken = report.broken or "never said who it is"
    elif not report.steps:
        report.broken = report.broken or "has no step"
    return report


@dataclass
class Verdict:
    """`ok`, `refused`, `FAIL` or `SKIPPED`, and what is to be said with it."""

    word: str
    note: str


def judge(direct, proxied, refused, unshared=()):
    """Compares a run through pgsieve with the direct one.

    `refused` are the steps that a rule refuses; `unshared` those that may say anything but an error.
    """
    for way, report in (("direct", direct), ("through pgsieve", proxied)):
        if report.broken:
            return Verdict("FAIL", f"{way}: {report.broken}")
    for names, listed in ((refused, "refused"), (unshared, "one of a connection of one's own")):
        strange = [name for name in names if name != ALL_ELSE and name not in proxied.steps]
        if strange:
            return Verdict("FAIL", f"no step has the name {strange[0]}, which is listed as {listed}")
    for name, reads in direct.steps.items():
        if reads.get("write"):
            return Verdict("FAIL", f"{name}: a write was run without pgsieve")
        if "error" in reads and "error" not in name:
            return Verdict("FAIL", f"{name}: has no error in its name, and ends in one without pgsieve: {show(reads)}")
        if name not in proxied.steps:
            return Verdict("FAIL", f"{name}: is no step of the run through pgsieve")
    writes = others = 0
    for name, through in proxied.steps.items():
        if through.get("write"):
            writes += 1
            if "error" not in through:
                return Verdict("FAIL", f"{name}: a write was not refused: {show(through)}")
        elif name not in direct.steps:
            return Verdict("FAIL", f"{name}: is no step of the direct run")
        elif name in refused:
            if "error" not in through:
                return Verdict("FAIL", f"{name}: is listed as refused, and passes")
        elif name in unshared and "error" not in through:
            continue
        elif not same(outcome(direct.steps[name]), outcome(through)):
            if ALL_ELSE in refused and "error" in through:
                others += 1
                continue
            return Verdict("FAIL", f"{name}: {difference(direct.steps[name], through)}")
    if ALL_ELSE in refused and not others:
        return Verdict("FAIL", "all else is listed as refused, and all else passes")
    if refused:
        named = {f"{others} of {len(direct.steps)} steps" if name == ALL_ELSE else name: refused[name] for name in sorted(refused)}
        return Verdict("refused", "; ".join(f"{name}: {reason}" for name, reason in named.items()))
    return Verdict("ok", f"{len(direct.steps)} steps, {writes} writes refused")


def outcome(step):
    """What is compared of a step."""
    if "error" in step:
        return {"error": step["error"], "message": step.get("message")}
    return {"value": step.get("value")}


def same(one, other):
    """As JSON: to Python true is 1."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def difference(direct, through):
    if "value" in direct and "value" in through:
        path, here, there = first_difference(direct["value"], through["value"], "")
        return f"{path or 'value'} is {brief(here)} direct and {brief(there)} through pgsieve"
    return f"{show(direct)} direct and {show(through)} through pgsieve"


def first_difference(one, other, path):
    """The innermost place where two JSON values differ, and what stands there."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in [*one, *(key for key in other if key not in one)]:
            if key not in one or key not in other or not same(one[key], other[key]):
                return first_difference(one.get(key, "nothing"), other.get(key, "nothing"), f"{path}.{key}")
    if isinstance(one, list) and isinstance(other, list):
        for at in range(max(len(one), len(other))):
            here = one[at] if at < len(one) else "nothing"
            there = other[at] if at < len(other) else "nothing"
            if not same(here, there):
                return first_difference(here, there, f"{path}[{at}]")
    return path, one, other


def show(step):
    if "error" in step:
        return f"{step['error']} {step.get('message', '')}"[:SHOWN].strip()
    return brief(step.get("value"))


def brief(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= SHOWN else text[: SHOWN - 1] + "…"


def last(steps):
    return list(steps)[-1] if steps else "(none)"
