//! The analysis of names and types against real servers: for every query of the corpora the columns
//! of the result must be called, and be of the types, that the server's own Describe says. What the
//! analysis cannot tell is counted and bounded; what it tells wrongly fails.

#[cfg(test)]
mod agreement;
#[cfg(test)]
mod chosen;
#[cfg(test)]
mod overloads;
#[cfg(test)]
mod support;
