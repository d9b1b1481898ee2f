//! The wire as a whole: streams chopped anywhere, and two other implementations as witnesses.

mod pgwire_accepts;
mod pgwire_agrees;
mod postgres_protocol_agrees;
mod samples;
mod streams;
