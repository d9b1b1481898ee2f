//! PgBouncer's `auth_file`: users, each with a password, an MD5 hash or a SCRAM verifier. Nothing
//! of the secrets is ever shown.

use std::path::Path;

use crate::auth::verifier::ScramVerifier;
use crate::limits::CHECK_TEXT_BYTES_MAX;
use crate::secret::Secret;
use crate::text_file;

/// A user of the file.
#[derive(Clone)]
pub struct ListedUser {
    /// The user's name.
    pub name: String,
    /// What proves who it is.
    pub secret: ListedSecret,
}

/// A secret by its form.
#[derive(Clone)]
pub enum ListedSecret {
    /// None: with a password nobody is let in.
    Empty,
    /// The password itself.
    Password(Secret),
    /// A verifier of SCRAM-SHA-256.
    Verifier(Secret),
    /// A hash that only MD5 can be checked against.
    Md5,
}

/// What a file says.
pub struct ListedUsers {
    /// The users, of several of one name the last.
    pub users: Vec<ListedUser>,
    /// The line from which on it cannot be read. PgBouncer stops there as well.
    pub broken_from: Option<usize>,
}

/// Reads a file.
///
/// # Errors
/// It cannot be read at all; why, in words.
pub fn read(path: &Path) -> Result<ListedUsers, String> {
    let text = text_file::read(path, CHECK_TEXT_BYTES_MAX);
    Ok(users(&text.map_err(|fault| fault.describe(path))?))
}

/// The users of a text.
fn users(text: &str) -> ListedUsers {
    let mut listed: Vec<ListedUser> = Vec::new();
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        let line_end = |rest: &str| rest.find('\n').unwrap_or(rest.len());
        let behind = match (rest.starts_with(';'), entry(rest)) {
            (true, _) => rest,
            (false, Some((user, behind))) => {
                listed.retain(|other| other.name != user.name);
                listed.push(user);
                behind
            }
            (false, None) => {
                let before = text.len() - rest.len();
                let before = text.get(..before).unwrap_or_default();
                return ListedUsers {
                    users: listed,
                    broken_from: Some(before.matches('\n').count() + 1),
                };
            }
        };
        let behind = behind.get(line_end(behind)..).unwrap_or_default();
        rest = behind.trim_start_matches(is_space);
    }
    ListedUsers {
        users: listed,
        broken_from: None,
    }
}

/// A user and what is behind it.
fn entry(text: &str) -> Option<(ListedUser, &str)> {
    let (name, behind) = quoted(text.strip_prefix('"')?)?;
    let (_, behind) = behind.split_once('"')?;
    let (secret, behind) = quoted(behind)?;
    let secret = ListedSecret::of(secret);
    Some((ListedUser { name, secret }, behind))
}

/// A text to its closing quote, in which two quotes are one, and what is behind it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut rest = text;
    loop {
        let (before, behind) = rest.split_once('"')?;
        value.push_str(before);
        match behind.strip_prefix('"') {
            Some(behind) => {
                value.push('"');
                rest = behind;
            }
            None => return Some((value, behind)),
        }
    }
}

impl ListedSecret {
    fn of(text: String) -> Self {
        let hash = text.strip_prefix("md5");
        let is_md5 = hash.is_some_and(|hash| {
            hash.len() == MD5_DIGITS && hash.bytes().all(|byte| byte.is_ascii_hexdigit())
        });
        match text {
            text if text.is_empty() => Self::Empty,
            _ if is_md5 => Self::Md5,
            text if ScramVerifier::parse(&text).is_ok() => Self::Verifier(Secret::new(text)),
            text => Self::Password(Secret::new(text)),
        }
    }
}

fn is_space(c: char) -> bool {
    matches!(c, ' ' | '\t'..='\r')
}

/// The letters of an MD5 hash.
const MD5_DIGITS: usize = 32;

#[cfg(test)]
mod tests {
    use super::*;

    const VERIFIER: &str = "SCRAM-SHA-256$4096:W22ZaJ0SNY7soEsUEjb6gQ==$WG5d8oPm3OtcPnkdi4Uo7BkeZkBFzpcXkuLmtbsT4qY=:wfPLwE6FE5KvFq5h0yvQ6DXnYsW6DqzWcJPQ8ciUD7c=";

    fn told(text: &str) -> (Vec<String>, Option<usize>) {
        let ListedUsers { users, broken_from } = users(text);
        let told = users.into_iter().map(|user| match user.secret {
            ListedSecret::Empty => format!("{} nothing", user.name),
            ListedSecret::Password(secret) => format!("{} {}", user.name, secret.reveal()),
            ListedSecret::Verifier(_) => format!("{} verifier", user.name),
            ListedSecret::Md5 => format!("{} md5", user.name),
        });
        (told.collect(), broken_from)
    }

    #[test]
    fn secrets_are_told_apart() {
        let text = format!(
            "; ann\n\n \"ann\" \"{VERIFIER}\"\n\"b\"\"b\" \"p \"\"q\" \"more\" x\n\"c\" \"\"\n\
             \"d\" \"md5abcdef012342345abcdef012342345ab\"\n\"e\"\"md5x\"\n\"c\"   \"again\""
        );
        let wanted = [
            "ann verifier",
            "b\"b p \"q",
            "c nothing",
            "d md5",
            "e\"md5x c",
        ];
        let (users, broken) = told(&text);
        assert_eq!(users, wanted);
        assert_eq!(broken, None);
        assert_eq!(told("\"a\" \"b\"\n\"a\" \"c\""), (vec!["a c".into()], None));
        assert_eq!(told("# no\n"), (vec![], Some(1)));
        assert_eq!(told("\"a\" \"b\"\n\"c"), (vec!["a b".into()], Some(2)));
        assert_eq!(told(""), (vec![], None));
    }
}
