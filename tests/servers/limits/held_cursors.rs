//! Cursors WITH HOLD under bounds: whatever is fetched of one is what the database gives of the
//! whole result, or an error that names the key; and the server never keeps more than was asked.

use crate::support::raw::{Frame, kinds};
use crate::support::{APP, Options, RawClient, Stack, frames};
use crate::versions::{has_case, on_every_version, sharing_versions};

/// Queries of zero to seven rows, in every form that a LIMIT can take or not.
const QUERIES: &[&str] = &[
    "SELECT n, n::text AS t FROM generate_series(1, $) n",
    "SELECT n FROM generate_series(1, $) n ORDER BY n DESC",
    "SELECT n AS a, n AS a FROM generate_series(1, $) n LIMIT 5",
    "SELECT n FROM generate_series(1, 9) n LIMIT $",
    "SELECT n FROM generate_series(1, 9) n LIMIT ($)::int OFFSET 2",
    "SELECT n, 'x', NULL FROM generate_series(1, $) n LIMIT ALL",
    "SELECT n FROM generate_series(1, $) n LIMIT NULL OFFSET 1",
    "SELECT n / 2 FROM generate_series(1, $) n ORDER BY 1 FETCH FIRST 2 ROWS WITH TIES",
    "WITH x AS (SELECT n FROM generate_series(1, $) n) SELECT * FROM x UNION ALL TABLE x LIMIT 9",
    "(SELECT n FROM generate_series(1, $) n LIMIT 12)",
    "VALUES (1, 'a'), (2, 'b'), (3, NULL)",
    "SELECT ROW(n, 'x') FROM generate_series(1, $) n",
    "SELECT",
];

/// What is fetched, one message after the other.
const WALKS: &[&[&str]] = &[
    &[
        "FETCH ALL c",
        "FETCH LAST c",
        "FETCH BACKWARD ALL c",
        "FETCH 2 c",
    ],
    &[
        "FETCH 2 c",
        "FETCH 2 c",
        "FETCH PRIOR c",
        "FETCH 3 c",
        "FETCH c",
    ],
    &[
        "MOVE FORWARD ALL c",
        "FETCH LAST c",
        "FETCH ABSOLUTE -2 c",
        "FETCH RELATIVE -1 c",
    ],
    &[
        "FETCH LAST c",
        "FETCH FIRST c",
        "FETCH ABSOLUTE 3 c",
        "FETCH ABSOLUTE 9 c",
    ],
    &[
        "MOVE 3 c",
        "FETCH RELATIVE 0 c",
        "FETCH RELATIVE 1 c",
        "FETCH NEXT c",
        "FETCH 0 c",
    ],
    &[
        "MOVE ABSOLUTE 4 c",
        "FETCH PRIOR c",
        "MOVE ABSOLUTE 5 c",
        "FETCH PRIOR c",
    ],
    &[
        "FETCH 1 c; FETCH 1 c; MOVE 1 c; FETCH 9 c",
        "FETCH ABSOLUTE 2 c",
    ],
    &[
        "FETCH ABSOLUTE 0 c",
        "FETCH FORWARD 3 c",
        "FETCH BACKWARD 9 c",
        "FETCH -1 c",
    ],
];

#[derive(Debug, Clone, Copy, PartialEq)]
enum Way {
    Simple,
    Extended,
    /// In slices of one row.
    Sliced,
    Block,
}

/// Three rows of a cursor, two cursors.
fn start(version: u32) -> Option<Stack> {
    let options = Options {
        policy: Some("bi"),
        policy_edits: &[(
            "{max_rows: 1000000, max_cursors: 100}",
            "{max_rows: 3, max_cursors: 2}",
        )],
        ..Options::default()
    };
    Stack::on_version_with(version, options)
}

on_every_version!(
    a_cursor_gives_what_the_database_gives_or_an_error,
    scroll_on
);

fn scroll_on(version: u32) {
    let Some(stack) = start(version) else {
        return;
    };
    let (mut same, mut refused, mut case) = (0, 0, 0);
    for query in QUERIES {
        for rows in 0..7 {
            let text = query.replace('$', &rows.to_string());
            for walk in WALKS {
                for way in [Way::Simple, Way::Extended, Way::Sliced, Way::Block] {
                    case += 1;
                    if has_case(version, case) {
                        let (own, errors) = walked(&stack, &text, walk, way);
                        same += own;
                        refused += errors;
                    }
                }
            }
            if !query.contains('$') {
                break;
            }
        }
    }
    let of = u32::try_from(sharing_versions().len()).expect("six at most");
    assert!(
        same * of > 3_000 && refused * of > 500,
        "{version}: {same} {refused} of {of}"
    );
}

/// Every direction that FETCH and MOVE have.
const DIRECTIONS: &[&str] = &[
    "",
    "NEXT",
    "PRIOR",
    "FIRST",
    "LAST",
    "ABSOLUTE 0",
    "ABSOLUTE 3",
    "ABSOLUTE 4",
    "ABSOLUTE 5",
    "ABSOLUTE 100",
    "ABSOLUTE -1",
    "ABSOLUTE -3",
    "ABSOLUTE -5",
    "ABSOLUTE -100",
    "RELATIVE 0",
    "RELATIVE 1",
    "RELATIVE 2",
    "RELATIVE 100",
    "RELATIVE -1",
    "RELATIVE -100",
    "0",
    "2",
    "-2",
    "ALL",
    "FORWARD 100",
    "BACKWARD",
    "BACKWARD 100",
    "BACKWARD ALL",
];

/// Whatever is done first, then every direction, then where that has led: direct and proxied, over
/// results below, at and above the bound of three rows.
#[test]
fn a_result_within_the_bound_is_scrolled_as_the_database_scrolls_it() {
    let Some(stack) = start(15) else {
        return;
    };
    let mut clients = [stack.direct_address(), stack.proxied_address()]
        .map(|address| RawClient::login(address, &stack.login(APP)));
    let (mut same, mut refused, mut turn) = (0, 0, 0);
    for rows in [0, 2, 3, 4, 30] {
        for before in ["", "FETCH 2 c", "FETCH 3 c", "MOVE ALL c"] {
            for direction in DIRECTIONS {
                for verb in ["FETCH", "MOVE"] {
                    let step = format!("{verb} {direction} FROM c");
                    let ways = [
                        (Way::Simple, Block::Committed),
                        (Way::Extended, Block::Open),
                        (Way::Simple, Block::Open),
                        (Way::Extended, Block::Committed),
                    ];
                    // Each step in two of the ways, the next one in the others.
                    turn += 2;
                    for (way, block) in ways.into_iter().cycle().skip(turn % 4).take(2) {
                        match scrolled(&mut clients, rows, (before, &step), (way, block)) {
                            true => same += 1,
                            false => refused += 1,
                        }
                    }
                }
            }
        }
    }
    assert!(same > 1_500 && refused > 150, "{same} {refused}");
}

/// Where a cursor is declared.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Block {
    /// In a transaction of its own, which is over.
    Committed,
    /// In one that is open.
    Open,
}

/// Whether a step over a cursor of so many rows, and what comes next, is answered alike. Else it is
/// refused, and the result is larger than the bound.
fn scrolled(
    clients: &mut [RawClient; 2],
    rows: u32,
    (before, step): (&str, &str),
    (way, block): (Way, Block),
) -> bool {
    let case = format!("{rows} rows, {before}, {step}, {way:?}, {block:?}");
    let query = format!("SELECT n FROM generate_series(1, {rows}) n ORDER BY n");
    let declare = format!("DECLARE c SCROLL CURSOR WITH HOLD FOR {query}");
    let mut texts = vec![declare.as_str(), before, step, "FETCH c", "FETCH PRIOR c"];
    if block == Block::Open {
        texts.insert(0, "BEGIN");
    }
    let mut is_same = true;
    for text in texts.into_iter().filter(|text| !text.is_empty()) {
        let [direct, proxied] = clients.each_mut().map(|client| asked(client, text, way));
        let past = |frame: &&Frame| frame.kind == b'D' && row_of(frame) > 3;
        assert_eq!(proxied.iter().find(past), None, "{case}");
        if direct == proxied {
            continue;
        }
        let error = proxied.iter().find(|frame| frame.kind == b'E');
        let error = error.unwrap_or_else(|| panic!("{case}: {direct:?} {proxied:?}"));
        assert_eq!(error.sqlstate(), "54000", "{case}: {text}: {error:?}");
        assert!(rows > 3, "{case}: {text}: all of it is the client's");
        let from_end = ["LAST", "ABSOLUTE -"].iter().any(|it| text.contains(it));
        let mut given = direct.iter().filter(|frame| frame.kind == b'D');
        let is_beyond = direct.iter().any(|frame| past(&frame)) || given.next().is_none();
        assert!(from_end || is_beyond, "{case}: {text}");
        is_same = false;
        break;
    }
    for end in ["ROLLBACK", "CLOSE ALL"] {
        for client in clients.iter_mut() {
            client.query(end);
        }
    }
    is_same
}

/// The number in a row of one.
fn row_of(frame: &Frame) -> u32 {
    String::from_utf8_lossy(&frame.body[6..]).parse().unwrap()
}

/// A cursor that may not go back says so as ever, and one that others have moved meanwhile is where
/// they left it.
#[test]
fn what_is_asked_of_a_cursor_leaves_it_where_it_is() {
    let Some(stack) = start(15) else {
        return;
    };
    for policy_rows in [2, 9] {
        let mut clients = [stack.direct_address(), stack.proxied_address()]
            .map(|address| RawClient::login(address, &stack.login(APP)));
        let query = format!("SELECT n FROM generate_series(1, {policy_rows}) n");
        let declare = format!("DECLARE c SCROLL CURSOR WITH HOLD FOR {query}");
        let forward = format!("DECLARE d NO SCROLL CURSOR WITH HOLD FOR {query}");
        // A FETCH that is bound, and run behind another one.
        let late = [
            frames::parse("s", "FETCH ABSOLUTE -9 FROM c"),
            frames::bind("p", "s", &[], false),
            frames::parse("", "FETCH c"),
            frames::bind("", "", &[], false),
            frames::execute("", 0),
            frames::execute("p", 0),
            frames::sync(),
        ];
        let answers = clients.each_mut().map(|client| {
            let mut answers = vec![client.query(&declare), client.query(&forward)];
            client.send(&late.concat());
            answers.push(client.until_ready());
            answers.push(client.query("FETCH LAST d"));
            answers.push(client.query("SELECT 1"));
            answers
        });
        let [direct, proxied] = answers;
        if policy_rows == 2 {
            assert_eq!(direct, proxied);
        } else {
            let [late, last] = [&proxied[2], &proxied[3]];
            assert_eq!(kinds(late), "12".to_owned() + "12DCEZ", "{late:?}");
            assert_eq!(row_of(&late[4]), 1, "the row that is next");
            assert_eq!(kinds(last), "EZ", "{last:?}");
            assert_eq!(direct[4], proxied[4]);
        }
    }
}

/// Walks over a cursor direct and proxied. Says how many answers were the same, and whether the
/// walk ended in the error of the bound.
fn walked(stack: &Stack, query: &str, walk: &[&str], way: Way) -> (u32, u32) {
    let mut clients = CLIENTS.with_borrow_mut(|clients| {
        let known = clients
            .iter()
            .position(|(of, _)| *of == stack.proxied_address());
        match known {
            Some(at) => clients.swap_remove(at).1,
            None => [stack.direct_address(), stack.proxied_address()]
                .map(|address| RawClient::login(address, &stack.login(APP))),
        }
    });
    let declare = format!("DECLARE c SCROLL CURSOR WITH HOLD FOR {query}");
    let first = (clients.each_mut()).map(|client| asked(client, &declare, Way::Extended));
    assert_eq!(first[0], first[1], "{declare}");
    if way == Way::Block {
        for client in &mut clients {
            client.query("BEGIN");
        }
    }
    let (mut same, mut refused) = (0, 0);
    for text in walk {
        let [direct, proxied] = clients.each_mut().map(|client| asked(client, text, way));
        if let Some(error) = proxied.iter().find(|frame| frame.kind == b'E')
            && direct.iter().all(|frame| frame.kind != b'E')
        {
            assert_eq!(error.sqlstate(), "54000", "{declare}: {text}: {error:?}");
            let detail = error.field(b'D').unwrap_or_default();
            assert!(detail.contains("statements.with_hold.max_rows"), "{detail}");
            let rows = |answer: &[Frame]| -> Vec<Vec<u8>> {
                let rows = answer.iter().filter(|frame| frame.kind == b'D');
                rows.map(|frame| frame.body.clone()).collect()
            };
            let (given, all) = (rows(&proxied), rows(&direct));
            assert!(all.starts_with(&given), "{declare}: {text}");
            let total = total(&mut clients[0], query);
            assert!(total > 3, "{declare}: {text}: it has no more");
            refused += 1;
            break;
        }
        assert_eq!(direct, proxied, "{way:?} {declare}: {walk:?} at {text}");
        same += 1;
    }
    for end in ["ROLLBACK", "CLOSE ALL"] {
        for client in &mut clients {
            client.query(end);
        }
    }
    CLIENTS.with_borrow_mut(|known| known.push((stack.proxied_address(), clients)));
    (same, refused)
}

thread_local! {
    static CLIENTS: std::cell::RefCell<Vec<(std::net::SocketAddr, [RawClient; 2])>> =
        const { std::cell::RefCell::new(Vec::new()) };
}

/// One message, and its answer.
fn asked(client: &mut RawClient, text: &str, way: Way) -> Vec<Frame> {
    if text.contains(';') || matches!(way, Way::Simple | Way::Block) {
        return client.query(text);
    }
    // A FETCH that is done may be executed again; others may not.
    let (rows, times) = match way {
        Way::Sliced if text.starts_with("FETCH") => (1, 10),
        _ => (0, 1),
    };
    let begin = [frames::parse("", text), frames::bind("", "", &[], false)].concat();
    let runs = frames::execute("", rows).repeat(times);
    client.send(&[begin, runs, frames::sync()].concat());
    client.until_ready()
}

/// The rows of a query.
fn total(client: &mut RawClient, query: &str) -> u64 {
    let answer = client.query(&format!("SELECT count(*)::text FROM ({query}) q"));
    let row = answer.iter().find(|frame| frame.kind == b'D').unwrap();
    String::from_utf8_lossy(&row.body[6..]).parse().unwrap()
}

#[test]
fn there_are_no_more_than_the_policy_gives() {
    let Some(stack) = start(15) else {
        return;
    };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    let mut ask = |text: &str| {
        let answer = client.query(text);
        let code = answer.iter().find(|frame| frame.kind == b'E');
        code.map_or_else(|| kinds(&answer), Frame::sqlstate)
    };
    for round in 0..3 {
        assert_eq!(
            ask("DECLARE a CURSOR WITH HOLD FOR SELECT nope"),
            "42703",
            "{round}"
        );
        assert_eq!(ask("BEGIN"), "CZ");
        assert_eq!(ask("DECLARE a CURSOR WITH HOLD FOR SELECT 1"), "CZ");
        assert_eq!(ask("ROLLBACK"), "CZ");
    }
    assert_eq!(ask("DECLARE a CURSOR WITH HOLD FOR SELECT 1"), "CZ");
    assert_eq!(ask("DECLARE a CURSOR WITH HOLD FOR SELECT 1"), "42P03");
    assert_eq!(ask("DECLARE b CURSOR WITH HOLD FOR SELECT 1 LIMIT 1"), "CZ");
    assert_eq!(ask("DECLARE d CURSOR WITH HOLD FOR SELECT 1"), "54000");
    assert_eq!(ask("BEGIN; DECLARE d CURSOR FOR SELECT 1; COMMIT"), "CCCZ");
    assert_eq!(ask("CLOSE a"), "CZ");
    assert_eq!(ask("DECLARE d CURSOR WITH HOLD FOR SELECT 1"), "CZ");
    assert_eq!(ask("SELECT name FROM pg_cursors ORDER BY name"), "TDDCZ");
    let refused =
        |line: &serde_json::Value| line["rule"] == "with_hold" && line["event"] != "limit_reached";
    assert_eq!(stack.audited(refused)["sqlstate"], "54000");
}

/// What a server keeps at COMMIT is what the policy gives and one row, whatever was asked for.
#[test]
fn a_server_keeps_one_row_more() {
    let Some(stack) = start(15) else {
        return;
    };
    let mut client = RawClient::login(stack.proxied_address(), &stack.login(APP));
    for query in [
        "SELECT n FROM pg_class, generate_series(1, 1000000) n",
        "(SELECT n FROM pg_class, generate_series(1, 1000000) n LIMIT ALL)",
    ] {
        let answer = client.query(&format!("DECLARE c CURSOR WITH HOLD FOR {query}"));
        assert_eq!(kinds(&answer), "CZ", "{query}");
        let answer = client.query("SELECT statement FROM pg_cursors");
        let text = String::from_utf8_lossy(&answer[1].body).into_owned();
        assert!(text.contains("LIMIT 4"), "{text}");
        client.query("CLOSE c");
    }
}
