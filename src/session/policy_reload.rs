//! The policies have changed: a session takes the new ones over before its next message counts.
//!
//! What was under way goes on as it was judged. What was prepared before is judged again before it
//! runs, because the policy is a part of what its verdict stands on. What was fixed when the
//! session logged in stays: the settings that the upstream session started with, its timeouts among
//! them, and what is known of the client.

use std::sync::Arc;

use super::membership::Membership;
use super::policy_store::{AssignedPolicy, Unplaced};
use super::protocol::SessionProtocol;
use super::reply::CloseReason;
use super::session_end::SessionEnd;
use crate::telemetry::session_info::SessionInfo;

/// Takes over the policies of now. One atomic load, unless they have changed or one has ended,
/// or policies are chosen by what the session's role is a member of, and that may have changed.
///
/// # Errors
/// None of them is for this session.
pub(super) fn take_over_policies(protocol: &mut SessionProtocol) -> Result<(), SessionEnd> {
    let membership = Membership {
        role: protocol.context.names.role(),
        catalog_cache: protocol.context.name_context.catalog_cache(),
    };
    if protocol.judge.policy_store.generation() == protocol.judge.assigned_policy.generation
        && !protocol.judge.assigned_policy.has_ended()
        && protocol.judge.assigned_policy.is_member_still(&membership)
    {
        return Ok(());
    }
    let assigned_policy = protocol
        .judge
        .policy_store
        .place_member(&protocol.judge.assigned_policy.traits, &membership);
    let assigned_policy = assigned_policy.map_err(|why| {
        SessionEnd::Ended(match why {
            Unplaced::NoPolicy => CloseReason::NoPolicy,
            Unplaced::RolesUntold | Unplaced::Unproved => CloseReason::RolesUntold,
        })
    })?;
    let is_same = Arc::ptr_eq(&assigned_policy.gate, &protocol.judge.gate);
    protocol.judge.assigned_policy = assigned_policy;
    if !is_same {
        change_policy(protocol);
    }
    Ok(())
}

/// From now on everything is judged by the policy that the session was placed under.
fn change_policy(protocol: &mut SessionProtocol) {
    protocol.judge.gate = Arc::clone(&protocol.judge.assigned_policy.gate);
    protocol.pending.keep_old_policy(&protocol.witness.info);
    protocol.repair.keep_old_policy(&protocol.witness.info);
    protocol.witness.info = Arc::new(under(
        &protocol.witness.info,
        &protocol.judge.assigned_policy,
    ));
    protocol
        .context
        .names
        .set_policy(protocol.judge.gate.policy().version_number());
    if let Some(own) = protocol.limits.canceller() {
        own.move_to_policy(protocol.judge.gate.policy().name());
    }
    protocol.context.name_context.forget_catalog();
    protocol.context.names.set_effect_graph(None);
}

/// What is recorded of a session that is under this policy.
pub(super) fn under(info: &SessionInfo, assigned_policy: &AssignedPolicy) -> SessionInfo {
    let (name, version) = assigned_policy.gate.policy().label();
    info.clone().under(name, version)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;
    use crate::gate::cache::JudgementCache;
    use crate::policy::set::matching::SessionTraits;
    use crate::policy::{LivePolicies, Policy, PolicySet};
    use crate::session::policy_store::PolicyStore;
    use crate::session::protocol::WorkerShared;
    use crate::session::repair::executor::RepairExecutor;
    use crate::session::tests::exchange::{
        TestExchange, bind, complete, empty, execute, parse, query, ready, row, sync,
    };
    use crate::telemetry::Telemetry;

    /// The default policy, under which a setting may be set, or not.
    fn policy(application_name: bool, rest: &str) -> Arc<Policy> {
        let text = include_str!("../../policies/agent.yaml");
        let line = "    application_name: any\n";
        assert!(text.contains(line));
        let text = match application_name {
            true => text.to_owned(),
            false => text.replace(line, ""),
        };
        Arc::new(Policy::from_yaml(&format!("{text}\n{rest}")).unwrap())
    }

    fn shared(policy: Arc<Policy>) -> WorkerShared {
        let live = Arc::new(LivePolicies::new(PolicySet::only(policy)));
        WorkerShared {
            policy_store: Arc::new(PolicyStore::new(live, None)),
            cache: Arc::new(Mutex::new(JudgementCache::default())),
            plans: Arc::default(),
            telemetry: Telemetry::quiet().unwrap(),
            repair_executor: Arc::new(RepairExecutor::new()),
            receipt_issuer: None,
        }
    }

    #[test]
    fn every_one_of_many_sessions_is_under_the_new_policy_at_its_next_statement() {
        let shared = shared(policy(true, ""));
        let mut sessions: Vec<TestExchange> = (0..500)
            .map(|_| TestExchange::of(&shared, SessionTraits::default()))
            .collect();
        let set = [query("SET application_name = 'x'")];
        let parsed = [parse("s", "SET application_name = 'y'"), sync()];
        for session in &mut sessions {
            assert_eq!(session.client(&set), "Q");
            session.upstream(&[complete("SET"), ready(b'I')]);
            assert_eq!(session.client(&parsed), "PS");
            session.upstream(&[empty(b'1'), ready(b'I')]);
        }
        let (old, new) = (policy(true, ""), policy(false, ""));
        shared.policy_store.live().replace(PolicySet::only(new));
        for (number, session) in sessions.iter_mut().enumerate() {
            match number % 3 {
                0 => assert_eq!(session.client(&set), ""),
                1 => assert_eq!(session.client(&[bind("", "s"), execute(""), sync()]), ""),
                _ => {
                    // Two batches in one read: the first one is refused, the second one runs.
                    let pipeline = [bind("", "s"), execute(""), sync(), query("SELECT 1")];
                    assert_eq!(session.client(&pipeline), "Q");
                    session.upstream(&[row(), complete("SELECT 1"), ready(b'I')]);
                }
            }
            assert_eq!(session.protocol.witness.info.policy().unwrap().0, "agent");
            assert!(Arc::ptr_eq(
                &session.protocol.judge.gate,
                &shared.policy_store.assign(&Arc::default()).unwrap().gate
            ));
        }
        shared.policy_store.live().replace(PolicySet::only(old));
        for session in &mut sessions {
            assert_eq!(session.client(&[bind("", "s"), execute(""), sync()]), "BES");
        }
    }

    #[test]
    fn a_session_that_no_policy_is_for_ends_behind_the_answers_that_it_is_owed() {
        let shared = shared(policy(true, ""));
        let mut session = TestExchange::of(&shared, SessionTraits::default());
        assert_eq!(session.client(&[query("SELECT 1")]), "Q");
        let other = policy(true, "match: {user: somebody}");
        shared
            .policy_store
            .live()
            .replace(PolicySet::new(vec![other]).unwrap());
        assert_eq!(session.client(&[query("SELECT 2")]), "");
        assert_eq!(session.protocol.due_end(), None);
        session.upstream(&[row(), complete("SELECT 1"), ready(b'I')]);
        let no_policy = SessionEnd::Ended(CloseReason::NoPolicy);
        assert_eq!(session.protocol.due_end(), Some(no_policy));
        let fitting = SessionTraits {
            user: "somebody".into(),
            ..SessionTraits::default()
        };
        let mut fitting = TestExchange::of(&shared, fitting);
        assert_eq!(fitting.client(&[query("SELECT 1")]), "Q");
        let mut idle = TestExchange::of(
            &shared,
            SessionTraits {
                user: "somebody".into(),
                ..SessionTraits::default()
            },
        );
        shared
            .policy_store
            .live()
            .replace(PolicySet::new(vec![policy(true, "match: {user: else}")]).unwrap());
        assert_eq!(idle.client_ends(&query("SELECT 1")), no_policy);
    }

    #[test]
    fn a_session_ends_when_nobody_knows_its_roles_any_more() {
        let shared = shared(policy(true, "match: {role_member: team}"));
        let member = SessionTraits::default().with_roles(Some(vec!["team".into()]));
        let mut session = TestExchange::of(&shared, member);
        assert_eq!(session.client(&[query("SELECT 1")]), "Q");
        session.upstream(&[row(), complete("SELECT 1"), ready(b'I')]);
        let same = policy(true, "match: {role_member: [team]}");
        shared.policy_store.live().replace(PolicySet::only(same));
        let untold = SessionEnd::Ended(CloseReason::RolesUntold);
        assert_eq!(session.client_ends(&query("SELECT 1")), untold);
    }

    #[test]
    fn what_is_under_way_is_recorded_under_the_policy_that_judged_it() {
        let shared = shared(policy(true, ""));
        let mut session = TestExchange::of(&shared, SessionTraits::default());
        session.client(&[query("SELECT 1")]);
        let before = Arc::clone(&session.protocol.witness.info);
        shared
            .policy_store
            .live()
            .replace(PolicySet::only(policy(false, "")));
        session.client(&[query("SELECT 2")]);
        assert_ne!(before.policy(), session.protocol.witness.info.policy());
        let of = |owed| match owed {
            Some(crate::session::pending::ExpectedReply::Query(running)) => running.info,
            other => panic!("{other:?}"),
        };
        let first = of(session.protocol.pending.pop()).expect("the policy of before");
        assert_eq!(first.policy(), before.policy());
        assert!(of(session.protocol.pending.pop()).is_none());
    }
}
