//! The program as somebody types it.

use std::io::Write;
use std::process::{Command, Output, Stdio};

/// Runs `pgsieve` without any variables of the environment, with that on its standard input.
pub fn pgsieve(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_pgsieve"))
        .args(arguments)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut typed = child.stdin.take().unwrap();
    typed.write_all(input.as_bytes()).unwrap();
    drop(typed);
    child.wait_with_output().unwrap()
}
