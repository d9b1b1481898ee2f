//! Lints: what right statements get of them, and what the program prints.

mod command;
mod right_statements;
