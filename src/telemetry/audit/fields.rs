//! The fields that several events have, and those of the longest lines.

use super::field_form::AuditValueForm::{
    Hex, Names, Number, QueryId, Sealed, SqlState, Text, Time, Truth, Word, Words,
};
use super::field_form::FieldPresence::{Always, Sometimes};
use super::field_form::{AuditValueForm, FieldForm, FieldPresence};

/// What every line begins with.
pub const FIRST: &[FieldForm] = &[
    field("v", Number, Always, "The version of the schema."),
    field("time", Time, Always, "When it happened."),
    field("event", Word, Always, "What happened."),
    COPY,
];

/// Which copy of pgsieve has written a line. Lines of before there was this field have none.
const COPY: FieldForm = field(
    "copy",
    Text,
    Sometimes,
    "The copy of pgsieve that writes the line: audit.copy, or the host's name. Older lines have none.",
);

/// What every line ends with.
#[rustfmt::skip]
pub const LAST: &[FieldForm] = &[
    field("seq", Number, Always, "The line's number on its chain, from 1."),
    field("prev", Hex(64), Always, "The digest of the line before; zeros for the first."),
    field("seal", Hex(32), Always, "The first half of the line's own digest."),
];

/// What lines of a session have.
#[rustfmt::skip]
pub const SESSION: &[FieldForm] = &[
    field("session", Number, Always, "The connection, counted while the process lives."),
    field("client", Text, Always, "The address it comes from."),
    field("user", Text, Always, "The user it names."),
    field("database", Text, Always, "The database it names."),
    field("application_name", Text, Always, "What it calls itself."),
    field("tls", Truth, Always, "Whether its connection is encrypted."),
    field("policy", Text, Sometimes, "The policy it is under, once it is under one."),
    field("policy_version", Text, Sometimes, "The version of that policy."),
];

/// The fingerprint of a statement.
pub const FINGERPRINT: FieldForm = field(
    "fingerprint",
    Hex(32),
    Sometimes,
    "BLAKE3 of the normalised statement.",
);

/// The way that a statement came.
pub const PATH: FieldForm = field(
    "path",
    Word,
    Always,
    "The way it came: query, parse and so on; mcp for what callers of the MCP server send.",
);

/// What a statement's line has.
pub const STATEMENT: &[FieldForm] = &[
    PATH,
    field("kind", Word, Always, "What kind of statement it is."),
    field("verdict", Word, Always, "What became of it."),
    field(
        "rule",
        Word,
        Sometimes,
        "The rule that refused it or ended its result.",
    ),
    field(
        "subject",
        Text,
        Sometimes,
        "What the refusal is about: relation schema.name. Not with audit.names: off.",
    ),
    FINGERPRINT,
    field(
        "queryid",
        QueryId,
        Sometimes,
        "What the server calls it, as in pg_stat_statements, once it has told. With audit.queryid: on.",
    ),
    field(
        "receipt",
        Text,
        Sometimes,
        "The name of its receipt: the receipt's jti. With receipts.key_file.",
    ),
    field(
        "relations",
        Names,
        Sometimes,
        "What it reads: schema.name. Not with audit.names: off.",
    ),
    field(
        "columns",
        Names,
        Sometimes,
        "The columns that it reads: schema.name.column, or .* for a whole row. With audit.columns: on.",
    ),
    field(
        "functions",
        Names,
        Sometimes,
        "What it calls, without built-ins: schema.name(types).",
    ),
    field("settings", Names, Sometimes, "What it sets."),
    field(
        "names_left_out",
        Number,
        Sometimes,
        "Names for which the line had no room.",
    ),
    field(
        "would_refuse",
        Words,
        Sometimes,
        "Rules that are observed and would have refused it.",
    ),
    field(
        "sqlstate",
        SqlState,
        Sometimes,
        "The code of the error that the client got.",
    ),
    field(
        "trace_id",
        Hex(32),
        Sometimes,
        "The trace that its span belongs to, where it is sampled. With traces.endpoint.",
    ),
    field(
        "span_id",
        Hex(16),
        Sometimes,
        "Its span, where it is sampled. With traces.endpoint.",
    ),
    field("rows", Number, Always, "Rows of the answer."),
    field("bytes", Number, Always, "Bytes of the answer."),
    field("gate_us", Number, Always, "Microseconds at the gate."),
    field(
        "upstream_us",
        Number,
        Always,
        "Microseconds that the upstream took.",
    ),
    field(
        "total_us",
        Number,
        Always,
        "Microseconds from its arrival to the end of its answer.",
    ),
    field(
        "plan_us",
        Number,
        Sometimes,
        "Microseconds that it waited for its plan.",
    ),
    field(
        "text_left_out",
        Number,
        Sometimes,
        "Bytes of its text behind those that text has, where it is too long.",
    ),
    field(
        "text",
        Sealed,
        Sometimes,
        "Its text, encrypted to audit.text_recipients. With audit.text: encrypted.",
    ),
];

/// What an attempt to repair has.
#[rustfmt::skip]
pub const ATTEMPT: &[FieldForm] = &[
    field("recoverer", Word, Always, "Who changed the text."),
    field("confidence", Word, Always, "How sure the repair was."),
    field("outcome", Word, Always, "What became of the attempt."),
    field("gates", Words, Always, "What a rewritten name failed."),
    field("before", Hex(32), Sometimes, "The fingerprint before."),
    field("after", Hex(32), Sometimes, "The fingerprint of the changed text."),
];

/// What names the key of a chain.
pub const KEY_ID: FieldForm = field(
    "key_id",
    Hex(8),
    Sometimes,
    "A name of the key; none, no key.",
);

/// What a line about drift has: a count for each kind of object.
pub const DRIFT: &[FieldForm] = &[
    field("database", Text, Always, "The database."),
    field("settings", Number, Sometimes, "Objects of this kind."),
    field("role", Number, Sometimes, "Objects of this kind."),
    field("schema", Number, Sometimes, "Objects of this kind."),
    field("relation", Number, Sometimes, "Objects of this kind."),
    field("view", Number, Sometimes, "Objects of this kind."),
    field("column", Number, Sometimes, "Objects of this kind."),
    field("key", Number, Sometimes, "Objects of this kind."),
    field("policy", Number, Sometimes, "Objects of this kind."),
    field("type", Number, Sometimes, "Objects of this kind."),
    field("function", Number, Sometimes, "Objects of this kind."),
    field("operator", Number, Sometimes, "Objects of this kind."),
    field("cast", Number, Sometimes, "Objects of this kind."),
    field("temporary", Number, Sometimes, "Objects of this kind."),
];

/// One field.
pub const fn field(
    name: &'static str,
    form: AuditValueForm,
    presence: FieldPresence,
    doc: &'static str,
) -> FieldForm {
    FieldForm {
        name,
        form,
        presence,
        doc,
    }
}
