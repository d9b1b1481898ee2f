//! Texts and trees: the parser, fingerprints, splitting, and texts that mean harm.

mod children;
mod fingerprint;
mod grammar;
mod hostile;
mod lexer;
