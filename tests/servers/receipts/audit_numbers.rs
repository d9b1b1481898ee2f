//! The number of the audit's line that a receipt says.

use std::collections::BTreeMap;
use std::path::PathBuf;

use super::{
    Frame, Options, RawClient, ReceiptClaims, Stack, TABLES, UNQUOTED, key_file, kinds, login,
    receipt, until, values, verified,
};
use crate::support::frames;

/// A pgsieve that puts its audit aside again and again: lines of its own come between those of
/// statements.
fn rotating() -> Stack {
    let key = key_file(&[3]);
    let config = format!(
        "upstream:\n  url: {{upstream}}\nlisten: {{listen}}\nadmin:\n  listen: {{admin}}\naudit:\n  \
         to: {{audit}}\n  rotate_bytes: 4096\n  rotate_keep: 1000\nreceipts:\n  key_file: {}\n",
        key.display()
    );
    let stack = Stack::start(Options {
        config: Some(config),
        ..Options::default()
    });
    stack.prepare(TABLES);
    let is_known = || {
        let answer = login(&stack, &[]).query(UNQUOTED);
        kinds(&answer).contains('D').then_some(())
    };
    until(is_known).expect("the catalog is known");
    stack
}

/// The receipt of the last statement, once the audit has its line.
fn numbered(stack: &Stack, client: &mut RawClient) -> ReceiptClaims {
    let claims = until(|| {
        let claims = verified(stack, &receipt(client));
        claims.audit_seq.is_some().then_some(claims)
    });
    claims.expect("the line is written")
}

/// Every line that the audit has, in the files that were put aside too.
fn lines(stack: &Stack) -> Vec<serde_json::Value> {
    // A file that is put aside meanwhile is seen twice, or not at all.
    let texts = until(|| {
        let first = texts(stack)?;
        (texts(stack)? == first).then_some(first)
    });
    let texts = texts.expect("the audit rests");
    let lines = texts.values().flat_map(|text| text.lines());
    lines
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

/// The audit's files with what is in them; none where one is moved meanwhile.
fn texts(stack: &Stack) -> Option<BTreeMap<PathBuf, String>> {
    let path = stack.audit_path();
    let name = path.file_name().unwrap().to_string_lossy().into_owned();
    let files = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let files = files.map(|file| file.unwrap().path()).filter(|file| {
        let own = file.file_name().unwrap().to_string_lossy().into_owned();
        own.starts_with(&name)
    });
    let texts = files.map(|file| {
        let text = std::fs::read_to_string(&file).ok()?;
        Some((file, text))
    });
    texts.collect()
}

#[test]
fn it_is_that_of_the_line_which_has_the_receipts_name() {
    let stack = rotating();
    let mut client = login(&stack, &[]);
    let mut asked = Vec::new();
    for round in 0..30 {
        let answer = match round % 5 {
            0 => client.query("DROP TABLE sums"),
            1 => client.query("SELECT 1 / 0"),
            2 => client.query(UNQUOTED),
            3 => {
                client.send(&frames::extended("SELECT $1::text", &[Some("x")], false));
                client.until_ready()
            }
            _ => client.query("SELECT 1; SELECT 2"),
        };
        assert!(kinds(&answer).ends_with('Z'));
        asked.push(numbered(&stack, &mut client));
    }
    let lines = lines(&stack);
    let own = |line: &&serde_json::Value| line["event"] == "chain_continued";
    assert!(
        lines.iter().filter(own).count() > 3,
        "nothing was put aside"
    );
    for claims in asked {
        let mut about = lines.iter().filter(|line| line["receipt"] == *claims.jti);
        let line = about
            .next()
            .unwrap_or_else(|| panic!("no line has {claims:?}"));
        assert_eq!(line["seq"].as_u64(), claims.audit_seq, "{line}");
        assert_eq!(about.next(), None);
    }
}

#[test]
fn whoever_verifies_it_is_told_where_the_line_has_another_number() {
    let stack = rotating();
    let mut client = login(&stack, &[]);
    client.query("SELECT 1");
    let (token, seq) = until(|| {
        let token = receipt(&mut client);
        let seq = verified(&stack, &token).audit_seq?;
        Some((token, seq))
    })
    .expect("the line is written");
    let keys = key_file(&[3]);
    let audit = keys.with_extension("jsonl");
    let line = lines(&stack).into_iter().find(|line| line["seq"] == seq);
    let mut line = line.expect("the line of that number");
    for (number, status, words) in [
        (seq, 0, format!("proven: line {seq} of ")),
        (seq + 1, 1, format!("and the receipt says line {seq}")),
    ] {
        line["seq"] = number.into();
        std::fs::write(&audit, format!("{line}\n")).unwrap();
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_pgsieve"))
            .args(["receipt", "verify", "--keys"])
            .arg(&keys)
            .arg("--audit")
            .arg(&audit)
            .args(["--", &token])
            .output()
            .unwrap();
        let said = String::from_utf8([output.stdout, output.stderr].concat()).unwrap();
        assert_eq!(output.status.code(), Some(status), "{said}");
        assert!(said.contains(&words), "{said}");
    }
    drop((std::fs::remove_file(&keys), std::fs::remove_file(&audit)));
}

/// The number of one statement is never told of another.
#[test]
fn a_statement_that_has_no_line_yet_has_no_number() {
    let stack = rotating();
    let mut client = login(&stack, &[]);
    client.query("SELECT 1");
    let first = numbered(&stack, &mut client);
    // A part of a result: its Execute goes on, and its line comes at its end.
    client.query("BEGIN");
    client.send(
        &[
            frames::parse("", "SELECT * FROM generate_series(1, 3)"),
            frames::bind("p", "", &[], false),
            frames::execute("p", 1),
            frames::sync(),
        ]
        .concat(),
    );
    let answer = client.until_ready();
    assert!(kinds(&answer).contains('s'), "{answer:?}");
    let part = verified(&stack, &receipt(&mut client));
    assert_ne!(part.jti, first.jti);
    assert_ne!(part.audit_seq, first.audit_seq);
    client.query("COMMIT");
}

#[test]
fn what_comes_with_its_result_comes_before_the_line() {
    let stack = rotating();
    let mut client = login(&stack, &[]);
    client.query("SET pgsieve.receipts = on");
    let told = |answer: &[Frame]| {
        let notice = answer.iter().find(|frame| frame.kind == b'N').unwrap();
        let words = notice.field(b'M').unwrap();
        words.strip_prefix("receipt: ").unwrap().to_owned()
    };
    for text in ["SELECT 1", "SELECT 1 / 0"] {
        let answer = client.query(text);
        assert_eq!(verified(&stack, &told(&answer)).audit_seq, None);
        // Whoever asks for it afterwards gets the same receipt with the number.
        client.query("SET pgsieve.receipts = off");
        let asked = numbered(&stack, &mut client);
        assert_eq!(asked.jti, verified(&stack, &told(&answer)).jti);
        client.query("SET pgsieve.receipts = on");
    }
    assert_eq!(values(&client.query("SELECT 1")), [["1"]]);
}
