//! Other copies of pgsieve behind the same address: a balancer may take a client's session to one
//! of them and its cancel to another one.
//!
//! All copies share a secret and mark the keys that they give with it. A cancel whose session is
//! not here goes on to every other copy, if any copy has given its key: nobody else can make
//! pgsieve open connections. What goes on says so, and goes no further.

use std::fmt;
use std::net::SocketAddr;
use std::sync::Arc;

use tokio::io::AsyncReadExt;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout_at};

use crate::limits;
use crate::net::pem::TlsSetupError;
use crate::telemetry::labels::CancelOutcome;
use crate::upstream::address::UpstreamSettings;
use crate::upstream::connect::Upstream;
use crate::upstream::outbox::Outbox;

/// Where the other copies are, and what all of them share.
#[derive(Clone)]
pub struct PeerSettings {
    /// One, or the name of several.
    pub places: Vec<UpstreamSettings>,
    /// The secret.
    pub key: PeerKey,
}

/// The secret that all copies share; never shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PeerKey(pub [u8; 32]);

/// The other copies.
pub struct CancelPeers {
    places: Vec<Arc<Upstream>>,
    key: PeerKey,
}

/// What became of a cancel at one other copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PeerAnswer {
    /// It has the request, and has dealt with it.
    Taken,
    /// It was not reached, or has not answered.
    Lost,
}

impl CancelPeers {
    /// Loads the files that the settings name.
    ///
    /// # Errors
    /// A file cannot be read or does not fit the others, or a host cannot stand in a certificate.
    pub fn load(settings: PeerSettings) -> Result<Self, TlsSetupError> {
        let places = settings.places.into_iter();
        let places = places.map(|place| Ok(Arc::new(Upstream::load(place)?)));
        Ok(Self {
            places: places.collect::<Result<_, TlsSetupError>>()?,
            key: settings.key,
        })
    }

    /// Marks a key that is given to a client: the last bytes of its secret follow from the others,
    /// which are random, for whoever knows what the copies share.
    pub(super) fn mark(&self, pid: i32, secret: &mut [u8]) {
        let (random, mark) = secret.split_at_mut(random_bytes(secret.len()));
        let wanted = self.mark_of(pid, random);
        for (byte, wanted) in mark.iter_mut().zip(wanted.as_bytes()) {
            *byte = *wanted;
        }
    }

    /// Whether a copy may have given this key. A secret of four bytes has room for a mark of one:
    /// one in 256 that were made up passes.
    pub(super) fn have_given(&self, pid: i32, secret: &[u8]) -> bool {
        let (random, mark) = secret.split_at(random_bytes(secret.len()));
        let wanted = self.mark_of(pid, random);
        let differing = mark.iter().zip(wanted.as_bytes());
        // All bytes are looked at: how long it takes says nothing of the mark.
        !mark.is_empty() && differing.fold(0, |all, (byte, wanted)| all | (byte ^ wanted)) == 0
    }

    fn mark_of(&self, pid: i32, random: &[u8]) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.key.0);
        hasher.update(MARKED).update(&pid.to_be_bytes());
        hasher.update(random);
        hasher.finalize()
    }

    /// Sends a cancel on to every other copy. Returns when all have dealt with it, so that closing
    /// the client's connection tells the client the same. May be cancelled.
    pub(super) async fn ask(&self, pid: i32, secret: &[u8]) -> CancelOutcome {
        let deadline = Instant::now() + limits::CANCEL_TIME_MAX;
        let relayed: Arc<[u8]> = [RELAYED, secret].concat().into();
        let mut asked = JoinSet::new();
        for place in &self.places {
            asked.spawn(ask_all(
                Arc::clone(place),
                (pid, Arc::clone(&relayed)),
                deadline,
            ));
        }
        match answer_of_all(asked).await {
            PeerAnswer::Taken => CancelOutcome::SentToPeers,
            PeerAnswer::Lost => CancelOutcome::Failed,
        }
    }
}

/// The secret in a request that comes from another copy.
pub(super) fn relayed_secret(secret: &[u8]) -> Option<&[u8]> {
    secret.strip_prefix(RELAYED)
}

/// Asks every copy of a place. A name that nobody resolves keeps no other place from being asked.
async fn ask_all(
    place: Arc<Upstream>,
    (pid, secret): (i32, Arc<[u8]>),
    deadline: Instant,
) -> PeerAnswer {
    let found = place.addresses(limits::upstreams::PEER_ADDRESSES_MAX, deadline);
    let Ok(addresses) = found.await else {
        return PeerAnswer::Lost;
    };
    let mut asked = JoinSet::new();
    for address in addresses {
        let (place, secret) = (Arc::clone(&place), Arc::clone(&secret));
        asked.spawn(async move { ask_one((&place, address), (pid, &secret), deadline).await });
    }
    answer_of_all(asked).await
}

/// Whether all have taken it. Each has the same time at most.
async fn answer_of_all(mut asked: JoinSet<PeerAnswer>) -> PeerAnswer {
    let mut all = PeerAnswer::Taken;
    while let Some(answer) = asked.join_next().await {
        if answer.unwrap_or(PeerAnswer::Lost) == PeerAnswer::Lost {
            all = PeerAnswer::Lost;
        }
    }
    all
}

async fn ask_one(
    (place, address): (&Upstream, SocketAddr),
    (pid, secret): (i32, &[u8]),
    deadline: Instant,
) -> PeerAnswer {
    let Ok(mut framed) = place.connect_to(address, deadline).await else {
        return PeerAnswer::Lost;
    };
    let mut out = Outbox::default();
    if out.cancel_request(pid, secret).is_err() || framed.send(&out, deadline).await.is_err() {
        return PeerAnswer::Lost;
    }
    let mut nothing = [0_u8; 1];
    match timeout_at(deadline, framed.stream.read(&mut nothing)).await {
        Ok(_closed) => PeerAnswer::Taken,
        Err(_elapsed) => PeerAnswer::Lost,
    }
}

/// How many bytes of a secret are random: of a short one all but one, of a long one half or more.
/// Never more than there are, so that a secret can be split there.
fn random_bytes(length: usize) -> usize {
    match length {
        0..=SHORT_BYTES_MAX => length.saturating_sub(1),
        _ => length - (length / 2).min(blake3::OUT_LEN),
    }
}

/// Secrets as short as this have a mark of one byte.
const SHORT_BYTES_MAX: usize = 8;

/// Begins what is marked: the secret marks nothing else.
const MARKED: &[u8] = b"pgsieve cancel key";

/// Begins the secret of a request that one copy sends to another one.
const RELAYED: &[u8] = b"pgsieve relayed cancel\0";

impl fmt::Debug for PeerKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PeerKey(…)")
    }
}

impl fmt::Debug for PeerSettings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "PeerSettings({} places)", self.places.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn peers(key: u8) -> CancelPeers {
        CancelPeers {
            places: Vec::new(),
            key: PeerKey([key; 32]),
        }
    }

    #[test]
    fn a_key_is_known_by_all_who_share_the_secret() {
        for length in [4_usize, 32, 256] {
            let mut secret: Vec<u8> = (0..=u8::MAX).cycle().take(length).collect();
            peers(1).mark(7, &mut secret);
            assert!(peers(1).have_given(7, &secret), "{length}");
            assert!(!peers(1).have_given(8, &secret), "{length}");
            assert!(!peers(2).have_given(7, &secret), "{length}");
            for at in 0..secret.len() {
                let mut wrong = secret.clone();
                wrong[at] ^= 1;
                assert!(!peers(1).have_given(7, &wrong), "{length}, {at}");
            }
        }
    }

    #[test]
    fn what_was_made_up_hardly_passes() {
        let passing = |length: usize| {
            let secrets = (0..65_536_u32).map(|number| {
                let digest = blake3::hash(&number.to_be_bytes());
                digest.as_bytes()[..length].to_vec()
            });
            secrets
                .filter(|secret| peers(3).have_given(1, secret))
                .count()
        };
        let short = passing(4);
        assert!((128..512).contains(&short), "one in 256: {short}");
        assert_eq!(passing(32), 0);
        // Of no length that the protocol has, and not marked either.
        assert!(!peers(3).have_given(1, b""));
    }

    #[test]
    fn half_of_a_long_secret_and_three_bytes_of_a_short_one_stay_random() {
        for (length, random) in [(4, 3), (32, 16), (256, 224), (0, 0), (1, 0)] {
            assert_eq!(random_bytes(length), random);
        }
    }

    #[test]
    fn a_request_of_another_copy_is_told_by_its_beginning() {
        let relayed = [RELAYED, b"abcd"].concat();
        assert_eq!(relayed_secret(&relayed), Some(&b"abcd"[..]));
        for own in [&b"abcd"[..], &RELAYED[..4], b""] {
            assert_eq!(relayed_secret(own), None);
        }
        let longest = RELAYED.len() + 32;
        assert!(longest <= limits::CANCEL_SECRET_BYTES_MAX);
    }

    #[test]
    fn debug_shows_no_secret() {
        let settings = PeerSettings {
            places: Vec::new(),
            key: PeerKey([7; 32]),
        };
        let shown = format!("{settings:?} {:?}", settings.key);
        assert_eq!(shown, "PeerSettings(0 places) PeerKey(…)");
    }
}
