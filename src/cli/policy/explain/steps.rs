//! The path of a judgement for a person: the steps in the order in which the gate takes them, the
//! rules that are asked at each, and how far a text came.

use serde_json::{Value, json};

use crate::gate::{Rule, StatementKind};
use crate::offline::judge::GateAnswer;

/// A step of the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum GateStep {
    /// Before it is parsed: its length, and what the parser is given.
    Scan,
    /// The parse itself.
    Parse,
    /// The message as a whole.
    Message,
    /// Each statement by its kind.
    Kind,
    /// Each node under it.
    Nodes,
    /// What its names hide.
    Names,
    /// What the policy lets be read.
    Access,
}

/// How a step ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TakenStep {
    /// Which step.
    pub step: GateStep,
    /// The rule that refused there.
    pub refused: Option<Rule>,
    /// Rules that would have refused there and are only observed.
    pub observed: Vec<Rule>,
    /// Whether the text came that far.
    pub reached: bool,
}

/// The steps, and what became of the text at each.
pub fn taken(answer: &GateAnswer) -> Vec<TakenStep> {
    let (refused, observed): (Option<Rule>, &[Rule]) = match answer {
        GateAnswer::Permit => (None, &[]),
        GateAnswer::Observe(rules) => (None, rules),
        GateAnswer::Refuse(refusal) => (Some(refusal.rule), &[]),
    };
    let last = refused.and_then(step);
    let steps = GateStep::ALL.into_iter().map(|own| TakenStep {
        step: own,
        refused: refused.filter(|rule| step(*rule) == Some(own)),
        observed: observed
            .iter()
            .copied()
            .filter(|rule| step(*rule) == Some(own))
            .collect(),
        reached: last.is_none_or(|last| own <= last),
    });
    steps.collect()
}

impl GateStep {
    /// All of them, in order.
    pub const ALL: [Self; 7] = [
        Self::Scan,
        Self::Parse,
        Self::Message,
        Self::Kind,
        Self::Nodes,
        Self::Names,
        Self::Access,
    ];

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Scan => "scan",
            Self::Parse => "parse",
            Self::Message => "message",
            Self::Kind => "kind",
            Self::Nodes => "nodes",
            Self::Names => "names",
            Self::Access => "access",
        }
    }

    /// The rules that are asked there.
    pub fn rules(self) -> impl Iterator<Item = Rule> {
        Rule::ALL
            .into_iter()
            .filter(move |rule| step(*rule) == Some(self))
    }
}

impl TakenStep {
    /// How it ended, for a person.
    pub fn in_words(&self, kind: StatementKind) -> String {
        let names = |rules: &[Rule]| rules.iter().map(|rule| rule.name()).collect::<Vec<_>>();
        match (self.refused, self.reached) {
            (Some(rule), _) => format!("refused by {}", rule.name()),
            (None, false) => "not reached".to_owned(),
            (None, true) if !self.observed.is_empty() => {
                format!("passed; observed: {}", names(&self.observed).join(", "))
            }
            (None, true) if self.step == GateStep::Kind => format!("passed: {}", kind.name()),
            (None, true) => "passed".to_owned(),
        }
    }

    /// As a JSON object.
    pub fn fields(&self) -> Value {
        let outcome = match (self.refused, self.reached, self.observed.is_empty()) {
            (Some(_), _, _) => "refused",
            (None, false, _) => "not_reached",
            (None, true, false) => "observed",
            (None, true, true) => "passed",
        };
        let by = self
            .refused
            .iter()
            .chain(&self.observed)
            .map(|rule| rule.name());
        json!({
            "step": self.step.name(),
            "outcome": outcome,
            "by": by.collect::<Vec<_>>(),
            "rules": self.step.rules().map(Rule::name).collect::<Vec<_>>(),
        })
    }
}

/// The step at which a rule is asked; none for those that are not asked about texts, but about
/// sessions or what runs.
fn step(rule: Rule) -> Option<GateStep> {
    match rule {
        Rule::TooLong | Rule::TooComplex => Some(GateStep::Scan),
        Rule::SyntaxError => Some(GateStep::Parse),
        Rule::SeveralStatements => Some(GateStep::Message),
        Rule::WriteStatement
        | Rule::Ddl
        | Rule::Maintenance
        | Rule::Copy
        | Rule::ExplainAnalyze
        | Rule::DoAndCall
        | Rule::Settings
        | Rule::Roles
        | Rule::PreparedTransaction
        | Rule::PreparedName
        | Rule::CursorName
        | Rule::TooManyNames
        | Rule::WithHold
        | Rule::ListenNotify
        | Rule::Lock
        | Rule::Load
        | Rule::StatementDenied
        | Rule::SettingDenied => Some(GateStep::Kind),
        Rule::NodeUnknown
        | Rule::ModifyingCte
        | Rule::SelectInto
        | Rule::LockingClause
        | Rule::SetConfig
        | Rule::FunctionEffects
        | Rule::SqlInString
        | Rule::UnknownFunction
        | Rule::TempSchema
        | Rule::OperatorSchema
        | Rule::TablesampleMethod
        | Rule::NewerSyntax
        | Rule::Nesting => Some(GateStep::Nodes),
        Rule::HiddenFunction
        | Rule::FunctionPath
        | Rule::OverloadedBuiltin
        | Rule::OperatorEffects
        | Rule::CastEffects
        | Rule::TypeEffects
        | Rule::ViewEffects
        | Rule::RowPolicyEffects
        | Rule::ForeignTable
        | Rule::CatalogMissing => Some(GateStep::Names),
        Rule::RelationDenied
        | Rule::ColumnDenied
        | Rule::NotResolved
        | Rule::Model
        | Rule::FunctionDenied => Some(GateStep::Access),
        Rule::ResultRows
        | Rule::ResultBytes
        | Rule::PlanCost
        | Rule::PlanRows
        | Rule::Concurrency
        | Rule::StatementRate
        | Rule::DailyBudget
        | Rule::ConnectionsPerUser
        | Rule::IdleTime
        | Rule::StartupParameter
        | Rule::Replication
        | Rule::FunctionCall
        | Rule::Memory => None,
    }
}
