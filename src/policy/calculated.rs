//! What is known of the calculated columns of a model once they are put into its SELECT.

use super::knowledge::NamedColumns;

/// The columns of a model that are calculated for each row of its SELECT.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CalculatedColumns {
    /// They, in the order in which they stand behind the model's own.
    pub all: Vec<CalculatedColumn>,
    /// How many of the model's pieces they take: the first ones.
    pub pieces: usize,
}

/// A column that is calculated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CalculatedColumn {
    /// Its name.
    pub name: String,
    /// The columns of the model's own SELECT that it reads.
    pub own: Vec<String>,
    /// What it reads at the other sides of relationships: the columns of its expression, and those
    /// that rows are found by.
    pub others: Vec<NamedColumns>,
}
