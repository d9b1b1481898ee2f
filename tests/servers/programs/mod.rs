//! The program as somebody runs it: commands, demo, dumps, and the harness of the tests.

mod command_line;
mod demo;
mod dumps;
mod harness;
mod shop_questions;
mod taken_address;
mod tonight;
