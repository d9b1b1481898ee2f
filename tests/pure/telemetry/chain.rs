//! The chain of an audit's lines over rotated files: whatever is done to them is found.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Duration;

use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::audit::ChainKey;
use pgsieve::telemetry::audit::chain::{AuditChain, ChainHead, ChainLink};
use pgsieve::telemetry::audit::verify::{ChainFindings, ChainVerifier, FaultKind};
use pgsieve::telemetry::labels::StatementOutcome;
use pgsieve::telemetry::log::EventLog;
use proptest::prelude::{Just, Strategy, any, prop_oneof, proptest};

use crate::telemetry::support::{Place, sample, session, statement, writing_to};

const KEY: ChainKey = ChainKey([0x42; 32]);

/// Writes so many lines, over several files, and gives back the files, oldest first.
fn written(place: &Place, name: &str, lines: usize, key: Option<ChainKey>) -> Vec<PathBuf> {
    let file = place.file(name);
    let mut settings = writing_to(&file);
    settings.audit.rotate_bytes = Some(6_000);
    settings.audit.chain_key = key;
    let telemetry = Telemetry::start(&settings, EventLog::off()).unwrap();
    for _ in 0..lines {
        telemetry.emit(&statement(&session(), StatementOutcome::Permitted));
    }
    assert!(telemetry.flush(Duration::from_secs(5)));
    let rotations = sample(&telemetry.scrape(), "pgsieve_audit_rotations_total");
    drop(telemetry);
    let mut files: Vec<PathBuf> = (1..100)
        .map(|number| place.file(&format!("{name}.{number}")))
        .filter(|file| file.exists())
        .collect();
    files.reverse();
    files.push(file);
    let kept = u32::try_from(files.len()).unwrap();
    assert!(kept < 11 && f64::from(kept) == rotations + 1.0);
    files
}

fn contents(files: &[PathBuf]) -> Vec<Vec<u8>> {
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn verified(
    contents: &[Vec<u8>],
    key: Option<ChainKey>,
    expected: Option<ChainHead>,
) -> (ChainFindings, Option<ChainHead>) {
    let mut verifier = ChainVerifier::new(key, expected);
    for bytes in contents {
        verifier.read(bytes.as_slice(), || false).unwrap();
    }
    let (findings, _, head) = verifier.finish();
    (findings, head)
}

/// What somebody may do to the lines.
#[derive(Clone, Debug)]
enum Harm {
    Flip { byte: usize, bit: u8 },
    Drop { line: usize },
    Swap { one: usize, other: usize },
    Duplicate { line: usize, to: usize },
    Truncate { byte: usize },
    Insert { to: usize },
    Merge { line: usize, to: usize },
}

fn harm() -> impl Strategy<Value = Harm> {
    let number = any::<usize>;
    prop_oneof![
        (number(), 0..8u8).prop_map(|(byte, bit)| Harm::Flip { byte, bit }),
        number().prop_map(|line| Harm::Drop { line }),
        (number(), number()).prop_map(|(one, other)| Harm::Swap { one, other }),
        (number(), number()).prop_map(|(line, to)| Harm::Duplicate { line, to }),
        number().prop_map(|byte| Harm::Truncate { byte }),
        number().prop_map(|to| Harm::Insert { to }),
        (number(), number()).prop_map(|(line, to)| Harm::Merge { line, to }),
        Just(Harm::Truncate { byte: 0 }),
        Just(Harm::Drop { line: 0 }),
        Just(Harm::Drop { line: usize::MAX }),
    ]
}

/// Does it, to all files as one row of lines that are then parted where they were; none where it
/// would change nothing.
fn harmed(whole: &[Vec<u8>], other: &[Vec<u8>], harm: &Harm) -> Option<Vec<Vec<u8>>> {
    let lines_of = |contents: &[Vec<u8>]| -> Vec<(usize, Vec<u8>)> {
        let parts = contents.iter().enumerate();
        parts
            .flat_map(|(file, bytes)| {
                bytes
                    .split_inclusive(|byte| *byte == b'\n')
                    .map(move |line| (file, line.to_vec()))
            })
            .collect()
    };
    let mut lines = lines_of(whole);
    let count = lines.len();
    match *harm {
        Harm::Flip { byte, bit } => {
            let mut files = whole.to_vec();
            let file = byte % files.len();
            let place = (byte / 7) % files[file].len();
            files[file][place] ^= 1 << bit;
            return Some(files);
        }
        Harm::Truncate { byte } => {
            let mut files = whole.to_vec();
            let file = byte % files.len();
            let length = (byte / 7) % files[file].len();
            files[file].truncate(length);
            return Some(files);
        }
        Harm::Drop { line } => drop(lines.remove(line % count)),
        Harm::Swap { one, other } => {
            let (one, other) = (one % count, other % count);
            if one == other {
                return None;
            }
            let kept = lines[one].1.clone();
            lines[one].1 = std::mem::replace(&mut lines[other].1, kept);
        }
        Harm::Duplicate { line, to } => {
            let (line, to) = (lines[line % count].1.clone(), to % count);
            lines.insert(to, (lines[to].0, line));
        }
        Harm::Insert { to } => {
            let to = to % count;
            lines.insert(to, (lines[to].0, b"{\"v\":2,\"event\":\"x\"}\n".to_vec()));
        }
        Harm::Merge { line, to } => {
            let others = lines_of(other);
            let (line, to) = (others[line % others.len()].1.clone(), to % count);
            lines.insert(to, (lines[to].0, line));
        }
    }
    let mut files = vec![Vec::new(); whole.len()];
    for (file, line) in lines {
        files[file].extend(line);
    }
    Some(files)
}

#[test]
fn whatever_is_done_to_the_lines_is_found() {
    let place = Place::new();
    let stands = [None, Some(KEY)].map(|key| {
        let name = if key.is_some() { "keyed" } else { "plain" };
        let whole = contents(&written(&place, name, 32, key));
        let other = contents(&written(&place, &format!("{name}-other"), 32, key));
        assert!(whole.len() >= 3, "{}", whole.len());
        let (findings, head) = verified(&whole, key, None);
        assert_eq!((findings.faults_total, findings.lines > 32), (0, true));
        (key, whole, other, head)
    });
    let count = std::cell::Cell::new(0);
    let config = proptest::test_runner::Config {
        failure_persistence: None,
        ..proptest::test_runner::Config::with_cases(3_000)
    };
    proptest!(config, |(harm in harm())| {
        for (key, whole, other, head) in &stands {
            if let Some(files) = harmed(whole, other, &harm) {
                let (findings, _) = verified(&files, *key, *head);
                assert!(findings.faults_total > 0, "{harm:?} was not found");
                count.set(count.get() + 1);
            }
        }
    });
    assert!(count.get() > 5_000);
}

#[test]
fn every_single_byte_counts_and_the_place_is_told() {
    let place = Place::new();
    let whole = contents(&written(&place, "a", 20, Some(KEY)));
    let (_, head) = verified(&whole, Some(KEY), None);
    for file in 0..whole.len() {
        let mut line = 1;
        for byte in 0..whole[file].len() {
            let mut files = whole.clone();
            files[file][byte] ^= 0x04;
            let (findings, _) = verified(&files, Some(KEY), head);
            let first = findings.faults.first().unwrap();
            let ends = whole[file][byte] == b'\n';
            assert_eq!(
                (first.file, first.line),
                (file, line),
                "byte {byte} of {file}"
            );
            if !ends {
                assert!(
                    matches!(first.kind, FaultKind::Altered | FaultKind::Torn),
                    "{first:?}"
                );
            }
            line += u64::from(ends);
        }
    }
}

#[test]
fn what_is_wrong_has_its_name() {
    let place = Place::new();
    let whole = contents(&written(&place, "a", 30, None));
    let line = |file: usize, line: usize| -> Vec<u8> {
        let mut lines = whole[file].split_inclusive(|byte| *byte == b'\n');
        lines.nth(line).unwrap().to_vec()
    };
    let without = |bytes: &[u8]| -> Vec<Vec<u8>> {
        let mut files = whole.clone();
        let text = String::from_utf8(files[1].clone()).unwrap();
        files[1] = text.replace(str::from_utf8(bytes).unwrap(), "").into();
        files
    };
    let seq = ChainLink::of(line(1, 2).trim_ascii_end()).unwrap().seq;
    let check = |files: &[Vec<u8>], what: FaultKind| {
        let (findings, _) = verified(files, None, None);
        assert_eq!(findings.faults.len(), 1, "{:?}", findings.faults);
        assert_eq!(findings.faults[0].kind, what);
        (findings.faults[0].file, findings.faults[0].line)
    };
    let missing = FaultKind::Missing { from: seq, to: seq };
    assert_eq!(check(&without(&line(1, 2)), missing), (1, 3));
    let mut files = without(&line(1, 2));
    files[2].extend(line(1, 2));
    check(&files, FaultKind::Reordered { seq });
    let mut files = whole.clone();
    files[2].extend(line(1, 2));
    check(&files, FaultKind::Duplicated { seq });
    // The oldest file is gone: that is how it should be.
    assert_eq!(verified(&whole[1..], None, None).0.faults_total, 0);
    // One in the middle is not.
    let gap = [whole[0].clone(), whole[2].clone()];
    let (findings, _) = verified(&gap, None, None);
    assert!(matches!(findings.faults[0].kind, FaultKind::Missing { .. }));
    // A tail that is gone is only known to whoever noted the head.
    let (_, head) = verified(&whole, None, None);
    let cut = &whole[..whole.len() - 1];
    assert_eq!(verified(cut, None, None).0.faults_total, 0);
    let what = FaultKind::CutOff {
        seq: head.unwrap().seq,
    };
    assert_eq!(verified(cut, None, head).0.faults[0].kind, what);
}

#[test]
fn a_key_and_none_are_told_apart() {
    let place = Place::new();
    let keyed = contents(&written(&place, "keyed", 5, Some(KEY)));
    let plain = contents(&written(&place, "plain", 5, None));
    for (contents, key) in [
        (&keyed, None),
        (&keyed, Some(ChainKey([1; 32]))),
        (&plain, Some(KEY)),
    ] {
        let (findings, head) = verified(contents, key, None);
        assert!(findings.lines == 0 && findings.faults_total > 0 && head.is_none());
    }
}

#[test]
fn the_chain_goes_on_after_a_restart_and_after_a_crash() {
    let place = Place::new();
    let file = place.file("audit");
    let mut settings = writing_to(&file);
    settings.audit.chain_key = Some(KEY);
    let mut lines = 0;
    for tail in ["", "{\"v\":2,\"time\":\"20", "", "{", ""] {
        let telemetry = Telemetry::start(&settings, EventLog::off()).unwrap();
        assert!(
            Telemetry::start(&settings, EventLog::off()).is_err(),
            "two write one file"
        );
        telemetry.emit(&statement(&session(), StatementOutcome::Refused));
        drop(telemetry);
        lines += 2;
        let mut bytes = fs::read(&file).unwrap();
        bytes.extend_from_slice(tail.as_bytes());
        fs::write(&file, bytes).unwrap();
    }
    let bytes = fs::read(&file).unwrap();
    let (findings, _) = verified(std::slice::from_ref(&bytes), Some(KEY), None);
    assert_eq!((findings.lines, findings.crashes), (lines, 2));
    assert_eq!(findings.faults, []);
    // Half a line that was tampered with is not the one that the chain speaks of.
    let text = String::from_utf8(bytes).unwrap();
    let other = text.replace("\"time\":\"20\n", "\"time\":\"21\n");
    assert_ne!(text, other);
    let (findings, _) = verified(&[other.into()], Some(KEY), None);
    assert_eq!(findings.faults[0].kind, FaultKind::Altered);
}

/// What was written before lines named their copy is gone on with, and holds with what follows.
#[test]
fn a_chain_of_before_there_were_names_of_copies_goes_on() {
    let place = Place::new();
    let file = place.file("audit");
    let mut chain = AuditChain::after(ChainHead::GENESIS, None);
    let mut text = String::new();
    let time = "\"time\":\"2026-01-01T00:00:00.000000Z\"";
    for event in ["chain_began\",\"chain\":\"00", "login"] {
        chain.seal(
            &format!("{{\"v\":2,{time},\"event\":\"{event}\""),
            &mut text,
        );
    }
    fs::write(&file, &text).unwrap();
    drop(Telemetry::start(&writing_to(&file), EventLog::off()).unwrap());
    let whole = fs::read_to_string(&file).unwrap();
    assert!(whole.starts_with(&text), "{whole}");
    assert!(
        whole.lines().last().unwrap().contains("\"copy\":\""),
        "{whole}"
    );
    let (findings, _) = verified(&[whole.into_bytes()], None, None);
    assert_eq!((findings.lines, findings.faults_total), (3, 0));
}

#[test]
fn a_last_line_that_only_lacks_its_end_is_taken_as_it_is() {
    let place = Place::new();
    let file = place.file("audit");
    let settings = writing_to(&file);
    for _ in 0..2 {
        drop(Telemetry::start(&settings, EventLog::off()).unwrap());
        let mut bytes = fs::read(&file).unwrap();
        bytes.pop();
        fs::write(&file, bytes).unwrap();
    }
    drop(Telemetry::start(&settings, EventLog::off()).unwrap());
    let (findings, _) = verified(&[fs::read(&file).unwrap()], None, None);
    assert_eq!(
        (findings.lines, findings.faults_total, findings.crashes),
        (3, 0, 0)
    );
}

#[test]
fn what_is_no_chain_of_this_key_is_put_aside_and_kept() {
    let place = Place::new();
    let file = place.file("audit");
    fs::write(&file, "{\"v\":1,\"event\":\"statement\"}\n").unwrap();
    let mut settings = writing_to(&file);
    drop(Telemetry::start(&settings, EventLog::off()).unwrap());
    settings.audit.chain_key = Some(KEY);
    drop(Telemetry::start(&settings, EventLog::off()).unwrap());
    let aside = |number| fs::read(place.file(&format!("audit.{number}"))).unwrap();
    assert!(aside(2).starts_with(b"{\"v\":1"));
    assert_eq!(verified(&[aside(1)], None, None).0.faults_total, 0);
    let (findings, _) = verified(&[fs::read(&file).unwrap()], Some(KEY), None);
    assert_eq!((findings.lines, findings.faults_total), (1, 0));
}

fn pgsieve(arguments: &[&str], files: &[&Path]) -> Output {
    let program = env!("CARGO_BIN_EXE_pgsieve");
    let mut command = Command::new(program);
    command.arg("audit").args(arguments).args(files);
    command.output().unwrap()
}

#[test]
fn the_program_says_what_it_finds_and_ends_with_a_status() {
    let place = Place::new();
    let files = written(&place, "audit", 30, Some(KEY));
    let (file, key) = (place.file("audit"), place.file("key"));
    fs::write(&key, "42".repeat(32)).unwrap();
    let with_key = ["verify", "--chain-key-file", key.to_str().unwrap()];
    let whole = pgsieve(&with_key, &[&file]);
    let said = String::from_utf8(whole.stdout).unwrap();
    assert_eq!(whole.status.code(), Some(0), "{said}");
    assert!(said.starts_with("whole: lines of the chain: 3"), "{said}");
    let head = said.trim().rsplit(' ').next().unwrap().to_owned();
    // In any order.
    let mut backwards: Vec<&Path> = files.iter().map(PathBuf::as_path).rev().collect();
    backwards.swap(0, 1);
    assert_eq!(pgsieve(&with_key, &backwards).status.code(), Some(0));
    // Without the key nobody can say.
    let blind = pgsieve(&["verify"], &[&file]);
    assert_eq!(blind.status.code(), Some(2));
    assert!(
        String::from_utf8(blind.stderr)
            .unwrap()
            .contains("has a key")
    );
    assert_eq!(
        pgsieve(&["verify"], &[&place.file("none")]).status.code(),
        Some(2)
    );

    let expecting = [&with_key[..], &["--expect", &head]].concat();
    assert_eq!(pgsieve(&expecting, &[&file]).status.code(), Some(0));
    let text = fs::read_to_string(&file).unwrap();
    let (_, last) = text.trim_end().rsplit_once('\n').unwrap();
    fs::write(&file, text.replace(&format!("{last}\n"), "")).unwrap();
    assert_eq!(pgsieve(&with_key, &[&file]).status.code(), Some(0));
    let cut = pgsieve(&expecting, &[&file]);
    let said = String::from_utf8(cut.stdout).unwrap();
    assert_eq!(cut.status.code(), Some(1));
    assert!(said.contains("cut off: seq"), "{said}");

    fs::write(&file, text.replacen("\"rows\":2", "\"rows\":3", 1)).unwrap();
    let altered = pgsieve(&with_key, &[&file]);
    let said = String::from_utf8(altered.stdout).unwrap();
    assert_eq!(altered.status.code(), Some(1));
    let place_told = format!("{}:2: altered", file.display());
    assert!(said.contains(&place_told), "{said}");
}

/// A chain without a key is anybody's to write: numbers at the end of what numbers there are, a
/// sum that overflows, keys that come twice, deep trees. None of it stops the verifier.
#[test]
fn lines_made_to_do_harm_are_faults_and_nothing_else() {
    let deep = "[".repeat(100_000);
    for (seq, open) in [
        (u64::MAX - 1, "{\"v\":2".to_owned()),
        (u64::MAX - 2, "{\"v\":2".to_owned()),
        (
            7,
            "{\"event\":\"lines_lost\",\"lines\":18446744073709551615".to_owned(),
        ),
        (7, format!("{{\"event\":\"chain_began\",\"x\":{deep}")),
        (
            7,
            "{\"event\":\"chain_began\",\"torn\":\"1\",\"torn\":\"2\"".to_owned(),
        ),
    ] {
        let digest = [7; 32];
        let mut chain = AuditChain::after(ChainHead { seq, digest }, None);
        let mut text = String::new();
        chain.seal(&open, &mut text);
        if seq < u64::MAX - 1 {
            chain.seal(&open, &mut text);
        }
        let input = [text.as_bytes(), b"\xff\xfe\r\n\n \n", text.as_bytes()].concat();
        let (findings, _) = verified(&[input], None, None);
        assert!(findings.faults_total > 0, "{seq}");
    }
}

/// The chain says which half line a crash has left: where it was taken out, that is found.
#[test]
fn half_a_line_that_is_spoken_of_cannot_be_taken_out() {
    let place = Place::new();
    let file = written(&place, "audit", 2, Some(KEY)).pop().unwrap();
    let mut bytes = fs::read(&file).unwrap();
    bytes.extend_from_slice(b"{\"v\":2,\"time\":\"20");
    fs::write(&file, &bytes).unwrap();
    let mut settings = writing_to(&file);
    settings.audit.chain_key = Some(KEY);
    drop(Telemetry::start(&settings, EventLog::off()).unwrap());
    let whole = fs::read(&file).unwrap();
    let (findings, _) = verified(std::slice::from_ref(&whole), Some(KEY), None);
    assert_eq!((findings.faults_total, findings.crashes), (0, 1));
    let kept: Vec<&[u8]> = whole
        .split_inclusive(|byte| *byte == b'\n')
        .filter(|line| ChainLink::of(line.strip_suffix(b"\n").unwrap_or(line)).is_some())
        .collect();
    let (findings, _) = verified(&[kept.concat()], Some(KEY), None);
    let found: Vec<FaultKind> = findings.faults.iter().map(|fault| fault.kind).collect();
    assert_eq!(found, [FaultKind::HalfMissing]);
}
