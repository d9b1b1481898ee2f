//! Bounds of what is looked for when the HINT of a failure may cite a record of knowledge.

/// Bytes of a failing statement in which the names are looked for that a record is about. Longer
/// ones are written by programs, which read no HINT.
pub const TEXT_BYTES_MAX: usize = 16 * 1024;

/// Records that are looked at for one HINT, the likeliest first: whether one may be told costs some
/// questions to the gate.
pub const RECORDS_MAX: usize = 8;

/// Relations of which the gate is asked for one HINT whether they may be read. What was not asked
/// counts as hidden.
pub const RELATIONS_MAX: usize = 64;
