//! Bounds of an evaluation.

/// Entries of one dataset: the largest published one has about 12,000.
pub const ENTRIES_MAX: usize = 100_000;

/// Bytes of a question, or of a statement of a dataset.
pub const ENTRY_BYTES_MAX: usize = 64 * 1024;
