//! How the C library's allocator is told to give memory back.
//!
//! Large blocks are mapped one by one and given back to the system when they are freed; but with
//! each such block that is freed the allocator of glibc raises the size from which on it does so,
//! up to 32 MiB. After a flood of large messages, blocks of megabytes and the parser's lie among
//! small ones on heaps that never shrink again: hundreds of megabytes stay. A size that is set is
//! not raised. It can be set in the environment alone, and is read before a program begins: so the
//! program starts itself anew, once, in the same process. Elsewhere this changes nothing.

use std::env;
use std::ffi::OsString;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// Starts the program anew with the setting, unless it has it or somebody has chosen another. Comes
/// back where there is nothing to do, or where the system does not let it: then memory is given
/// back later, or not at all.
pub fn restart_with_threshold() {
    let Some(tunables) = new_value(env::var_os(VARIABLE)) else {
        return;
    };
    let Ok(program) = env::current_exe() else {
        return;
    };
    let mut arguments = env::args_os();
    let name = arguments.next().unwrap_or_else(|| program.clone().into());
    // It comes back only with an error, after which all is as it was.
    let _not_started = Command::new(program)
        .arg0(name)
        .args(arguments)
        .env(VARIABLE, tunables)
        .exec();
}

/// What the variable has to say, if that is more than it says.
fn new_value(given: Option<OsString>) -> Option<OsString> {
    let mut tunables = given.unwrap_or_default();
    if tunables.to_string_lossy().contains(NAME) {
        return None;
    }
    if !tunables.is_empty() {
        tunables.push(":");
    }
    tunables.push(format!("{NAME}={MAPPED_BYTES_MIN}"));
    Some(tunables)
}

/// The environment variable that glibc reads.
const VARIABLE: &str = "GLIBC_TUNABLES";

/// The setting.
const NAME: &str = "glibc.malloc.mmap_threshold";

/// Blocks from this size on are mapped by themselves: no ordinary statement needs one.
const MAPPED_BYTES_MIN: usize = 256 * 1024;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_set_is_kept_and_nothing_is_set_twice() {
        let wanted = |given: Option<&str>| {
            let wanted = new_value(given.map(OsString::from));
            wanted.map(|wanted| wanted.into_string().unwrap())
        };
        let own = "glibc.malloc.mmap_threshold=262144";
        assert_eq!(wanted(None).as_deref(), Some(own));
        assert_eq!(wanted(Some("")).as_deref(), Some(own));
        let other = "glibc.malloc.arena_max=2";
        assert_eq!(wanted(Some(other)).unwrap(), format!("{other}:{own}"));
        for settled in [own, "glibc.malloc.mmap_threshold=1"] {
            assert_eq!(wanted(Some(settled)), None);
        }
    }
}
