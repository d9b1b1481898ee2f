//! `pgsieve hash-password`: a SCRAM-SHA-256 verifier for `client.auth.users`, or for Postgres.

use std::io::{self, BufRead, IsTerminal, Write};

use crate::auth::verifier::ScramVerifier;
use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::limits::PASSWORD_BYTES_MAX;
use crate::secret::Secret;

/// Asks twice on a terminal; elsewhere the first line of the input is the password.
pub fn run(out: &mut impl Write) -> CommandOutcome {
    let password = if io::stdin().is_terminal() {
        ask()
    } else {
        first_line(io::stdin().lock())
    };
    let password = match password {
        Ok(password) => password,
        Err(why) => {
            complain(format_args!("{why}"));
            return CommandOutcome::Misused;
        }
    };
    match ScramVerifier::make(&password) {
        Ok(verifier) => print_outcome(writeln!(out, "{verifier}")),
        Err(error) => fail(format_args!("{error}")),
    }
}

fn ask() -> Result<Secret, &'static str> {
    let unreadable = |_| "the password cannot be read from the terminal";
    let password = Secret::new(rpassword::prompt_password("Password: ").map_err(unreadable)?);
    let again = Secret::new(rpassword::prompt_password("Again: ").map_err(unreadable)?);
    if password == again {
        Ok(password)
    } else {
        Err("the two passwords differ")
    }
}

fn first_line(input: impl BufRead) -> Result<Secret, &'static str> {
    let mut line = String::new();
    let mut input = input.take(PASSWORD_BYTES_MAX);
    input
        .read_line(&mut line)
        .map_err(|_| "the password cannot be read as UTF-8")?;
    let line = Secret::new(line.strip_suffix('\n').unwrap_or(&line));
    Ok(Secret::new(
        line.reveal().strip_suffix('\r').unwrap_or(line.reveal()),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_end_is_no_part_of_the_password() {
        for input in ["pa ss", "pa ss\n", "pa ss\r\n", "pa ss\nmore\n"] {
            assert_eq!(first_line(input.as_bytes()).unwrap().reveal(), "pa ss");
        }
        assert!(first_line(&b"\xff\n"[..]).is_err());
    }
}
