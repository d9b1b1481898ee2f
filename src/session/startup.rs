//! The StartupMessage: which protocol is spoken from now on, and what the upstream is asked for on
//! the client's behalf.

use bytes::BytesMut;

use super::denial::Denial;
use super::regime::{Placed, Regime};
use crate::auth::{AuthError, certificate};
use crate::gate::{Introduction, StartupPlan};
use crate::net::link::Link;
use crate::net::stream::Peer;
use crate::policy::matching::Traits;
use crate::wire::encode;
use crate::wire::startup::{ProtocolVersion, Startup};

/// A StartupMessage that was understood and judged.
pub struct Settled {
    /// What is spoken with this client.
    pub version: ProtocolVersion,
    /// What the upstream is asked for.
    pub plan: StartupPlan,
    /// The policy that it was judged under.
    pub placed: Placed,
    /// What was judged.
    pub asked: Vec<(String, String)>,
    /// NegotiateProtocolVersion, where the client has to be told of a difference; or nothing.
    pub negotiation: BytesMut,
}

/// Judges the settings under the policy of the client, and agrees on a protocol.
pub fn settle(startup: &Startup<'_>, placed: Placed) -> Result<Settled, Denial> {
    let judged = placed.gate.judge_startup(&startup.parameters);
    let plan = judged.map_err(Denial::Settings)?;
    // The policy was chosen for this one and no other.
    let introduction = Introduction::of(&startup.parameters);
    if !introduction.fits(&plan) {
        return Err(Denial::NoPolicy);
    }
    let version = agreed(startup.version);
    let mut negotiation = BytesMut::new();
    if version != startup.version || !plan.unrecognised_pq_options.is_empty() {
        let options: Vec<&str> = plan
            .unrecognised_pq_options
            .iter()
            .map(String::as_str)
            .collect();
        encode::negotiate_protocol_version(&mut negotiation, version.minor, &options)
            .map_err(|cause| Denial::Auth(AuthError::Unsaid(cause)))?;
    }
    Ok(Settled {
        version,
        plan,
        placed,
        asked: startup
            .parameters
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
        negotiation,
    })
}

/// What is known of a client when its policy is chosen. All of it is there before it proves who it
/// is, and none of it can change by that; the certificate was proved with the encryption.
pub fn traits(introduction: Introduction, peer: Peer, link: &Link) -> Traits {
    let Introduction {
        user,
        database,
        application_name,
    } = introduction;
    Traits {
        user: user.into(),
        database: database.into(),
        application_name: application_name.into(),
        client_address: match peer {
            Peer::Tcp(address) => Some(address.ip().to_canonical()),
            Peer::Unix => None,
        },
        certificate_name: link
            .stream
            .peer_certificate()
            .and_then(|shown| certificate::subject(shown).common_name)
            .map(String::into_boxed_str),
    }
}

/// At the end of a login: the policies may have changed meanwhile. What the upstream was asked for
/// must be what it would be asked for under the policy of now.
pub fn confirm(
    placed: Placed,
    (asked, plan): (&[(String, String)], &StartupPlan),
    regime: &Regime,
) -> Result<Placed, Denial> {
    if regime.generation() == placed.generation {
        return Ok(placed);
    }
    let now = regime.place(&placed.traits).ok_or(Denial::NoPolicy)?;
    let asked: Vec<(&str, &str)> = asked
        .iter()
        .map(|(name, value)| (name.as_str(), value.as_str()))
        .collect();
    match now.gate.judge_startup(&asked) {
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
}
