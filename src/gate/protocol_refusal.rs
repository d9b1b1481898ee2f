//! Refusals of messages that never meet the parser: they name what does not exist, or cannot be
//! read as text at all. In Postgres's own words, where the database would have refused them too.

use super::{Refusal, Rule, SignalKind};
use ground::sqlstate;

impl Refusal {
    /// For a Bind of a statement that the session never prepared, or that was refused.
    pub fn of_unknown_statement(name: &str) -> Box<Self> {
        let message = if name.is_empty() {
            "unnamed prepared statement does not exist".to_owned()
        } else {
            format!("prepared statement \"{name}\" does not exist")
        };
        Self::new(
            Rule::PreparedName,
            &message,
            "Prepare the statement first; a statement that was refused is not prepared.",
        )
    }

    /// For a prepared statement whose table has changed since its client was told what it returns.
    pub fn of_changed_result() -> Box<Self> {
        Self::new(
            Rule::PreparedName,
            "cached plan must not change result type",
            "Prepare the statement again: what it returns, or takes, is something else by now.",
        )
        .with_sqlstate(sqlstate::FEATURE_NOT_SUPPORTED)
    }

    /// For an Execute of a portal or cursor that the session never made.
    pub fn of_unknown_portal(name: &str) -> Box<Self> {
        Self::new(
            Rule::CursorName,
            &format!("portal \"{name}\" does not exist"),
            "Bind the portal or declare the cursor first, in the same transaction.",
        )
    }

    /// For a name that was given twice: what it stands for now was perhaps judged when the database
    /// was another one.
    pub fn of_name_in_doubt(name: &str) -> Box<Self> {
        Self::new(
            Rule::PreparedName,
            &format!(
                "\"{name}\" was given to two statements, and what they name has changed since"
            ),
            "Close or deallocate the name, then prepare or declare again.",
        )
    }

    /// For a Parse or Bind beyond the names that one session may hold.
    pub fn of_too_many_names() -> Box<Self> {
        Self::new(
            Rule::TooManyNames,
            "this session holds too many prepared statements or portals",
            "Close those that are not needed any more.",
        )
    }

    /// For a message that more memory would be needed for than is left for all clients together.
    /// Nobody has read it.
    pub fn of_no_memory() -> Box<Self> {
        Self::new(
            Rule::Memory,
            "out of memory: the message needs more than is left for all clients together",
            "Send it again later, or in smaller parts; limits.memory is what there is in all.",
        )
    }

    /// For a text whose settings were lowered again and again without an end.
    pub fn of_clamp_without_end() -> Box<Self> {
        Self::new(
            Rule::Settings,
            "the statement changes more settings than can be brought within the policy",
            "Send one SET in a message.",
        )
        .with_sqlstate(sqlstate::PROGRAM_LIMIT_EXCEEDED)
    }

    /// For a text that takes longer to judge than the database takes to change, every time.
    pub fn of_change_without_end() -> Box<Self> {
        Self::new(
            Rule::CatalogMissing,
            "the database changes faster than the statement can be judged",
            "Send it again later.",
        )
        .with_sqlstate(sqlstate::PROGRAM_LIMIT_EXCEEDED)
    }

    /// For a text that is not UTF-8, which no lexer can be trusted to read as the server does.
    pub fn of_not_utf8() -> Box<Self> {
        Self::new(
            Rule::SyntaxError,
            "invalid byte sequence for encoding \"UTF8\"",
            "Send statements as UTF-8; the session's encoding is UTF8.",
        )
        .with_sqlstate(sqlstate::CHARACTER_NOT_IN_REPERTOIRE)
    }

    /// For a session that cancels what it runs itself: the server's own words.
    pub fn of_own_cancel() -> Box<Self> {
        let message = "canceling statement due to user request";
        let mut refusal =
            Self::new(Rule::FunctionEffects, message, "").with_sqlstate(sqlstate::QUERY_CANCELED);
        refusal.detail.clear();
        refusal
    }

    /// For a process id that a Bind gives in a form of which nothing is known.
    pub fn of_unread_signal(kind: SignalKind) -> Box<Self> {
        let message = format!(
            "{} is not allowed here: a value is no plain number",
            kind.function()
        );
        let hint = "Give the process id as a decimal number.";
        Self::new(Rule::FunctionEffects, &message, hint)
    }
}
