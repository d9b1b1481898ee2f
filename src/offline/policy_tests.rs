//! The tests that policies carry, run.
//!
//! A test that names a user or an application is run under the policy that such a session gets
//! among those that are there; any other one under the policy that carries it.

use super::assumptions::{AssumedDatabase, AssumedSession};
use super::judge::{GateAnswer, OfflineJudge, TextRuling};
use super::policy_choice;
use super::policy_choice::{UnknownTraits, WhyNone};
use crate::policy::test_case::{ExpectedAnswer, TestCase};

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TestOutcome {
    /// As it expects.
    Passed,
    /// Otherwise.
    Failed,
    /// Nobody can say without a database.
    Undecided,
}

/// A test that was run.
pub struct PolicyTestRun<'t> {
    /// Which.
    pub case: &'t TestCase,
    /// How it ended.
    pub ended: TestOutcome,
    /// The policy that judged; none where no policy is for such a session.
    pub under: Option<&'t str>,
    /// What became of the statement, where any policy judged it.
    pub got: Option<TextRuling>,
}

/// Runs a test of the policy of that judge, by its place among all of them. What it does not say
/// of its session is as in that of somebody.
pub fn run<'t>(
    case: &'t TestCase,
    own: usize,
    judges: &'t [OfflineJudge],
    (assumed, somebody): (&AssumedDatabase, &AssumedSession),
) -> PolicyTestRun<'t> {
    let who = person(case, somebody);
    let judge = match judges.len() > 1 && is_specified(&who) {
        true => {
            let policies = judges.iter().map(OfflineJudge::policy);
            // What a test does not say (addresses, certificates) counts as fitting for the policy
            // that carries it, and for no other.
            let unsaid = |place: usize| match place == own {
                true => UnknownTraits::Fits,
                false => UnknownTraits::FitsNothing,
            };
            // Tests say what holds while the policies do, whenever they are run.
            let chosen =
                policy_choice::choose(policies, &assumed.traits_of(&who), unsaid, |_| false);
            match chosen {
                Ok((place, _)) => judges.get(place),
                Err(WhyNone::NoPolicy) => None,
                Err(WhyNone::RolesUntold) => {
                    return PolicyTestRun {
                        case,
                        ended: TestOutcome::Undecided,
                        under: None,
                        got: None,
                    };
                }
            }
        }
        false => judges.get(own),
    };
    let got = judge.map(|judge| {
        let mut script = judge.session(assumed, &who);
        judge.judge(&case.statement, &mut script)
    });
    let ended = match &got {
        // Such a session is turned away at its login: nothing of it runs.
        None if case.expect == ExpectedAnswer::Refuse && case.rule.is_none() => TestOutcome::Passed,
        None => TestOutcome::Failed,
        Some(ruling) => {
            // A refusal for want of a database is what was expected only where that is what the
            // test says.
            let blind = assumed.catalog.is_none() && ruling.answer.lacks_a_database();
            match (meets(case, &ruling.answer), blind) {
                (true, false) => TestOutcome::Passed,
                (true, true) if case.rule.is_some() => TestOutcome::Passed,
                (_, true) => TestOutcome::Undecided,
                (false, false) => TestOutcome::Failed,
            }
        }
    };
    PolicyTestRun {
        case,
        ended,
        under: judge.map(|judge| judge.policy().name()),
        got,
    }
}

fn person(case: &TestCase, somebody: &AssumedSession) -> AssumedSession {
    let mut who = somebody.clone();
    if case.user != AssumedSession::UNTOLD {
        who.user.clone_from(&case.user);
    }
    if !case.application_name.is_empty() {
        who.application_name.clone_from(&case.application_name);
    }
    if case.certificate.is_some() {
        who.certificate.clone_from(&case.certificate);
    }
    if case.search_path.is_some() {
        who.search_path.clone_from(&case.search_path);
    }
    let settings = case.settings.iter();
    let settings = settings.map(|(name, value)| (name.clone(), value.clone()));
    who.settings.extend(settings);
    who
}

/// Whether anything is said by which a server chooses a policy.
fn is_specified(who: &AssumedSession) -> bool {
    who.user != AssumedSession::UNTOLD
        || who.database.is_some()
        || !who.application_name.is_empty()
        || who.certificate.is_some()
}

/// Whether it is what the test expects.
fn meets(case: &TestCase, answer: &GateAnswer) -> bool {
    let verdict = match case.expect {
        ExpectedAnswer::Permit => matches!(answer, GateAnswer::Permit),
        ExpectedAnswer::Refuse => matches!(answer, GateAnswer::Refuse(_)),
        ExpectedAnswer::Observe => matches!(answer, GateAnswer::Observe(_)),
    };
    let rule = case.rule.as_deref();
    verdict && rule.is_none_or(|rule| answer.rules().contains(&rule))
}

impl PolicyTestRun<'_> {
    /// What was expected, in words.
    pub fn expected(&self) -> String {
        let verdict = self.case.expect.name();
        match &self.case.rule {
            Some(rule) => format!("{verdict} by {rule}"),
            None => verdict.to_owned(),
        }
    }

    /// What came of it, in words.
    pub fn got(&self) -> String {
        match &self.got {
            Some(ruling) => ruling.answer.describe(),
            None => "no policy for such a session".to_owned(),
        }
    }

    /// Both, and under which policy; never the statement.
    pub fn describe(&self) -> String {
        let under = self.under.map(|name| format!(" under {name}"));
        let under = under.unwrap_or_default();
        format!("expected {}, got {}{under}", self.expected(), self.got())
    }
}
