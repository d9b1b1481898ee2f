//! The StartupMessage: which protocol is spoken from now on, and what the upstream is asked for on
//! the client's behalf.

use std::sync::Arc;

use bytes::BytesMut;

use super::error::Denial;
use crate::auth::settings::Attributes;
use crate::auth::{AuthError, certificate};
use crate::gate::{Introduction, StartupPlan};
use crate::limits;
use crate::net::framed_stream::Link;
use crate::net::stream::Peer;
use crate::policy::set::matching::{Claim, Claims, Traits};
use crate::session::membership::Membership;
use crate::session::policy_store::{Placed, Regime, Unplaced};
use crate::wire::encode;
use crate::wire::startup::{ProtocolVersion, Startup};

/// A StartupMessage that was understood and judged.
pub struct Settled {
    /// What is spoken with this client.
    pub version: ProtocolVersion,
    /// NegotiateProtocolVersion, where the client has to be told of a difference; or nothing.
    pub negotiation: BytesMut,
    /// Who the client says it is, and nothing of what it wants.
    pub bare: StartupPlan,
    /// What becomes of it once it has proved that.
    pub standing: Standing,
}

/// What the policies say to a client. It hears of it when it has proved who it is: until then
/// nobody can find out which users a policy is for, or what theirs refuses.
pub enum Standing {
    /// It may come in.
    Welcome(Welcome),
    /// It is turned away.
    Unwelcome(Denial),
    /// That depends on what its proof says of it, or on what its role is a member of.
    Undecided(Undecided),
}

/// A client that is judged when more is known of it.
pub struct Undecided {
    traits: Arc<Traits>,
    asked: Vec<(String, String)>,
}

/// How a client may come in.
pub struct Welcome {
    /// What the upstream is asked for.
    pub plan: StartupPlan,
    /// The policy that it was judged under.
    pub placed: Placed,
    /// What was judged.
    pub asked: Vec<(String, String)>,
}

/// Judges the settings under the policy of the client, if there is one, and agrees on a protocol.
/// Whoever names no user is turned away at once.
pub fn settle(
    startup: &Startup<'_>,
    (traits, placed): (Arc<Traits>, Result<Placed, Unplaced>),
) -> Result<Settled, Denial> {
    let introduction = Introduction::of(&startup.parameters);
    let bare = StartupPlan::bare(&introduction).map_err(Denial::Settings)?;
    let version = agreed(startup.version);
    Ok(Settled {
        version,
        negotiation: negotiation(startup, version)?,
        bare,
        standing: match placed {
            Ok(placed) => match welcome(&startup.parameters, &introduction, placed) {
                Ok(welcome) => Standing::Welcome(welcome),
                Err(denial) => Standing::Unwelcome(denial),
            },
            Err(Unplaced::NoPolicy) => Standing::Unwelcome(Denial::NoPolicy),
            Err(Unplaced::RolesUntold | Unplaced::Unproved) => Standing::Undecided(Undecided {
                traits,
                asked: owned(&startup.parameters),
            }),
        },
    })
}

impl Undecided {
    /// The same with what its proof says of it. What the settings say of a user has other names.
    pub fn proved(self, attributes: &[(Box<str>, Vec<Box<str>>)]) -> Self {
        let mut traits = Traits::clone(&self.traits);
        let attributes = attributes.iter().cloned();
        let claims = attributes.map(|(name, values)| (Claim::Attribute(name), values));
        traits.claims.extend(claims);
        Self {
            traits: Arc::new(traits),
            ..self
        }
    }

    /// Whether it matters what its role is a member of.
    pub fn asks_roles(&self, regime: &Regime) -> bool {
        matches!(regime.place(&self.traits), Err(Unplaced::RolesUntold))
    }

    /// Judges it, now that this is known; none where it still is not.
    pub fn decide(self, roles: Option<Vec<Box<str>>>, regime: &Regime) -> Result<Welcome, Denial> {
        let traits = Arc::new(self.traits.with_roles(roles));
        let placed = regime.place(&traits)?;
        let parameters = borrowed(&self.asked);
        welcome(&parameters, &Introduction::of(&parameters), placed)
    }
}

fn welcome(
    parameters: &[(&str, &str)],
    introduction: &Introduction,
    placed: Placed,
) -> Result<Welcome, Denial> {
    let judged = placed.gate.judge_startup(parameters);
    let plan = judged.map_err(Denial::Settings)?;
    // The policy was chosen for this one and no other.
    if !introduction.fits(&plan) {
        return Err(Denial::NoPolicy);
    }
    Ok(Welcome {
        plan,
        placed,
        asked: owned(parameters),
    })
}

fn owned(parameters: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    parameters.iter().map(owned).collect()
}

fn borrowed(parameters: &[(String, String)]) -> Vec<(&str, &str)> {
    parameters
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect()
}

/// What a client is told of versions and options that are not spoken here: the same whatever the
/// policies say to it. More options than a startup message may hold are not repeated.
fn negotiation(startup: &Startup<'_>, version: ProtocolVersion) -> Result<BytesMut, Denial> {
    let mut negotiation = BytesMut::new();
    let names = startup.parameters.iter().map(|(name, _)| *name);
    let options = names.filter(|name| name.starts_with("_pq_."));
    let options: Vec<&str> = options.take(limits::STARTUP_SETTINGS_MAX).collect();
    if version != startup.version || !options.is_empty() {
        encode::negotiate_protocol_version(&mut negotiation, version.minor, &options)
            .map_err(|cause| Denial::Auth(AuthError::Unsaid(cause)))?;
    }
    Ok(negotiation)
}

/// What is known of a client when its policy is chosen. All of it is there before it proves who it
/// is, and none of it can change by that; the certificate was proved with the encryption.
pub fn traits(
    introduction: Introduction,
    (peer, link): (Peer, &Link),
    attributes: &Attributes,
) -> Traits {
    let Introduction {
        user,
        database,
        application_name,
    } = introduction;
    let shown = link.stream.peer_certificate();
    Traits {
        claims: claims(shown, attributes.of(&user)),
        user: user.into(),
        database: database.into(),
        application_name: application_name.into(),
        client_address: match peer {
            Peer::Tcp(address) => Some(address.ip().to_canonical()),
            Peer::Unix => None,
        },
        certificate_name: shown
            .and_then(|shown| certificate::subject(shown).common_name)
            .map(String::into_boxed_str),
    }
}

/// What a certificate says, and the attributes of a user. They are of whoever the client says that
/// it is: what it gets by them it gets when it has proved that.
fn claims<'u>(
    certificate: Option<&[u8]>,
    attributes: impl Iterator<Item = (&'u str, &'u str)>,
) -> Claims {
    let names = certificate.map(certificate::names).unwrap_or_default();
    let of_certificate = [
        (Claim::Organization, names.organizations),
        (Claim::OrganizationalUnit, names.organizational_units),
        (Claim::Email, names.emails),
        (Claim::AlternativeName, names.alternative_names),
    ];
    let attributes =
        attributes.map(|(name, value)| (Claim::Attribute(name.into()), vec![Box::from(value)]));
    let claims = of_certificate.into_iter().chain(attributes);
    claims.filter(|(_, values)| !values.is_empty()).collect()
}

/// At the end of a login: the policies may have changed meanwhile, and what the client's role is a
/// member of is looked up at its own server. What the upstream was asked for
/// must be what it would be asked for under the policy of now.
pub fn confirm(
    placed: Placed,
    (asked, plan): (&[(String, String)], &StartupPlan),
    (regime, membership): (&Regime, &Membership<'_>),
) -> Result<Placed, Denial> {
    let is_same = regime.generation() == placed.generation;
    if is_same && !placed.is_over() && !placed.asks_roles() {
        return Ok(placed);
    }
    let now = regime.place_member(&placed.traits, membership)?;
    match now.gate.judge_startup(&borrowed(asked)) {
        Ok(judged) if judged == *plan => Ok(now),
        Ok(_) | Err(_) => Err(Denial::PolicyChanged),
    }
}

/// The newest version that both sides speak. There is no 3.1: its number is left out, because old
/// poolers answer to it wrongly.
fn agreed(asked: ProtocolVersion) -> ProtocolVersion {
    if asked < ProtocolVersion::V3_2 {
        ProtocolVersion::V3_0
    } else {
        ProtocolVersion::V3_2
    }
}

impl From<Unplaced> for Denial {
    fn from(why: Unplaced) -> Self {
        match why {
            Unplaced::NoPolicy => Self::NoPolicy,
            Unplaced::RolesUntold | Unplaced::Unproved => Self::NoRoles,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_both_is_spoken() {
        for (asked, spoken) in [(0, 0), (1, 0), (2, 2), (3, 2), (9999, 2), (u16::MAX, 2)] {
            let version = agreed(ProtocolVersion {
                major: 3,
                minor: asked,
            });
            assert_eq!(
                version,
                ProtocolVersion {
                    major: 3,
                    minor: spoken
                },
                "{asked}"
            );
        }
    }

    #[test]
    fn what_is_known_of_a_client_is_of_its_certificate_and_the_settings() {
        let mut parameters = rcgen::CertificateParams::new(vec!["db.example.org".to_owned()]);
        let parameters = parameters.as_mut().unwrap();
        let says = &mut parameters.distinguished_name;
        *says = rcgen::DistinguishedName::new();
        says.push(rcgen::DnType::OrganizationName, "Shop");
        says.push(rcgen::DnType::OrganizationalUnitName, "reports");
        let key = rcgen::KeyPair::generate().unwrap();
        let shown = parameters.self_signed(&key).unwrap();
        let found = claims(Some(shown.der()), [("tenant", "3")].into_iter());
        let wanted = [
            (Claim::Organization, "Shop"),
            (Claim::OrganizationalUnit, "reports"),
            (Claim::AlternativeName, "db.example.org"),
            (Claim::Attribute("tenant".into()), "3"),
        ];
        let wanted = wanted.map(|(claim, value)| (claim, vec![value.into()]));
        assert_eq!(found, wanted.into());
        assert!(claims(None, std::iter::empty()).is_empty());
    }
}
