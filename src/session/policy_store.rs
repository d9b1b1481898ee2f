//! The policies that hold, each with its judge, and which one a session is under.
//!
//! A session is placed when it logs in and again, at its next statement, when the policies have
//! changed; in between it looks at one number. What is known of it (its traits) is fixed at login.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, RwLock};
use std::time::{SystemTime, UNIX_EPOCH};

use super::membership::Membership;
use crate::gate::cache::JudgementCache;
use crate::gate::{Gate, Judging};
use crate::policy::set::matching::SessionTraits;
use crate::policy::{LivePolicies, Placement, Policy, PolicySet};
use crate::sql::fingerprint::Fingerprinter;

/// The policies that hold, each with its judge.
pub struct PolicyStore {
    live: Arc<LivePolicies>,
    /// None where nothing is recorded.
    judging: Judging,
    recording: Option<StatementRecording>,
    /// The judges of policies that hold, or held until a moment ago.
    gates: RwLock<Vec<(Arc<Policy>, Arc<Gate>)>>,
}

/// What is recorded of statements.
#[derive(Clone)]
pub struct StatementRecording {
    /// What they are named by.
    pub fingerprinter: Fingerprinter,
    /// Which names of what they read are recorded as well.
    pub names: RecordedNames,
    /// Whether their texts are.
    pub texts: RecordedTexts,
    /// Whether what the server calls them is.
    pub queryids: RecordedQueryIds,
}

/// Whether it is recorded what the server calls statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedQueryIds {
    /// It is not, and nothing is asked.
    None,
    /// As the server tells, which is asked.
    AsTold,
}

/// Whether the texts of statements are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedTexts {
    /// They are not: of a text there is its fingerprint.
    None,
    /// They are, for an audit that encrypts them.
    Encrypted,
}

/// Which names of what statements read are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedNames {
    /// None.
    None,
    /// Those of relations, functions and settings.
    Objects,
    /// Those of columns as well.
    Columns,
}

/// The policy of a session, until the policies change.
#[derive(Clone, Debug)]
pub struct AssignedPolicy {
    /// What is known of the session.
    pub traits: Arc<SessionTraits>,
    /// The judge, under its policy.
    pub gate: Arc<Gate>,
    /// Of the policies that it was chosen from.
    pub generation: u64,
    /// Whether it mattered to any of those what the session's role is a member of.
    asks_roles: bool,
    /// Of the catalog that this was looked up in; zero for none.
    roles_of: u64,
}

/// Why a session has no policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unplaced {
    /// None is for it.
    NoPolicy,
    /// Nobody knows what its role is a member of.
    RolesUntold,
    /// It has not proved yet what its policy is chosen by.
    Unproved,
}

/// By what a session's texts are judged.
pub struct SessionJudge {
    /// Which policies there are, and which one the session is under.
    pub(super) policy_store: Arc<PolicyStore>,
    pub(super) assigned_policy: AssignedPolicy,
    /// The judge of that policy.
    pub(super) gate: Arc<Gate>,
    /// What the worker has judged before.
    pub(super) cache: Arc<Mutex<JudgementCache>>,
}

impl SessionJudge {
    /// Of a session that was placed under that policy.
    pub(super) fn new(
        policy_store: Arc<PolicyStore>,
        assigned_policy: AssignedPolicy,
        cache: Arc<Mutex<JudgementCache>>,
    ) -> Self {
        Self {
            policy_store,
            gate: Arc::clone(&assigned_policy.gate),
            assigned_policy,
            cache,
        }
    }
}

impl AssignedPolicy {
    /// Whether the policy has ended by itself. Only where it says when it does, the clock is asked.
    pub fn has_ended(&self) -> bool {
        let policy = self.gate.policy();
        policy.until().is_some() && policy.is_over(now())
    }

    /// Whether it mattered to any of the policies what the session's role is a member of.
    pub fn asks_roles(&self) -> bool {
        self.asks_roles
    }

    /// The session is at another server: what its role is a member of there is asked before
    /// anything else. Catalogs of two servers are counted apart, and may have one number.
    pub fn forget_roles(&mut self) {
        self.roles_of = OF_ANOTHER_SERVER;
    }

    /// Whether the session's role is, as far as that matters, a member of what it was when the
    /// policy was chosen.
    pub fn is_member_still(&self, membership: &Membership<'_>) -> bool {
        !self.asks_roles || membership.generation() == self.roles_of
    }
}

/// No catalog has this number.
const OF_ANOTHER_SERVER: u64 = u64::MAX;

impl PolicyStore {
    /// Under these policies.
    pub fn new(live: Arc<LivePolicies>, recording: Option<StatementRecording>) -> Self {
        Self {
            live,
            recording,
            judging: Judging::default(),
            gates: RwLock::default(),
        }
    }

    /// The same, where these texts are judged.
    pub fn judging(self, judging: Judging) -> Self {
        Self { judging, ..self }
    }

    /// One policy for all, and nothing is recorded.
    pub fn only(policy: Arc<Policy>) -> Self {
        Self::new(Arc::new(LivePolicies::new(PolicySet::only(policy))), None)
    }

    /// The policies.
    pub fn live(&self) -> &Arc<LivePolicies> {
        &self.live
    }

    /// A number that is another one whenever a session may have to be placed anew: one atomic load.
    pub fn generation(&self) -> u64 {
        self.live.generation()
    }

    /// Finds the policy of a session by what its role is a member of now.
    ///
    /// # Errors
    /// There is none.
    pub fn place_member(
        &self,
        traits: &Arc<SessionTraits>,
        membership: &Membership<'_>,
    ) -> Result<AssignedPolicy, Unplaced> {
        let (traits, roles_of) = membership.told(traits);
        let assigned_policy = self.assign(&traits)?;
        Ok(AssignedPolicy {
            roles_of,
            ..assigned_policy
        })
    }

    /// Finds the policy of a session.
    ///
    /// # Errors
    /// There is none.
    pub fn assign(&self, traits: &Arc<SessionTraits>) -> Result<AssignedPolicy, Unplaced> {
        // The number is read first: should the policies be newer, the session is placed once more.
        let generation = self.live.generation();
        let set = self.live.current();
        let policy = match set.choose(traits, now()) {
            Placement::Policy(policy) => policy,
            Placement::Nothing => return Err(Unplaced::NoPolicy),
            Placement::Untold => return Err(Unplaced::RolesUntold),
        };
        Ok(AssignedPolicy {
            traits: Arc::clone(traits),
            gate: self.gate(policy, &set),
            generation,
            asks_roles: set.asks_roles(),
            roles_of: 0,
        })
    }

    /// The judge under a policy: the same one for all of its sessions.
    fn gate(&self, policy: &Arc<Policy>, set: &PolicySet) -> Arc<Gate> {
        let of = |gates: &[(Arc<Policy>, Arc<Gate>)]| {
            let mut known = gates.iter();
            known
                .find(|(known, _)| Arc::ptr_eq(known, policy))
                .map(|(_, gate)| Arc::clone(gate))
        };
        let known = of(&self.gates.read().unwrap_or_else(PoisonError::into_inner));
        known.unwrap_or_else(|| {
            let mut gates = self.gates.write().unwrap_or_else(PoisonError::into_inner);
            of(&gates).unwrap_or_else(|| {
                let gate = Arc::new(self.new_gate(Arc::clone(policy)));
                gates.retain(|(known, _)| set.all().iter().any(|own| Arc::ptr_eq(own, known)));
                gates.push((Arc::clone(policy), Arc::clone(&gate)));
                gate
            })
        })
    }

    fn new_gate(&self, policy: Arc<Policy>) -> Gate {
        self.recording_gate(policy).judging(self.judging)
    }

    fn recording_gate(&self, policy: Arc<Policy>) -> Gate {
        let Some(recording) = &self.recording else {
            return Gate::without_fingerprints(policy);
        };
        let gate = Gate::new(policy, recording.fingerprinter.clone());
        let gate = match recording.texts {
            RecordedTexts::Encrypted => gate.recording_texts(),
            RecordedTexts::None => gate,
        };
        let gate = match recording.queryids {
            RecordedQueryIds::AsTold => gate.recording_shapes(),
            RecordedQueryIds::None => gate,
        };
        match recording.names {
            RecordedNames::None => gate,
            RecordedNames::Objects => gate.recording_names(),
            RecordedNames::Columns => gate.recording_columns(),
        }
    }
}

impl fmt::Debug for PolicyStore {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("PolicyStore")
    }
}

/// Seconds since 1970. A clock that stands before that has every policy ended.
pub fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let seconds = now.ok().map(|now| i64::try_from(now.as_secs()));
    seconds.and_then(Result::ok).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sessions_of_one_policy_share_its_judge_and_a_change_gives_another_number() {
        let policy_store = PolicyStore::only(Arc::new(Policy::agent()));
        let traits = Arc::new(SessionTraits::default());
        let first = policy_store.assign(&traits).unwrap();
        let second = policy_store.assign(&traits).unwrap();
        assert!(Arc::ptr_eq(&first.gate, &second.gate));
        assert_eq!(first.generation, policy_store.generation());
        policy_store
            .live()
            .replace(PolicySet::only(Arc::new(Policy::bi())));
        assert_ne!(first.generation, policy_store.generation());
        let third = policy_store.assign(&traits).unwrap();
        assert_eq!(third.gate.policy().name(), "bi");
        assert_eq!(policy_store.gates.read().unwrap().len(), 1);
    }
}
