//! The audits of several copies of pgsieve: each chain is judged by itself, and all are summed up.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use pgsieve::telemetry::Telemetry;
use pgsieve::telemetry::audit::chain::{AuditChain, ChainHead};
use pgsieve::telemetry::audit::copy_name::CopyName;
use pgsieve::telemetry::labels::StatementOutcome;
use pgsieve::telemetry::log::EventLog;
use serde_json::Value;

use crate::telemetry::support::{Place, session, statement, writing_to};

/// Has a copy write so many lines into a file that is rotated; gives back its files, oldest first.
fn written(place: &Place, name: &str, copy: &str, lines: usize) -> Vec<PathBuf> {
    let file = place.file(name);
    let mut settings = writing_to(&file);
    settings.audit.rotate_bytes = Some(6_000);
    settings.audit.copy = Some(CopyName::parse(copy).unwrap());
    let telemetry = Telemetry::start(&settings, EventLog::off()).unwrap();
    for number in 0..lines {
        let outcome = match number % 3 {
            0 => StatementOutcome::Refused,
            _ => StatementOutcome::Permitted,
        };
        telemetry.emit(&statement(&session(), outcome));
    }
    drop(telemetry);
    let aside = (1..100).map(|number| place.file(&format!("{name}.{number}")));
    let mut files: Vec<PathBuf> = aside.filter(|file| file.exists()).collect();
    files.reverse();
    files.push(file);
    files
}

/// Writes lines of before they named their copy: so many, from behind a line on.
fn unnamed(file: &Path, chain: &mut AuditChain, lines: usize) {
    let mut text = String::new();
    for number in 0..lines {
        let event = match (number, chain.head().seq) {
            (0, 0) => "chain_began\",\"chain\":\"00",
            (0, _) => "chain_continued\",\"why\":\"rotated",
            _ => "login",
        };
        let open =
            format!("{{\"v\":2,\"time\":\"2026-01-01T00:00:00.000000Z\",\"event\":\"{event}\"");
        chain.seal(&open, &mut text);
    }
    fs::write(file, text).unwrap();
}

fn begun() -> AuditChain {
    AuditChain::after(ChainHead::GENESIS, None)
}

/// What `audit verify`, or another of its kind, says.
struct Answer {
    status: Option<i32>,
    out: String,
    err: String,
}

impl Answer {
    #[track_caller]
    fn says(&self, status: i32, parts: &[&str]) {
        let Self { out, err, .. } = self;
        assert_eq!(self.status, Some(status), "{out}{err}");
        for part in parts {
            assert!(
                out.contains(part) || err.contains(part),
                "{part}: {out}{err}"
            );
        }
    }
}

fn audit(arguments: &[&str], files: &[&PathBuf]) -> Answer {
    let mut command = Command::new(env!("CARGO_BIN_EXE_pgsieve"));
    let output = command.arg("audit").args(arguments).args(files).output();
    let output = output.unwrap();
    Answer {
        status: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

fn verify(files: &[&PathBuf]) -> Answer {
    audit(&["verify"], files)
}

/// Takes out of a file whatever a part is in.
fn without(file: &Path, part: &str) {
    let text = fs::read_to_string(file).unwrap();
    let kept = text
        .split_inclusive('\n')
        .filter(|line| !line.contains(part));
    let kept: String = kept.collect();
    assert_ne!(text, kept, "{part} is not there");
    fs::write(file, kept).unwrap();
}

#[test]
fn each_copy_is_judged_by_itself_in_whatever_order_its_files_are_named() {
    let place = Place::new();
    let (a, b) = (
        written(&place, "a", "pod \"a\"", 40),
        written(&place, "b", "pod-b", 25),
    );
    assert!(a.len() >= 3 && b.len() >= 2, "{} {}", a.len(), b.len());
    let wanted = [
        "copy pod \"a\"\n",
        "copy pod-b\n",
        "chains: 2; whole: 2; files that cannot",
    ];
    let mut all: Vec<&PathBuf> = a.iter().chain(&b).collect();
    for turn in 0..all.len() {
        all.rotate_left(1);
        all.swap(0, turn);
        audit(&["verify", "--alone"], &all).says(0, &wanted);
    }
    // What was put aside belongs to each that is named.
    let (newest_a, newest_b) = (a.last().unwrap(), b.last().unwrap());
    let said = verify(&[newest_b, newest_a]);
    said.says(0, &wanted);
    for file in &all {
        let told = format!("{}: whole: seq ", file.display());
        assert!(said.out.contains(&told), "{told}: {}", said.out);
    }
    // One that is harmed does nothing to the other.
    let text = fs::read_to_string(&b[0]).unwrap();
    fs::write(&b[0], text.replacen("\"rows\":2", "\"rows\":3", 1)).unwrap();
    let said = verify(&[newest_a, newest_b]);
    let altered = format!("{}:2: altered", b[0].display());
    said.says(1, &[&altered, "chains: 2; whole: 1;"]);
    let (of_a, of_b) = said.out.split_once("copy pod-b\n").unwrap();
    assert!(of_a.contains("\nwhole: lines of the chain: 4"), "{of_a}");
    assert!(
        of_b.contains("\nnot whole: lines of the chain: 2"),
        "{of_b}"
    );
    let told = format!("{}: not whole: faults: 1\n", b[0].display());
    assert!(of_b.contains(&told), "{of_b}");
    // A line of one copy in the file of another is one that does not belong there.
    fs::write(&b[0], &text).unwrap();
    let other = fs::read_to_string(&a[1]).unwrap();
    fs::write(&b[0], text + other.lines().nth(2).unwrap() + "\n").unwrap();
    verify(&[newest_a, newest_b]).says(1, &["chains: 2; whole: 1;"]);
}

#[test]
fn what_is_named_twice_missing_or_no_file_is_told_and_the_rest_judged() {
    let place = Place::new();
    let (a, b) = (written(&place, "a", "a", 20), written(&place, "b", "b", 3));
    assert!(a.len() > 1 && b.len() == 1, "{} {}", a.len(), b.len());
    let link = place.file("link");
    std::os::unix::fs::symlink(&a[0], &link).unwrap();
    let (one, other) = (a.last().unwrap(), b.last().unwrap());
    verify(&[one, one, &a[0], &link]).says(
        0,
        &[
            "a is given twice: it is read once",
            "link is given twice",
            "faults: 0",
        ],
    );
    verify(&[one, one, other]).says(0, &["a is given twice", "chains: 2; whole: 2"]);
    let (missing, folder) = (place.file("none"), place.file("folder"));
    fs::create_dir(&folder).unwrap();
    let told = [
        "cannot be read: ",
        "none",
        "copy b\n",
        "whole: 2; files that cannot be read: 1",
    ];
    verify(&[one, &missing, other]).says(2, &told);
    verify(&[one, &folder]).says(2, &["is a folder", "whole: lines of the chain: 2"]);
    verify(&[&missing, &missing]).says(2, &["none is given twice", "none"]);
    // A file of anything else is no audit, and does not keep the others from being judged.
    let strange = place.file("strange");
    fs::write(&strange, "{\"v\":2}\nwhatever\n").unwrap();
    verify(&[one, &strange, other]).says(1, &["strange:1: altered", "chains: 3; whole: 2"]);
    // What is worse wins.
    verify(&[one, &strange, &missing]).says(2, &["strange:1: altered", "none"]);
    // The bytes of one file in two are lines that are there before.
    let again = place.file("again");
    fs::copy(&b[0], &again).unwrap();
    verify(&[other, &again]).says(1, &["another chain of a copy"]);
    // Where the chain did not begin in it either.
    let again = place.file("later");
    fs::copy(one, &again).unwrap();
    verify(&[one, &again]).says(1, &[":1: duplicated: "]);
}

#[test]
fn a_copy_that_got_another_name_goes_on_with_its_chain() {
    let place = Place::new();
    written(&place, "a", "before", 20);
    let files = written(&place, "a", "after", 20);
    assert!(files.len() >= 4, "{}", files.len());
    let newest = files.last().unwrap();
    let whole = verify(&[newest]);
    whole.says(0, &["whole: lines of the chain: 4"]);
    assert!(!whole.out.contains("copy"), "{}", whole.out);
    // The files of both names, each by itself: they hang together.
    let all: Vec<&PathBuf> = files.iter().rev().collect();
    audit(&["verify", "--alone"], &all).says(0, &["whole: lines of the chain: 4"]);
    for gone in files.iter().take(files.len() - 1).skip(1) {
        let kept = fs::read(gone).unwrap();
        fs::remove_file(gone).unwrap();
        verify(&[newest]).says(1, &["missing before it: the lines with seq"]);
        fs::write(gone, kept).unwrap();
    }
}

/// Where its name changes between two files, only the digest of the last line joins them.
#[test]
fn files_that_hang_together_are_of_one_chain_whatever_they_are_called() {
    let place = Place::new();
    let (first, second) = (place.file("monday"), place.file("tuesday"));
    written(&place, "a", "before", 3);
    fs::rename(place.file("a"), place.file("a.1")).unwrap();
    let files = written(&place, "a", "after", 3);
    assert_eq!(files.len(), 2);
    fs::copy(&files[0], &first).unwrap();
    fs::copy(&files[1], &second).unwrap();
    let whole = ["whole: lines of the chain: 8; files: 2"];
    verify(&[&second, &first]).says(0, &whole);
    // Another copy beside them is another chain.
    let other = written(&place, "b", "b", 3);
    let told = ["copy after, before\n", "copy b\n", "chains: 2; whole: 2"];
    verify(&[&second, &other[0], &first]).says(0, &told);
}

/// Whoever exchanges the chain of a copy for another one is found, and so are two copies that were
/// given one name.
#[test]
fn two_chains_of_one_copy_are_a_fault() {
    let place = Place::new();
    let (a, b) = (
        written(&place, "a", "same", 20),
        written(&place, "b", "same", 15),
    );
    let said = verify(&[a.last().unwrap(), b.last().unwrap()]);
    said.says(
        1,
        &[
            "another chain of a copy that has one",
            "audit.copy",
            "chains: 2; whole: 1",
        ],
    );
    // Each is read as the one that it is.
    assert!(!said.out.contains("not whole"), "{}", said.out);
}

/// An end that was cut off is only known to whoever noted it, for each copy.
#[test]
fn a_line_can_be_expected_of_each_copy() {
    let place = Place::new();
    let (a, b) = (written(&place, "a", "a:1", 4), written(&place, "b", "b", 4));
    let head = |file: &PathBuf| {
        let out = verify(&[file]).out;
        out.trim().rsplit(' ').next().unwrap().to_owned()
    };
    let heads = [format!("a:1:{}", head(&a[0])), format!("b:{}", head(&b[0]))];
    let both = [&a[0], &b[0]];
    let expecting = ["verify", "--expect", &heads[0], "--expect", &heads[1]];
    audit(&expecting, &both).says(0, &["chains: 2; whole: 2"]);
    let nameless = head(&a[0]);
    audit(&["verify", "--expect", &nameless], &both).says(2, &["there are several chains"]);
    audit(&["verify", "--expect", &nameless], &[&a[0]]).says(0, &[]);
    let twice = ["verify", "--expect", &heads[0], "--expect", &heads[0]];
    audit(&twice, &both).says(2, &["one line of each copy is wanted"]);
    audit(&["verify", "--expect", &heads[1]], &[&a[0]]).says(1, &["a line of copy b is expected"]);
    audit(&["verify", "--expect", "b:7"], &both).says(2, &["64 hexadecimal digits"]);
    without(&b[0], "\"seq\":5,");
    audit(&expecting, &both).says(1, &["cut off: seq 5", "chains: 2; whole: 1"]);
    verify(&both).says(0, &["chains: 2; whole: 2"]);
}

#[test]
fn files_of_before_there_were_names_of_copies_are_judged_with_what_follows() {
    let place = Place::new();
    let (newest, other) = (place.file("one"), place.file("other"));
    unnamed(&newest, &mut begun(), 6);
    // The copy goes on, with lines that name it.
    let files = written(&place, "one", "pod", 12);
    verify(&[&newest]).says(0, &["whole: lines of the chain: "]);
    let begins = fs::read_to_string(&files[0]).unwrap();
    assert!(
        begins.contains("\"copy\":\"pod\"") && begins.contains("chain_began"),
        "{begins}"
    );
    // Beside it is one that still has no name.
    unnamed(&other, &mut begun(), 6);
    let all = [&newest, &other];
    verify(&all).says(0, &["copy pod\n", "no copy named\n", "chains: 2; whole: 2"]);
    // An old file that was cut is missed by the one behind it, whatever names that has.
    let (first, second) = (place.file("old.1"), place.file("old"));
    let mut chain = begun();
    unnamed(&first, &mut chain, 6);
    unnamed(&second, &mut chain, 6);
    let apart = [&first, &second];
    audit(&["verify", "--alone"], &apart).says(0, &["whole: lines of the chain: 12; files: 2"]);
    without(&first, "\"seq\":6,");
    for files in [&apart[..], &[&second]] {
        verify(files).says(1, &["missing before it: the line with seq 6"]);
    }
    audit(&["verify", "--alone"], &apart).says(1, &["missing before it: the line with seq 6"]);
}

#[test]
fn all_copies_are_summed_up_together_and_can_be_told_apart() {
    let place = Place::new();
    let (a, b) = (
        written(&place, "a", "pod-a", 30),
        written(&place, "b", "pod-b", 12),
    );
    let (one, other) = (a.last().unwrap(), b.last().unwrap());
    let top = |arguments: &[&str], files: &[&PathBuf]| {
        let said = audit(&[&["top", "--json"], arguments].concat(), files);
        said.says(0, &[]);
        serde_json::from_str::<Value>(&said.out).unwrap()
    };
    let sum = top(&[], &[other, one, other]);
    assert_eq!(
        (&sum["statements"], &sum["refused"]),
        (&42.into(), &14.into())
    );
    let copies: Vec<_> = sum["copies"].as_array().unwrap().iter().collect();
    let told = |row: &Value| {
        (
            row["copy"].clone(),
            row["count"].clone(),
            row["refused"].clone(),
        )
    };
    assert_eq!(told(copies[0]), ("pod-a".into(), 30.into(), 10.into()));
    assert_eq!(told(copies[1]), ("pod-b".into(), 12.into(), 4.into()));
    let sum = top(&["--copy", "pod-b"], &[one, other]);
    assert_eq!(
        (&sum["statements"], &sum["refused"]),
        (&12.into(), &4.into())
    );
    assert_eq!(sum["copies"].as_array().unwrap().len(), 1);
    assert_eq!(top(&["--copy", "pod"], &[one, other])["lines"], 0);
    audit(&["top"], &[one, other]).says(0, &["Copies", "pod-a", "pod-b"]);
    audit(&["top"], &[one, one]).says(0, &["a is given twice"]);
    // A sum that lacks a copy would mislead.
    let said = audit(&["top"], &[one, &place.file("none")]);
    said.says(2, &["cannot be read", "none"]);
    assert_eq!(said.out, "");
}
