//! Repairs and translations: over the wire, and by the rows that come back.

mod corpus;
mod corpus_wire;
mod dialects;
mod exploring;
mod functions;
mod walk;
mod wire;
