//! The program as somebody types it.

use std::io::{ErrorKind, Write};
use std::process::{Child, Command, Output, Stdio};
use std::thread;
use std::time::Duration;

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

/// Starts a program that was just written: whatever another thread has started meanwhile holds it
/// open for writing until it runs something else.
pub fn spawn_written(command: &mut Command) -> Child {
    for _ in 0..500 {
        match command.spawn() {
            Err(error) if error.kind() == ErrorKind::ExecutableFileBusy => {
                thread::sleep(Duration::from_millis(20));
            }
            started => return started.unwrap(),
        }
    }
    command.spawn().unwrap()
}
