//! Texts made to crash or stall a parser: each ends soon, on a small stack, in a tree or an error.

use std::time::Duration;

use pgsieve::sql::fingerprint::Fingerprinter;
use pgsieve::sql::prescan::prescan;
use pgsieve::sql::tree::{self, SyntaxError, children};

/// What became of a text.
#[derive(Debug, PartialEq, Eq)]
enum End {
    Refused,
    TooComplex,
    Syntax,
    Walked { nodes: usize },
}

#[test]
fn long_chains_are_walked() {
    for (piece, count) in [
        (" + 1", 100_000),
        (" OR a = 1", 64_000),
        (" AND f(1)", 64_000),
        (" || 'x'", 64_000),
        (", (1)", 64_000),
        ("::int", 64_000),
        (" COLLATE c", 30_000),
        (" IS NULL", 64_000),
        (" AT TIME ZONE 'x'", 30_000),
        (" UNION SELECT 1", 30_000),
        ("; SELECT 1", 30_000),
        (" FROM t", 1),
    ] {
        match ends(&format!("SELECT 1{}", piece.repeat(count))) {
            End::Walked { nodes } => assert!(nodes > count, "{piece}"),
            other => panic!("{piece}: {other:?}"),
        }
    }
    let joins = format!("SELECT 1 FROM t{}", " JOIN t ON a = b".repeat(20_000));
    assert!(matches!(ends(&joins), End::Walked { .. }));
    let subscripts = format!("SELECT a{}", "[1]".repeat(64_000));
    assert!(matches!(ends(&subscripts), End::Walked { .. }));
    let columns = format!("SELECT a{}", ".a".repeat(64_000));
    assert!(matches!(ends(&columns), End::Walked { .. }));
}

#[test]
fn deep_nesting_ends_in_an_error() {
    for (open, middle, close) in [
        ("(", "1", ")"),
        ("(SELECT ", "1", ")"),
        ("ARRAY[", "1", "]"),
        ("[", "1", "]"),
        ("f(", "1", ")"),
        ("CASE WHEN ", "1", " THEN 1 END"),
        ("NOT ", "1", ""),
        ("- ", "1", ""),
        ("ROW(", "1", ")"),
        ("CAST(", "1", " AS int)"),
        ("EXISTS (SELECT ", "1", ")"),
        ("a[", "1", "]"),
        ("COALESCE(", "1", ")"),
        ("JSON_OBJECT('a': ", "1", ")"),
        ("@ ", "1", ""),
    ] {
        let text = format!(
            "SELECT {}{middle}{}",
            open.repeat(50_000),
            close.repeat(50_000)
        );
        assert!(
            matches!(ends(&text), End::TooComplex | End::Syntax),
            "{open}"
        );
    }
    let from = format!(
        "SELECT 1 FROM {}t{}",
        "(SELECT 1 FROM ".repeat(50_000),
        ") a".repeat(50_000)
    );
    assert_eq!(ends(&from), End::TooComplex);
    let with = format!(
        "{}SELECT 1{}",
        "WITH a AS (".repeat(50_000),
        ") SELECT 1".repeat(50_000)
    );
    assert_eq!(ends(&with), End::TooComplex);
    let joins = format!(
        "SELECT 1 FROM {}t{}",
        "(t JOIN ".repeat(50_000),
        " ON a)".repeat(50_000)
    );
    assert_eq!(ends(&joins), End::TooComplex);
}

#[test]
fn nesting_that_parses_is_walked() {
    let text = format!("SELECT {}1{}", "(SELECT ".repeat(1_000), ")".repeat(1_000));
    assert!(matches!(ends(&text), End::Walked { nodes } if nodes > 3_000));
    let text = format!("SELECT {}1{}", "f(".repeat(1_000), ")".repeat(1_000));
    assert!(matches!(ends(&text), End::Walked { nodes } if nodes > 1_000));
}

#[test]
fn comments_and_operators_do_not_stall() {
    assert!(matches!(
        ends(&format!("SELECT 1 {}", "/* a */ ".repeat(100_000))),
        End::Walked { .. }
    ));
    assert!(matches!(
        ends(&format!("SELECT 1 {}", "-- a\n".repeat(100_000))),
        End::Walked { .. }
    ));
    assert!(matches!(ends(&"/* ".repeat(100_000)), End::Syntax));
    let nested = format!(
        "SELECT 1 {}{}",
        "/* ".repeat(100_000),
        "*/ ".repeat(100_000)
    );
    assert!(matches!(ends(&nested), End::Walked { .. }));
    assert_eq!(ends(&"/**/".repeat(100_000)), End::Refused);
    assert_eq!(ends(&"/*".repeat(100_000)), End::Refused);
    assert_eq!(
        ends(&format!("SELECT {}1", "+".repeat(100_000))),
        End::Refused
    );
    assert_eq!(
        ends(&format!("SELECT {}1", "-/**/".repeat(100_000))),
        End::Refused
    );
    // The worst that passes: run after run of the longest length allowed.
    let runs = format!("{} ", "/**/".repeat(64)).repeat(2_000);
    assert!(matches!(
        ends(&format!("SELECT 1 {runs}")),
        End::Walked { .. }
    ));
    let runs = format!("{} ", "/*".repeat(128)).repeat(2_000);
    assert!(matches!(ends(&runs), End::Syntax));
}

#[test]
fn long_literals_and_names_do_not_stall() {
    for text in [
        format!("SELECT '{}'", "''".repeat(250_000)),
        format!("SELECT E'{}'", "\\'".repeat(250_000)),
        format!("SELECT 'a'{}", "\n'a'".repeat(100_000)),
        format!("SELECT $a${}$a$", "$b$".repeat(150_000)),
        format!("SELECT $a${}$a$", "$a".repeat(150_000)),
        format!("SELECT \"{}\"", "\"\"".repeat(250_000)),
        format!("SELECT {}", "a".repeat(500_000)),
        format!("SELECT {}", "1".repeat(500_000)),
        format!("SELECT 1 IN (1{})", ", -1".repeat(100_000)),
        format!("VALUES (1, 'a'){}", ", (2, 'b')".repeat(50_000)),
    ] {
        assert!(matches!(ends(&text), End::Walked { .. }), "{text:.20}");
    }
    for text in [
        format!("SELECT {}", "'' ".repeat(150_000)),
        format!("SELECT {}", "$a$".repeat(150_001)),
        format!("SELECT {}", "'".repeat(500_001)),
        format!("SELECT {}", "E'\\".repeat(100_000)),
        format!("SELECT 1{}", "_1a".repeat(100_000)),
        format!("SELECT {}", "\\".repeat(100_000)),
        format!("SELECT {}", "U&\"".repeat(100_001)),
    ] {
        assert_eq!(ends(&text), End::Syntax, "{text:.20}");
    }
}

#[test]
fn threads_do_not_disturb_each_other() {
    std::thread::scope(|scope| {
        for thread in 0..8 {
            scope.spawn(move || {
                for round in 0..500 {
                    let text = format!(
                        "SELECT {}",
                        vec!["f(1)"; 1 + (thread + round) % 40].join(", ")
                    );
                    let nodes = 3 + 4 * (1 + (thread + round) % 40);
                    assert!(
                        matches!(end_of(&text), End::Walked { nodes: found } if found <= nodes)
                    );
                    assert_eq!(end_of("SELECT f('x' 1"), End::Syntax);
                    assert_eq!(
                        end_of(&format!("SELECT {}", "(".repeat(11_000))),
                        End::TooComplex
                    );
                }
            });
        }
    });
}

/// A text that is refused may still be read by our own lexer, for its fingerprint.
#[test]
fn our_lexer_does_not_stall_either() {
    let fingerprinter = Fingerprinter::new(None, [1; 32]);
    for piece in [
        "+",
        "@",
        "-/**/",
        "/**/",
        "/*",
        "*/",
        "+-*",
        "''\n",
        "'' --\n",
        "$a",
        "$a$",
        "E'\\",
        "1_",
        ".",
        "..",
        "e1",
        "(",
        "in(1,",
        "values(1),",
        "array[",
        ",",
        ";",
        "- ",
        "\u{e9}",
        "\0",
        "\"",
        "U&\"",
        "a$",
        "0x",
    ] {
        let text = piece.repeat(1_000_000 / piece.len());
        let started = processor_time();
        fingerprinter.of(&text);
        let _any_end = prescan(&text, usize::MAX);
        let taken = processor_time() - started;
        assert!(taken < TIME_MAX, "{taken:?} for {piece:?}");
    }
}

/// Scans, parses, walks and names a text on a thread with a small stack.
fn ends(text: &str) -> End {
    let (end, taken) = std::thread::scope(|scope| {
        let on_small_stack = std::thread::Builder::new().stack_size(2 << 20);
        on_small_stack
            .spawn_scoped(scope, || (end_of(text), processor_time()))
            .expect("a thread")
            .join()
            .expect("no panic")
    });
    assert!(taken < TIME_MAX, "{taken:?} for {text:.40}");
    end
}

/// How long this thread has run, other programs on a busy machine left out.
fn processor_time() -> Duration {
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").expect("a Linux");
    let nanoseconds = told.split(' ').next().and_then(|first| first.parse().ok());
    Duration::from_nanos(nanoseconds.expect("nanoseconds"))
}

fn end_of(text: &str) -> End {
    if prescan(text, usize::MAX).is_err() {
        return End::Refused;
    }
    Fingerprinter::new(None, [1; 32]).of(text);
    let tree = match tree::parse(text) {
        Ok(tree) => tree,
        Err(SyntaxError::TooComplex) => return End::TooComplex,
        Err(SyntaxError::Syntax(_)) => return End::Syntax,
    };
    let mut stack: Vec<_> = tree.statements().map(|statement| statement.node).collect();
    let mut nodes = 0;
    while let Some(node) = stack.pop() {
        nodes += 1;
        children(node, &mut stack).expect("known kinds");
    }
    End::Walked { nodes }
}

/// Each takes a small part of this alone on a machine, unoptimised; what is quadratic takes
/// minutes.
const TIME_MAX: Duration = Duration::from_secs(5);
