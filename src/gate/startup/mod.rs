//! The judgement of a StartupMessage.
//!
//! Nothing of it goes upstream as it came: what is allowed is sent as single parameters, and what
//! pgsieve rests on (read-only, encoding, how literals are read, the bounds in time) is set
//! whatever the client said.
//! <https://www.postgresql.org/docs/current/protocol-message-formats.html>

pub(super) mod options;

use std::collections::BTreeMap;
use std::fmt;

use super::prepared::truncated_name;
use super::rules::{roles, setting_denied};
use super::settings;
use super::settings::AllowedSetting;
use super::settings::read_write;
use super::{Refusal, Rule};
use ground::limits;
use ground::sqlstate;
use policy::mask_key::{GROUNDING, MaskKey, REPAIRS, SHOW_REPAIRED};
use policy::settings::setting_value;
use policy::{CatalogView, OnRefusedSetting, Policy, PolicyRule, RuleMode, SettingValue};

/// What the client asked for, as far as it is given, and the parameters of the StartupMessage
/// upstream.
#[derive(Clone, PartialEq, Eq)]
pub struct StartupPlan {
    /// The user that the client says it is.
    pub user: String,
    /// The database it wants; its user's name when it does not say.
    pub database: String,
    /// What it calls itself.
    pub application_name: Option<String>,
    /// The settings to send upstream, the forced ones included; neither user nor database.
    pub parameters: Vec<(String, String)>,
    /// Settings that the client wanted otherwise than the policy allows them.
    pub lowered: Vec<String>,
    /// Settings that the client wanted and did not get: the policy has them left out.
    pub ignored: Vec<String>,
    /// Options of the protocol that are not known here, for NegotiateProtocolVersion.
    pub unrecognised_pq_options: Vec<String>,
}

/// Who a client says it is: what its policy is chosen by. Nothing of it is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClaimedIdentity {
    /// The user.
    pub user: String,
    /// The database it wants; its user's name when it does not say.
    pub database: String,
    /// What it calls itself; empty when it does not say.
    pub application_name: String,
}

impl ClaimedIdentity {
    /// Reads it off the parameters of a StartupMessage, each where the judgement reads it.
    pub fn of(parameters: &[(&str, &str)]) -> Self {
        let last = |wanted: &str| {
            let mut given = parameters.iter().rev();
            given
                .find(|(name, _)| *name == wanted)
                .map(|(_, value)| *value)
        };
        let user = last("user").unwrap_or_default();
        let database = last("database").filter(|name| !name.is_empty());
        // What cannot be read is refused by the judgement.
        let options = options::read(last("options").unwrap_or_default());
        let options = options.unwrap_or_default();
        let by_option = options
            .iter()
            .map(|item| (item.name.as_str(), item.value.as_str()));
        let settings = by_option.chain(parameters.iter().copied());
        let mut own = settings.filter(|(name, _)| name.eq_ignore_ascii_case("application_name"));
        let own_name = own.next_back().map_or("", |(_, value)| value);
        Self {
            user: truncated_name(user).to_owned(),
            database: truncated_name(database.unwrap_or(user)).to_owned(),
            application_name: own_name.to_owned(),
        }
    }

    /// Whether the plan was made for somebody who introduced itself like this.
    pub fn fits(&self, plan: &StartupPlan) -> bool {
        self.user == plan.user
            && self.database == plan.database
            && self.application_name == plan.application_name.as_deref().unwrap_or_default()
    }
}

impl StartupPlan {
    /// The plan of a session that ends when its user is proved: nothing of what the client wants,
    /// and what is forced on every session. Refused where no user is named.
    ///
    /// # Errors
    /// No user is named.
    pub fn bare(introduction: &ClaimedIdentity) -> Result<Self, Box<Refusal>> {
        let ClaimedIdentity { user, database, .. } = introduction;
        if user.is_empty() {
            return Err(nobody());
        }
        let forced = FORCED.map(|(name, value)| (name.to_owned(), value.to_owned()));
        Ok(Self {
            user: user.clone(),
            database: database.clone(),
            application_name: None,
            parameters: forced.into(),
            lowered: Vec::new(),
            ignored: Vec::new(),
            unrecognised_pq_options: Vec::new(),
        })
    }

    /// How many settings the session has less of than the client has asked for.
    pub fn lowered(&self) -> usize {
        self.lowered.len()
    }

    /// How many it has not got at all.
    pub fn ignored(&self) -> usize {
        self.ignored.len()
    }

    /// What the client is told of the settings that it did not get.
    pub fn notices(&self) -> impl Iterator<Item = String> {
        let ignored = self
            .ignored
            .iter()
            .map(|name| format!("{name} is left as it is: the policy does not let it be set"));
        let lowered = self.lowered.iter().map(|name| {
            if settings::is_read_only(name) {
                read_write::notice(name)
            } else {
                format!("{name} is set to the most that the policy allows")
            }
        });
        lowered.chain(ignored)
    }
}

/// Judges the parameters. A parameter that comes twice is judged twice, and the last one counts.
pub(super) fn judge(
    policy: &Policy,
    parameters: &[(&str, &str)],
) -> Result<StartupPlan, Box<Refusal>> {
    let mut draft = StartupDraft::default();
    // The server applies `options` before the parameters, wherever it stands among them.
    let options = parameters.iter().filter(|(name, _)| *name == "options");
    for (_, options) in options {
        draft.settings.clear();
        draft.lowered.clear();
        draft.ignored.clear();
        for item in options::read(options)? {
            draft.set(policy, &item.name, &item.value)?;
        }
    }
    for (name, value) in parameters {
        draft.take(policy, name, value)?;
    }
    draft.finish(policy)
}

#[derive(Default)]
struct StartupDraft {
    user: Option<String>,
    database: Option<String>,
    settings: BTreeMap<String, String>,
    lowered: Vec<String>,
    ignored: Vec<String>,
    unrecognised: Vec<String>,
    /// Who the session is to be; it stays who it is.
    roles: Vec<(String, String)>,
    judged: usize,
}

impl StartupDraft {
    fn take(&mut self, policy: &Policy, name: &str, value: &str) -> Result<(), Box<Refusal>> {
        match name {
            // Whoever makes a name longer is the same user: under the same policy, and counted so.
            "user" => self.user = Some(truncated_name(value).to_owned()),
            "database" => self.database = Some(truncated_name(value).to_owned()),
            "options" => {}
            "replication" => return replication(value),
            _ if name.starts_with("_pq_.") => {
                self.count()?;
                self.unrecognised.push(name.to_owned());
            }
            _ => return self.set(policy, name, value),
        }
        Ok(())
    }

    fn set(&mut self, policy: &Policy, name: &str, value: &str) -> Result<(), Box<Refusal>> {
        self.count()?;
        let name = name.to_ascii_lowercase();
        if NEVER_AT_STARTUP.contains(&name.as_str()) {
            return Err(never(&name));
        }
        if roles::is_role(&name) {
            self.roles.push((name, value.to_owned()));
            return Ok(());
        }
        match self.judged(policy, &name, value) {
            Err(_) if may_ignore(policy, &name) => {
                // The last one counts, and it is left out.
                self.settings.remove(&name);
                if !self.ignored.contains(&name) {
                    self.ignored.push(name);
                }
            }
            judged => {
                let given = judged?;
                self.ignored.retain(|ignored| *ignored != name);
                if let Some(given) = given {
                    self.settings.insert(name, given);
                }
            }
        }
        Ok(())
    }

    /// The value that a setting gets, where it is not forced on the session.
    fn judged(
        &mut self,
        policy: &Policy,
        name: &str,
        value: &str,
    ) -> Result<Option<String>, Box<Refusal>> {
        let wanted = SettingValue::Text(value);
        let given = match settings::judge(policy, Rule::StartupParameter, name, wanted)? {
            AllowedSetting::Unchanged => Some(value.to_owned()),
            AllowedSetting::Lowered { to } => {
                self.note_lowered(name);
                Some(to.written())
            }
            // What is forced on the session says the same.
            AllowedSetting::ReadOnly => {
                self.note_lowered(name);
                None
            }
        };
        if policy.mode_of(PolicyRule::SettingDenied) == RuleMode::Enforce
            && let Some(refusal) = setting_denied::found(name, policy)
        {
            return Err(refusal);
        }
        Ok(given)
    }

    fn note_lowered(&mut self, name: &str) {
        if !self.lowered.iter().any(|known| known == name) {
            self.lowered.push(name.to_owned());
        }
    }

    fn count(&mut self) -> Result<(), Box<Refusal>> {
        self.judged += 1;
        if self.judged <= limits::STARTUP_SETTINGS_MAX {
            return Ok(());
        }
        Err(Refusal::new(
            Rule::StartupParameter,
            "the startup message holds too many settings",
            "Set what is needed after the login.",
        )
        .with_sqlstate(sqlstate::PROGRAM_LIMIT_EXCEEDED))
    }

    fn finish(mut self, policy: &Policy) -> Result<StartupPlan, Box<Refusal>> {
        let Some(user) = self.user.filter(|user| !user.is_empty()) else {
            return Err(nobody());
        };
        let stays = |(name, role): &(String, String)| roles::stays(name, role, &user);
        if !self.roles.iter().all(stays) {
            return Err(roles::refusal());
        }
        let database = self.database.filter(|name| !name.is_empty());
        for (name, ms) in policy.timeouts().by_name() {
            if ms > 0 {
                self.settings
                    .entry(name.to_owned())
                    .or_insert_with(|| ms.to_string());
            }
        }
        // Conditions on catalogs are planned as dear, and take longer to compile than to evaluate.
        if policy.catalog_view() == CatalogView::Policy {
            self.settings
                .entry("jit".to_owned())
                .or_insert_with(|| "off".to_owned());
        }
        // Until they are set, the server would know nothing of them, and SHOW would fail.
        for (own, usual) in [(SHOW_REPAIRED, "off"), (GROUNDING, ""), (REPAIRS, "on")] {
            (self.settings.entry(own.to_owned())).or_insert_with(|| usual.to_owned());
        }
        for (name, value) in FORCED {
            self.settings.insert(name.to_owned(), value.to_owned());
        }
        if let Some(key) = policy.mask_key() {
            self.settings.insert(MaskKey::SETTING.into(), key.pad());
        }
        Ok(StartupPlan {
            database: database.unwrap_or_else(|| user.clone()),
            user,
            application_name: self.settings.get("application_name").cloned(),
            parameters: self.settings.into_iter().collect(),
            lowered: self.lowered,
            ignored: self.ignored,
            unrecognised_pq_options: self.unrecognised,
        })
    }
}

impl fmt::Debug for StartupPlan {
    /// Without values: they are the client's.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self
            .parameters
            .iter()
            .map(|(name, _)| name.as_str())
            .collect();
        formatter
            .debug_struct("StartupPlan")
            .field("parameters", &names)
            .finish_non_exhaustive()
    }
}

/// Whether a client may be logged in without a setting that is refused: the policy says so, and
/// what the client sends and gets means the same without it.
fn may_ignore(policy: &Policy, name: &str) -> bool {
    policy.on_refused_setting() == OnRefusedSetting::Ignore
        && setting_value::is_name(name)
        && !NEVER_IGNORED.contains(&name)
        && !settings::is_read_only(name)
}

/// Any value but a plain false asks for a replication connection.
fn replication(value: &str) -> Result<(), Box<Refusal>> {
    if setting_value::boolean(value) == Some(false) {
        return Ok(());
    }
    Err(Refusal::new(
        Rule::Replication,
        "replication connections are not supported",
        "Connect without the replication parameter.",
    ))
}

fn nobody() -> Box<Refusal> {
    Refusal::new(
        Rule::StartupParameter,
        "no PostgreSQL user name specified in startup packet",
        "Name a user in the connection string.",
    )
    .with_sqlstate(sqlstate::INVALID_AUTHORIZATION)
}

fn never(name: &str) -> Box<Refusal> {
    Refusal::new(
        Rule::StartupParameter,
        &format!("startup parameter {name} is not allowed"),
        "Leave it out of the connection string.",
    )
    .about(format_args!("{name}"))
}

/// Set upstream whatever the client said: the promises of this program rest on them.
const FORCED: [(&str, &str); 3] = [
    ("default_transaction_read_only", "on"),
    ("client_encoding", "UTF8"),
    ("standard_conforming_strings", "on"),
];

/// Without them names, texts or rows would mean something else than the client thinks.
const NEVER_IGNORED: [&str; 8] = [
    "array_nulls",
    "backslash_quote",
    "client_encoding",
    "row_security",
    "search_path",
    "session_replication_role",
    "standard_conforming_strings",
    "transform_null_equals",
];

/// Not taken at startup even where a policy lets a session set them later.
const NEVER_AT_STARTUP: [&str; 2] = ["row_security", "session_replication_role"];

#[cfg(test)]
mod tests {
    use crate::rules::check::gate;
    use crate::startup::ClaimedIdentity;
    use crate::{Refusal, Rule, StartupPlan};
    use ground::sqlstate;
    use policy::Policy;

    fn judged(parameters: &[(&str, &str)]) -> Result<StartupPlan, Box<Refusal>> {
        let mut all = vec![("user", "ann")];
        all.extend(parameters);
        gate(Policy::bi()).judge_startup(&all)
    }

    fn sent<'p>(plan: &'p StartupPlan, name: &str) -> Option<&'p str> {
        let mut found = plan.parameters.iter().filter(|(sent, _)| sent == name);
        let first = found.next().map(|(_, value)| value.as_str());
        assert!(found.next().is_none(), "{name} twice");
        first
    }

    fn refused(parameters: &[(&str, &str)], rule: Rule, sqlstate: sqlstate::SqlState) {
        let refusal = judged(parameters).expect_err(&format!("{parameters:?}"));
        assert_eq!(
            (refusal.rule, refusal.sqlstate),
            (rule, sqlstate),
            "{parameters:?}"
        );
    }

    #[test]
    fn what_pgsieve_rests_on_is_always_sent() {
        let plan = judged(&[]).unwrap();
        assert_eq!((plan.user.as_str(), plan.database.as_str()), ("ann", "ann"));
        assert_eq!(sent(&plan, "default_transaction_read_only"), Some("on"));
        assert_eq!(sent(&plan, "client_encoding"), Some("UTF8"));
        assert_eq!(sent(&plan, "standard_conforming_strings"), Some("on"));
        assert_eq!(sent(&plan, "statement_timeout"), Some("600000"));
        assert_eq!(sent(&plan, "lock_timeout"), Some("30000"));
        assert_eq!(
            sent(&plan, "idle_in_transaction_session_timeout"),
            Some("600000")
        );
    }

    #[test]
    fn a_name_that_the_server_would_cut_is_the_one_that_it_keeps() {
        let kept = "ü".repeat(31);
        let longer = format!("{kept}üx");
        let named = [("user", longer.as_str()), ("database", &longer)];
        let plan = judged(&named).unwrap();
        assert_eq!((&plan.user, &plan.database), (&kept, &kept));
        let introduction = ClaimedIdentity::of(&named);
        assert_eq!(introduction.user, kept);
        assert!(introduction.fits(&plan));
        assert!(ClaimedIdentity::of(&named[..1]).fits(&judged(&named[..1]).unwrap()));
    }

    #[test]
    fn what_drivers_send_is_taken() {
        let plan = judged(&[
            ("database", "shop"),
            ("client_encoding", "'utf-8'"),
            ("DateStyle", "ISO, MDY"),
            ("TimeZone", "Europe/Berlin"),
            ("extra_float_digits", "2"),
            ("application_name", "a secret report"),
            ("search_path", "public"),
            ("jit", "off"),
            ("replication", "false"),
            (
                "options",
                "-c statement_timeout=5s -c geqo=off --intervalstyle=iso_8601",
            ),
        ])
        .unwrap();
        assert_eq!(plan.database, "shop");
        assert_eq!(plan.application_name.as_deref(), Some("a secret report"));
        assert_eq!(sent(&plan, "client_encoding"), Some("UTF8"));
        assert_eq!(sent(&plan, "datestyle"), Some("ISO, MDY"));
        assert_eq!(sent(&plan, "statement_timeout"), Some("5s"));
        assert_eq!(sent(&plan, "geqo"), Some("off"));
        assert_eq!(sent(&plan, "intervalstyle"), Some("iso_8601"));
        assert_eq!(sent(&plan, "replication"), None);
        assert_eq!(sent(&plan, "options"), None);
        assert!(!format!("{plan:?}").contains("secret"));
    }

    #[test]
    fn the_last_of_two_counts_and_both_are_judged() {
        let plan = judged(&[("options", "-c jit=on"), ("jit", "off"), ("JIT", "on")]).unwrap();
        assert_eq!(sent(&plan, "jit"), Some("on"));
        let plan = judged(&[("options", "-c jit=on"), ("options", "-c geqo=on")]).unwrap();
        assert_eq!(
            (sent(&plan, "jit"), sent(&plan, "geqo")),
            (None, Some("on"))
        );
        let plan = judged(&[("geqo", "off"), ("options", "-c geqo=on")]).unwrap();
        assert_eq!(sent(&plan, "geqo"), Some("off"));
        refused(
            &[("client_encoding", "SJIS"), ("client_encoding", "UTF8")],
            Rule::StartupParameter,
            sqlstate::INVALID_PARAMETER_VALUE,
        );
    }

    #[test]
    fn bounds_in_time_are_tightened_and_not_loosened() {
        let plan = judged(&[("statement_timeout", "0"), ("lock_timeout", "1h")]).unwrap();
        assert_eq!(sent(&plan, "statement_timeout"), Some("600000"));
        assert_eq!(sent(&plan, "lock_timeout"), Some("30000"));
        assert_eq!(plan.lowered, ["statement_timeout", "lock_timeout"]);
    }

    #[test]
    fn nothing_makes_the_session_writable() {
        for (name, value) in [
            ("default_transaction_read_only", "off"),
            ("DEFAULT_TRANSACTION_READ_ONLY", "0"),
            ("transaction_read_only", "false"),
            ("options", "-c default_transaction_read_only=off"),
            ("options", "-cdefault_transaction_read_only=off"),
            ("options", "--default-transaction-read-only=off"),
            ("options", "-c default-transaction-read-only=off"),
            ("options", "-c default_transaction_read_only=\\off"),
            ("options", "\\-c\tDefault_Transaction_Read_Only=no"),
        ] {
            let plan = judged(&[(name, value)]).unwrap();
            assert_eq!(sent(&plan, "default_transaction_read_only"), Some("on"));
            assert_eq!(sent(&plan, "transaction_read_only"), None);
            let notices: Vec<String> = plan.notices().collect();
            assert_eq!(notices.len(), 1, "{notices:?}");
            assert!(
                notices[0].ends_with("transaction_read_only stays on: this connection only reads")
            );
            let all = [("user", "ann"), (name, value)];
            let strict = gate(Policy::strict()).judge_startup(&all).unwrap_err();
            assert_eq!(strict.sqlstate, sqlstate::READ_ONLY_SQL_TRANSACTION);
        }
        let code = sqlstate::READ_ONLY_SQL_TRANSACTION;
        for value in ["", "maybe", " off"] {
            let given = ("default_transaction_read_only", value);
            refused(&[given], Rule::StartupParameter, code);
        }
        let plan = judged(&[("options", "-c default_transaction_read_only=on")]).unwrap();
        assert_eq!(plan.notices().count(), 0);
    }

    #[test]
    fn what_is_not_listed_is_refused() {
        let denied = sqlstate::INSUFFICIENT_PRIVILEGE;
        refused(&[("row_security", "off")], Rule::StartupParameter, denied);
        refused(
            &[("session_replication_role", "replica")],
            Rule::StartupParameter,
            denied,
        );
        refused(
            &[("transform_null_equals", "on")],
            Rule::StartupParameter,
            denied,
        );
        refused(&[("options", "-d 5")], Rule::StartupParameter, denied);
        refused(&[("role", "admin")], Rule::Roles, denied);
        refused(
            &[("options", "-c session_authorization=x")],
            Rule::Roles,
            denied,
        );
        let invalid = sqlstate::INVALID_PARAMETER_VALUE;
        refused(
            &[("client_encoding", "SQL_ASCII")],
            Rule::StartupParameter,
            invalid,
        );
        refused(
            &[("standard_conforming_strings", "off")],
            Rule::StartupParameter,
            invalid,
        );
        refused(
            &[("search_path", "evil, pg_catalog")],
            Rule::StartupParameter,
            invalid,
        );
        let many = vec![("jit", "on"); 101];
        refused(
            &many,
            Rule::StartupParameter,
            sqlstate::PROGRAM_LIMIT_EXCEEDED,
        );
    }

    #[test]
    fn what_is_refused_is_left_out_where_the_policy_says_so_and_rows_mean_the_same() {
        let asked = [
            ("work_mem", "1TB"),
            ("app.user", "a secret"),
            (
                "options",
                "-c log_statement=none -c geqo=off -c log_statement=all",
            ),
            ("extra_float_digits", "99"),
            ("jit", "off"),
            ("JIT", "never"),
        ];
        let plan = judged(&asked).unwrap();
        assert_eq!(
            plan.ignored,
            ["log_statement", "app.user", "extra_float_digits", "jit"]
        );
        assert_eq!(sent(&plan, "geqo"), Some("off"));
        for name in ["log_statement", "app.user", "extra_float_digits", "jit"] {
            assert_eq!(sent(&plan, name), None, "{name}");
        }
        assert_eq!(plan.lowered, ["work_mem"]);
        let mut all = vec![("user", "ann")];
        for one in asked.iter().filter(|(name, _)| *name != "work_mem") {
            all.truncate(1);
            all.push(*one);
            if one.1 != "off" {
                gate(Policy::strict()).judge_startup(&all).unwrap_err();
            }
        }
    }

    #[test]
    fn replication_is_not_carried_and_unknown_protocol_options_are_collected() {
        for value in ["true", "1", "on", "database", "DATABASE", "x", ""] {
            let code = sqlstate::FEATURE_NOT_SUPPORTED;
            refused(&[("replication", value)], Rule::Replication, code);
        }
        let plan = judged(&[("_pq_.a", "1"), ("_pq_.b", "2")]).unwrap();
        assert_eq!(plan.unrecognised_pq_options, ["_pq_.a", "_pq_.b"]);
        assert!(
            plan.parameters
                .iter()
                .all(|(name, _)| !name.starts_with("_pq_"))
        );
    }

    #[test]
    fn a_user_is_needed() {
        for parameters in [&[][..], &[("user", "")][..], &[("database", "d")][..]] {
            let refusal = gate(Policy::agent()).judge_startup(parameters).unwrap_err();
            assert_eq!(refusal.sqlstate, sqlstate::INVALID_AUTHORIZATION);
        }
    }

    #[test]
    fn an_introduction_is_read_where_the_judgement_reads_it() {
        for parameters in [
            &[("user", "ann")][..],
            &[("user", "ann"), ("user", "bob"), ("database", "")],
            &[("user", "ann"), ("database", "a"), ("database", "b")],
            &[
                ("user", "ann"),
                ("application_name", "x"),
                ("Application_Name", "y"),
            ],
            &[
                ("user", "ann"),
                ("application_name", "x"),
                ("options", "-c application_name=y"),
            ],
            &[
                ("options", "-c application_name=x"),
                ("options", "-c application-name=y"),
                ("user", "ann"),
            ],
            &[
                ("options", "-c application_name=x"),
                ("options", "-c DateStyle=ISO"),
                ("user", "ann"),
            ],
        ] {
            let plan = gate(Policy::bi()).judge_startup(parameters).unwrap();
            let read = super::ClaimedIdentity::of(parameters);
            assert!(read.fits(&plan), "{parameters:?}: {read:?}");
        }
    }
}
