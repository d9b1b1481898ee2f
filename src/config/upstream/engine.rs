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
use crate::upstream::pool::PoolMode;
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

/// Notes what cannot hold at the engines that are named: connections that sessions share, which
/// entries of `databases` have noted for themselves, and policies that want a catalog.
pub fn check(
    reader: &mut KeyReader,
    policies: Option<&(PolicySet, Vec<PolicySource>)>,
    (own, databases): (&Option<ServersSettings>, &Option<Vec<DatabaseRoute>>),
    mode: Option<PoolMode>,
) {
    let (Some(own), Some(databases)) = (own, databases) else {
        return;
    };
    let policies = || policies.iter().flat_map(|(policies, _)| policies.all());
    let mut note = |key, what: Option<String>| {
        if let Some(what) = what {
            let place = reader.place_of(key);
            reader.note(&place, what);
        }
    };
    let at_own =
        policies().find(|policy| wants_catalog(policy) && may_be_at_own(policy, databases));
    let unfit = unshared(own.engine, mode, "pool.mode")
        .or_else(|| uncatalogued(own.engine, at_own.map(|policy| &**policy)));
    note(ENGINE.path, unfit);
    for (at, route) in databases.iter().enumerate() {
        let there =
            |policy: &&Arc<Policy>| wants_catalog(policy) && may_be_at(policy, databases, at);
        let policy = policies().find(there);
        let policy = policy.map(|policy| &**policy);
        note("databases", uncatalogued(route.servers.engine, policy));
    }
}

fn wants_catalog(policy: &Policy) -> bool {
    policy.catalog() == CatalogNeed::Required
}

/// Why sessions cannot have connections of this mode, which a key says, at the engine that is
/// named.
pub fn unshared(setting: EngineSetting, mode: Option<PoolMode>, key: &str) -> Option<String> {
    let EngineSetting::Named(engine) = setting else {
        return None;
    };
    let is_untold = EngineProfile::of(engine).set_values == SetValueAnswers::Untold;
    (is_untold && mode == Some(PoolMode::Transaction)).then(|| {
        format!(
            "sessions cannot share connections to {}, which do not tell what was set in them: \
             {key} has to be session",
            engine.title()
        )
    })
}

/// Why a policy that wants a catalog cannot hold at the engine that is named.
fn uncatalogued(setting: EngineSetting, policy: Option<&Policy>) -> Option<String> {
    let EngineSetting::Named(engine) = setting else {
        return None;
    };
    let (profile, title) = (EngineProfile::of(engine), engine.title());
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
