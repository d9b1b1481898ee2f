//! What the refusal of a plan tells a client to do: EXPLAIN is named where it shows the plan.

use super::plans::{BOUNDS, COSTLY, TABLES, login};
use crate::support::raw::{Frame, kinds};
use crate::support::{Options, Stack, until};

fn start(edits: Vec<(&'static str, &'static str)>) -> Stack {
    let stack = Stack::start(Options {
        policy_edits: edits.leak(),
        ..Options::default()
    });
    stack.prepare(TABLES);
    stack
}

/// The HINT of a refusal.
fn hint(answer: &[Frame]) -> String {
    let error = answer.iter().find(|frame| frame.kind == b'E');
    error
        .and_then(|error| error.field(b'H'))
        .unwrap_or_default()
}

#[test]
fn the_hint_names_explain_where_that_shows_the_plan() {
    const EXPLAIN_SHOWS: &str = "EXPLAIN shows the plan";
    let stack = start(vec![BOUNDS]);
    let mut client = login(&stack);
    let answer = client.query(COSTLY);
    assert!(
        hint(&answer).ends_with("; EXPLAIN shows the plan."),
        "{answer:?}"
    );
    let explained = client.query(&format!("EXPLAIN {COSTLY}"));
    let shown = format!("{explained:?}");
    assert!(kinds(&explained).starts_with("TD"), "{shown}");
    assert!(
        explained
            .iter()
            .any(|frame| frame.body.windows(5).any(|at| at == b"cost="))
    );
    // No client can send that.
    let copied = client.query("COPY many TO STDOUT");
    assert!(!hint(&copied).contains("EXPLAIN"), "{copied:?}");
    let denied = ("\nstatements:\n", "\nstatements:\n  deny: [explain]\n");
    let listed = (
        "\nlimits:\n",
        "\nmodels: {public.many: {sql: SELECT id FROM public.many WHERE id > 0}}\nlimits:\n",
    );
    for (edit, explains) in [(denied, "EZ"), (listed, "TD")] {
        let stack = start(vec![BOUNDS, edit]);
        let answer = until(|| {
            let answer = login(&stack).query(COSTLY);
            let is_refused = !hint(&answer).is_empty() && !kinds(&answer).contains('D');
            is_refused
                .then_some(answer)
                .filter(|answer| hint(answer).contains("LIMIT"))
        });
        let answer = answer.expect("it costs too much");
        assert!(!hint(&answer).contains(EXPLAIN_SHOWS), "{answer:?}");
        let explained = login(&stack).query(&format!("EXPLAIN {COSTLY}"));
        assert!(kinds(&explained).starts_with(explains), "{explained:?}");
        let tells = explained
            .iter()
            .any(|frame| frame.body.windows(5).any(|at| at == b"cost="));
        assert!(!tells, "{explained:?}");
    }
    // Beside a model other statements are explained as ever.
    let stack = start(vec![BOUNDS, listed]);
    let long = until(|| {
        let answer =
            login(&stack).query("SELECT g, count(*) FROM generate_series(1, 900000) g GROUP BY g");
        (hint(&answer).contains("EXPLAIN shows")).then_some(())
    });
    long.expect("it reads no model");
}
