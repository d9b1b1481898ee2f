//! The database that `--upstream` names: what the address does not say is taken from where libpq
//! takes it, as for every other command.

use std::ffi::OsString;

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::DemoError;
use crate::config;
use crate::config::sources::{FlagValue, SettingsSources};
use crate::secret::Secret;

/// A database, and who logs in there.
#[derive(Debug)]
pub struct NamedUpstream {
    /// The address as it was given, without its password.
    pub address: String,
    /// The password, from wherever it was given.
    pub password: Option<Secret>,
    /// Who logs in.
    pub user: String,
    /// Where.
    pub database: String,
}

impl NamedUpstream {
    /// The database of an address, with these variables.
    ///
    /// # Errors
    /// The address or a variable is wrong, or nobody is named.
    pub fn of(
        address: &str,
        variables: impl IntoIterator<Item = (OsString, OsString)>,
    ) -> Result<Self, DemoError> {
        let known = variables.into_iter();
        let known = known.filter_map(|(name, value)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        });
        let found = config::database(&SettingsSources {
            variables: known.collect(),
            flags: vec![FlagValue {
                path: "upstream.url",
                name: "--upstream",
                value: address.to_owned(),
            }],
            ..SettingsSources::default()
        });
        let found = found.map_err(DemoError::Upstream)?.upstream;
        let user = found.user.filter(|user| !user.is_empty());
        let user = user.ok_or(DemoError::NoUser)?;
        Ok(Self {
            address: without_password(address),
            password: found.password,
            database: found.database.unwrap_or_else(|| user.clone()),
            user,
        })
    }

    /// The same database for somebody else; none where the address names no host, for then it may
    /// not name a user either.
    pub fn as_user(self, user: String, password: Option<Secret>) -> Option<Self> {
        let encoded = utf8_percent_encode(&user, NON_ALPHANUMERIC).to_string();
        let parts = AddressParts::of(&self.address)?;
        let has_host = !parts.rest.is_empty() && !parts.rest.starts_with(['/', '?']);
        has_host.then(|| Self {
            address: parts.with_user(&encoded),
            password,
            database: self.database,
            user,
        })
    }
}

/// An address in its parts: the scheme, the user as it is written there, and the rest.
struct AddressParts<'a> {
    scheme: &'a str,
    user: Option<&'a str>,
    /// The host and all behind it.
    rest: String,
}

impl<'a> AddressParts<'a> {
    fn of(address: &'a str) -> Option<Self> {
        let (scheme, rest) = address.split_once("://")?;
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at_checked(end).unwrap_or((rest, ""));
        let (user, host) = match authority.rsplit_once('@') {
            Some((user, host)) => (Some(user), host),
            None => (None, authority),
        };
        let user = user.map(|user| user.split_once(':').map_or(user, |(user, _)| user));
        Some(Self {
            scheme,
            user,
            rest: format!("{host}{path}"),
        })
    }

    fn with_user(&self, user: &str) -> String {
        format!("{}://{user}@{}", self.scheme, self.rest)
    }
}

/// An address that everybody may see.
fn without_password(address: &str) -> String {
    let parts = AddressParts::of(address);
    let shown = parts.and_then(|parts| Some(parts.with_user(parts.user?)));
    shown.unwrap_or_else(|| address.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(address: &str, variables: &[(&str, &str)]) -> Result<NamedUpstream, String> {
        let variables = variables.iter();
        let variables = variables.map(|(name, value)| ((*name).into(), (*value).into()));
        NamedUpstream::of(address, variables).map_err(|error| error.to_string())
    }

    #[test]
    fn a_login_is_taken_from_a_url_and_its_password_is_in_no_argument() {
        let named = of(
            "postgres://ann:s%40cret@db.example:5433/sales?sslmode=require",
            &[],
        );
        let named = named.unwrap();
        assert_eq!(named.password.as_ref().map(Secret::reveal), Some("s@cret"));
        assert_eq!(
            named.address,
            "postgres://ann@db.example:5433/sales?sslmode=require"
        );
        assert_eq!(
            (named.user.as_str(), named.database.as_str()),
            ("ann", "sales")
        );
    }

    #[test]
    fn the_same_database_is_named_for_somebody_else() {
        for (address, wanted) in [
            (
                "postgres://ann:word@db:5433/sales?sslmode=require",
                "postgres://b%40n@db:5433/sales?sslmode=require",
            ),
            ("postgres://ann@db/sales", "postgres://b%40n@db/sales"),
            ("postgres://db/sales", "postgres://b%40n@db/sales"),
        ] {
            let named = of(address, &[("PGUSER", "ann")]).unwrap();
            let other = named.as_user("b@n".into(), None).unwrap();
            assert_eq!((&*other.address, &*other.user), (wanted, "b@n"));
            assert!(other.password.is_none());
        }
        for address in ["postgres://", "postgres:///sales"] {
            let named = of(address, &[("PGUSER", "ann"), ("PGHOST", "db")]).unwrap();
            assert!(named.as_user("b@n".into(), None).is_none(), "{address}");
        }
    }

    #[test]
    fn what_an_address_leaves_out_is_taken_from_the_variables_of_libpq() {
        let variables = [
            ("PGUSER", "ben"),
            ("PGDATABASE", "hr"),
            ("PGPASSWORD", "word"),
            ("PGHOST", "127.0.0.1"),
        ];
        let named = of("postgres://", &variables).unwrap();
        assert_eq!(named.address, "postgres://");
        assert_eq!(named.password.as_ref().map(Secret::reveal), Some("word"));
        assert_eq!(
            (named.user.as_str(), named.database.as_str()),
            ("ben", "hr")
        );
        let named = of("postgres://ann@127.0.0.1/sales", &variables).unwrap();
        assert_eq!(
            (named.user.as_str(), named.database.as_str()),
            ("ann", "sales")
        );
    }

    #[test]
    fn what_is_wrong_is_told_and_no_password_is() {
        let nobody = of("postgres://127.0.0.1/db", &[]).err().unwrap();
        assert!(
            nobody.contains("--upstream") && nobody.contains("user"),
            "{nobody}"
        );
        for address in [
            "postgres://:hidden@127.0.0.1/db",
            "mysql://ann:hidden@127.0.0.1/db",
        ] {
            let told = of(address, &[]).err().unwrap();
            assert!(
                told.contains("--upstream") && !told.contains("hidden"),
                "{told}"
            );
        }
    }
}
