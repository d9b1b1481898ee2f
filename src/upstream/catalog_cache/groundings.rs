//! What was told of a database: whole groundings, kept as long as the snapshot that they are of, so
//! that questions about one share its index; and what each version showed that was given out, so
//! that it can be said what happened since to a name in it.
//!
//! Both are bounded: by number and by bytes; what was used last stays.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::time::Instant;

use crate::catalog::CatalogVersion;
use crate::grounding::{CatalogDetails, EarlierGrounding, GroundingChange, WholeGrounding};
use crate::limits::served_groundings;
use crate::policy::set::matching::UserClaims;

/// The groundings of one database, at all servers that it is at: those have one content, and where
/// they do not, no snapshot is equal to the one that a grounding is of.
#[derive(Default)]
pub struct DatabaseGroundings {
    held: Mutex<HeldGroundings>,
}

/// Whose grounding it is, and of what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GroundingKey {
    /// The user.
    pub user: String,
    /// The role of its sessions.
    pub role: String,
    /// The name of the policy.
    pub policy: String,
    /// What is told.
    pub facets: String,
    /// Whether a token of the MCP server lets the user in, whatever lists of users say.
    pub is_of_token: bool,
    /// What that token proves of the user.
    pub claims: UserClaims,
}

/// What a grounding was made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GroundingBasis {
    /// The snapshot.
    pub catalog: CatalogVersion,
    /// The number of the policy's version.
    pub policy: u64,
}

/// A version that was given out.
#[derive(Debug)]
pub struct GivenGrounding {
    /// Its number: the sixteen hex digits.
    pub version: u64,
    /// Whose it is.
    pub key: GroundingKey,
    /// When it was given out first.
    pub given: Instant,
    shown: EarlierGrounding,
    bytes: usize,
    standing: Mutex<CheckedStanding>,
}

/// Whether a version that was given out is still true.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroundingStanding {
    /// It is.
    Fresh,
    /// It is not.
    Stale {
        /// Since when that is known.
        since: Instant,
        /// The version that is true now; none where there is no such grounding any more.
        now: Option<u64>,
        /// What changed, by names that it showed or that may be read now.
        changes: Arc<[GroundingChange]>,
    },
}

#[derive(Debug)]
struct CheckedStanding {
    standing: GroundingStanding,
    /// By what that was found.
    basis: Option<GroundingBasis>,
}

#[derive(Default)]
struct HeldGroundings {
    /// What was used last stands last.
    kept: Vec<KeptGrounding>,
    /// What was given out last stands last.
    given: Vec<Arc<GivenGrounding>>,
}

struct KeptGrounding {
    key: GroundingKey,
    basis: GroundingBasis,
    details: Arc<CatalogDetails>,
    whole: Arc<WholeGrounding>,
    bytes: usize,
}

impl DatabaseGroundings {
    /// What was read beside the snapshot; what is kept already, where that is the same.
    pub fn shared_details(&self, read: CatalogDetails) -> Arc<CatalogDetails> {
        let held = self.held();
        let same = held.kept.iter().find(|kept| *kept.details == read);
        same.map_or_else(|| Arc::new(read), |kept| Arc::clone(&kept.details))
    }

    /// The grounding that is kept of just this, where one is.
    pub fn kept(
        &self,
        key: &GroundingKey,
        basis: GroundingBasis,
        details: &Arc<CatalogDetails>,
    ) -> Option<Arc<WholeGrounding>> {
        let mut held = self.held();
        let place = held.kept.iter().position(|kept| {
            kept.key == *key && kept.basis == basis && Arc::ptr_eq(&kept.details, details)
        })?;
        let found = held.kept.remove(place);
        let whole = Arc::clone(&found.whole);
        held.kept.push(found);
        Some(whole)
    }

    /// Keeps one. What was kept of the same in another snapshot goes, and so does what was not used
    /// for the longest time where there is no room.
    pub fn keep(
        &self,
        key: &GroundingKey,
        basis: GroundingBasis,
        details: Arc<CatalogDetails>,
        whole: &Arc<WholeGrounding>,
    ) {
        let bytes = whole.bytes();
        if bytes > served_groundings::KEPT_BYTES_MAX {
            return;
        }
        let mut held = self.held();
        held.kept.retain(|kept| kept.key != *key);
        held.kept.push(KeptGrounding {
            key: key.clone(),
            basis,
            details,
            whole: Arc::clone(whole),
            bytes,
        });
        let sizes = held.kept.iter().map(|kept| kept.bytes).collect();
        let gone = surplus(
            sizes,
            served_groundings::KEPT_MAX,
            served_groundings::KEPT_BYTES_MAX,
        );
        held.kept.drain(..gone);
    }

    /// Remembers what a version shows that is given out, and that it is true by now. What was given
    /// out longest ago under the same policy is forgotten where there is no room.
    pub fn give(
        &self,
        key: &GroundingKey,
        basis: GroundingBasis,
        whole: &WholeGrounding,
    ) -> Arc<GivenGrounding> {
        let version = whole.version.number();
        let mut held = self.held();
        let place = held
            .given
            .iter()
            .position(|given| given.version == version && given.key == *key);
        let given = match place {
            Some(place) => held.given.remove(place),
            None => {
                let shown = EarlierGrounding::of(&whole.document, whole.version);
                Arc::new(GivenGrounding {
                    version,
                    key: key.clone(),
                    given: Instant::now(),
                    bytes: shown.bytes(),
                    shown,
                    standing: Mutex::new(CheckedStanding {
                        standing: GroundingStanding::Fresh,
                        basis: None,
                    }),
                })
            }
        };
        given.check(basis, whole);
        held.given.push(Arc::clone(&given));
        held.forget_surplus(&key.policy);
        given
    }

    /// The version of that number that was given out to sessions of a role under a policy. No other
    /// session may know what it showed.
    pub fn given(&self, version: u64, role: &str, policy: &str) -> Option<Arc<GivenGrounding>> {
        let held = self.held();
        let mut given = held.given.iter().rev();
        let own = given.find(|given| given.version == version && given.is_for(role, policy));
        own.map(Arc::clone)
    }

    /// The version that was given out last.
    pub fn latest(&self) -> Option<Arc<GivenGrounding>> {
        self.held().given.last().map(Arc::clone)
    }

    fn held(&self) -> MutexGuard<'_, HeldGroundings> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl HeldGroundings {
    fn forget_surplus(&mut self, policy: &str) {
        let is_of_it = |given: &&Arc<GivenGrounding>| given.key.policy == policy;
        let sizes = self.given.iter().filter(is_of_it).map(|given| given.bytes);
        let mut gone = surplus(
            sizes.collect(),
            served_groundings::GIVEN_MAX,
            served_groundings::GIVEN_BYTES_MAX,
        );
        self.given.retain(|given| {
            let goes = gone > 0 && given.key.policy == policy;
            gone = gone.saturating_sub(usize::from(goes));
            !goes
        });
        // Policies come and go while pgsieve serves.
        let all = self.given.iter().map(|given| given.bytes).collect();
        let gone = surplus(
            all,
            served_groundings::GIVEN_MAX * served_groundings::GIVEN_POLICIES_MAX,
            served_groundings::GIVEN_BYTES_MAX * served_groundings::GIVEN_POLICIES_MAX,
        );
        self.given.drain(..gone);
    }
}

/// How many of the first go, so that the rest are few and small enough.
fn surplus(sizes: Vec<usize>, most: usize, bytes_max: usize) -> usize {
    let mut bytes: usize = sizes.iter().sum();
    let mut left = sizes.len();
    let mut gone = 0;
    for size in sizes {
        if left <= most && bytes <= bytes_max {
            break;
        }
        (left, bytes, gone) = (left - 1, bytes - size, gone + 1);
    }
    gone
}

impl GroundingStanding {
    /// Since when it is known to be stale; from now on, where it was true so far.
    fn stale_since(&self) -> Instant {
        match self {
            Self::Stale { since, .. } => *since,
            Self::Fresh => Instant::now(),
        }
    }
}

impl GivenGrounding {
    /// Whether it was made for sessions of that role under that policy.
    pub fn is_for(&self, role: &str, policy: &str) -> bool {
        self.key.role == role && self.key.policy == policy
    }

    /// Whether it is true, as far as that was checked.
    pub fn standing(&self) -> GroundingStanding {
        self.checked().standing.clone()
    }

    /// Whether that was found by just this.
    pub fn is_checked_by(&self, basis: GroundingBasis) -> bool {
        self.checked().basis == Some(basis)
    }

    /// Holds it against what such a session may read now.
    pub fn check(&self, basis: GroundingBasis, now: &WholeGrounding) {
        let mut checked = self.checked();
        checked.basis = Some(basis);
        checked.standing = match now.version.number() {
            version if version == self.version => GroundingStanding::Fresh,
            version => GroundingStanding::Stale {
                since: checked.standing.stale_since(),
                now: Some(version),
                changes: self.shown.changes(&now.document).into(),
            },
        };
    }

    /// There is no such session any more: its policy, its user or its role is gone.
    pub fn end(&self) {
        let mut checked = self.checked();
        checked.basis = None;
        checked.standing = GroundingStanding::Stale {
            since: checked.standing.stale_since(),
            now: None,
            changes: Arc::default(),
        };
    }

    fn checked(&self) -> MutexGuard<'_, CheckedStanding> {
        self.standing.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::Catalog;
    use crate::catalog::catalog_rows::CatalogRows;
    use crate::grounding::{
        GroundedColumn, GroundedRelation, Grounding, GroundingFacets, GroundingVersion,
    };

    fn basis(policy: u64) -> GroundingBasis {
        let catalog = Catalog::build(CatalogRows::default()).unwrap().version();
        GroundingBasis { catalog, policy }
    }

    fn key(policy: &str) -> GroundingKey {
        GroundingKey {
            user: "ann".into(),
            role: "reader".into(),
            policy: policy.into(),
            facets: "tables".into(),
            is_of_token: false,
            claims: UserClaims::new(),
        }
    }

    fn whole(column: &str) -> Arc<WholeGrounding> {
        let document = Grounding {
            relations: vec![GroundedRelation {
                schema: "shop".into(),
                name: "orders".into(),
                columns: vec![GroundedColumn {
                    name: column.into(),
                    type_name: "integer".into(),
                    ..GroundedColumn::default()
                }],
                ..GroundedRelation::default()
            }],
            ..Grounding::default()
        };
        let version = GroundingVersion::of(&document, &GroundingFacets::default(), "p");
        Arc::new(WholeGrounding::new((document, version)))
    }

    #[test]
    fn one_is_kept_with_what_it_was_made_of() {
        let groundings = DatabaseGroundings::default();
        let details = groundings.shared_details(CatalogDetails::default());
        let (own, one) = (key("p"), whole("a"));
        groundings.keep(&own, basis(1), Arc::clone(&details), &one);
        let again = groundings.shared_details(CatalogDetails::default());
        assert!(Arc::ptr_eq(&details, &again));
        let kept = groundings.kept(&own, basis(1), &again).unwrap();
        assert!(Arc::ptr_eq(&kept, &one));
        let other = groundings.shared_details(CatalogDetails {
            server_version: "19".into(),
            ..CatalogDetails::default()
        });
        assert!(groundings.kept(&own, basis(1), &other).is_none());
        assert!(groundings.kept(&own, basis(2), &details).is_none());
        assert!(groundings.kept(&key("q"), basis(1), &details).is_none());
        groundings.keep(&own, basis(2), details, &whole("b"));
        assert!(groundings.kept(&own, basis(1), &again).is_none());
    }

    #[test]
    fn what_is_held_is_bounded_and_what_was_used_last_stays() {
        let groundings = DatabaseGroundings::default();
        let details = groundings.shared_details(CatalogDetails::default());
        let name = |number: usize| format!("p{number}");
        let first = whole("first");
        groundings.give(&key("p"), basis(1), &first);
        for number in 0..served_groundings::KEPT_MAX * 3 {
            groundings.keep(
                &key(&name(number)),
                basis(1),
                Arc::clone(&details),
                &whole("a"),
            );
            assert!(
                groundings
                    .kept(&key(&name(0)), basis(1), &details)
                    .is_some()
            );
        }
        assert_eq!(groundings.held().kept.len(), served_groundings::KEPT_MAX);
        for number in 0..served_groundings::GIVEN_MAX * 3 {
            groundings.give(&key("p"), basis(1), &whole(&name(number)));
            groundings.give(&key("q"), basis(1), &whole("a"));
        }
        let of = |policy: &str| {
            let held = groundings.held();
            let own = held.given.iter().filter(|one| one.key.policy == policy);
            own.count()
        };
        assert_eq!((of("p"), of("q")), (served_groundings::GIVEN_MAX, 1));
        let version = first.version.number();
        assert!(groundings.given(version, "reader", "p").is_none());
        assert_eq!(surplus(vec![5, 5, 5], 9, 10), 1);
        assert_eq!(surplus(vec![50, 5, 5], 9, 10), 1);
        assert_eq!(surplus(vec![5, 5, 50], 9, 10), 3);
    }

    #[test]
    fn what_a_version_showed_is_for_its_role_under_its_policy() {
        let groundings = DatabaseGroundings::default();
        let before = whole("placed");
        let given = groundings.give(&key("p"), basis(1), &before);
        assert_eq!(given.standing(), GroundingStanding::Fresh);
        let of = |role: &str, policy: &str| groundings.given(given.version, role, policy);
        assert!(of("reader", "p").is_some());
        assert!(of("owner", "p").is_none() && of("reader", "q").is_none());
        let after = whole("ordered");
        given.check(basis(2), &after);
        assert!(given.is_checked_by(basis(2)) && !given.is_checked_by(basis(1)));
        let GroundingStanding::Stale { now, changes, .. } = given.standing() else {
            panic!("it is stale");
        };
        assert_eq!(now, Some(after.version.number()));
        let told: Vec<String> = changes.iter().map(ToString::to_string).collect();
        assert_eq!(told, ["renamed, probably: shop.orders.placed to ordered"]);
        given.end();
        assert!(!given.is_checked_by(basis(2)));
        let GroundingStanding::Stale { now, changes, .. } = given.standing() else {
            panic!("it is stale");
        };
        assert!(now.is_none() && changes.is_empty());
        given.check(basis(4), &before);
        assert_eq!(given.standing(), GroundingStanding::Fresh);
    }
}
