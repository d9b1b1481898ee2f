//! The analysis of names and types against real servers: for every query of the corpora the columns
//! of the result must be called, and be of the types, that the server's own Describe says. What the
//! analysis cannot tell is counted and bounded; what it tells wrongly fails.
//! What is foreseen of failures, and what is concluded from keys and joins, is held against the
//! same servers.

mod agreement;
mod chosen;
mod forecast;
mod joined_rows;
mod overloads;
mod support;
