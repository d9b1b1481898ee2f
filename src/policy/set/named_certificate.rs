//! A client's certificate as somebody writes it down: `ann`, its common name, or
//! `CN=ann,O=Acme,OU=reports,email=ann@acme.example,SAN=ann.acme.example`.
//!
//! Stands in for a certificate where there is no session; it proves nothing.

use std::fmt;

use super::matching::{UserClaim, UserClaims};
use crate::similar_names::nearest;

/// What a certificate says, each kind in the order in which it is written. A kind that is not
/// written is not in the certificate.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedCertificate {
    common_names: Vec<String>,
    organizations: Vec<String>,
    organizational_units: Vec<String>,
    emails: Vec<String>,
    alternative_names: Vec<String>,
}

/// What is wrong with the text of one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NamedCertificateError {
    /// Nothing is said.
    Empty,
    /// A part is no `KEY=value`.
    NoKey,
    /// A key is none of those that are known.
    UnknownKey {
        /// The one that may be meant.
        near: Option<&'static str>,
    },
    /// A key has no value.
    NoValue {
        /// Which.
        key: &'static str,
    },
    /// A value holds a zero byte.
    ZeroByte,
}

impl NamedCertificate {
    /// Reads one. A comma or backslash in a value stands behind a backslash. What holds no `=` is a
    /// common name, whatever else is in it.
    ///
    /// # Errors
    /// What is wrong with the text.
    pub fn read(text: &str) -> Result<Self, NamedCertificateError> {
        let mut read = Self::default();
        if text.contains('\0') {
            return Err(NamedCertificateError::ZeroByte);
        }
        if text.trim().is_empty() {
            return Err(NamedCertificateError::Empty);
        }
        if !text.contains('=') {
            read.common_names.push(text.to_owned());
            return Ok(read);
        }
        for part in parts(text) {
            let (key, value) = part.split_once('=').ok_or(NamedCertificateError::NoKey)?;
            let (key, kind) = kind(key.trim())?;
            let value = unescaped(value.trim());
            if value.is_empty() {
                return Err(NamedCertificateError::NoValue { key });
            }
            kind(&mut read).push(value);
        }
        Ok(read)
    }

    /// Its common name; none where it has several, of which nobody says which one is meant.
    pub fn common_name(&self) -> Option<&str> {
        only(&self.common_names)
    }

    /// Its organization, in the same way.
    pub fn organization(&self) -> Option<&str> {
        only(&self.organizations)
    }

    /// Its part of the organization, in the same way.
    pub fn organizational_unit(&self) -> Option<&str> {
        only(&self.organizational_units)
    }

    /// Its address for mail, in the same way.
    pub fn email(&self) -> Option<&str> {
        only(&self.emails)
    }

    /// What policies ask of it. A kind that it does not have has no value, and is known.
    pub fn claims(&self) -> UserClaims {
        let all = [
            (UserClaim::Organization, &self.organizations),
            (UserClaim::OrganizationalUnit, &self.organizational_units),
            (UserClaim::Email, &self.emails),
            (UserClaim::AlternativeName, &self.alternative_names),
        ];
        let all = all.into_iter();
        let boxed = |values: &Vec<String>| values.iter().map(|one| one.as_str().into()).collect();
        all.map(|(claim, values)| (claim, boxed(values))).collect()
    }
}

/// Where a value goes.
type Kind = fn(&mut NamedCertificate) -> &mut Vec<String>;

/// The keys, with those that `openssl` writes.
const KINDS: &[(&str, Kind)] = &[
    ("CN", |to| &mut to.common_names),
    ("O", |to| &mut to.organizations),
    ("OU", |to| &mut to.organizational_units),
    ("email", |to| &mut to.emails),
    ("emailAddress", |to| &mut to.emails),
    ("SAN", |to| &mut to.alternative_names),
];

fn kind(key: &str) -> Result<(&'static str, Kind), NamedCertificateError> {
    let mut kinds = KINDS.iter();
    let found = kinds.find(|(name, _)| name.eq_ignore_ascii_case(key));
    found
        .copied()
        .ok_or_else(|| NamedCertificateError::UnknownKey {
            near: nearest(key, KINDS.iter().map(|(name, _)| *name)),
        })
}

/// The text between commas that stand behind no backslash.
fn parts(text: &str) -> Vec<&str> {
    let (mut parts, mut begin, mut escaped) = (Vec::new(), 0, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '\\' if !escaped => escaped = true,
            ',' if !escaped => {
                parts.extend(text.get(begin..at));
                begin = at + 1;
            }
            _ => escaped = false,
        }
    }
    parts.extend(text.get(begin..));
    parts
}

fn unescaped(value: &str) -> String {
    let (mut plain, mut escaped) = (String::with_capacity(value.len()), false);
    for letter in value.chars() {
        match letter {
            '\\' if !escaped => escaped = true,
            letter => {
                plain.push(letter);
                escaped = false;
            }
        }
    }
    plain
}

fn only(values: &[String]) -> Option<&str> {
    match values {
        [only] => Some(only),
        _ => None,
    }
}

impl fmt::Display for NamedCertificateError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let form = "CN=ann,O=Acme,OU=reports,email=ann@acme.example,SAN=ann.acme.example";
        match self {
            Self::Empty => write!(formatter, "a common name is wanted, or {form}"),
            Self::NoKey => write!(
                formatter,
                "KEY=value is wanted in each part, as in {form}; a comma in a value is written \\,"
            ),
            Self::UnknownKey { near: Some(near) } => {
                write!(formatter, "unknown key; did you mean {near}?")
            }
            Self::UnknownKey { near: None } => write!(
                formatter,
                "unknown key: one of CN, O, OU, email, SAN is wanted, as in {form}"
            ),
            Self::NoValue { key } => write!(
                formatter,
                "{key} has no value: leave out what the certificate does not have"
            ),
            Self::ZeroByte => formatter.write_str("a value holds no zero byte"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> NamedCertificate {
        NamedCertificate::read(text).unwrap_or_else(|error| panic!("{text}: {error}"))
    }

    fn claims(text: &str) -> Vec<(UserClaim, Vec<String>)> {
        let owned = |values: Vec<Box<str>>| values.into_iter().map(String::from).collect();
        let claims = read(text).claims().into_iter();
        let claims = claims.map(|(claim, values)| (claim, owned(values)));
        claims
            .filter(|(_, values): &(_, Vec<_>)| !values.is_empty())
            .collect()
    }

    #[test]
    fn a_name_alone_is_a_common_name() {
        for name in ["ann", "Ann Smith", "Smith, Ann", "a\\b", "ann@acme.example"] {
            assert_eq!(read(name).common_name(), Some(name));
            assert_eq!(claims(name), []);
        }
    }

    #[test]
    fn keys_say_what_is_in_the_certificate() {
        let all = read("CN=ann,O=Acme,OU=BI,email=a@b.c,SAN=x.y");
        assert_eq!(all.common_name(), Some("ann"));
        assert_eq!(all.organization(), Some("Acme"));
        assert_eq!(all.organizational_unit(), Some("BI"));
        assert_eq!(all.email(), Some("a@b.c"));
        let owned = |value: &str| vec![value.to_owned()];
        let wanted = [
            (UserClaim::Organization, owned("Acme")),
            (UserClaim::OrganizationalUnit, owned("BI")),
            (UserClaim::Email, owned("a@b.c")),
            (UserClaim::AlternativeName, owned("x.y")),
        ];
        assert_eq!(claims("CN=ann,O=Acme,OU=BI,email=a@b.c,SAN=x.y"), wanted);
        assert_eq!(
            claims("O = Acme , ou=BI, EmailAddress=a@b.c, san=x.y"),
            wanted
        );
        // Every kind is known, with or without a value.
        assert_eq!(read("CN=ann").claims().len(), 4);
        assert_eq!(read("O=Acme").common_name(), None);
    }

    #[test]
    fn of_several_of_a_kind_policies_may_ask_for_each_and_no_single_one_is_meant() {
        let two = "CN=a,CN=b,OU=x,OU=y";
        assert_eq!(read(two).common_name(), None);
        assert_eq!(read(two).organizational_unit(), None);
        let units = vec!["x".to_owned(), "y".to_owned()];
        assert_eq!(claims(two), [(UserClaim::OrganizationalUnit, units)]);
    }

    #[test]
    fn a_comma_in_a_value_stands_behind_a_backslash() {
        assert_eq!(read("CN=Smith\\, Ann").common_name(), Some("Smith, Ann"));
        assert_eq!(read("CN=a\\\\,O=b").common_name(), Some("a\\"));
        assert_eq!(read("CN=a=b").common_name(), Some("a=b"));
    }

    #[test]
    fn what_is_wrong_is_said() {
        for (text, wanted) in [
            ("", "a common name is wanted"),
            (" ", "a common name is wanted"),
            ("CN=ann,Acme", "KEY=value is wanted in each part"),
            ("CN=ann,", "KEY=value is wanted in each part"),
            ("CN=", "CN has no value"),
            ("CN=ann,O= ", "O has no value"),
            ("CN=ann,emial=x", "did you mean email?"),
            ("serialNumber=7", "one of CN, O, OU, email, SAN"),
            ("a\0", "no zero byte"),
        ] {
            let told = NamedCertificate::read(text).unwrap_err().to_string();
            assert!(told.contains(wanted), "{text}: {told}");
        }
    }
}
