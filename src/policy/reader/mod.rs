//! From a YAML tree to a policy, with every problem on the way.
//!
//! Nothing is guessed: an unknown key, a key twice, a word that is not one of the choices, a value
//! rule that would loosen what no policy may loosen, are all problems.
//!
//! * [`rules`], [`matching`], [`access`], [`models`], [`knowledge`], [`statements`], [`settings`],
//!   [`functions`], [`limits`], [`repair`], [`cases`]: the sections
//! * [`model_sql`]: the SELECT of a model; [`calculated`]: the columns that are put into it, each
//!   by an [`expression`]
//! * [`lists`]: lists whose order means nothing; [`version_hash`]: the version

mod access;
mod calculated;
mod cases;
mod expression;
mod functions;
mod knowledge;
mod limits;
mod lists;
mod matching;
mod metrics;
mod model_sql;
mod models;
mod repair;
mod rules;
mod scalar_sql;
mod settings;
mod statements;
mod told_text;
mod version_hash;

use super::layers::PolicyLayers;
use super::yaml::section::{PlacedProblems, YamlSection, chosen, report, word};
use super::yaml::tree::YamlTree;
use super::{
    CatalogNeed, CatalogView, ForeignAccess, Policy, PolicyProblem, SessionMatch, TimeoutSettings,
    units,
};
use ground::target_servers::TargetServers;

/// The columns that an expression names, each with what stands before its dot, where a text is one
/// that a calculated column can have.
///
/// # Errors
/// What is wrong with it; nothing of it is shown but names of columns.
pub fn columns_of_expression(text: &str) -> Result<Vec<(Option<String>, String)>, String> {
    let read = expression::ScalarExpression::read(text).map_err(|wrong| wrong.to_string())?;
    let columns = read.columns.into_iter();
    Ok(columns
        .map(|column| (column.qualifier, column.name))
        .collect())
}

/// Reads a policy, or says everything that is wrong with it.
pub(super) fn read(layers: &PolicyLayers) -> Result<Policy, Vec<PolicyProblem>> {
    let mut problems = Vec::new();
    let policy = policy(layers, &mut problems);
    match policy {
        Some(policy) if problems.is_empty() => Ok(policy),
        _ => {
            problems.sort_by_key(|(place, _)| *place);
            let problems = problems.into_iter();
            Err(problems
                .map(|(place, problem)| layers.named(place, problem))
                .collect())
        }
    }
}

fn policy(layers: &PolicyLayers, problems: &mut PlacedProblems) -> Option<Policy> {
    let mut top = YamlSection::open(layers.merged(), "", problems)?;
    let name = top.required("name", problems, name);
    // They were followed before.
    for key in ["extends", "replace"] {
        top.optional(key, (), problems, |_, _, _| Some(()));
    }
    let timeouts = top.section("timeouts", problems, timeouts);
    let statements = top.section("statements", problems, statements::read);
    let settings = top.section("settings", problems, |tree, path, problems| {
        settings::read(tree, path, timeouts, problems)
    });
    let functions = top.section("functions", problems, functions::read);
    let limits = top.section("limits", problems, limits::read);
    let (catalog, catalog_view, targets) = places(&mut top, problems);
    let no_foreign = ForeignAccess::default();
    let foreign = top.optional("foreign", no_foreign, problems, functions::foreign);
    let own_repair = repair::RepairSection::default();
    let repair = top.optional("repair", own_repair, problems, repair::read);
    let modes = rules::read(&mut top, problems);
    let (matches, priority, until) = occasion(&mut top, problems);
    let access = access::read(&mut top, settings.as_ref(), problems);
    let knowledge = knowledge::of_policy(&mut top, layers, problems);
    let known = (settings.as_ref(), knowledge.as_ref());
    let models = models::of_policy(&mut top, known, problems);
    let tests = top.optional("tests", Vec::new(), problems, cases::read);
    top.close(problems);
    let (limits, repair) = limits::both_sections(limits?, repair?, problems);
    let (statements, settings, functions) = (statements?, settings?, functions?);
    let (mode, rule_modes, observe_until) = modes?;
    let mut policy = Policy {
        name: name?.into(),
        version: "".into(),
        version_number: 0,
        catalog: catalog?,
        statements: statements.choices,
        settings: settings.allowed,
        read_write: settings.read_write,
        setting_patterns: settings.patterns,
        on_refused_setting: settings.on_refused,
        functions: functions.allowed,
        trusted_schemas: functions.trusted,
        foreign: foreign?,
        timeouts: timeouts?,
        limits,
        repair,
        matches: matches?,
        priority: priority?,
        until: until?,
        mode,
        rule_modes,
        observe_until,
        access: access?,
        catalog_view: catalog_view?,
        targets: targets?,
        models: models?,
        knowledge: knowledge?,
        functions_denied: functions.denied,
        any_search_path: functions.any_search_path,
        extensions: functions.extensions,
        transaction_ids: functions.transaction_ids,
        server_directories: functions.server_directories,
        statements_allowed: statements.allowed,
        statements_denied: statements.denied,
        settings_denied: settings.denied,
        tests: tests?,
        mask_key: None,
    };
    version_hash::set_version(&mut policy);
    Some(policy)
}

/// What the database has to say, what it shows, and at which of its servers.
fn places(
    top: &mut YamlSection,
    problems: &mut PlacedProblems,
) -> (
    Option<CatalogNeed>,
    Option<CatalogView>,
    Option<TargetServers>,
) {
    (
        top.optional("catalog", CatalogNeed::Required, problems, catalog),
        top.optional("catalog_view", CatalogView::Open, problems, catalog_view),
        top.optional("targets", TargetServers::Any, problems, targets),
    )
}

fn targets(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<TargetServers> {
    let choices = TargetServers::ALL.iter();
    let choices: Vec<(&str, TargetServers)> = choices.map(|own| (own.name(), *own)).collect();
    chosen(tree, path, &choices, problems)
}

/// For whom a policy is, before which others, and until when.
fn occasion(
    top: &mut YamlSection,
    problems: &mut PlacedProblems,
) -> (
    Option<Option<SessionMatch>>,
    Option<i64>,
    Option<Option<i64>>,
) {
    (
        top.optional("match", None, problems, matching::read),
        top.optional("priority", 0, problems, priority),
        top.optional("until", None, problems, rules::until),
    )
}

fn name(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<String> {
    let (place, word) = word(tree, path, problems)?;
    let plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_' || letter == '-';
    if !word.is_empty() && word.chars().all(plain) {
        return Some(word);
    }
    report(
        problems,
        place,
        path,
        "a name of letters, digits, - and _ is wanted",
    );
    None
}

/// Enough for any order, and few enough digits to be read.
const PRIORITY_MAX: i64 = 1000;

fn priority(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<i64> {
    let (place, word) = word(tree, path, problems)?;
    let number = word.parse().ok();
    let number = number.filter(|number| (-PRIORITY_MAX..=PRIORITY_MAX).contains(number));
    if number.is_none() {
        let what = format!("a whole number from -{PRIORITY_MAX} to {PRIORITY_MAX} is wanted");
        report(problems, place, path, &what);
    }
    number
}

fn timeouts(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<TimeoutSettings> {
    let mut section = YamlSection::open(tree, path, problems)?;
    let [own_statement, own_lock, own_idle] = TIMEOUTS_MS;
    let statement = section.optional("statement_timeout", own_statement, problems, duration);
    let lock = section.optional("lock_timeout", own_lock, problems, duration);
    let idle = "idle_in_transaction_session_timeout";
    let idle = section.optional(idle, own_idle, problems, duration);
    section.close(problems);
    Some(TimeoutSettings {
        statement_timeout_ms: statement?,
        lock_timeout_ms: lock?,
        idle_in_transaction_session_timeout_ms: idle?,
    })
}

/// What holds where a policy does not say it: as long as `agent` gives.
const TIMEOUTS_MS: [u64; 3] = [30_000, 5_000, 60_000];

fn duration(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<u64> {
    let (place, word) = word(tree, path, problems)?;
    match units::duration(&word) {
        Ok(span) => u64::try_from(span.as_millis()).ok(),
        Err(problem) => {
            report(problems, place, path, &format!("{problem}; 0 is no bound"));
            None
        }
    }
}

fn catalog(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<CatalogNeed> {
    let choices = [
        ("required", CatalogNeed::Required),
        ("preferred", CatalogNeed::Preferred),
    ];
    chosen(tree, path, &choices, problems)
}

fn catalog_view(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<CatalogView> {
    let choices = [("open", CatalogView::Open), ("policy", CatalogView::Policy)];
    chosen(tree, path, &choices, problems)
}
