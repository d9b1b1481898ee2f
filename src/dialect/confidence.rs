//! How sure a repair, or a translation, is.

/// How sure a repair is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Confidence {
    /// The text has one reading, and the repair spells it.
    Exact,
    /// All gates passed.
    Likely,
    /// Plausible, and no more: only ever a hint.
    Guess,
}
