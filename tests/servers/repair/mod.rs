//! Repairs and translations: over the wire, and by the rows that come back.

pub mod corpus;
mod corpus_wire;
mod dialects;
mod earlier_statements;
mod exploring;
mod failing_repairs;
mod functions;
mod good_reads;
mod repairs_off;
mod show_repaired;
mod walk;
mod wire;
