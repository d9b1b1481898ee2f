//! The gate: its verdicts on corpora, what it costs and what it does at startup.

mod bounds;
mod corpus;
mod startup;
