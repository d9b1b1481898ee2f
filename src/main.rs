//! The `pgsieve` program: hands the arguments to the library and its answer to the shell.

fn main() {}
