//! The startup parameter `options`, read as the server reads its command line.
//!
//! First `pg_split_opts`: words are separated by white space, a backslash keeps the next character
//! as it is. Then `getopt` with the server's switches, of which only the two that set a setting are
//! carried: `-c name=value` (in one word or two) and `--name=value`. In both the dashes of a name
//! mean underscores.
//! <https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-CONNECT-OPTIONS>

use crate::{Refusal, Rule};

/// One setting out of `options`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct OptionAssignment {
    pub(crate) name: String,
    pub(crate) value: String,
}

/// Reads all settings, or refuses what is none.
pub(crate) fn read(options: &str) -> Result<Vec<OptionAssignment>, Box<Refusal>> {
    let mut assignments = Vec::new();
    let mut words = split(options).into_iter();
    while let Some(word) = words.next() {
        let setting = if let Some(attached) = word.strip_prefix("-c") {
            if attached.is_empty() {
                words.next().ok_or_else(refusal)?
            } else {
                attached.to_owned()
            }
        } else if let Some(long) = word.strip_prefix("--") {
            long.to_owned()
        } else {
            return Err(refusal());
        };
        assignments.push(assignment(&setting)?);
    }
    Ok(assignments)
}

/// `name=value`, with both.
fn assignment(setting: &str) -> Result<OptionAssignment, Box<Refusal>> {
    match setting.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok(OptionAssignment {
            name: name.replace('-', "_"),
            value: value.to_owned(),
        }),
        _ => Err(refusal()),
    }
}

fn split(options: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut letters = options.chars().peekable();
    loop {
        while letters.next_if(|letter| is_space(*letter)).is_some() {}
        if letters.peek().is_none() {
            return words;
        }
        let mut word = String::new();
        while let Some(letter) = letters.next_if(|letter| !is_space(*letter)) {
            match letter {
                // A backslash at the very end stands for nothing.
                '\\' => word.extend(letters.next()),
                _ => word.push(letter),
            }
        }
        words.push(word);
    }
}

/// `isspace` of C.
fn is_space(letter: char) -> bool {
    matches!(letter, ' ' | '\t' | '\n' | '\r' | '\x0b' | '\x0c')
}

fn refusal() -> Box<Refusal> {
    Refusal::new(
        Rule::StartupParameter,
        "a switch in the startup parameter \"options\" is not allowed",
        "-c name=value and --name=value are accepted for the settings that the policy lists.",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(options: &str, wanted: &[(&str, &str)]) {
        let read = read(options).unwrap();
        let read: Vec<(&str, &str)> = read
            .iter()
            .map(|item| (item.name.as_str(), item.value.as_str()))
            .collect();
        assert_eq!(read, wanted, "{options}");
    }

    #[test]
    fn settings_are_read_in_every_spelling() {
        check("", &[]);
        check("  \t", &[]);
        check("-c a=b", &[("a", "b")]);
        check("-ca=b", &[("a", "b")]);
        check("--a=b", &[("a", "b")]);
        check("-c\ta=b\n--c-d=e", &[("a", "b"), ("c_d", "e")]);
        check("-c a-b=c-d", &[("a_b", "c-d")]);
        check("-c a=b=c", &[("a", "b=c")]);
        check("-c a=", &[("a", "")]);
        check("-c a=b\\ c", &[("a", "b c")]);
        check("-c a=b\\\\c", &[("a", "b\\c")]);
        check("-c\\ a=b", &[(" a", "b")]);
        check("\\-c a=b", &[("a", "b")]);
        check("-c a=b\\", &[("a", "b")]);
        check("-c search_path=a,b", &[("search_path", "a,b")]);
    }

    #[test]
    fn other_switches_are_refused() {
        for options in [
            "-d 5",
            "-B 100",
            "-e",
            "-ec a=b",
            "-fs",
            "-S 100",
            "-D /tmp",
            "-O",
            "-P",
            "-W 10",
            "-T x",
            "--",
            "-",
            "--a",
            "--=b",
            "-c",
            "-c a",
            "-c =b",
            "a=b",
            "postgres",
            "-c a=b postgres",
            "\\",
        ] {
            assert!(read(options).is_err(), "{options}");
        }
    }
}
