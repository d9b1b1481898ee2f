//! Receipts: what a client can show to prove that a statement ran, and what it brought.
//!
//! A receipt is a JWS in its compact form, signed by Ed25519, that every JOSE library verifies. It
//! says who ran which statement under which policy and what came of it, by digests: whoever has the
//! statement and the rows can compare them, and whoever has the receipt alone learns neither.
//!
//! * [`claims`]: what a receipt says; [`token`]: how it is signed and read
//! * [`signing_keys`]: the keys, and the set of them that is published
//! * [`digest`]: the rule by which texts, values and rows are digested
//! * [`issuer`]: who signs in a process
//! * [`file_rows`]: rows out of a file, as they were sent; [`proof`]: what a receipt proves of a
//!   statement and of rows
//!
//! <https://www.rfc-editor.org/rfc/rfc7515>, <https://www.rfc-editor.org/rfc/rfc8037>

pub mod claims;
pub mod digest;
pub mod file_rows;
pub mod issuer;
pub mod proof;
pub mod signing_keys;
pub mod token;
