//! Which sessions a policy is for.

use std::collections::BTreeMap;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use crate::access::Glob;
use crate::similar_names::nearest;

/// The section `match`. A session fits when every list that is there has an entry for it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionMatch {
    /// Names of users.
    pub user: Option<Vec<Glob>>,
    /// Names of databases.
    pub database: Option<Vec<Glob>>,
    /// What clients call themselves when they connect.
    pub application_name: Option<Vec<Glob>>,
    /// Where they come from.
    pub client_address: Option<Vec<ClientNetwork>>,
    /// The common name of the certificate that they have shown.
    pub certificate_name: Option<Vec<Glob>>,
    /// What else has been proved of them.
    pub claims: BTreeMap<UserClaim, Vec<Glob>>,
}

/// What can be known of a user beside its name; each may have several values.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum UserClaim {
    /// An organization in the subject of its certificate.
    Organization,
    /// A part of the organization there.
    OrganizationalUnit,
    /// An address for mail there.
    Email,
    /// A DNS name, mail address or URI among the certificate's alternative names.
    AlternativeName,
    /// An attribute that the settings give the user.
    Attribute(Box<str>),
    /// A role of the database that the session's own is a member of, or is. Where it has no value
    /// nobody knows: every role is one of its own.
    Role,
}

/// The values of what is known.
pub type UserClaims = BTreeMap<UserClaim, Vec<Box<str>>>;

/// Addresses that begin with the same bits: `10.0.0.0/8`; or `local`, a Unix socket.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientNetwork {
    /// Of the internet.
    Ip {
        /// One of them.
        address: IpAddr,
        /// How many of its bits count.
        bits: u8,
    },
    /// A Unix socket.
    Local,
}

/// What is known of a session when its policy is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SessionTraits {
    /// The user that has logged in, as the client named it.
    pub user: Box<str>,
    /// The database.
    pub database: Box<str>,
    /// The application_name of the startup packet; empty where it gives none.
    pub application_name: Box<str>,
    /// Where it comes from; none for a Unix socket.
    pub client_address: Option<IpAddr>,
    /// The common name of its certificate, if it has shown one.
    pub certificate_name: Option<Box<str>>,
    /// What else has been proved of it.
    pub claims: UserClaims,
    /// The policy that whoever let it in names, whatever policies match; none where they decide.
    pub named_policy: Option<Box<str>>,
}

/// Whether a session is one of those that a policy is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// It is.
    Fits,
    /// It is not.
    FitsNot,
    /// It is if its role is a member of the right ones, which nobody knows.
    Untold,
}

/// What is wrong with a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NetworkError {
    NoAddress,
    TooManyBits { most: u8 },
    BitsBeyond { address: IpAddr, bits: u8 },
    Mapped { address: IpAddr },
}

impl SessionMatch {
    /// Whether a session is one of these, as far as it is known.
    pub fn fit(&self, session: &SessionTraits) -> Fit {
        let untold = !session.claims.contains_key(&UserClaim::Role);
        let open = |claim: &UserClaim| untold && *claim == UserClaim::Role;
        match self.fits_but_for(session, open) {
            false => Fit::FitsNot,
            true if self.asks_roles() && untold => Fit::Untold,
            true => Fit::Fits,
        }
    }

    /// Whether a session is one of these. What is not known of it fits nothing.
    pub fn fits(&self, session: &SessionTraits) -> bool {
        self.fits_but_for(session, |_| false)
    }

    /// Whether it matters what the session's role is a member of.
    pub fn asks_roles(&self) -> bool {
        self.claims.contains_key(&UserClaim::Role)
    }

    /// The patterns of users that fit none of these names, each with the name that was probably
    /// meant.
    pub fn unknown_users<'n>(&self, names: &[&'n str]) -> Vec<(&Glob, Option<&'n str>)> {
        unknown(self.user.as_deref().unwrap_or_default(), names)
    }

    /// The same of roles that a session's own has to be a member of.
    pub fn unknown_roles<'n>(&self, names: &[&'n str]) -> Vec<(&Glob, Option<&'n str>)> {
        let wanted = self.claims.get(&UserClaim::Role);
        unknown(wanted.map_or(&[], Vec::as_slice), names)
    }

    /// The same without some of what is known.
    fn fits_but_for(&self, session: &SessionTraits, left_out: impl Fn(&UserClaim) -> bool) -> bool {
        let certificate = session.certificate_name.as_deref();
        has(&self.user, &session.user)
            && has(&self.database, &session.database)
            && has(&self.application_name, &session.application_name)
            && (self.certificate_name.is_none()
                || certificate.is_some_and(|name| has(&self.certificate_name, name)))
            && self.client_address.as_ref().is_none_or(|networks| {
                let mut networks = networks.iter();
                networks.any(|network| network.holds(session.client_address))
            })
            && self.claims.iter().all(|(claim, wanted)| {
                if left_out(claim) {
                    return true;
                }
                let mut values = session.claims.get(claim).into_iter().flatten();
                values.any(|value| wanted.iter().any(|pattern| pattern.matches(value)))
            })
    }
}

impl SessionTraits {
    /// The same of a session whose role is one of these, or is a member of them; none where that is
    /// not known.
    pub fn with_roles(&self, roles: Option<Vec<Box<str>>>) -> Self {
        let mut told = self.clone();
        match roles.filter(|roles| !roles.is_empty()) {
            Some(roles) => told.claims.insert(UserClaim::Role, roles),
            None => told.claims.remove(&UserClaim::Role),
        };
        told
    }

    /// What is known of that.
    pub fn roles(&self) -> Option<&[Box<str>]> {
        self.claims.get(&UserClaim::Role).map(Vec::as_slice)
    }

    /// The one value of an attribute; none where the user has none, or several, of which nobody
    /// could say which one is meant.
    pub fn attribute(&self, name: &str) -> Option<&str> {
        match self
            .claims
            .get(&UserClaim::Attribute(name.into()))?
            .as_slice()
        {
            [only] => Some(only),
            _ => None,
        }
    }
}

impl fmt::Display for UserClaim {
    /// As a policy writes it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Organization => formatter.write_str("certificate.organization"),
            Self::OrganizationalUnit => formatter.write_str("certificate.organizational_unit"),
            Self::Email => formatter.write_str("certificate.email"),
            Self::AlternativeName => formatter.write_str("certificate.alternative_name"),
            Self::Attribute(name) => write!(formatter, "attributes.{name}"),
            Self::Role => formatter.write_str("role_member"),
        }
    }
}

impl ClientNetwork {
    /// Reads one.
    pub(crate) fn read(word: &str) -> Result<Self, NetworkError> {
        if word == "local" {
            return Ok(Self::Local);
        }
        let (address, bits) = match word.split_once('/') {
            Some((address, bits)) => (address, Some(bits)),
            None => (word, None),
        };
        let address: IpAddr = address.parse().map_err(|_| NetworkError::NoAddress)?;
        let plain = address.to_canonical();
        if plain != address {
            return Err(NetworkError::Mapped { address: plain });
        }
        let most = if address.is_ipv4() { 32 } else { 128 };
        let bits = match bits {
            None => most,
            Some(bits) => {
                let read = bits.parse().ok().filter(|bits| *bits <= most);
                read.ok_or(NetworkError::TooManyBits { most })?
            }
        };
        let first = first(address, bits);
        if first != address {
            let address = first;
            return Err(NetworkError::BitsBeyond { address, bits });
        }
        Ok(Self::Ip { address, bits })
    }

    /// Networks that hold every client between them, and no client twice.
    pub(crate) const ALL: [Self; 3] = [
        Self::Ip {
            address: IpAddr::V4(Ipv4Addr::UNSPECIFIED),
            bits: 0,
        },
        Self::Ip {
            address: IpAddr::V6(Ipv6Addr::UNSPECIFIED),
            bits: 0,
        },
        Self::Local,
    ];

    /// Whether every client of the other one is one of this.
    pub(crate) fn covers(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Local, Self::Local) => true,
            (Self::Local, Self::Ip { .. }) | (Self::Ip { .. }, Self::Local) => false,
            (Self::Ip { bits, .. }, Self::Ip { address, bits: own }) => {
                own >= bits && self.holds(Some(*address))
            }
        }
    }

    /// Whether an address is one of it; none is that of a Unix socket.
    pub fn holds(&self, client: Option<IpAddr>) -> bool {
        match (self, client) {
            (Self::Local, None) => true,
            (Self::Local, Some(_)) | (Self::Ip { .. }, None) => false,
            // One that comes in through a socket for both kinds is written as the other.
            (Self::Ip { address, bits }, Some(client)) => {
                let client = client.to_canonical();
                client.is_ipv4() == address.is_ipv4() && first(client, *bits) == *address
            }
        }
    }
}

impl fmt::Display for NetworkError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NoAddress => formatter.write_str(
                "an address, a network such as 10.0.0.0/8, or local for Unix sockets is wanted; \
                 names of hosts are not looked up",
            ),
            Self::TooManyBits { most } => write!(
                formatter,
                "behind the slash a number of bits from 0 to {most} is wanted"
            ),
            Self::BitsBeyond { address, bits } => write!(
                formatter,
                "the address has bits beyond the first {bits}: {address}/{bits} would be right"
            ),
            Self::Mapped { address } => write!(
                formatter,
                "clients of this kind are known by their shorter address: write it as {address}"
            ),
        }
    }
}

/// Whether a word can be the name of an attribute.
pub fn is_attribute(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
    name.starts_with(|c: char| c.is_ascii_lowercase())
        && name.chars().all(is_part)
        && name.len() <= ATTRIBUTE_NAME_BYTES_MAX
}

/// What is said of one that cannot.
pub const ATTRIBUTE_NAME: &str = "a name of small letters, digits and _ is wanted, as tenant";

/// As long as Postgres's own names.
const ATTRIBUTE_NAME_BYTES_MAX: usize = 63;

fn has(list: &Option<Vec<Glob>>, name: &str) -> bool {
    let any = |list: &Vec<Glob>| list.iter().any(|pattern| pattern.matches(name));
    list.as_ref().is_none_or(any)
}

/// The first address of a network.
fn first(address: IpAddr, bits: u8) -> IpAddr {
    match address {
        IpAddr::V4(own) => {
            let mask = u32::MAX.checked_shl(32_u32.saturating_sub(bits.into()));
            IpAddr::V4((u32::from(own) & mask.unwrap_or(0)).into())
        }
        IpAddr::V6(own) => {
            let mask = u128::MAX.checked_shl(128_u32.saturating_sub(bits.into()));
            IpAddr::V6((u128::from(own) & mask.unwrap_or(0)).into())
        }
    }
}

/// The patterns that fit none of some names, each with the nearest.
fn unknown<'p, 'n>(patterns: &'p [Glob], names: &[&'n str]) -> Vec<(&'p Glob, Option<&'n str>)> {
    let fits = |pattern: &&Glob| names.iter().any(|name| pattern.matches(name));
    let unknown = patterns.iter().filter(|pattern| !fits(pattern));
    let near = |pattern: &Glob| nearest(&pattern.to_string(), names.iter().copied());
    unknown.map(|pattern| (pattern, near(pattern))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(network: &str, client: &str, holds: bool) {
        let network = ClientNetwork::read(network).unwrap();
        let client = (client != "local").then(|| client.parse().unwrap());
        assert_eq!(network.holds(client), holds, "{network:?} {client:?}");
    }

    #[test]
    fn addresses_are_in_networks_by_their_first_bits() {
        check("10.0.0.0/8", "10.255.1.2", true);
        check("10.0.0.0/8", "11.0.0.0", false);
        check("10.0.0.0/8", "::ffff:10.1.1.1", true);
        check("10.0.0.1", "10.0.0.1", true);
        check("10.0.0.1", "10.0.0.2", false);
        check("0.0.0.0/0", "1.2.3.4", true);
        check("0.0.0.0/0", "::1", false);
        check("::/0", "::1", true);
        check("::/0", "1.2.3.4", false);
        check("2001:db8::/32", "2001:db8:1::2", true);
        check("2001:db8::/32", "2001:db9::", false);
        check("10.0.0.0/9", "10.128.0.0", false);
        check("local", "local", true);
        check("local", "127.0.0.1", false);
        check("0.0.0.0/0", "local", false);
    }

    #[test]
    fn a_session_fits_when_every_list_has_it() {
        let session = SessionTraits {
            user: "ann".into(),
            database: "shop".into(),
            ..SessionTraits::default()
        };
        let list = |word: &str| Some(vec![Glob::new(word)]);
        assert!(SessionMatch::default().fits(&session));
        let mut both = SessionMatch {
            user: list("a*"),
            database: list("shop"),
            ..SessionMatch::default()
        };
        assert!(both.fits(&session));
        both.application_name = list("");
        assert!(both.fits(&session));
        both.certificate_name = list("*");
        assert!(!both.fits(&session), "it has shown no certificate");
        both.certificate_name = None;
        both.client_address = Some(vec![ClientNetwork::Local]);
        assert!(both.fits(&session));
        both.database = list("Shop");
        assert!(!both.fits(&session));
    }

    #[test]
    fn what_is_known_of_a_user_fits_by_any_of_its_values() {
        let session = SessionTraits {
            claims: UserClaims::from([
                (
                    UserClaim::OrganizationalUnit,
                    vec!["people".into(), "reports".into()],
                ),
                (UserClaim::Attribute("team".into()), vec!["sales".into()]),
            ]),
            ..SessionTraits::default()
        };
        let wanted = |claim: UserClaim, patterns: &[&str]| SessionMatch {
            claims: BTreeMap::from([(claim, patterns.iter().map(|one| Glob::new(one)).collect())]),
            ..SessionMatch::default()
        };
        let unit = |pattern| wanted(UserClaim::OrganizationalUnit, &[pattern]).fits(&session);
        assert!(unit("people") && unit("rep*") && !unit("People") && !unit("peoplereports"));
        assert!(!wanted(UserClaim::Organization, &["*"]).fits(&session));
        let team = |patterns| wanted(UserClaim::Attribute("team".into()), patterns).fits(&session);
        assert!(team(&["hr", "sales"]) && !team(&["hr"]));
        assert!(!wanted(UserClaim::Attribute("Team".into()), &["*"]).fits(&session));
        assert!(
            !wanted(UserClaim::Attribute("team".into()), &["sales"])
                .fits(&SessionTraits::default())
        );
        assert_eq!(session.attribute("team"), Some("sales"));
        assert_eq!(session.attribute("unit"), None);
    }
}
