//! What policies are tried out in: a database that is looked into once, and the policy that a
//! session gets there.

use std::sync::Arc;

use jiff::Timestamp;

use crate::cli::database_catalog;
use crate::cli::policy::files::PolicyFile;
use crate::config::SettingsProblem;
use crate::gate::Gate;
use crate::offline::assumptions::{AssumedDatabase, AssumedSession};
use crate::offline::judge::OfflineJudge;
use crate::offline::policy_choice;
use crate::offline::policy_choice::{ChoiceReason, UnknownTraits, WhyNone};
use crate::policy::set::matching::{SessionMatch, SessionTraits};
use crate::policy::{Policy, PolicySet};
use crate::sql::fingerprint::Fingerprinter;

/// The policy of a session.
pub struct ChosenPolicy {
    /// Which.
    pub file: PolicyFile,
    /// Why.
    pub why: String,
}

/// The database of a URL, read once; nothing without a URL.
///
/// # Errors
/// The database cannot be reached or read.
pub fn world(url: Option<&str>) -> Result<AssumedDatabase, Vec<SettingsProblem>> {
    let Some(url) = url else {
        return Ok(AssumedDatabase::default());
    };
    let seen = database_catalog::read_database_blocking(url)?;
    Ok(AssumedDatabase {
        catalog: Some(Arc::new(seen.catalog)),
        account: seen.account.user,
        database: seen.database,
        ..AssumedDatabase::default()
    })
}

/// A judge under a policy, in a world.
///
/// # Errors
/// The system gives no random bytes for the key of the fingerprints.
pub fn judge(
    policy: &Arc<Policy>,
    world: &AssumedDatabase,
) -> Result<OfflineJudge, Vec<SettingsProblem>> {
    Ok(OfflineJudge::new(gate(Arc::clone(policy))?, world))
}

/// A judge under that policy, whose fingerprints nobody can compute elsewhere.
///
/// # Errors
/// The system gives no random bytes for the key of the fingerprints.
fn gate(policy: impl Into<Arc<Policy>>) -> Result<Gate, Vec<SettingsProblem>> {
    let mut process_key = [0; 32];
    getrandom::fill(&mut process_key).map_err(|_| {
        let (place, what) = ("this system".into(), "gives no randomness".into());
        vec![SettingsProblem { place, what }]
    })?;
    Ok(Gate::new(
        policy.into(),
        Fingerprinter::new(None, process_key),
    ))
}

/// The policy that somebody's session gets, as a server would choose it; the only one, where there
/// is but one. What cannot be said of a session here fits nothing.
///
/// # Errors
/// No policy fits them, or several that no server would take together.
pub fn choose(
    mut files: Vec<PolicyFile>,
    who: &AssumedSession,
    world: &AssumedDatabase,
) -> Result<ChosenPolicy, Vec<SettingsProblem>> {
    let traits = world.traits_of(who);
    let only_one = files.len() == 1;
    if !only_one {
        // As at a start: what could not be the policies of one server is told.
        let together = files.iter().map(|file| Arc::clone(&file.policy)).collect();
        PolicySet::new(together).map_err(|wrong| {
            let told = wrong.iter().map(|wrong| SettingsProblem {
                place: "policies".into(),
                what: wrong.to_string(),
            });
            told.collect::<Vec<_>>()
        })?;
    }
    let policies = files.iter().map(|file| &*file.policy);
    let now = Timestamp::now().as_second();
    let is_over = |policy: &Policy| !only_one && policy.is_over(now);
    let chosen = policy_choice::choose(policies, &traits, |_| UnknownTraits::FitsNothing, is_over);
    let (place, why) = match (chosen, only_one) {
        (Ok((place, why)), _) => (place, Some(why)),
        (Err(_), true) => (0, None),
        (Err(WhyNone::RolesUntold), false) => {
            return Err(vec![SettingsProblem {
                place: "match.role_member".into(),
                what: "which policy is for such a session depends on what its role is a member \
                       of, which is not known here: --upstream gives the database, --role the role"
                    .into(),
            }]);
        }
        (Err(WhyNone::NoPolicy), false) => {
            return Err(vec![SettingsProblem {
                place: "match".into(),
                what: "no policy matches such a session: its login is refused".into(),
            }]);
        }
    };
    let file = files.swap_remove(place);
    let why = match (why, file.policy.matches()) {
        (Some(ChoiceReason::Fits), Some(wanted)) => {
            format!("the first whose match fits: {}", fitting(wanted, &traits))
        }
        (Some(_), _) if only_one => "it has no match: it is for every session".into(),
        (Some(_), _) => "no match fits, and it has none".into(),
        (None, _) => "the only one given, although its match does not fit this session".into(),
    };
    Ok(ChosenPolicy { file, why })
}

fn fitting(wanted: &SessionMatch, traits: &SessionTraits) -> String {
    let certificate = traits.certificate_name.as_deref().unwrap_or_default();
    let parts = [
        ("user", wanted.user.is_some(), &*traits.user),
        ("database", wanted.database.is_some(), &*traits.database),
        (
            "application_name",
            wanted.application_name.is_some(),
            &*traits.application_name,
        ),
        (
            "certificate_name",
            wanted.certificate_name.is_some(),
            certificate,
        ),
    ];
    let parts = parts.into_iter().filter(|(_, asked, _)| *asked);
    let parts = parts.map(|(what, _, name)| format!("{what} {name}"));
    let claims = wanted.claims.iter().filter_map(|(claim, wanted)| {
        let mut values = traits.claims.get(claim)?.iter();
        let fitting = values.find(|value| wanted.iter().any(|own| own.matches(value)))?;
        Some(format!("{claim} {fitting}"))
    });
    let parts: Vec<String> = parts.chain(claims).collect();
    parts.join(", ")
}
