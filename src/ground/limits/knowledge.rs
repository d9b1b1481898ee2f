//! Bounds of what a policy knows of a database.

pub mod cited_records;

/// Records of knowledge of one policy: more is a document that nobody reads to its end.
pub const KNOWLEDGE_RECORDS_MAX: usize = 2_000;

/// Files of knowledge that one policy names: each is watched for changes.
pub const KNOWLEDGE_FILES_MAX: usize = 50;

/// Dimensions of one metric: each is a column, of which a relation has not many more.
pub const METRIC_DIMENSIONS_MAX: usize = 100;
