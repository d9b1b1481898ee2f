//! The bounds of `check` by lines, and of linting a statement. What is beyond those is not linted:
//! a lint is advice.

/// Nesting of nodes that lints follow. They call themselves no deeper than this.
pub const LINT_DEPTH_MAX: usize = 200;

/// Nodes of a statement that is linted. Texts of agents have hundreds; each rule looks at all.
pub const LINT_NODES_MAX: usize = 20_000;

/// Items in one FROM whose joins are followed: their pairs are compared.
pub const LINT_ITEMS_MAX: usize = 48;

/// Queries within each other that are asked for a fact about a column: each asks the next.
pub const LINT_QUERIES_DEEP_MAX: usize = 8;

/// Foreign keys in a row that are followed to where a column's values come from.
pub const LINT_KEYS_DEEP_MAX: usize = 8;

/// Findings that are told of one statement: more help nobody.
pub const LINTS_MAX: usize = 40;

/// Bytes of a statement that is linted: what repairs take, too.
pub const LINT_BYTES_MAX: usize = super::REPAIR_BYTES_MAX;

/// Bytes of a check that is read as a list of texts. Lists of hundreds of words fit.
pub const LINT_CHECK_BYTES_MAX: usize = 8 * 1024;

/// Bytes of a JSON line that `check` reads: a statement of the largest size, half of it escaped.
pub const CHECK_LINE_BYTES_MAX: u64 = 64 << 20;
