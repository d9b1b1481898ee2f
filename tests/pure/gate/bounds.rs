//! What a session's names stand for, and texts that are large or deep: a verdict, in time, and no
//! crash.

use std::borrow::Cow;
use std::sync::Arc;

use pgsieve::gate::{Gate, SessionNames, Verdict};
use pgsieve::policy::Policy;
use pgsieve::sql::fingerprint::Fingerprinter;

#[test]
fn a_name_stands_for_the_statement_that_was_judged() {
    let gate = gate();
    let mut names = SessionNames::of_no_database();
    let mut say = |text: &str| {
        let judgement = gate.judge(Cow::Borrowed(text), &names);
        let permitted = matches!(judgement.verdict, Verdict::Permitted(_));
        if permitted {
            judgement
                .facts
                .effects
                .iter()
                .for_each(|effect| names.apply(effect));
        }
        permitted
    };
    assert!(!say("EXECUTE p") && !say("FETCH 1 FROM c"));
    assert!(!say("PREPARE p AS DELETE FROM orders") && !say("EXECUTE p"));
    assert!(say("PREPARE p AS SELECT 1") && say("EXECUTE p") && say("EXPLAIN EXECUTE p"));
    assert!(!say("EXECUTE \"P\"") && !say("CREATE TABLE t AS EXECUTE p"));
    assert!(say("DEALLOCATE p") && !say("EXECUTE p"));
    assert!(say("DECLARE c CURSOR FOR SELECT 1") && say("FETCH 1 FROM c") && say("MOVE c"));
    assert!(say("CLOSE c") && !say("FETCH 1 FROM c"));
    assert!(say("PREPARE p AS SELECT 1") && say("DISCARD ALL") && !say("EXECUTE p"));
}

#[test]
fn large_and_deep_texts_end_in_a_verdict() {
    let gate = gate();
    let deep = |open: &str, inner: &str, close: &str, depth: usize| {
        format!(
            "SELECT {}{inner}{}",
            open.repeat(depth),
            close.repeat(depth)
        )
    };
    let texts = [
        format!("SELECT {}1", "1+".repeat(64_000)),
        format!("SELECT {}true", "true AND ".repeat(50_000)),
        format!("SELECT 1 {}", "UNION ALL SELECT 1 ".repeat(20_000)),
        format!("SELECT 1 WHERE 1 IN ({}1)", "1,".repeat(100_000)),
        format!("SELECT {}1", "/**/".repeat(50_000)),
        format!("SELECT {} 1 {}", "/*".repeat(50_000), "*/".repeat(50_000)),
        format!("SELECT {}1", "- ".repeat(20_000)),
        format!("SELECT {}1", "NOT ".repeat(20_000)),
        format!("SELECT {}", "'x' || ".repeat(20_000)),
        format!("SELECT 1 {}", ";".repeat(100_000)),
        deep("(", "1", ")", 20_000),
        deep("(SELECT ", "1", ")", 20_000),
        deep("ARRAY[", "1", "]", 20_000),
        deep("abs(", "1", ")", 20_000),
        deep("CASE WHEN true THEN ", "1", " END", 20_000),
        format!(
            "{}SELECT 1{}",
            "WITH x AS (".repeat(5_000),
            ") SELECT 1".repeat(5_000)
        ),
        format!("SELECT {}", "a.".repeat(10_000)),
        format!("SELECT x{}", "[1]".repeat(20_000)),
        "SELECT 1::text".to_owned() + &"::text".repeat(20_000),
        format!("SELECT '{}'", "x".repeat(900_000)),
        format!("SELECT * FROM {}a", "a, ".repeat(20_000)),
        format!("{}SELECT 1", "EXPLAIN ".repeat(1_000)),
        format!("SELECT \"{}\"", "n".repeat(500_000)),
        "$".repeat(300_000),
        "\u{feff}".repeat(10_000),
    ];
    for text in &texts {
        is_permitted(&gate, text);
        assert!(!is_permitted(
            &gate,
            &format!("{text} FROM d; DELETE FROM orders")
        ));
    }
}

fn is_permitted(gate: &Gate, text: &str) -> bool {
    let judgement = gate.judge(Cow::Borrowed(text), &SessionNames::of_no_database());
    matches!(judgement.verdict, Verdict::Permitted(_))
}

fn gate() -> Gate {
    Gate::new(Arc::new(Policy::agent()), Fingerprinter::new(None, [7; 32]))
}
