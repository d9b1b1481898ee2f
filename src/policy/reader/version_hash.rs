//! The version of a policy: a hash of what it means, whatever its comments and order.

use super::super::Policy;
use ground::target_servers::TargetServers;

/// Gives a policy its version. Its tests are no part of what it means.
pub(super) fn set_version(policy: &mut Policy) {
    let mut hasher = blake3::Hasher::new();
    let mut line = |text: String| {
        hasher.update(text.as_bytes());
        hasher.update(b"\n");
    };
    line(format!("name {:?}", policy.name));
    line(format!("statements {:?}", policy.statements));
    line(format!(
        "statements_allowed {:?}",
        policy.statements_allowed
    ));
    line(format!("statements_denied {:?}", policy.statements_denied));
    line(format!("timeouts {:?}", policy.timeouts.by_name()));
    line(format!("limits {:?}", policy.limits));
    for (name, rule) in &policy.settings {
        line(format!("setting {name:?} {rule:?}"));
    }
    line(format!("read_write {:?}", policy.read_write));
    line(format!(
        "setting_patterns {:?} {:?}",
        policy.setting_patterns, policy.on_refused_setting
    ));
    line(format!("settings_denied {:?}", policy.settings_denied));
    line(format!("catalog {:?}", policy.catalog));
    line(format!("catalog_view {:?}", policy.catalog_view));
    // To say what holds anyway changes nothing.
    if policy.targets != TargetServers::Any {
        line(format!("targets {:?}", policy.targets));
    }
    for function in &policy.functions {
        line(format!("function {function:?}"));
    }
    line(format!("functions_denied {:?}", policy.functions_denied));
    line(format!("any_search_path {:?}", policy.any_search_path));
    line(format!(
        "extensions {:?} transaction_ids {:?} server_directories {:?}",
        policy.extensions, policy.transaction_ids, policy.server_directories
    ));
    line(format!("trusted_schemas {:?}", policy.trusted_schemas));
    line(format!("foreign {:?}", policy.foreign));
    line(format!("repair {:?}", policy.repair));
    line(format!("match {:?} {}", policy.matches, policy.priority));
    line(format!("until {:?}", policy.until));
    line(format!(
        "mode {:?} {:?} {:?}",
        policy.mode, policy.rule_modes, policy.observe_until
    ));
    let mut access = policy.access.clone();
    // To say what holds anyway changes nothing.
    access.is_new_meant = false;
    line(format!("access {access:?}"));
    for model in &policy.models {
        line(format!("model {model:?}"));
    }
    for record in &policy.knowledge.records {
        let (name, content) = (&record.name, &record.content);
        let (about, users) = (&record.about, &record.users);
        line(format!(
            "knowledge {name:?} {content:?} {about:?} {users:?}"
        ));
    }
    let mut short = [0; 8];
    hasher.finalize_xof().fill(&mut short);
    policy.version_number = u64::from_be_bytes(short);
    policy.version = format!("{:016x}", policy.version_number).into();
}
