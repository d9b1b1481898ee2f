//! How sure a repair, or a translation, is.

use ground::words::words;

words! {
    /// How sure a repair is.
    Confidence {
        /// The text has one reading, and the repair spells it.
        Exact => "exact",
        /// All gates passed.
        Likely => "likely",
        /// Plausible, and no more: only ever a hint.
        Guess => "guess",
    }
}
