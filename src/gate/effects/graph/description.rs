//! What a client is told of something that is not clean: its name as far as the client may know it,
//! what it does, and what can be done about that.

use super::EffectReason;
use crate::{Refusal, Rule};
use catalog::quoted;
use ground::limits::FIRST_LINE_CHARACTERS_MAX;
use ground::sqlstate;

/// What a client is told of something that is not clean.
pub(crate) struct EffectDescription {
    /// What it is and its name, as far as the client may know.
    pub(crate) what: Option<String>,
    pub(super) because: EffectClause,
    /// One sentence about it, where the role may see all that it names.
    pub(crate) sentence: Option<String>,
    /// What it is and its name, whoever may see that.
    pub(crate) about: Option<String>,
    /// What can be done about it.
    pub(crate) hint: &'static str,
}

/// Why a thing is not clean, after "it".
pub(super) enum EffectClause {
    /// By itself.
    Does(&'static str),
    /// By what it runs.
    Runs { what: String, which: &'static str },
    /// By what the role may not see.
    Unnamed,
}

impl EffectDescription {
    /// What is told of something that has no name here, or none that the client may know.
    pub(crate) fn nameless() -> Self {
        Self {
            what: None,
            because: EffectClause::Unnamed,
            sentence: None,
            about: None,
            hint: EffectReason::Volatile.hint(),
        }
    }

    /// The same under the name that the client wrote.
    pub(crate) fn written(sort: &str, name: &str) -> Self {
        Self {
            what: Some(format!("{sort} {}", quoted(name))),
            ..Self::nameless()
        }
    }

    /// The refusal of it by a rule; `unnamed` is what it is called without a name.
    pub(crate) fn refusal(&self, rule: Rule, unnamed: &str) -> Box<Refusal> {
        let what = self.what.as_deref().unwrap_or(unnamed);
        let start = format!("{what} is not allowed: it ");
        let message = match &self.because {
            EffectClause::Does(does) => format!("{start}{does}"),
            EffectClause::Runs { what, which } => {
                let short = format!("{start}{what}");
                let full = format!("{short}, which {which}");
                match full.chars().count() <= FIRST_LINE_CHARACTERS_MAX {
                    true => full,
                    false => short,
                }
            }
            EffectClause::Unnamed => format!("{start}runs something that may do more than read"),
        };
        self.refused(rule, &message)
    }

    /// The refusal of it by a rule, in these words.
    pub(crate) fn refused(&self, rule: Rule, message: &str) -> Box<Refusal> {
        let refusal =
            Refusal::new(rule, message, self.hint).with_sqlstate(sqlstate::INSUFFICIENT_PRIVILEGE);
        let refusal = refusal.of(self.about.clone());
        match &self.sentence {
            Some(told) => refusal.about(format_args!("{told}")),
            None => refusal,
        }
    }
}

/// Whether a client wrote a name, in whatever case: it then is no news to it.
pub(crate) fn is_written(name: &str, text: &str) -> bool {
    !name.is_empty() && text.to_lowercase().contains(&name.to_lowercase())
}

impl EffectReason {
    /// What a client can do about it.
    pub(super) fn hint(self) -> &'static str {
        match self {
            Self::BuiltIn(_) | Self::RunsSql | Self::Unknown | Self::Writes => {
                "Leave it out. Where a function of the database does that, functions.allow of the \
                 policy may name that function."
            }
            Self::Volatile
            | Self::SecurityDefiner
            | Self::SchemaNotTrusted
            | Self::NameOfBuiltIn
            | Self::ChangesSettings => {
                "Leave it out, or have the function named under functions.allow of the policy, \
                 with the types of its arguments."
            }
            Self::RunsLiteral => "Give it each query as a literal that would pass by itself.",
            Self::Procedure | Self::TemporarySchema | Self::Unfinished => {
                "Leave it out; other things of the database can be used."
            }
            Self::Foreign => {
                "Have the table named under foreign.tables of the policy, or its server under \
                 foreign.servers."
            }
            Self::Missing => "Send it again shortly: the catalog is being read again.",
            Self::PathDependent | Self::Opaque | Self::Refused(_) => PATH_HINT,
        }
    }
}

/// What can be done where names lead elsewhere than the function's author meant.
pub(crate) const PATH_HINT: &str = "RESET search_path, or have the function given its own \
     (ALTER FUNCTION … SET search_path = …) or named under functions.any_search_path of the policy.";
