//! The tests that policies carry, run.
//!
//! A test that names a user or an application is run under the policy that such a session gets
//! among those that are there; any other one under the policy that carries it.

use super::assumptions::{Person, World};
use super::judge::{Answer, Judge, Ruling};
use super::policy_choice;
use super::policy_choice::{Unsaid, WhyNone};
use crate::policy::test_case::{Expected, TestCase};

/// How a test ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ended {
    /// As it expects.
    Passed,
    /// Otherwise.
    Failed,
    /// Nobody can say without a database.
    Undecided,
}

/// A test that was run.
pub struct Ran<'t> {
    /// Which.
    pub case: &'t TestCase,
    /// How it ended.
    pub ended: Ended,
    /// The policy that judged; none where no policy is for such a session.
    pub under: Option<&'t str>,
    /// What became of the statement, where any policy judged it.
    pub got: Option<Ruling>,
}

/// Runs a test of the policy of that judge, by its place among all of them. What it does not say
/// of its session is as in that of somebody.
pub fn run<'t>(
    case: &'t TestCase,
    own: usize,
    judges: &'t [Judge],
    (world, somebody): (&World, &Person),
) -> Ran<'t> {
    let who = person(case, somebody);
    let judge = match judges.len() > 1 && is_told(&who) {
        true => {
            let policies = judges.iter().map(Judge::policy);
            // What a test cannot say (addresses, certificates) counts as fitting for the policy
            // that carries it, and for no other.
            let unsaid = |place: usize| match place == own {
                true => Unsaid::Fits,
                false => Unsaid::FitsNothing,
            };
            // Tests say what holds while the policies do, whenever they are run.
            let chosen = policy_choice::choose(policies, &world.traits_of(&who), unsaid, |_| false);
            match chosen {
                Ok((place, _)) => judges.get(place),
                Err(WhyNone::NoPolicy) => None,
                Err(WhyNone::RolesUntold) => {
                    return Ran {
                        case,
                        ended: Ended::Undecided,
                        under: None,
                        got: None,
                    };
                }
            }
        }
        false => judges.get(own),
    };
    let got = judge.map(|judge| {
        let mut course = judge.session(world, &who);
        judge.hear(&case.statement, &mut course)
    });
    let ended = match &got {
        // Such a session is turned away at its login: nothing of it runs.
        None if case.expect == Expected::Refuse && case.rule.is_none() => Ended::Passed,
        None => Ended::Failed,
        Some(ruling) => {
            // A refusal for want of a database is what was expected only where that is what the
            // test says.
            let blind = world.catalog.is_none() && ruling.answer.lacks_a_database();
            match (meets(case, &ruling.answer), blind) {
                (true, false) => Ended::Passed,
                (true, true) if case.rule.is_some() => Ended::Passed,
                (_, true) => Ended::Undecided,
                (false, false) => Ended::Failed,
            }
        }
    };
    Ran {
        case,
        ended,
        under: judge.map(|judge| judge.policy().name()),
        got,
    }
}

fn person(case: &TestCase, somebody: &Person) -> Person {
    let mut who = somebody.clone();
    if case.user != Person::UNTOLD {
        who.user.clone_from(&case.user);
    }
    if !case.application_name.is_empty() {
        who.application_name.clone_from(&case.application_name);
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
fn is_told(who: &Person) -> bool {
    who.user != Person::UNTOLD
        || who.database.is_some()
        || !who.application_name.is_empty()
        || who.certificate_name.is_some()
}

/// Whether it is what the test expects.
fn meets(case: &TestCase, answer: &Answer) -> bool {
    let verdict = match case.expect {
        Expected::Permit => matches!(answer, Answer::Permit),
        Expected::Refuse => matches!(answer, Answer::Refuse(_)),
        Expected::Observe => matches!(answer, Answer::Observe(_)),
    };
    let rule = case.rule.as_deref();
    verdict && rule.is_none_or(|rule| answer.rules().contains(&rule))
}

impl Ran<'_> {
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
            Some(ruling) => ruling.answer.told(),
            None => "no policy for such a session".to_owned(),
        }
    }

    /// Both, and under which policy; never the statement.
    pub fn told(&self) -> String {
        let under = self.under.map(|name| format!(" under {name}"));
        let under = under.unwrap_or_default();
        format!("expected {}, got {}{under}", self.expected(), self.got())
    }
}
