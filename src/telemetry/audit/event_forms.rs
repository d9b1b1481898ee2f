//! The table of events: what each one's line holds, field by field, in the order in which they
//! stand.

use super::field_form::AuditValueForm::{Hex, Number, SqlState, Steps, Text, Word, Words};
use super::field_form::FieldPresence::{Always, Sometimes};
use super::field_form::{EventForm, FieldForm};
use super::fields::{ATTEMPT, DRIFT, FINGERPRINT, KEY_ID, PATH, STATEMENT, field};

/// Every event.
pub const EVENTS: &[EventForm] = &[
    event(
        "statement",
        true,
        "A statement was judged and its answer is complete.",
        STATEMENT,
    ),
    event(
        "statement_repaired",
        true,
        "A statement that failed was repaired, or that was tried.",
        &[
            PATH,
            field("outcome", Word, Always, "What became of the last attempt."),
            field("latency_us", Number, Always, "Microseconds that it took."),
            field(
                "attempts",
                Steps(ATTEMPT),
                Always,
                "Every attempt, in order.",
            ),
        ],
    ),
    event(
        "settings_clamped",
        true,
        "A setting was lowered to what the policy allows.",
        &[PATH, FINGERPRINT],
    ),
    event(
        "candidates_ranked",
        false,
        "An agent had candidates put in order; they were judged and planned, and none has run.",
        &[
            field("user", Text, Always, "The user."),
            field(
                "application_name",
                Text,
                Always,
                "What its program calls itself.",
            ),
            PATH,
            field("candidates", Number, Always, "How many there were."),
        ],
    ),
    event(
        "limit_reached",
        true,
        "A limit of the policy was reached.",
        &[
            field("rule", Word, Always, "The rule."),
            field(
                "mode",
                Word,
                Always,
                "Whether it was enforced or only observed.",
            ),
            field(
                "would_refuse",
                Words,
                Sometimes,
                "The rule, where it was only observed.",
            ),
            FINGERPRINT,
        ],
    ),
    event(
        "login",
        true,
        "A login came to its end, good or bad.",
        &[
            field(
                "method",
                Word,
                Always,
                "How the client had to prove itself.",
            ),
            field("outcome", Word, Always, "How it ended."),
            field("duration_us", Number, Always, "Microseconds that it took."),
            field(
                "sqlstate",
                SqlState,
                Sometimes,
                "The code of the error that the client got.",
            ),
        ],
    ),
    event(
        "connection_opened",
        true,
        "A client's socket was accepted.",
        &[field("transport", Word, Always, "The kind of socket.")],
    ),
    event(
        "connection_refused",
        true,
        "A client was turned away before its login.",
        &[field("reason", Word, Always, "Why.")],
    ),
    event(
        "connection_closed",
        true,
        "A connection has ended.",
        &[
            field("reason", Word, Always, "Why."),
            field(
                "duration_us",
                Number,
                Always,
                "Microseconds that it was open.",
            ),
            field("bytes_in", Number, Always, "Bytes that the client sent."),
            field("bytes_out", Number, Always, "Bytes that the client got."),
        ],
    ),
    event(
        "cancel",
        true,
        "A request to cancel was dealt with.",
        &[field("outcome", Word, Always, "What became of it.")],
    ),
    event(
        "console_command",
        true,
        "Whoever runs pgsieve had the console do something, or wanted to.",
        &[
            field("command", Word, Always, "The command."),
            field(
                "target",
                Text,
                Sometimes,
                "The database that it is about, where it is about one alone.",
            ),
            field("outcome", Word, Always, "What came of it."),
        ],
    ),
    event(
        "backend_signalled",
        true,
        "A statement has asked for the cancel or the end of another session of its user.",
        &[
            field("function", Word, Always, "The function that it called."),
            field("outcome", Word, Always, "What became of it."),
            FINGERPRINT,
        ],
    ),
    event(
        "tripwire",
        true,
        "The upstream is not what pgsieve relies on; the session was ended.",
        &[field("wire", Word, Always, "What was seen.")],
    ),
    event(
        "protocol_violation",
        true,
        "A peer broke the wire protocol.",
        &[
            field("peer", Word, Always, "Who."),
            field("cause", Word, Always, "How."),
        ],
    ),
    event(
        "session_panicked",
        false,
        "A fault of pgsieve ended a session.",
        &[],
    ),
    event(
        "panic_at",
        false,
        "Where a fault of pgsieve was.",
        &[
            field("file", Text, Always, "The source file."),
            field("line", Number, Always, "The line in it."),
        ],
    ),
    event(
        "policies_hold",
        false,
        "These policies hold from the start.",
        &[field("policies", Text, Always, "Names and versions.")],
    ),
    event(
        "settings_read",
        false,
        "The settings were read again.",
        &[
            field("outcome", Word, Always, "What came of it."),
            field(
                "changed",
                Text,
                Always,
                "The keys that hold otherwise than before.",
            ),
            field(
                "sessions_ended",
                Number,
                Always,
                "Sessions that were ended because their users are gone.",
            ),
            field(
                "problems",
                Number,
                Always,
                "What is wrong with them, as a number.",
            ),
        ],
    ),
    event(
        "policies_read",
        false,
        "The policies were read again.",
        &[
            field("outcome", Word, Always, "What came of it."),
            field(
                "policies",
                Text,
                Always,
                "Names and versions of those that hold.",
            ),
            field(
                "problems",
                Number,
                Always,
                "How much is wrong with those that were read.",
            ),
        ],
    ),
    event(
        "catalog_loaded",
        false,
        "What a database contains is known.",
        &[
            field("database", Text, Always, "The database."),
            field("version", Text, Always, "The version of the catalog."),
            field(
                "outcome",
                Word,
                Always,
                "Whether it differs from the one before.",
            ),
            field("schemas", Number, Always, "Schemas in it."),
            field("relations", Number, Always, "Relations in it."),
            field("functions", Number, Always, "Functions in it."),
            field("types", Number, Always, "Types in it."),
            field("duration_us", Number, Always, "Microseconds that it took."),
        ],
    ),
    event(
        "catalog_drifted",
        false,
        "A database contains something else than before; one count for each kind of object.",
        DRIFT,
    ),
    event(
        "catalog_failed",
        false,
        "What a database contains cannot be found out.",
        &[
            field("database", Text, Always, "The database."),
            field("why", Word, Always, "Why."),
        ],
    ),
    event(
        "catalog_withdrawn",
        false,
        "What is known of a database is too old to be used.",
        &[
            field("database", Text, Always, "The database."),
            field(
                "age_us",
                Number,
                Always,
                "Microseconds since it was last known to hold.",
            ),
        ],
    ),
    event(
        "listening",
        false,
        "A socket is open.",
        &[
            field("what", Word, Always, "For whom."),
            field("address", Text, Always, "Where."),
        ],
    ),
    event(
        "drain_started",
        false,
        "No new clients are accepted.",
        &[field("sessions", Number, Always, "Sessions that are open.")],
    ),
    event(
        "server_stopped",
        false,
        "The process ends.",
        &[field(
            "cut_off",
            Number,
            Always,
            "Sessions that were cut off.",
        )],
    ),
    event(
        "chain_began",
        false,
        "The first line of a chain.",
        &[
            KEY_ID,
            field(
                "chain",
                Hex(32),
                Always,
                "A number that no other chain has.",
            ),
        ],
    ),
    event(
        "chain_continued",
        false,
        "The first line of a file, or the first after a restart.",
        &[
            KEY_ID,
            field("why", Word, Always, "restarted, rotated or reopened."),
            field(
                "torn_bytes",
                Number,
                Sometimes,
                "Bytes of half a line that a crash has left.",
            ),
            field(
                "torn",
                Hex(64),
                Sometimes,
                "BLAKE3 of those, without a key.",
            ),
        ],
    ),
    event(
        "lines_lost",
        false,
        "Lines of what was permitted were dropped before this one, for want of room.",
        &[field("lines", Number, Always, "How many.")],
    ),
];

const fn event(
    name: &'static str,
    of_session: bool,
    doc: &'static str,
    fields: &'static [FieldForm],
) -> EventForm {
    EventForm {
        name,
        doc,
        of_session,
        fields,
    }
}
