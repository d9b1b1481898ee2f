//! May this text run, for this user, under this policy. The only maker of a [`ReadPermit`].
//!
//! The path of a judgement, top to bottom:
//!
//! 1. the linear pre-scan bounds what the parser is given ([`rules::too_long`],
//!    [`rules::too_complex`]);
//! 2. Postgres's own grammar parses it ([`rules::syntax_error`]): what it does not accept never
//!    runs;
//! 3. a fingerprint is taken where statements are recorded: it is all that ever is of the text;
//! 4. a message of several statements must be one that the policy carries
//!    ([`rules::several_statements`]);
//! 5. each statement is judged by its kind, which is a closed list, and every node under it is
//!    looked at ([`walk`]); a node that is not known is refused ([`rules::node_unknown`]);
//! 6. what no rule refused becomes a [`ReadPermit`], or a [`Clamp`]: the same text with a value
//!    lowered, which comes back here as a new text.
//!
//! Nothing here touches a socket, a clock or the database: what only a catalog can show (views,
//! casts and operators that call functions, `t.f` notation, types with checks) is not seen at this
//! depth.

pub mod cache;
mod case;
mod facts;
pub mod functions;
mod kind;
mod names;
mod permit;
mod protocol;
mod rule;
pub mod rules;
mod setting;
mod startup;
mod startup_options;
mod statement;
mod verdict;
mod walk;

use std::borrow::Cow;
use std::sync::Arc;

pub use self::cache::JudgementCache;
pub use self::facts::{Effect, Facts};
pub use self::kind::StatementKind;
pub use self::names::{Cursor, SessionNames};
pub use self::permit::ReadPermit;
pub use self::rule::Rule;
pub use self::startup::StartupPlan;
pub use self::verdict::{Clamp, Judgement, Refusal, Verdict};

use self::case::Case;
use crate::policy::Policy;
use crate::sql::edit;
use crate::sql::fingerprint::Fingerprinter;
use crate::sql::{scan, tree};

/// Judges texts under one policy. It holds no state: the same text and names get the same verdict.
pub struct Gate {
    policy: Arc<Policy>,
    fingerprinter: Option<Fingerprinter>,
}

impl Gate {
    /// A gate for a policy.
    pub fn new(policy: Arc<Policy>, fingerprinter: Fingerprinter) -> Self {
        Self {
            policy,
            fingerprinter: Some(fingerprinter),
        }
    }

    /// The same gate where no statement is recorded: it does not take the fingerprints that nobody
    /// would see.
    pub fn without_fingerprints(policy: Arc<Policy>) -> Self {
        Self {
            policy,
            fingerprinter: None,
        }
    }

    /// The policy that it judges by.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Judges a text: the statements of one Query or Parse message. `names` are the prepared
    /// statements and cursors of the session that sent it.
    pub fn judge<'t>(&self, text: Cow<'t, str>, names: &SessionNames) -> Judgement<'t> {
        let tree = match self.parse(&text) {
            Ok(tree) => tree,
            Err(refusal) => {
                let maker = self.fingerprinter.as_ref();
                let fingerprint = maker.map(|maker| maker.of_unparsed(&text));
                let facts = Facts::of_refused(StatementKind::Unparsed, fingerprint, 0);
                return Judgement {
                    verdict: Verdict::Refused(refusal),
                    facts: Arc::new(facts),
                };
            }
        };
        let kind = kind::of_message(&tree);
        let fingerprint = self.fingerprinter.as_ref().map(|maker| maker.of(&text));
        let mut case = Case::new(&text, &self.policy, names, fingerprint);
        let heard = statement::judge_message(&tree, &mut case).and_then(|()| clamp(&mut case));
        match heard {
            Err(refusal) => {
                let facts = Facts::of_refused(kind, case.fingerprint, case.statements);
                Judgement {
                    verdict: Verdict::Refused(refusal),
                    facts: Arc::new(facts),
                }
            }
            Ok(Some(clamp)) => {
                let facts = Arc::new(case.into_facts(kind));
                Judgement {
                    verdict: Verdict::Clamped(clamp),
                    facts,
                }
            }
            Ok(None) => {
                let facts = Arc::new(case.into_facts(kind));
                let permit = ReadPermit::issue(text, Arc::clone(&facts));
                Judgement {
                    verdict: Verdict::Permitted(permit),
                    facts,
                }
            }
        }
    }

    /// Judges the parameters of a StartupMessage, and plans the one that goes upstream.
    pub fn judge_startup(&self, parameters: &[(&str, &str)]) -> Result<StartupPlan, Refusal> {
        startup::judge(&self.policy, parameters)
    }

    fn parse(&self, text: &str) -> Result<tree::Tree, Box<Refusal>> {
        scan::prescan(text, self.policy.statement_bytes())
            .map_err(|error| rules::before_parsing(&error))?;
        tree::parse(text).map_err(|error| rules::syntax_error::refusal(text, &error))
    }
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Gate")
            .field("policy", &self.policy)
            .finish_non_exhaustive()
    }
}

/// The text with the lowered values in it, if any value was lowered.
fn clamp(case: &mut Case<'_>) -> Result<Option<Clamp>, Box<Refusal>> {
    if case.edits.is_empty() {
        return Ok(None);
    }
    let edits = std::mem::take(&mut case.edits);
    let text = edit::apply(case.text, edits).map_err(|_| rules::settings::not_lowerable())?;
    Ok(Some(Clamp {
        text,
        notice: std::mem::take(&mut case.notice),
    }))
}

#[cfg(test)]
mod tests;
