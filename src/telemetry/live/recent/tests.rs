//! The whole of it, fed as the events feed it.

use std::time::Duration;

use super::*;
use crate::gate::StatementKind;
use crate::sql::fingerprint::Fingerprinter;
use crate::telemetry::labels::{CacheAnswer, ProtocolPath};
use crate::telemetry::session_info::SessionInfo;
use crate::telemetry::sqlstate_code::SqlstateCode;

const HINT: &str = "Do something else.";

fn refuse(recent: &RecentEvents, user: &str, sql: &str) -> String {
    let print = Fingerprinter::new(None, [7; 32]).of(sql);
    let session = SessionInfo::accepted(1, "x").named(user, "shop", "<b>app</b>");
    recent.finished(&StatementFinished {
        session: &session,
        path: ProtocolPath::Query,
        kind: StatementKind::ALL[0],
        fingerprint: Some(print),
        outcome: StatementOutcome::Refused,
        rule: Some(Rule::WriteStatement),
        observed: &[],
        observed_running: &[],
        named: None,
        text: None,
        sent_text: None,
        queryid: None,
        receipt: None,
        sqlstate: Some(SqlstateCode::from(crate::sqlstate::INSUFFICIENT_PRIVILEGE)),
        rows: 0,
        bytes: 0,
        cached: CacheAnswer::Unasked,
        subject: None,
        hint: Some(HINT),
        trace: None,
        queue: Duration::ZERO,
        gate: Duration::ZERO,
        upstream: Duration::ZERO,
        plan: None,
        total: Duration::ZERO,
    });
    print.to_string()
}

#[test]
fn a_refused_fingerprint_opens_to_its_history_and_hint() {
    let recent = RecentEvents::new();
    let print = refuse(&recent, "ann", "DELETE FROM t WHERE a = 1");
    assert_eq!(refuse(&recent, "bob", "DELETE FROM t WHERE a = 2"), print);
    refuse(&recent, "bob", "DELETE FROM t WHERE a = 3");
    assert_eq!(recent.changes(), 3);

    let history = recent.history(&print).unwrap();
    assert_eq!((history.count, history.times.len()), (3, 3));
    assert_eq!(history.minutes.iter().sum::<u32>(), 3);
    let [cause] = &history.causes[..] else {
        panic!("one cause")
    };
    assert_eq!((cause.rule, cause.hint), ("write_statement", Some(HINT)));
    assert_eq!(
        history.users,
        [("ann".to_owned(), 1), ("bob".to_owned(), 2)]
    );
    assert!(recent.history("00").is_none());

    let shown = recent.shown();
    let rows: Vec<_> = shown
        .refusals
        .iter()
        .map(|row| (row.what.user.as_str(), row.count))
        .collect();
    assert_eq!(rows, [("bob", 2), ("ann", 1)]);
    assert_eq!(shown.rules[0].count, 3);
    assert_eq!(shown.users[0].name, "bob");
    let text = serde_json::to_string(&shown).unwrap();
    assert!(text.contains("<b>app</b>") && !text.contains("DELETE"));
}

#[test]
fn endless_different_statements_push_out_only_each_other() {
    let recent = RecentEvents::new();
    let quiet = refuse(&recent, "quiet", "SELECT quiet");
    let again = refuse(&recent, "loud", "SELECT again");
    for number in 0..3 * limits::RECENT_FINGERPRINTS_MAX {
        refuse(&recent, "loud", &format!("SELECT x{number}"));
        refuse(&recent, "loud", "SELECT again");
    }
    // Comes again and again, or belongs to somebody else.
    assert!(recent.history(&again).is_some() && recent.history(&quiet).is_some());
    let held = recent.held.lock().unwrap();
    assert_eq!(
        held.histories.len(),
        limits::RECENT_FINGERPRINTS_OF_USER_MAX + 1
    );
    assert_eq!(
        held.refusals.shown().len(),
        limits::RECENT_ROWS_OF_USER_MAX + 1
    );
}

#[test]
fn endless_different_users_stay_within_the_bounds() {
    let recent = RecentEvents::new();
    for number in 0..3 * limits::RECENT_FINGERPRINTS_MAX {
        refuse(
            &recent,
            &format!("user{number}"),
            &format!("SELECT x{number}"),
        );
    }
    let shown = recent.shown();
    assert_eq!(shown.users.len(), limits::RECENT_USERS_MAX);
    assert_eq!(shown.refusals.len(), limits::RECENT_ROWS_MAX);
    let listed: u64 = shown.users.iter().map(|user| user.count).sum();
    let all = u64::try_from(3 * limits::RECENT_FINGERPRINTS_MAX).unwrap();
    assert_eq!(listed + shown.other_users, all);
    let held = recent.held.lock().unwrap();
    assert_eq!(held.histories.len(), limits::RECENT_FINGERPRINTS_MAX);
}
