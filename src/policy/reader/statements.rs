//! The section `statements` of a policy file.

use super::super::near::nearest;
use super::super::section::{Problems, Section, chosen, join, placed, report, word};
use super::super::tree::{Place, Tree};
use super::super::{Choice, ExplainAnalyze, Several, Statements, kinds};
use super::lists;
use crate::limits;

/// What the section says.
pub(super) struct Kinds {
    pub(super) choices: Statements,
    pub(super) allowed: Option<Vec<String>>,
    pub(super) denied: Vec<String>,
}

/// Reads the section.
pub(super) fn read(tree: Tree, path: &str, problems: &mut Problems) -> Option<Kinds> {
    let place = tree.place;
    let mut section = Section::open(tree, path, problems)?;
    let several = section.choice("several", SEVERAL, problems);
    let reads = section.optional(
        "reads_per_message",
        None,
        problems,
        |tree, path, problems| reads(tree, path, problems).map(Some),
    );
    let explain_analyze = section.choice("explain_analyze", ANALYZE, problems);
    let with_hold = section.choice("with_hold", CHOICE, problems);
    let lock_access_share = section.choice("lock_access_share", CHOICE, problems);
    let snapshots = section.optional(
        "snapshots",
        Choice::Refuse,
        problems,
        |tree, path, problems| chosen(tree, path, CHOICE, problems),
    );
    let allow = section.optional("allow", None, problems, allowed);
    let deny = section.optional("deny", Vec::new(), problems, |tree, path, problems| {
        placed(tree, path, problems, named)
    });
    section.close(problems);
    let (allowed, denied) = (allow?, deny?);
    let both = allowed.as_deref().unwrap_or_default();
    let denied = lists::apart(both, denied, &join(path, "deny"), problems);
    check_ends(allowed.as_deref(), &denied, place, path, problems);
    Some(Kinds {
        choices: Statements {
            several: several?,
            reads_per_message: reads?.unwrap_or(match several? {
                Several::Housekeeping => Some(1),
                Several::Each => None,
            }),
            explain_analyze: explain_analyze?,
            with_hold: with_hold?,
            lock_access_share: lock_access_share?,
            snapshots: snapshots?,
        },
        allowed,
        denied,
    })
}

/// How many reads a message may hold; none in it for any number.
fn reads(tree: Tree, path: &str, problems: &mut Problems) -> Option<Option<usize>> {
    let (place, word) = word(tree, path, problems)?;
    if word == "any" {
        return Some(None);
    }
    let most = limits::STATEMENTS_PER_MESSAGE_MAX;
    let read = word.parse().ok().filter(|reads| *reads <= most);
    if read.is_none() {
        let what = format!("a number of reads from 0 to {most} is wanted, or any");
        report(problems, place, path, &what);
    }
    read.map(Some)
}

fn allowed(tree: Tree, path: &str, problems: &mut Problems) -> Option<Option<Vec<String>>> {
    if lists::is_any(&tree, path, "kinds of statements", problems)? {
        return Some(None);
    }
    let read = |word: &str| {
        let kind = named(word)?;
        match kinds::PASSABLE.contains(&kind.as_str()) {
            true => Ok(kind),
            false => Err(format!("no policy can let {kind} run; leave it out")),
        }
    };
    let list = placed(tree, path, problems, read)?;
    let list = list.into_iter().map(|(_, kind)| kind).collect();
    Some(Some(lists::in_order(list)))
}

/// A kind of statement.
fn named(word: &str) -> Result<String, String> {
    if kinds::PASSABLE.contains(&word) || kinds::REFUSED.contains(&word) {
        return Ok(word.to_owned());
    }
    if kinds::OF_MESSAGES.contains(&word) {
        let what = "is no kind of one statement; what becomes of several in one message is";
        return Err(format!("{word} {what} statements.several"));
    }
    let folded = word.to_ascii_lowercase();
    let near = nearest(&folded, kinds::PASSABLE.iter().copied());
    let near = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    let known = kinds::PASSABLE.join(", ");
    Err(format!(
        "unknown kind of statement; {near}known are {known}"
    ))
}

/// A transaction that may begin and not end keeps the session in it.
fn check_ends(
    allowed: Option<&[String]>,
    denied: &[String],
    place: Place,
    path: &str,
    problems: &mut Problems,
) {
    let runs = |kind: &str| {
        let named = |list: &[String]| list.iter().any(|own| own == kind);
        allowed.is_none_or(named) && !named(denied)
    };
    if runs("begin") && !(runs("commit") && runs("rollback")) {
        let what = "what may begin has to be able to end: allow commit and rollback with begin, \
            or deny all three";
        report(problems, place, path, what);
    }
}

const CHOICE: &[(&str, Choice)] = &[("refuse", Choice::Refuse), ("allow", Choice::Allow)];

const SEVERAL: &[(&str, Several)] = &[
    ("housekeeping", Several::Housekeeping),
    ("each", Several::Each),
];

const ANALYZE: &[(&str, ExplainAnalyze)] = &[
    ("refuse", ExplainAnalyze::Refuse),
    ("reads", ExplainAnalyze::Reads),
];

#[cfg(test)]
mod tests {
    use super::super::super::tests::{policy_with, said_of};

    #[test]
    fn kinds_are_allowed_and_denied_by_name() {
        for all in ["", "allow: any", "deny: []"] {
            let policy = policy_with("statements", all);
            assert!(policy.allows_statement("select") && policy.allows_statement("copy"));
        }
        let policy = policy_with("statements", "allow: [select, explain]");
        assert!(policy.allows_statement("select") && policy.allows_statement("explain"));
        assert!(!policy.allows_statement("copy") && !policy.allows_statement("begin"));
        let policy = policy_with("statements", "deny: [copy, insert]");
        assert!(policy.allows_statement("select") && !policy.allows_statement("copy"));
    }

    #[test]
    fn reads_in_a_message_are_counted_where_it_is_said() {
        let most = |keys: &str| {
            policy_with("statements", keys)
                .statements()
                .reads_per_message
        };
        assert_eq!(most("deny: []"), Some(1));
        assert_eq!(most("reads_per_message: 0"), Some(0));
        assert_eq!(most("reads_per_message: 7"), Some(7));
        assert_eq!(most("reads_per_message: any"), None);
        for wrong in ["-1", "1001", "off", "1.5"] {
            let found = said_of("statements", &format!("reads_per_message: {wrong}"));
            assert!(
                found.contains("a number of reads from 0 to 1000"),
                "{found}"
            );
        }
    }

    #[test]
    fn what_is_wrong_with_kinds_is_said() {
        for (lists, wanted) in [
            ("allow: [selct]", "did you mean select?"),
            ("allow: [SELECT]", "did you mean select?"),
            ("allow: [update]", "no policy can let update run"),
            ("allow: [several]", "statements.several"),
            ("allow: all", "any, or a list of kinds"),
            ("allow: [copy], deny: [copy]", "copy is also allowed"),
            ("allow: [begin]", "allow commit and rollback"),
            ("deny: [rollback]", "deny all three"),
        ] {
            let found = said_of("statements", lists);
            assert!(found.contains(wanted), "{lists}: {found}");
        }
    }
}
