//! The section `statements` of a policy file.

use super::super::similar_names::nearest;
use super::super::yaml::section::{
    PlacedProblems, YamlSection, chosen, join, placed, report, word,
};
use super::super::yaml::tree::{YamlPlace, YamlTree, YamlValue};
use super::super::{
    ExplainAnalyze, ListenChoice, MultiStatementMode, PlainChoice, StatementChoices, WithHold,
    WriteSqlstate,
};
use super::lists;
use ground::limits;
use ground::statement_kind::StatementKind;

/// What the section says.
pub(super) struct StatementsSection {
    pub(super) choices: StatementChoices,
    pub(super) allowed: Option<Vec<String>>,
    pub(super) denied: Vec<String>,
}

/// Reads the section.
pub(super) fn read(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<StatementsSection> {
    let place = tree.place;
    let mut section = YamlSection::open(tree, path, problems)?;
    let several = section.choice(
        "several",
        MultiStatementMode::Housekeeping,
        SEVERAL,
        problems,
    );
    let reads = section.optional(
        "reads_per_message",
        None,
        problems,
        |tree, path, problems| reads(tree, path, problems).map(Some),
    );
    let explain_analyze =
        section.choice("explain_analyze", ExplainAnalyze::Refuse, ANALYZE, problems);
    let with_hold = section.optional("with_hold", WithHold::Refuse, problems, with_hold);
    let lock_access_share =
        section.choice("lock_access_share", PlainChoice::Refuse, CHOICE, problems);
    let snapshots = section.choice("snapshots", PlainChoice::Refuse, CHOICE, problems);
    let cancel_own = section.choice("cancel_own", PlainChoice::Refuse, CHOICE, problems);
    let listen = section.choice("listen", ListenChoice::Refuse, LISTEN, problems);
    let write_sqlstate = section.choice(
        "write_sqlstate",
        WriteSqlstate::ReadOnly,
        WRITE_SQLSTATE,
        problems,
    );
    let allow = section.optional("allow", None, problems, allowed);
    let deny = section.optional("deny", Vec::new(), problems, |tree, path, problems| {
        placed(tree, path, problems, deniable)
    });
    section.close(problems);
    let (allowed, denied) = (allow?, deny?);
    let both = allowed.as_deref().unwrap_or_default();
    let denied = lists::without_contradictions(both, denied, &join(path, "deny"), problems);
    check_ends(allowed.as_deref(), &denied, place, path, problems);
    Some(StatementsSection {
        choices: StatementChoices {
            several: several?,
            reads_per_message: reads?.unwrap_or(match several? {
                MultiStatementMode::Housekeeping => Some(1),
                MultiStatementMode::Each => None,
            }),
            explain_analyze: explain_analyze?,
            with_hold: with_hold?,
            lock_access_share: lock_access_share?,
            snapshots: snapshots?,
            cancel_own: cancel_own?,
            listen: listen?,
            write_sqlstate: write_sqlstate?,
        },
        allowed,
        denied,
    })
}

/// How many reads a message may hold; none in it for any number.
fn reads(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<Option<usize>> {
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

/// Whether cursors may outlive their transaction: a word, or the bounds of those that may.
fn with_hold(tree: YamlTree, path: &str, problems: &mut PlacedProblems) -> Option<WithHold> {
    if !matches!(tree.value, YamlValue::Map(_)) {
        return chosen(tree, path, HELD, problems);
    }
    let mut section = YamlSection::open(tree, path, problems)?;
    let rows_max = section.required("max_rows", problems, |tree, path, problems| {
        whole(tree, path, limits::HELD_ROWS_MAX, problems)
    });
    let cursors = section.optional(
        "max_cursors",
        HELD_CURSORS,
        problems,
        |tree, path, problems| whole(tree, path, limits::HELD_CURSORS_MAX, problems),
    );
    section.close(problems);
    Some(WithHold::Bounded {
        rows_max: rows_max?,
        cursors_max: usize::try_from(cursors?).ok()?,
    })
}

fn whole(tree: YamlTree, path: &str, most: u64, problems: &mut PlacedProblems) -> Option<u64> {
    let (place, word) = word(tree, path, problems)?;
    let read = word.parse().ok().filter(|read| (1..=most).contains(read));
    if read.is_none() {
        let what = format!("a number from 1 to {most} is wanted");
        report(problems, place, path, &what);
    }
    read
}

fn allowed(
    tree: YamlTree,
    path: &str,
    problems: &mut PlacedProblems,
) -> Option<Option<Vec<String>>> {
    if lists::is_any(&tree, path, "kinds of statements", problems)? {
        return Some(None);
    }
    let read = |word: &str| {
        let kind = named(word)?;
        match kind.can_run() {
            true => Ok(kind.name().to_owned()),
            false => Err(format!(
                "no policy can let {} run; leave it out",
                kind.name()
            )),
        }
    };
    let list = placed(tree, path, problems, read)?;
    let list = list.into_iter().map(|(_, kind)| kind).collect();
    Some(Some(lists::in_order(list)))
}

/// A kind of statement.
fn deniable(word: &str) -> Result<String, String> {
    named(word).map(|kind| kind.name().to_owned())
}

fn named(word: &str) -> Result<StatementKind, String> {
    match StatementKind::named(word) {
        Some(kind) if kind.is_one_statement() => return Ok(kind),
        Some(_) => {
            let what = "is no kind of one statement; what becomes of several in one message is";
            return Err(format!("{word} {what} statements.several"));
        }
        None => {}
    }
    let folded = word.to_ascii_lowercase();
    let passable = StatementKind::ALL.iter().filter(|kind| kind.can_run());
    let known: Vec<&str> = passable.map(|kind| kind.name()).collect();
    let near = nearest(&folded, known.iter().copied());
    let near = near.map_or_else(String::new, |near| format!("did you mean {near}? "));
    let known = known.join(", ");
    Err(format!(
        "unknown kind of statement; {near}known are {known}"
    ))
}

/// A transaction that may begin and not end keeps the session in it.
fn check_ends(
    allowed: Option<&[String]>,
    denied: &[String],
    place: YamlPlace,
    path: &str,
    problems: &mut PlacedProblems,
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

const CHOICE: &[(&str, PlainChoice)] = &[
    ("refuse", PlainChoice::Refuse),
    ("allow", PlainChoice::Allow),
];

const HELD: &[(&str, WithHold)] = &[("refuse", WithHold::Refuse), ("allow", WithHold::Allow)];

/// Cursors at a time where the policy does not say how many.
const HELD_CURSORS: u64 = 10;

const LISTEN: &[(&str, ListenChoice)] = &[
    ("refuse", ListenChoice::Refuse),
    ("ignore", ListenChoice::Ignore),
];

const WRITE_SQLSTATE: &[(&str, WriteSqlstate)] = &[
    ("25006", WriteSqlstate::ReadOnly),
    ("42501", WriteSqlstate::Privilege),
];

const SEVERAL: &[(&str, MultiStatementMode)] = &[
    ("housekeeping", MultiStatementMode::Housekeeping),
    ("each", MultiStatementMode::Each),
];

const ANALYZE: &[(&str, ExplainAnalyze)] = &[
    ("refuse", ExplainAnalyze::Refuse),
    ("reads", ExplainAnalyze::Reads),
];

#[cfg(test)]
mod tests {
    use super::super::super::tests::{policy_with, said_of};
    use super::super::super::{Policy, WithHold};

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
    fn held_cursors_have_bounds() {
        let held = |keys: &str| policy_with("statements", keys).statements().with_hold;
        assert_eq!(held("deny: []"), WithHold::Refuse);
        for (keys, rows_max, cursors_max) in [
            ("{max_rows: 1}", 1, 10),
            ("{max_rows: 10000, max_cursors: 3}", 10_000, 3),
            (
                "{max_cursors: 1000, max_rows: 1000000000}",
                1_000_000_000,
                1_000,
            ),
        ] {
            let bounded = WithHold::Bounded {
                rows_max,
                cursors_max,
            };
            assert_eq!(bounds(keys), Ok(bounded), "{keys}");
        }
        for (keys, wanted) in [
            ("{}", "with_hold.max_rows: this key is missing"),
            ("{max_rows: 0}", "a number from 1 to 1000000000 is wanted"),
            ("{max_rows: off}", "a number from 1 to 1000000000 is wanted"),
            ("{max_rows: 1000000001}", "a number from 1 to"),
            (
                "{max_rows: 1, max_cursors: 0}",
                "a number from 1 to 1000 is wanted",
            ),
            ("{max_rows: 1, max_cursor: 2}", "did you mean max_cursors?"),
            ("some", "one of refuse, allow is wanted"),
            ("[]", "a single word or number is wanted"),
        ] {
            let found = bounds(keys).unwrap_err();
            assert!(found.contains(wanted), "{keys}: {found}");
        }
    }

    /// What `with_hold` means with this value.
    fn bounds(value: &str) -> Result<WithHold, String> {
        let agent = include_str!("../../../policies/strict.yaml");
        let yaml = agent.replace("with_hold: refuse", &format!("with_hold: {value}"));
        let read = Policy::from_yaml(&yaml).map(|policy| policy.statements().with_hold);
        read.map_err(|problems| problems.iter().map(ToString::to_string).collect())
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
