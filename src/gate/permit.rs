//! The proof that a text was judged and may run.
//!
//! Its fields are private to this file and `issue` is private to the crate `gate`, so no code
//! outside the gate can make a permit, change the text inside one, or put a text of its own under
//! the facts of another:
//!
//! ```compile_fail,E0451
//! use gate::ReadPermit;
//! let forged = ReadPermit { text: "DROP TABLE t".into(), facts: unreachable!() };
//! ```
//!
//! ```compile_fail,E0624
//! use gate::ReadPermit;
//! let forged = ReadPermit::issue("DROP TABLE t".into(), unreachable!());
//! ```
//!
//! A permit that waited, for a plan or a repair, is another type. It is not sent before it was held
//! against what the verdict stands on now: an outbox does not take it (`upstream/outbox.rs`).

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use super::{Facts, VerdictBasis};

/// A text that passed. What goes upstream is taken from here and from nowhere else.
///
/// There is no constructor outside the gate, no `Clone`, no `Default` and no conversion into one.
pub struct ReadPermit<'t> {
    text: Cow<'t, str>,
    facts: Arc<Facts>,
}

/// A permit that has waited: what it stands on may have changed meanwhile. It cannot be sent before
/// it was made [`current`](Self::current) again.
#[derive(Debug)]
pub struct WaitingPermit(ReadPermit<'static>);

impl WaitingPermit {
    /// The permit, if the text would be judged on the same basis now.
    ///
    /// # Errors
    /// The basis is another one: the text has to be judged anew.
    pub fn current(self, basis: VerdictBasis) -> Result<ReadPermit<'static>, Self> {
        match self.0.facts.basis == basis {
            true => Ok(self.0),
            false => Err(self),
        }
    }

    /// The text that was judged to run.
    pub fn text(&self) -> &str {
        self.0.text()
    }

    /// The text as it came, before the policy's models were put in.
    pub fn original(&self) -> &str {
        self.0.original()
    }

    /// What the gate learned about it.
    pub fn facts(&self) -> &Arc<Facts> {
        self.0.facts()
    }
}

impl ReadPermit<'_> {
    /// The text that runs, byte for byte as it was judged.
    pub fn text(&self) -> &str {
        match &self.facts.rewritten {
            Some(rewritten) => &rewritten.text,
            None => &self.text,
        }
    }

    /// The text as it came, before the policy's models were put in: what is judged again when the
    /// basis is another one. It is not to be sent.
    pub fn original(&self) -> &str {
        &self.text
    }

    /// What the gate learned about it.
    pub fn facts(&self) -> &Arc<Facts> {
        &self.facts
    }
}

impl<'t> ReadPermit<'t> {
    /// The same, for a text that has to wait before it is sent.
    pub fn wait(self) -> WaitingPermit {
        WaitingPermit(ReadPermit {
            text: Cow::Owned(self.text.into_owned()),
            facts: self.facts,
        })
    }

    /// Only for a text that was judged, as a whole, and that no rule refused.
    pub(super) fn issue(text: Cow<'t, str>, facts: Arc<Facts>) -> Self {
        Self { text, facts }
    }
}

impl fmt::Debug for ReadPermit<'_> {
    /// Without the text.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("ReadPermit")
            .field("facts", &self.facts)
            .finish_non_exhaustive()
    }
}
