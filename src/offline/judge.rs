//! What becomes of a message, as the gate answers it in somebody's session.

use std::borrow::Cow;
use std::sync::Arc;

use super::assumptions::{AssumedDatabase, AssumedSession};
use super::script_session::ScriptSession;
use crate::auth::certificate::CertificateSubject;
use crate::gate::effects::graph::EffectGraph;
use crate::gate::{Facts, Gate, Refusal, Rule, SessionNames, Verdict};
use crate::limits;
use crate::policy::{Policy, SessionValue};
use crate::session::context::model_values::{LoginFacts, ModelValues};
use crate::session::context::tracked_setting::SearchPathNames;

/// A policy that judges, with what it sees of a database.
pub struct OfflineJudge {
    gate: Gate,
    effect_graph: Option<Arc<EffectGraph>>,
}

/// What becomes of a text.
pub struct TextRuling {
    /// The answer.
    pub answer: GateAnswer,
    /// What is known of the text.
    pub facts: Arc<Facts>,
    /// What runs, where that is not the client's text.
    pub runs: Option<String>,
    /// Whether a value in it was lowered to what the policy gives.
    pub is_lowered: bool,
}

/// What the gate answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateAnswer {
    /// It runs.
    Permit,
    /// It runs, although these rules speak against it: they are only observed.
    Observe(Vec<Rule>),
    /// It does not.
    Refuse(Box<Refusal>),
}

impl OfflineJudge {
    /// A judge, with the effects of a database's objects.
    pub fn new(gate: Gate, assumed: &AssumedDatabase) -> Self {
        let catalog = assumed.catalog.clone();
        let effect_graph =
            catalog.map(|catalog| Arc::new(EffectGraph::new(catalog, gate.policy())));
        Self { gate, effect_graph }
    }

    /// A judge under a policy that has seen already what it sees of a database.
    pub fn with_effect_graph(policy: &Arc<Policy>, effect_graph: Option<Arc<EffectGraph>>) -> Self {
        let gate = Gate::without_fingerprints(Arc::clone(policy));
        Self { gate, effect_graph }
    }

    /// The gate that judges.
    pub fn into_gate(self) -> Gate {
        self.gate
    }

    /// The same, to ask it.
    pub fn gate(&self) -> &Gate {
        &self.gate
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        self.gate.policy()
    }

    /// The beginning of somebody's session.
    pub fn session(&self, assumed: &AssumedDatabase, who: &AssumedSession) -> ScriptSession {
        let mut script = match &self.effect_graph {
            None => ScriptSession::of_no_database(),
            Some(effect_graph) => {
                let mut names = SessionNames::default();
                names.set_server_major(effect_graph.catalog().server_major());
                names.set_effect_graph(Some(Arc::clone(effect_graph)));
                names.set_role(assumed.role_of(who));
                let path = assumed.path_of(who);
                let path = path.map(|path| path.into_iter().map(String::into_boxed_str).collect());
                ScriptSession::new(
                    names,
                    path.map(|path: Box<[Box<str>]>| SearchPathNames::from(path)),
                )
            }
        };
        script.set_values(self.values(assumed, who));
        script
    }

    /// Judges one message of a session. What it changes there, the next ones meet.
    pub fn judge(&self, text: &str, script: &mut ScriptSession) -> TextRuling {
        let mut judgement = self.gate.judge(Cow::Borrowed(text), script.names());
        let mut is_lowered = false;
        for _ in 0..limits::CLAMP_ROUNDS_MAX {
            let Verdict::Clamped(clamp) = judgement.verdict else {
                break;
            };
            is_lowered |= clamp.is_lowered;
            judgement = self.gate.judge(Cow::Owned(clamp.text), script.names());
        }
        script.apply(&judgement);
        TextRuling {
            is_lowered,
            ..TextRuling::of(&judgement.verdict, judgement.facts, text)
        }
    }

    /// What the policy's models read of a session: what it has not set, it has not.
    fn values(&self, assumed: &AssumedDatabase, who: &AssumedSession) -> ModelValues {
        let asked = self.policy().session_values().into_iter();
        let settings = asked.filter_map(|value| match value {
            SessionValue::Setting(name) => {
                let name = name.to_ascii_lowercase();
                let value = who.settings.get(&name).cloned();
                Some((name, value))
            }
            SessionValue::User
            | SessionValue::Database
            | SessionValue::ApplicationName
            | SessionValue::Attribute(_)
            | SessionValue::Certificate(_) => None,
        });
        let name = Some(who.application_name.clone());
        let known = LoginFacts {
            traits: Arc::new(assumed.traits_of(who)),
            application_name: name.filter(|name| !name.is_empty()),
            certificate: who.certificate.as_ref().map(|shown| {
                Box::new(CertificateSubject {
                    common_name: shown.common_name().map(str::to_owned),
                    organization: shown.organization().map(str::to_owned),
                    organizational_unit: shown.organizational_unit().map(str::to_owned),
                    email: shown.email().map(str::to_owned),
                })
            }),
            settings: settings.collect(),
        };
        ModelValues::new(known, self.policy())
    }
}

impl TextRuling {
    fn of(verdict: &Verdict<'_>, facts: Arc<Facts>, written: &str) -> Self {
        let (answer, runs) = match verdict {
            Verdict::Permitted(permit) => {
                let answer = match facts.observed.is_empty() {
                    true => GateAnswer::Permit,
                    false => GateAnswer::Observe(facts.observed.to_vec()),
                };
                let runs = Some(permit.text()).filter(|text| *text != written);
                (answer, runs.map(str::to_owned))
            }
            Verdict::Clamped(clamp) => (GateAnswer::Permit, Some(clamp.text.clone())),
            Verdict::Refused(refusal) => (GateAnswer::Refuse(refusal.clone()), None),
        };
        Self {
            answer,
            facts,
            runs,
            is_lowered: false,
        }
    }
}

impl GateAnswer {
    /// The word for it, as `tests` of policies have it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Permit => "permit",
            Self::Observe(_) => "observe",
            Self::Refuse(_) => "refuse",
        }
    }

    /// The rules that speak against it.
    pub fn rules(&self) -> Vec<&'static str> {
        match self {
            Self::Permit => Vec::new(),
            Self::Observe(rules) => rules.iter().map(|rule| rule.name()).collect(),
            Self::Refuse(refusal) => vec![refusal.rule.name()],
        }
    }

    /// The refusal, if it is one.
    pub fn refusal(&self) -> Option<&Refusal> {
        match self {
            Self::Refuse(refusal) => Some(refusal),
            Self::Permit | Self::Observe(_) => None,
        }
    }

    /// Whether a database that nobody has looked into could have changed it: a rule speaks that
    /// holds against what is not known.
    pub fn lacks_a_database(&self) -> bool {
        let blind = |rule: &Rule| {
            matches!(
                rule,
                Rule::NotResolved | Rule::CatalogMissing | Rule::UnknownFunction
            )
        };
        match self {
            Self::Permit => false,
            Self::Observe(rules) => rules.iter().any(blind),
            Self::Refuse(refusal) => blind(&refusal.rule),
        }
    }

    /// The word for it and the rules, for a person.
    pub fn describe(&self) -> String {
        match self.rules().as_slice() {
            [] => self.name().to_owned(),
            rules => format!("{} by {}", self.name(), rules.join(", ")),
        }
    }
}
