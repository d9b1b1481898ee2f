//! What is left when everything that has a part of its own is carried over: where the log goes, the
//! policy, settings that have no counterpart, users, peers, and names that nobody knows.

use super::ImportWork;
use crate::cli::import::configuration::ConnectionEntry;
use crate::cli::import::known::connection_parameters::USER;
use crate::cli::import::known::settings::SETTINGS;
use crate::cli::import::known::{Counterpart, KnownSetting};
use crate::cli::import::value_form;
use crate::policy::Policy;
use crate::policy::units::written_duration;

/// Writes and notes it.
pub fn carry(work: &mut ImportWork<'_>) {
    log(work);
    policy(work);
    for known in SETTINGS {
        setting(work, known);
    }
    let configuration = work.configuration;
    for user in &configuration.users {
        own_settings(work, user);
    }
    if let Some(peer) = configuration.peers.first() {
        let words = "peers.addresses names the other copies of pgsieve, and peers.key_file what \
                     all of them share";
        work.draft
            .left_out("[peers]", &peer.place.to_string(), words);
    }
    for unknown in &configuration.unknown {
        let near = unknown.near.map(|near| format!("; did you mean {near}?"));
        let words = format!(
            "PgBouncer is not known to have this{}",
            near.unwrap_or_default()
        );
        let place = unknown.place.to_string();
        work.draft.left_out(unknown.subject.clone(), &place, words);
    }
}

/// `log.to`.
fn log(work: &mut ImportWork<'_>) {
    let file = work.configuration.text("logfile");
    let is_syslog = work.configuration.count("syslog") != 0;
    match (file, is_syslog) {
        ("", false) => {}
        ("", true) => work.draft.word("log.to", "syslog", ""),
        (file, is_syslog) => {
            work.draft.word("log.to", file, "");
            if is_syslog {
                let words = "the log goes to one place, here to the file";
                let place = work.place("syslog");
                work.draft.differs("syslog", &place, words);
            }
        }
    }
}

/// `policy.file`.
fn policy(work: &mut ImportWork<'_>) {
    match work.request.policy {
        Some(path) => work
            .draft
            .word("policy.file", path.display().to_string(), ""),
        None => {
            let comment = "To decide: agent ends statements after 30s, waits for locks after 5s \
                           and transactions that are idle after 60s; bi is for dashboards, observe \
                           refuses nothing that a policy could let through.";
            work.draft.word("policy.file", "agent", comment);
        }
    }
}

/// A setting without a part of its own.
fn setting(work: &mut ImportWork<'_>, known: &'static KnownSetting) {
    let configuration = work.configuration;
    let Some((value, place)) = configuration.changed(known) else {
        return;
    };
    let place = place.to_string();
    let name = known.name;
    let is_noted = name.contains("_tls_") || name.contains("_tls13_");
    match known.counterpart {
        Counterpart::Key(_) | Counterpart::Unneeded => {}
        Counterpart::Nothing if is_noted => {}
        Counterpart::Policy("settings") => startup(work, value, &place),
        Counterpart::Policy(path) => {
            let Some(written) = for_policy(known, value) else {
                return;
            };
            match &mut work.policy {
                Some(policy) => policy.values.push((path, written)),
                None => {
                    let words = format!("policies have it: {path}: {written} (--policy FILE)");
                    work.draft.left_out(name, &place, words);
                }
            }
        }
        Counterpart::Nothing => {
            let words = match known.doc {
                "" => "no counterpart".to_owned(),
                doc => format!("no counterpart: {doc}"),
            };
            work.draft.left_out(name, &place, words);
        }
        Counterpart::Otherwise => work.draft.differs(name, &place, known.doc),
    }
}

/// A value as policies write it.
fn for_policy(known: &KnownSetting, value: &str) -> Option<String> {
    if let Some(count) = value_form::count(value)
        && known.form == value_form::ValueForm::Count
    {
        return (count > 0).then(|| count.to_string());
    }
    value_form::seconds(value).map(written_duration)
}

/// `ignore_startup_parameters`: which of them a policy would refuse.
fn startup(work: &mut ImportWork<'_>, value: &str, place: &str) {
    let policy = Policy::agent();
    let is_set = |name: &&str| {
        let lower = name.to_ascii_lowercase();
        SET_BY_ALL.contains(&lower.as_str()) || policy.setting(&lower).is_some()
    };
    let names = value
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty());
    let refused: Vec<&str> = names.filter(|name| !is_set(name)).collect();
    let name = "ignore_startup_parameters";
    if refused.is_empty() {
        return work
            .draft
            .differs(name, place, "they are not ignored, but set");
    }
    let words = format!(
        "pgsieve ignores none. What a connection string sets, the policy has to let clients set \
         (settings); the policy agent does not, or not all that may stand there, for: {}",
        refused.join(", ")
    );
    work.draft.left_out(name, place, words);
}

/// The settings of a user.
fn own_settings(work: &mut ImportWork<'_>, user: &ConnectionEntry) {
    let place = user.place.to_string();
    for (known, value) in user.changed(USER) {
        let is_unset = value.starts_with('-');
        let global = work.configuration.text(known.name);
        let is_same = known.name == "pool_mode" && known.form.is_same(value, global);
        if is_unset || is_same {
            continue;
        }
        let words = match known.counterpart {
            Counterpart::Policy(path) => format!("a policy that matches the user has it: {path}"),
            _ => format!("no counterpart: {}", known.doc),
        };
        let subject = format!("[users] {}: {}", user.name, known.name);
        work.draft.left_out(subject, &place, words);
    }
}

/// What every client sets, whatever policies say.
const SET_BY_ALL: &[&str] = &["application_name", "client_encoding"];
