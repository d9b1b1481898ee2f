//! `upstream.engine`: of which engine servers are to be, and whether the other settings can hold
//! there.

use std::sync::Arc;

use super::policy_targets::{may_be_at, may_be_at_own};
use crate::config::settings_key::{KeyForm, SettingsKey};
use crate::config::value_reader::KeyReader;
use crate::engine::Engine;
use crate::policy::sources::PolicySource;
use crate::policy::{CatalogNeed, Policy, PolicySet};
use crate::upstream::engine::EngineSetting;
use crate::upstream::engine::profile::{
    CatalogAnswers, EngineProfile, EngineService, SetValueAnswers,
};
use crate::upstream::servers::ServersSettings;
use crate::upstream::servers::directory::DatabaseRoute;

/// Which engine the server is to be of.
pub const ENGINE: SettingsKey = SettingsKey {
    path: "upstream.engine",
    form: KeyForm::Word,
    default: "auto",
    doc: "Of which engine the servers are: postgres, citus, cockroachdb, yugabytedb or aurora, and \
          then no other is taken for it; or auto, whatever they turn out to be.",
};

/// Notes what cannot hold at the engines that are named: connections that sessions share, and
/// policies that want a catalog.
pub fn check(
    reader: &mut KeyReader,
    policies: Option<&(PolicySet, Vec<PolicySource>)>,
    (own, databases): (&Option<ServersSettings>, &Option<Vec<DatabaseRoute>>),
    shares_connections: bool,
) {
    let (Some(own), Some(databases)) = (own, databases) else {
        return;
    };
    let policies = || policies.iter().flat_map(|(policies, _)| policies.all());
    let mut note = |key, setting, policy: Option<&Policy>| {
        let Some(what) = unfit(setting, policy, shares_connections) else {
            return;
        };
        let place = reader.place_of(key);
        reader.note(&place, what);
    };
    let at_own =
        policies().find(|policy| wants_catalog(policy) && may_be_at_own(policy, databases));
    note(ENGINE.path, own.engine, at_own.map(|policy| &**policy));
    for (at, route) in databases.iter().enumerate() {
        let there =
            |policy: &&Arc<Policy>| wants_catalog(policy) && may_be_at(policy, databases, at);
        let policy = policies().find(there);
        note(
            "databases",
            route.servers.engine,
            policy.map(|policy| &**policy),
        );
    }
}

fn wants_catalog(policy: &Policy) -> bool {
    policy.catalog() == CatalogNeed::Required
}

/// Why settings cannot hold at the engine that is named; `policy` wants a catalog.
fn unfit(
    setting: EngineSetting,
    policy: Option<&Policy>,
    shares_connections: bool,
) -> Option<String> {
    let EngineSetting::Named(engine) = setting else {
        return None;
    };
    let (profile, title) = (EngineProfile::of(engine), engine.title());
    if shares_connections && profile.set_values == SetValueAnswers::Untold {
        return Some(format!(
            "sessions cannot share connections to {title}, which do not tell what was set in them: \
             pool.mode has to be session"
        ));
    }
    match (profile.catalog, policy) {
        (CatalogAnswers::Unasked(why), Some(policy)) => Some(format!(
            "policy {} has catalog: required, and the catalog of {title} is not read, {why}; with \
             catalog: preferred statements are judged by their texts alone",
            policy.name()
        )),
        (CatalogAnswers::Answered | CatalogAnswers::Unasked(_), _) => None,
    }
}

/// The engine of this word, if it can be served.
///
/// # Errors
/// What is wanted in its place, or why it is not served.
pub fn served_engine(word: &str) -> Result<EngineSetting, String> {
    let Some(setting) = EngineSetting::named(word) else {
        let served =
            |engine: &&Engine| EngineProfile::of(**engine).service == EngineService::Served;
        let names = Engine::ALL
            .iter()
            .filter(served)
            .map(|engine| engine.name());
        let names: Vec<&str> = names.collect();
        return Err(format!("auto, or one of {} is wanted", names.join(", ")));
    };
    match setting {
        EngineSetting::Auto => Ok(setting),
        EngineSetting::Named(engine) => match EngineProfile::of(engine).service {
            EngineService::Served => Ok(setting),
            EngineService::Refused(why) => Err(format!("{} is not served: {why}", engine.title())),
        },
    }
}
