//! The `pgsieve` program: hands the arguments to the library and its answer to the shell.

use std::process::ExitCode;

fn main() -> ExitCode {
    pgsieve::cli::run(std::env::args_os())
}
