//! The StartupMessage: which protocol is spoken from now on, and what the upstream is asked for on
//! the client's behalf.

use bytes::BytesMut;

use super::denial::Denial;
use crate::auth::AuthError;
use crate::gate::{Gate, StartupPlan};
use crate::wire::encode;
use crate::wire::startup::{ProtocolVersion, Startup};

/// A StartupMessage that was understood and judged.
pub struct Settled {
    /// What is spoken with this client.
    pub version: ProtocolVersion,
    /// What the upstream is asked for.
    pub plan: StartupPlan,
    /// NegotiateProtocolVersion, where the client has to be told of a difference; or nothing.
    pub negotiation: BytesMut,
}

/// Judges the settings and agrees on a protocol.
pub fn settle(startup: &Startup<'_>, gate: &Gate) -> Result<Settled, Denial> {
    let judged = gate.judge_startup(&startup.parameters);
    let plan = judged.map_err(|refusal| Denial::Settings(Box::new(refusal)))?;
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
        negotiation,
    })
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
