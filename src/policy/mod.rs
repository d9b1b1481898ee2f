//! Policies: what a client may do beyond plain reads, as YAML that a person can review.
//!
//! A policy can only choose between things that are all safe for the data: no key of it can let a
//! write through, switch the session's read-only mode off or change how a text is read. What a
//! policy asks for against that is a [`PolicyProblem`], not a setting.

use std::collections::BTreeMap;
use std::sync::Arc;

pub mod access;
pub mod calculated;
pub mod knowledge;
pub mod layers;
pub mod mask_key;
pub mod metric;
pub mod model;
pub mod overlay;
pub mod policy_limits;
pub mod policy_rules;
mod reader;
mod repair;
pub mod schema;
pub mod set;
pub mod settings;
mod signature;
pub mod similar_names;
pub mod sources;
pub mod test_case;
pub mod units;
pub mod yaml;

pub use self::access::{AccessLists, CatalogView, ThroughViews};
pub use self::knowledge::{KnowledgeContent, KnowledgeKind, KnowledgeRecord, PolicyKnowledge};
pub use self::model::{CertificateField, PolicyModel, SessionValue};
pub use self::policy_limits::{OnLimit, PolicyLimits, TimeoutSettings};
pub use self::policy_rules::{RuleMode, Strictness};
pub use self::reader::columns_of_expression;
pub use self::repair::{
    Dialect, DialectChoice, LikelyRepairs, Recoverer, RepairMode, RepairSettings, SimilarityGates,
};
pub use self::set::live::LivePolicies;
pub use self::set::{Placement, PolicySet, PolicySetError};
pub use self::settings::value_rule::{SettingAmount, SettingValue, ValueRule, ValueVerdict};
pub use self::signature::{CatalogArgument, FunctionSignature, parts};
pub use ground::rule::PolicyRule;

use self::access::Glob;
use self::layers::PolicyLayers;
use self::mask_key::MaskKey;
use self::model::ModelPiece;
use self::set::matching::SessionMatch;
use self::test_case::TestCase;
use ground::sqlstate::{self, SqlState};
use ground::target_servers::TargetServers;

/// A policy, checked and ready to judge with.
pub struct Policy {
    name: Arc<str>,
    version: Arc<str>,
    version_number: u64,
    catalog: CatalogNeed,
    statements: StatementChoices,
    settings: BTreeMap<String, ValueRule>,
    read_write: ReadWrite,
    setting_patterns: Vec<(Glob, ValueRule)>,
    on_refused_setting: OnRefusedSetting,
    functions: Vec<FunctionSignature>,
    trusted_schemas: TrustedSchemas,
    foreign: ForeignAccess,
    timeouts: TimeoutSettings,
    limits: PolicyLimits,
    repair: RepairSettings,
    matches: Option<SessionMatch>,
    priority: i64,
    until: Option<i64>,
    mode: RuleMode,
    rule_modes: BTreeMap<PolicyRule, RuleMode>,
    observe_until: Option<i64>,
    access: AccessLists,
    catalog_view: CatalogView,
    targets: TargetServers,
    models: Vec<PolicyModel>,
    knowledge: PolicyKnowledge,
    functions_denied: Vec<FunctionSignature>,
    any_search_path: Vec<FunctionSignature>,
    extensions: ExtensionTrust,
    transaction_ids: PlainChoice,
    server_directories: PlainChoice,
    statements_allowed: Option<Vec<String>>,
    statements_denied: Vec<String>,
    settings_denied: Vec<Glob>,
    tests: Vec<TestCase>,
    mask_key: Option<MaskKey>,
}

/// What happens while there is no snapshot of the database's catalog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CatalogNeed {
    /// Only statements pass whose every name is a built-in.
    Required,
    /// Statements are judged by their text alone.
    Preferred,
}

/// The schemas whose functions run because of what their owners say of them.
#[derive(Clone, Debug, PartialEq, Eq)]
enum TrustedSchemas {
    /// All but temporary ones.
    Any,
    /// These, in order.
    These(Vec<String>),
}

/// What becomes of a setting in a connection string that is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OnRefusedSetting {
    /// So is the login.
    Refuse,
    /// The client is told and logs in without it, where rows mean the same then.
    Ignore,
}

/// What becomes of the functions of extensions that are known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum ExtensionTrust {
    /// They are judged by what they do, as built-ins are.
    Known,
    /// Only those run that the policy names.
    Named,
}

/// The foreign tables that may be read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ForeignAccess {
    /// By schema and name, in order.
    tables: Vec<(String, String)>,
    /// All of these servers, in order.
    servers: Vec<String>,
}

/// The choices about kinds of statements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementChoices {
    /// Several statements in one message.
    pub several: MultiStatementMode,
    /// The most reads in one message of several statements; none: any number.
    pub reads_per_message: Option<usize>,
    /// EXPLAIN ANALYZE, which runs what it explains.
    pub explain_analyze: ExplainAnalyze,
    /// Cursors that outlive their transaction.
    pub with_hold: WithHold,
    /// LOCK TABLE … IN ACCESS SHARE MODE, the lock that every SELECT takes.
    pub lock_access_share: PlainChoice,
    /// pg_export_snapshot() and SET TRANSACTION SNAPSHOT.
    pub snapshots: PlainChoice,
    /// pg_cancel_backend() and pg_terminate_backend() of a session of the same user.
    pub cancel_own: PlainChoice,
    /// LISTEN.
    pub listen: ListenChoice,
    /// The code of the error that a write is refused with.
    pub write_sqlstate: WriteSqlstate,
}

/// When a message of several statements runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultiStatementMode {
    /// When each of them only keeps house in the session (settings, resets, transaction control).
    Housekeeping,
    /// When each of them passes by itself.
    Each,
}

/// What EXPLAIN ANALYZE may run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExplainAnalyze {
    /// Nothing.
    Refuse,
    /// What would pass by itself.
    Reads,
}

/// What becomes of READ WRITE, and of settings that say the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReadWrite {
    /// It is lowered to READ ONLY, and what stands beside it runs.
    Lower,
    /// It is refused.
    Refuse,
}

/// What becomes of cursors that outlive their transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WithHold {
    /// They are refused.
    Refuse,
    /// There may be any number of them, of any size.
    Allow,
    /// There may be some.
    Bounded {
        /// The rows that a client gets of one.
        rows_max: u64,
        /// Those that a session has at a time.
        cursors_max: usize,
    },
}

/// What becomes of LISTEN.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListenChoice {
    /// It is refused.
    Refuse,
    /// The client is told that nothing will come, and nothing is listened to.
    Ignore,
}

/// The code of the error that a write is refused with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteSqlstate {
    /// 25006, as by a session that only reads.
    ReadOnly,
    /// 42501, as for want of a right.
    Privilege,
}

/// A plain choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PlainChoice {
    /// Refused.
    Refuse,
    /// Allowed.
    Allow,
}

/// One thing that is wrong with a policy file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyProblem {
    /// Where: line, column and key path, as `12:5 settings.allow.work_mem`.
    pub place: String,
    /// What is wrong, and what would be right.
    pub what: String,
}

impl Policy {
    /// Reads a policy. All problems are reported at once. What it extends can only be a built-in
    /// one: where a file would be looked for, a text alone does not say.
    ///
    /// # Errors
    /// Each thing that is wrong, with its place.
    pub fn from_yaml(text: &str) -> Result<Self, Vec<PolicyProblem>> {
        Self::of_layers(&sources::layers_of_text(text)?)
    }

    /// The policy that texts come to. All problems are reported at once.
    ///
    /// # Errors
    /// Each thing that is wrong, with its place.
    pub fn of_layers(layers: &PolicyLayers) -> Result<Self, Vec<PolicyProblem>> {
        reader::read(layers)
    }

    /// The name it gives itself; it appears in the audit.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Sixteen hex digits that change whenever the meaning of the policy does; comments do not
    /// count.
    pub fn version(&self) -> &str {
        &self.version
    }

    /// Name and version, for those who keep them.
    pub fn label(&self) -> (Arc<str>, Arc<str>) {
        (Arc::clone(&self.name), Arc::clone(&self.version))
    }

    /// The same as a number, for cache keys.
    pub fn version_number(&self) -> u64 {
        self.version_number
    }

    /// The choices about kinds of statements.
    pub fn statements(&self) -> StatementChoices {
        self.statements
    }

    /// The rule for values of a setting, by its lower-case name; none when it may not be set.
    pub fn setting(&self, name: &str) -> Option<&ValueRule> {
        self.settings.get(name).or_else(|| {
            let mut patterns = self.setting_patterns.iter();
            let found = patterns.find(|(pattern, _)| pattern.matches(name));
            found.map(|(_, rule)| rule)
        })
    }

    /// What becomes of a setting in a connection string that is refused.
    pub fn on_refused_setting(&self) -> OnRefusedSetting {
        self.on_refused_setting
    }

    /// The code of a refusal, as the policy gives it to clients.
    pub fn sqlstate_of(&self, code: SqlState) -> SqlState {
        match self.statements.write_sqlstate {
            WriteSqlstate::Privilege if code == sqlstate::READ_ONLY_SQL_TRANSACTION => {
                sqlstate::INSUFFICIENT_PRIVILEGE
            }
            WriteSqlstate::ReadOnly | WriteSqlstate::Privilege => code,
        }
    }

    /// What becomes of READ WRITE.
    pub fn read_write(&self) -> ReadWrite {
        self.read_write
    }

    /// What happens while there is no snapshot of the catalog.
    pub fn catalog(&self) -> CatalogNeed {
        self.catalog
    }

    /// Whether all functions of this name, spelled as it is called, are named by the policy: what
    /// can be told without a catalog.
    pub fn allows_function(&self, schema: Option<&str>, name: &str) -> bool {
        let mut named = self.functions.iter();
        named.any(|signature| signature.is_spelled(schema, name))
    }

    /// Whether this function, of this schema and with these types of arguments, is named by the
    /// policy.
    pub fn allows_signature(
        &self,
        schema: &str,
        name: &str,
        arguments: &[CatalogArgument<'_>],
    ) -> bool {
        let mut named = self.functions.iter();
        named.any(|signature| signature.names(schema, name, arguments))
    }

    /// Whether functions of this schema run because of what their owners say of them. Whether the
    /// schema is a temporary one is the caller's question; those are never trusted.
    pub fn trusts_schema(&self, schema: &str) -> bool {
        match &self.trusted_schemas {
            TrustedSchemas::Any => true,
            TrustedSchemas::These(schemas) => schemas.iter().any(|trusted| trusted == schema),
        }
    }

    /// Whether functions of well-known extensions run where what they do is known to be a read.
    pub fn knows_extensions(&self) -> bool {
        self.extensions == ExtensionTrust::Known
    }

    /// Whether a statement may have the server give its transaction a number.
    pub fn gives_transaction_ids(&self) -> bool {
        self.transaction_ids == PlainChoice::Allow
    }

    /// Whether functions may run that list one of the server's own directories.
    pub fn lists_server_directories(&self) -> bool {
        self.server_directories == PlainChoice::Allow
    }

    /// Whether a foreign table of a server may be read.
    pub fn allows_foreign(&self, schema: &str, table: &str, server: &str) -> bool {
        let mut tables = self.foreign.tables.iter();
        tables.any(|(own, name)| own == schema && name == table)
            || self.foreign.servers.iter().any(|named| named == server)
    }

    /// The bounds in time.
    pub fn timeouts(&self) -> TimeoutSettings {
        self.timeouts
    }

    /// What is said about repairs.
    pub fn repair(&self) -> &RepairSettings {
        &self.repair
    }

    /// The same policy with another choice about likely repairs: to see what that would bring.
    pub fn with_likely(mut self, likely: LikelyRepairs) -> Self {
        self.repair.likely = likely;
        self
    }

    /// The longest statement that is judged at all, in bytes.
    pub fn statement_bytes(&self) -> usize {
        self.limits.statement_bytes
    }

    /// How much of everything it gives.
    pub fn limits(&self) -> &PolicyLimits {
        &self.limits
    }

    /// Which of several policies that fit a session it gets: the one with the highest number.
    pub fn priority(&self) -> i64 {
        self.priority
    }

    /// Which sessions it is for; none: those that no other policy is for.
    pub fn matches(&self) -> Option<&SessionMatch> {
        self.matches.as_ref()
    }

    /// Whether a rule of its own is enforced.
    pub fn mode_of(&self, rule: PolicyRule) -> RuleMode {
        let of_whole = match rule {
            // What stands for a name is no refusal: tenants would mix.
            PolicyRule::Model => RuleMode::Enforce,
            _ => self.mode,
        };
        self.rule_modes.get(&rule).copied().unwrap_or(of_whole)
    }

    /// How much of what it says is enforced.
    pub fn strictness(&self) -> Strictness {
        let is_observed = |mode: &RuleMode| *mode == RuleMode::Observe;
        match self.mode {
            RuleMode::Observe => Strictness::Observe,
            RuleMode::Enforce if self.rule_modes.values().any(is_observed) => Strictness::Mixed,
            RuleMode::Enforce => Strictness::Enforce,
        }
    }

    /// The moment at which it ends by itself, in seconds since 1970, if it does.
    pub fn until(&self) -> Option<i64> {
        self.until
    }

    /// The same in words, to stand behind its name; empty where it does not end.
    pub fn ending(&self) -> String {
        let until = self.until.map(jiff::Timestamp::from_second);
        match until {
            Some(Ok(until)) => format!(", until {until}"),
            Some(Err(_)) => ", until an unknown moment".to_owned(),
            None => String::new(),
        }
    }

    /// Whether it has ended at a moment, in seconds since 1970.
    pub fn is_over(&self, now: i64) -> bool {
        self.until.is_some_and(|until| until <= now)
    }

    /// Until when it is meant to observe, in seconds since 1970, where it says so and does.
    pub fn observes_until(&self) -> Option<i64> {
        let observes = self.strictness() != Strictness::Enforce;
        self.observe_until.filter(|_| observes)
    }

    /// Which relations and columns it shows.
    pub fn access(&self) -> &AccessLists {
        &self.access
    }

    /// Its models.
    pub fn models(&self) -> &[PolicyModel] {
        &self.models
    }

    /// What it knows of the database and the catalog does not say.
    pub fn knowledge(&self) -> &PolicyKnowledge {
        &self.knowledge
    }

    /// Whether a SELECT stands for any relation: by a model, a mask or a condition on rows.
    pub fn has_models(&self) -> bool {
        !self.models.is_empty()
            || self.access.has_overlays()
            || self.catalog_view == CatalogView::Policy
    }

    /// What the catalogs show of what it hides.
    pub fn catalog_view(&self) -> CatalogView {
        self.catalog_view
    }

    /// Which of several servers its sessions go to, beside what the settings say of all.
    pub fn targets(&self) -> TargetServers {
        self.targets
    }

    /// Whether anything in a database is hidden from whoever reads under it: then what is read has
    /// to be known for each statement.
    pub fn hides(&self) -> bool {
        self.access.restricts()
            || !self.models.is_empty()
            || self.catalog_view == CatalogView::Policy
    }

    /// Whether this function is one that it does not let be called, built-ins included.
    pub fn denies_function(
        &self,
        schema: &str,
        name: &str,
        arguments: &[CatalogArgument<'_>],
    ) -> bool {
        let mut denied = self.functions_denied.iter();
        denied.any(|signature| signature.names(schema, name, arguments))
    }

    /// Whether a function that is called by this name may be one that it denies: what can be told
    /// without a catalog.
    pub fn may_deny(&self, schema: Option<&str>, name: &str) -> bool {
        let mut denied = self.functions_denied.iter();
        denied.any(|signature| signature.may_be(schema, name))
    }

    /// Whether a function may be run wherever the client has names looked up, whatever its body
    /// makes of that.
    pub fn takes_any_search_path(
        &self,
        schema: &str,
        name: &str,
        arguments: &[CatalogArgument<'_>],
    ) -> bool {
        let mut named = self.any_search_path.iter();
        named.any(|signature| signature.names(schema, name, arguments))
    }

    /// Whether all functions of this name, spelled as it is called, may be: what can be told
    /// without a catalog.
    pub fn takes_any_path(&self, schema: Option<&str>, name: &str) -> bool {
        let mut named = self.any_search_path.iter();
        named.any(|signature| signature.is_spelled(schema, name))
    }

    /// The entries of `functions.allow`, of `functions.deny` and of `functions.any_search_path`.
    pub fn named_functions(&self) -> [&[FunctionSignature]; 3] {
        [
            &self.functions,
            &self.functions_denied,
            &self.any_search_path,
        ]
    }

    /// Whether it denies any function.
    pub fn denies_functions(&self) -> bool {
        !self.functions_denied.is_empty()
    }

    /// Whether statements of a kind run, by the kind's name.
    pub fn allows_statement(&self, kind: &str) -> bool {
        let named = |list: &[String]| list.iter().any(|own| own == kind);
        self.statements_allowed.as_deref().is_none_or(named) && !named(&self.statements_denied)
    }

    /// Whether a setting, by its lower-case name, is denied although it is allowed.
    pub fn denies_setting(&self, name: &str) -> bool {
        self.settings_denied
            .iter()
            .any(|denied| denied.matches(name))
    }

    /// The session's values that its models, its conditions on rows and its metrics depend on, each
    /// once, in order.
    pub fn session_values(&self) -> Vec<&SessionValue> {
        let pieces = self.models.iter().flat_map(|model| &model.pieces);
        let filters = self.access.rows.iter().flat_map(|filter| &filter.pieces);
        let pieces = pieces.chain(filters);
        let mut values: Vec<&SessionValue> = pieces
            .filter_map(|piece| match piece {
                ModelPiece::Value(value) => Some(value),
                ModelPiece::Sql(_) => None,
            })
            .collect();
        values.extend(self.knowledge.value_of_metrics());
        values.sort();
        values.dedup();
        values
    }

    /// The tests that it carries.
    pub fn tests(&self) -> &[TestCase] {
        &self.tests
    }
}

impl std::fmt::Debug for Policy {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Policy({} {})", self.name, self.version)
    }
}

impl std::fmt::Display for PolicyProblem {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}: {}", self.place, self.what)
    }
}

#[cfg(test)]
mod tests;
