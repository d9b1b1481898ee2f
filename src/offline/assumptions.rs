//! What a statement is judged in when there is no session: a database as it was seen, and whose
//! session it would be.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use crate::auth::settings::{AuthSettings, OidcPeople, QueriedIdentity, UserAttributes};
use crate::catalog::{Catalog, search_path};
use crate::policy::set::matching::{SessionTraits, UserClaim, UserClaims};
use crate::policy::set::named_certificate::NamedCertificate;

/// What sessions are connected to: a database, or nothing that is known.
#[derive(Clone, Default)]
pub struct AssumedDatabase {
    /// The database's catalog, if it was looked into.
    pub catalog: Option<Arc<Catalog>>,
    /// Who looked: whose role a session has that has none of its own.
    pub account: String,
    /// The database's name.
    pub database: String,
    /// As whom users log in there.
    pub roles: LoginRoles,
    /// Attributes that a server's settings give to its users; none without a server.
    pub attributes: UserAttributes,
}

/// Whose session it is.
#[derive(Debug, Clone, Default)]
pub struct AssumedSession {
    /// As whom it has logged in.
    pub user: String,
    /// To which database, where that is not the one that was looked into.
    pub database: Option<String>,
    /// The role of its session, where that is said.
    pub role: Option<String>,
    /// How the client calls itself.
    pub application_name: String,
    /// The certificate that it has shown, if it has.
    pub certificate: Option<NamedCertificate>,
    /// Where names are looked up; where sessions of the role begin if none is given.
    pub search_path: Option<Vec<String>>,
    /// What it has set.
    pub settings: BTreeMap<String, String>,
    /// Where it comes from, where that is known.
    pub client_address: Option<IpAddr>,
    /// What its proof says of its user.
    pub claims: UserClaims,
}

impl AssumedSession {
    /// What a user is called where nobody says.
    pub const UNTOLD: &str = "app";

    /// Somebody of whom nothing is said.
    pub fn unspecified() -> Self {
        Self {
            user: Self::UNTOLD.to_owned(),
            ..Self::default()
        }
    }
}

/// As whom users log in at the database.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum LoginRoles {
    /// As themselves, as far as that is known.
    #[default]
    Own,
    /// Each as this role.
    Named(BTreeMap<String, String>),
    /// All as this one.
    Only(String),
}

impl LoginRoles {
    /// What the settings say.
    pub fn of(auth: &AuthSettings) -> Self {
        match auth {
            AuthSettings::Passthrough { .. } | AuthSettings::Trust { upstream: None } => Self::Own,
            AuthSettings::AuthQuery(query) => match &query.upstream {
                QueriedIdentity::Itself => Self::Own,
                QueriedIdentity::One(identity) => Self::Only(identity.user.clone()),
            },
            AuthSettings::Trust {
                upstream: Some(upstream),
            } => Self::Only(upstream.user.clone()),
            AuthSettings::Scram { users } => {
                let each = users.iter();
                let each = each.map(|user| (user.name.clone(), user.upstream.user.clone()));
                Self::Named(each.collect())
            }
            AuthSettings::Oidc(settings) => match &settings.people {
                OidcPeople::Everybody(identity) => Self::Only(identity.user.clone()),
                OidcPeople::Listed(users) => {
                    let each = users.iter();
                    let each = each.map(|user| (user.name.clone(), user.upstream.user.clone()));
                    Self::Named(each.collect())
                }
            },
            AuthSettings::Certificate { entries } => {
                let each = entries.iter();
                let each = each.map(|entry| (entry.name.clone(), entry.upstream.user.clone()));
                Self::Named(each.collect())
            }
        }
    }

    /// The role of a user, where the settings name one.
    fn named(&self, user: &str) -> Option<&str> {
        match self {
            Self::Own => None,
            Self::Named(each) => each.get(user).map(String::as_str),
            Self::Only(role) => Some(role),
        }
    }
}

impl AssumedDatabase {
    /// The database that a session of somebody is in.
    pub fn database_of<'p>(&'p self, who: &'p AssumedSession) -> &'p str {
        who.database.as_deref().unwrap_or(&self.database)
    }

    /// The role of somebody's session: the one that is said, else the one that the settings name,
    /// else the user's own, where the database has it; else the one that looked, as where one
    /// account serves all clients.
    pub fn role_of<'p>(&'p self, who: &'p AssumedSession) -> &'p str {
        if let Some(role) = who.role.as_deref() {
            return role;
        }
        if let Some(role) = self.roles.named(&who.user) {
            return role;
        }
        let catalog = self.catalog.as_ref();
        match catalog.and_then(|catalog| catalog.role_named(&who.user)) {
            Some(_) => &who.user,
            None => &self.account,
        }
    }

    /// Where names are looked up when somebody's session begins, "$user" as it is written; none
    /// where that is not known.
    pub fn path_of(&self, who: &AssumedSession) -> Option<Vec<String>> {
        if let Some(path) = &who.search_path {
            return Some(path.clone());
        }
        let catalog = self.catalog.as_ref()?;
        let role = catalog.role_named(self.role_of(who))?;
        let written = catalog.role(role).search_path.as_deref();
        search_path::split(written.unwrap_or(catalog.usual_search_path()))
    }

    /// What is known of somebody's session when its policy is chosen.
    pub fn traits_of(&self, who: &AssumedSession) -> SessionTraits {
        let shown = who.certificate.as_ref();
        let mut claims = self.attributes_of(who);
        claims.extend(shown.map(NamedCertificate::claims).unwrap_or_default());
        claims.extend(who.claims.clone());
        SessionTraits {
            user: who.user.as_str().into(),
            database: self.database_of(who).into(),
            application_name: who.application_name.as_str().into(),
            client_address: who.client_address,
            certificate_name: shown.and_then(NamedCertificate::common_name).map(Box::from),
            claims,
            named_policy: None,
        }
        .with_roles(self.roles_of(who))
    }

    /// The attributes of its user: what is said of this session (`user.NAME`), and for names that
    /// it leaves out what the server's settings say of the user.
    fn attributes_of(&self, who: &AssumedSession) -> UserClaims {
        let said = who.settings.iter().filter_map(|(name, value)| {
            let name = name.strip_prefix("user.")?;
            Some((name, value.as_str()))
        });
        let of_user = self.attributes.of(&who.user);
        let each = of_user.chain(said).map(|(name, value)| {
            let claim = UserClaim::Attribute(name.into());
            (claim, vec![value.into()])
        });
        each.collect()
    }

    /// What the role of somebody's session is a member of, where the catalog knows it.
    fn roles_of(&self, who: &AssumedSession) -> Option<Vec<Box<str>>> {
        let catalog = self.catalog.as_ref()?;
        let above = catalog.roles_above(catalog.role_named(self.role_of(who))?);
        Some(above.into_iter().map(Box::from).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::settings::{CertificateUser, UpstreamIdentity};

    fn identity(user: &str) -> UpstreamIdentity {
        UpstreamIdentity {
            user: user.into(),
            secret: None,
        }
    }

    #[test]
    fn a_session_has_the_role_that_a_server_logs_in_as() {
        let role = |auth: &AuthSettings, user: &str, said: Option<&str>| {
            let assumed = AssumedDatabase {
                account: "watcher".into(),
                roles: LoginRoles::of(auth),
                ..AssumedDatabase::default()
            };
            let who = AssumedSession {
                user: user.into(),
                role: said.map(str::to_owned),
                ..AssumedSession::default()
            };
            assumed.role_of(&who).to_owned()
        };
        let own = AuthSettings::Trust { upstream: None };
        let one = AuthSettings::Trust {
            upstream: Some(identity("all")),
        };
        let each = AuthSettings::Certificate {
            entries: vec![CertificateUser {
                certificate_name: "c".into(),
                name: "ann".into(),
                upstream: identity("sales"),
            }],
        };
        // Nothing is known of roles without a catalog: whoever looked stands for them.
        assert_eq!(role(&own, "ann", None), "watcher");
        assert_eq!(role(&one, "ann", None), "all");
        assert_eq!(role(&each, "ann", None), "sales");
        assert_eq!(role(&each, "ben", None), "watcher");
        for auth in [own, one, each] {
            assert_eq!(role(&auth, "ann", Some("said")), "said");
        }
    }
}
