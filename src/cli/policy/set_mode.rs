//! `pgsieve policy set-mode`: has a policy file observe or enforce, and leaves the rest of it as it
//! is written.

use std::ffi::OsString;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::policy::{Policy, Strictness, sources};

/// The flags of `policy set-mode`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct SetModeFlags {
    /// The policy file.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The new mode: what happens to statements that the policy's rules refuse.
    #[arg(value_name = "MODE")]
    mode: WantedMode,
}

/// A mode, as `mode` of a policy has it.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum WantedMode {
    /// They are refused.
    Enforce,
    /// They run and are counted.
    Observe,
}

/// Writes the file.
pub fn run(flags: &SetModeFlags, out: &mut impl Write) -> CommandOutcome {
    let shown = flags.file.display();
    let text = match fs::read_to_string(&flags.file) {
        Ok(text) => text,
        Err(error) => {
            complain(format_args!("{shown}: {error}"));
            return CommandOutcome::Misused;
        }
    };
    if let Err(problems) = sources::read(&flags.file, &text) {
        for problem in problems {
            complain(format_args!("{problem}"));
        }
        return CommandOutcome::Failed;
    }
    let changed = with_mode(&text, flags.mode);
    let policy = sources::read(&flags.file, &changed).map(|read| read.policy);
    let Some(policy) = policy.ok().filter(|policy| flags.mode.is_of(policy)) else {
        return fail(format_args!(
            "{shown}: its mode is not where one can be changed; write {} there",
            flags.mode.line()
        ));
    };
    if let Err(error) = replace(&flags.file, &changed) {
        return fail(format_args!("{shown}: {error}"));
    }
    let note = match policy.strictness() {
        Strictness::Mixed => " (rules of it only observe)",
        Strictness::Enforce | Strictness::Observe => "",
    };
    print_outcome(writeln!(
        out,
        "{shown}: {} {}: {}{note}",
        policy.name(),
        policy.version(),
        flags.mode.line()
    ))
}

impl WantedMode {
    fn line(self) -> &'static str {
        match self {
            Self::Enforce => "mode: enforce",
            Self::Observe => "mode: observe",
        }
    }

    fn is_of(self, policy: &Policy) -> bool {
        (self == Self::Observe) == (policy.strictness() == Strictness::Observe)
    }
}

/// The text with this mode: in the line that has one, in the comment that shows where one goes, or
/// behind the name.
fn with_mode(text: &str, mode: WantedMode) -> String {
    let lines: Vec<&str> = text.split_inclusive('\n').collect();
    let begins = |start: &str| lines.iter().position(|line| line.starts_with(start));
    let (at, old) = match (begins("mode:"), begins("#mode:"), begins("name:")) {
        (Some(at), _, _) | (None, Some(at), _) => (at, 1),
        (None, None, Some(at)) => (at + 1, 0),
        (None, None, None) => (0, 0),
    };
    let (before, rest) = lines.split_at(at);
    let (old, after) = rest.split_at(old.min(rest.len()));
    let comment = old
        .first()
        .and_then(|line| line.find(" #").map(|at| &line[at..]));
    let comment = comment.map(str::trim_end).unwrap_or_default();
    let mut changed = before.concat();
    if !changed.is_empty() && !changed.ends_with('\n') {
        changed.push('\n');
    }
    changed + mode.line() + comment + "\n" + &after.concat()
}

/// Writes beside the file and puts that in its place: nobody reads half of it.
fn replace(file: &Path, text: &str) -> io::Result<()> {
    // A link stays one.
    let file = file.canonicalize()?;
    let mut beside = OsString::from(file.as_os_str());
    beside.push(format!(".{}.new", std::process::id()));
    let written = fs::write(&beside, text)
        .and_then(|()| fs::set_permissions(&beside, fs::metadata(&file)?.permissions()))
        .and_then(|()| fs::rename(&beside, &file));
    if written.is_err() {
        // What could not be put in place is of no use.
        let _ = fs::remove_file(&beside);
    }
    written
}

const EXIT_STATUS: &str = "Exit status: 0 where the file has the mode, 1 where it is no sound \
    policy or cannot be changed, 2 where it cannot be read. A pgsieve that serves with the file \
    reads it by itself.";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mode_is_written_where_it_belongs() {
        for (text, wanted) in [
            (
                "name: a\nmode: enforce\nx: 1\n",
                "name: a\nmode: observe\nx: 1\n",
            ),
            (
                "mode: observe # so far\nx: 1",
                "mode: observe # so far\nx: 1",
            ),
            (
                "name: a\n#mode: enforce\nx: 1\n",
                "name: a\nmode: observe\nx: 1\n",
            ),
            (
                "# c\nname: a\nx: 1\n",
                "# c\nname: a\nmode: observe\nx: 1\n",
            ),
            ("name: a", "name: a\nmode: observe\n"),
            ("name: a\nmode: enforce", "name: a\nmode: observe\n"),
            (
                "repair:\n  mode: off\nname: a\n",
                "repair:\n  mode: off\nname: a\nmode: observe\n",
            ),
        ] {
            assert_eq!(with_mode(text, WantedMode::Observe), wanted);
        }
    }

    #[test]
    fn every_shipped_policy_can_be_switched_to_and_fro() {
        for (name, text) in Policy::BUILT_IN {
            let observes = with_mode(text, WantedMode::Observe);
            let policy = Policy::from_yaml(&observes).unwrap();
            assert_eq!(policy.strictness(), Strictness::Observe, "{name}");
            let enforces = with_mode(&observes, WantedMode::Enforce);
            let policy = Policy::from_yaml(&enforces).unwrap();
            assert_eq!(policy.strictness(), Strictness::Enforce, "{name}");
            assert_eq!(with_mode(&enforces, WantedMode::Observe), observes);
        }
    }
}
