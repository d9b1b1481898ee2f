//! The StartupMessage: which protocol is spoken from now on, and what the upstream is asked for on
//! the client's behalf.

use std::sync::Arc;

use bytes::BytesMut;

use super::AdmittedCaller;
use super::error::LoginError;
use crate::auth::settings::UserAttributes;
use crate::auth::{AuthError, certificate};
use crate::gate::{ClaimedIdentity, StartupPlan};
use crate::limits;
use crate::net::framed_stream::FramedStream;
use crate::net::stream::PeerAddress;
use crate::policy::set::matching::{SessionTraits, UserClaim, UserClaims};
use crate::session::membership::Membership;
use crate::session::policy_store::{AssignedPolicy, PolicyStore, Unplaced};
use crate::target_servers::TargetServers;
use crate::wire::encode;
use crate::wire::startup::{ProtocolVersion, StartupMessage};

/// A StartupMessage that was understood and judged.
pub struct JudgedStartup {
    /// What is spoken with this client.
    pub version: ProtocolVersion,
    /// NegotiateProtocolVersion, where the client has to be told of a difference; or nothing.
    pub negotiation: BytesMut,
    /// Who the client says it is, and nothing of what it wants.
    pub bare: StartupPlan,
    /// What becomes of it once it has proved that.
    pub admission: StartupAdmission,
}

/// What the policies say to a client. It hears of it when it has proved who it is: until then
/// nobody can find out which users a policy is for, or what theirs refuses.
pub enum StartupAdmission {
    /// It may come in.
    Welcome(AdmittedStartup),
    /// It is turned away.
    Unwelcome(LoginError),
    /// That depends on what its proof says of it, or on what its role is a member of.
    Undecided(Undecided),
}

/// A client that is judged when more is known of it.
pub struct Undecided {
    traits: Arc<SessionTraits>,
    asked: Vec<(String, String)>,
}

/// How a client may come in.
pub struct AdmittedStartup {
    /// What the upstream is asked for.
    pub plan: StartupPlan,
    /// The policy that it was judged under.
    pub assigned_policy: AssignedPolicy,
    /// What was judged.
    pub asked: Vec<(String, String)>,
}

/// Which servers the policy lets the session go to.
pub fn targets_of(assigned_policy: &AssignedPolicy) -> TargetServers {
    assigned_policy.gate.policy().targets()
}

/// Judges the settings under the policy of the client, if there is one, and agrees on a protocol.
/// Whoever names no user is turned away at once.
///
/// # Errors
/// No user is named, or the answer to the version that is asked for cannot be written.
pub fn judge_startup(
    startup: &StartupMessage<'_>,
    (traits, assigned_policy): (Arc<SessionTraits>, Result<AssignedPolicy, Unplaced>),
) -> Result<JudgedStartup, LoginError> {
    let introduction = ClaimedIdentity::of(&startup.parameters);
    let bare = StartupPlan::bare(&introduction).map_err(LoginError::Settings)?;
    let version = agreed(startup.version);
    Ok(JudgedStartup {
        version,
        negotiation: negotiation(startup, version)?,
        bare,
        admission: match assigned_policy {
            Ok(assigned_policy) => {
                match admit_startup(&startup.parameters, &introduction, assigned_policy) {
                    Ok(welcome) => StartupAdmission::Welcome(welcome),
                    Err(denial) => StartupAdmission::Unwelcome(denial),
                }
            }
            Err(Unplaced::NoPolicy) => StartupAdmission::Unwelcome(LoginError::NoPolicy),
            Err(Unplaced::RolesUntold | Unplaced::Unproved) => {
                StartupAdmission::Undecided(Undecided {
                    traits,
                    asked: owned(&startup.parameters),
                })
            }
        },
    })
}

impl Undecided {
    /// The same with what its proof says of it. What the settings say of a user has other names.
    pub fn proved(self, attributes: &[(Box<str>, Vec<Box<str>>)]) -> Self {
        let mut traits = SessionTraits::clone(&self.traits);
        let attributes = attributes.iter().cloned();
        let claims = attributes.map(|(name, values)| (UserClaim::Attribute(name), values));
        traits.claims.extend(claims);
        Self {
            traits: Arc::new(traits),
            ..self
        }
    }

    /// Whether it matters what its role is a member of.
    pub fn asks_roles(&self, policy_store: &PolicyStore) -> bool {
        matches!(
            policy_store.assign(&self.traits),
            Err(Unplaced::RolesUntold)
        )
    }

    /// Judges it, now that this is known; none where it still is not.
    ///
    /// # Errors
    /// No policy is for it, or its roles are still not known where they matter, or its settings are
    /// not allowed.
    pub fn decide(
        self,
        roles: Option<Vec<Box<str>>>,
        policy_store: &PolicyStore,
    ) -> Result<AdmittedStartup, LoginError> {
        let traits = Arc::new(self.traits.with_roles(roles));
        let assigned_policy = policy_store.assign(&traits)?;
        let parameters = borrowed(&self.asked);
        admit_startup(
            &parameters,
            &ClaimedIdentity::of(&parameters),
            assigned_policy,
        )
    }
}

fn admit_startup(
    parameters: &[(&str, &str)],
    introduction: &ClaimedIdentity,
    assigned_policy: AssignedPolicy,
) -> Result<AdmittedStartup, LoginError> {
    let judged = assigned_policy.gate.judge_startup(parameters);
    let plan = judged.map_err(LoginError::Settings)?;
    // The policy was chosen for this one and no other.
    if !introduction.fits(&plan) {
        return Err(LoginError::NoPolicy);
    }
    Ok(AdmittedStartup {
        plan,
        assigned_policy,
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
fn negotiation(
    startup: &StartupMessage<'_>,
    version: ProtocolVersion,
) -> Result<BytesMut, LoginError> {
    let mut negotiation = BytesMut::new();
    let names = startup.parameters.iter().map(|(name, _)| *name);
    let options = names.filter(|name| name.starts_with("_pq_."));
    let options: Vec<&str> = options.take(limits::STARTUP_SETTINGS_MAX).collect();
    if version != startup.version || !options.is_empty() {
        encode::negotiate_protocol_version(&mut negotiation, version.minor, &options)
            .map_err(|cause| LoginError::Auth(AuthError::Unencodable(cause)))?;
    }
    Ok(negotiation)
}

/// What is known of a client when its policy is chosen. All of it is there before it proves who it
/// is, and none of it can change by that; the certificate was proved with the encryption.
pub fn traits(
    introduction: ClaimedIdentity,
    (peer, framed): (PeerAddress, &FramedStream),
    (attributes, caller): (&UserAttributes, Option<&AdmittedCaller>),
) -> SessionTraits {
    let ClaimedIdentity {
        user,
        database,
        application_name,
    } = introduction;
    let shown = framed.stream.peer_certificate();
    let mut claims = claims(shown, attributes.of(&user));
    claims.extend(caller.into_iter().flat_map(|caller| caller.claims.clone()));
    SessionTraits {
        claims,
        user: user.into(),
        database: database.into(),
        application_name: application_name.into(),
        client_address: match peer {
            PeerAddress::Tcp(address) => Some(address.ip().to_canonical()),
            PeerAddress::Mcp(from) => from.map(|address| address.ip().to_canonical()),
            PeerAddress::Unix => None,
        },
        certificate_name: shown
            .and_then(|shown| certificate::subject(shown).common_name)
            .map(String::into_boxed_str),
        named_policy: caller.and_then(|caller| caller.policy.clone()),
    }
}

/// What a certificate says, and the attributes of a user. They are of whoever the client says that
/// it is: what it gets by them it gets when it has proved that.
fn claims<'u>(
    certificate: Option<&[u8]>,
    attributes: impl Iterator<Item = (&'u str, &'u str)>,
) -> UserClaims {
    let names = certificate.map(certificate::names).unwrap_or_default();
    let of_certificate = [
        (UserClaim::Organization, names.organizations),
        (UserClaim::OrganizationalUnit, names.organizational_units),
        (UserClaim::Email, names.emails),
        (UserClaim::AlternativeName, names.alternative_names),
    ];
    let attributes =
        attributes.map(|(name, value)| (UserClaim::Attribute(name.into()), vec![Box::from(value)]));
    let claims = of_certificate.into_iter().chain(attributes);
    claims.filter(|(_, values)| !values.is_empty()).collect()
}

/// At the end of a login: the policies may have changed meanwhile, and what the client's role is a
/// member of is looked up at its own server. What the upstream was asked for
/// must be what it would be asked for under the policy of now.
///
/// # Errors
/// No policy is for it any more, its roles are not known, or the upstream would be asked for
/// something else now.
pub fn confirm(
    assigned_policy: AssignedPolicy,
    (asked, plan): (&[(String, String)], &StartupPlan),
    (policy_store, membership): (&PolicyStore, &Membership<'_>),
) -> Result<AssignedPolicy, LoginError> {
    let is_same = policy_store.generation() == assigned_policy.generation;
    if is_same && !assigned_policy.has_ended() && !assigned_policy.asks_roles() {
        return Ok(assigned_policy);
    }
    let now = policy_store.place_member(&assigned_policy.traits, membership)?;
    match now.gate.judge_startup(&borrowed(asked)) {
        Ok(judged) if judged == *plan => Ok(now),
        Ok(_) | Err(_) => Err(LoginError::PolicyChanged),
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

impl From<Unplaced> for LoginError {
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
            (UserClaim::Organization, "Shop"),
            (UserClaim::OrganizationalUnit, "reports"),
            (UserClaim::AlternativeName, "db.example.org"),
            (UserClaim::Attribute("tenant".into()), "3"),
        ];
        let wanted = wanted.map(|(claim, value)| (claim, vec![value.into()]));
        assert_eq!(found, wanted.into());
        assert!(claims(None, std::iter::empty()).is_empty());
    }
}
