//! The table `builtins.tsv`, read once. Its columns: name, number of arguments (`*` for all
//! overloads of the name, a number, or `fewest-most`), versions of PostgreSQL that have it (for the
//! reader), verdict, reason.
//!
//! A line that cannot be read is left out, so that its function is unknown and refused; a test
//! shows that none is.

use std::collections::HashMap;
use std::ops::RangeInclusive;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::{BuiltinEffect, FunctionVerdict};

/// The verdict on a built-in of this name with so many arguments.
pub(super) fn look_up(name: &str, arg_count: usize) -> FunctionVerdict {
    match TABLE.get(name).map(|builtin| &builtin.overloads) {
        None => FunctionVerdict::Unknown,
        Some(OverloadVerdicts::Alike(verdict)) => *verdict,
        Some(OverloadVerdicts::ByCount(overloads)) => worst_fitting(overloads, arg_count),
    }
}

/// The versions that have a built-in of this name, where it is not all that are known here.
pub(super) fn versions(name: &str) -> Option<&'static RangeInclusive<u16>> {
    TABLE.get(name)?.versions.as_ref()
}

/// What the table says about one name.
struct BuiltinFunction {
    overloads: OverloadVerdicts,
    versions: Option<RangeInclusive<u16>>,
}

/// The verdicts on one name.
enum OverloadVerdicts {
    /// One verdict, however it is called.
    Alike(FunctionVerdict),
    /// Verdicts by the number of arguments.
    ByCount(Vec<(RangeInclusive<usize>, FunctionVerdict)>),
}

fn worst_fitting(
    overloads: &[(RangeInclusive<usize>, FunctionVerdict)],
    arg_count: usize,
) -> FunctionVerdict {
    let fitting = overloads
        .iter()
        .filter(|(counts, _)| counts.contains(&arg_count));
    let worst = fitting.map(|(_, verdict)| *verdict).max_by_key(severity);
    worst
        .or_else(|| {
            overloads
                .iter()
                .map(|(_, verdict)| *verdict)
                .max_by_key(severity)
        })
        .unwrap_or(FunctionVerdict::Unknown)
}

fn severity(verdict: &FunctionVerdict) -> u8 {
    match verdict {
        FunctionVerdict::Allowed => 0,
        FunctionVerdict::Housekeeping => 1,
        FunctionVerdict::SetConfig => 2,
        FunctionVerdict::RunsSql => 3,
        FunctionVerdict::Effects { .. } => 4,
        FunctionVerdict::Unknown => 5,
    }
}

fn read_table(text: &'static str) -> HashMap<&'static str, BuiltinFunction, RandomState> {
    let mut table = HashMap::with_hasher(RandomState::default());
    for BuiltinLine {
        name,
        counts,
        versions,
        verdict,
    } in text.lines().filter_map(read_line)
    {
        let Some(counts) = counts else {
            table.insert(
                name,
                BuiltinFunction {
                    overloads: OverloadVerdicts::Alike(verdict),
                    versions,
                },
            );
            continue;
        };
        let builtin = table.entry(name).or_insert_with(|| BuiltinFunction {
            overloads: OverloadVerdicts::ByCount(Vec::new()),
            versions,
        });
        match &mut builtin.overloads {
            OverloadVerdicts::ByCount(overloads) => overloads.push((counts, verdict)),
            OverloadVerdicts::Alike(_) => {}
        }
    }
    table
}

struct BuiltinLine {
    name: &'static str,
    counts: Option<RangeInclusive<usize>>,
    versions: Option<RangeInclusive<u16>>,
    verdict: FunctionVerdict,
}

/// One line; nothing for the heading and for what cannot be read.
fn read_line(line: &'static str) -> Option<BuiltinLine> {
    let mut columns = line.split('\t');
    let (name, counts, versions) = (columns.next()?, columns.next()?, columns.next()?);
    let (verdict, reason) = (columns.next()?, columns.next()?);
    let counts = match counts {
        "*" => None,
        counts => {
            let (fewest, most) = counts.split_once('-').unwrap_or((counts, counts));
            Some(fewest.parse().ok()?..=most.parse().ok()?)
        }
    };
    let versions = match versions.split_once('-')? {
        (OLDEST, "") => None,
        (first, "") => Some(first.parse().ok()?..=u16::MAX),
        (first, last) => Some(first.parse().ok()?..=last.parse().ok()?),
    };
    let verdict = match verdict {
        "allowed" => FunctionVerdict::Allowed,
        "effects" => FunctionVerdict::Effects {
            why: BuiltinEffect::named(reason)?,
        },
        "runs_sql" => FunctionVerdict::RunsSql,
        "set_config" => FunctionVerdict::SetConfig,
        "housekeeping" => FunctionVerdict::Housekeeping,
        _ => return None,
    };
    Some(BuiltinLine {
        name,
        counts,
        versions,
        verdict,
    })
}

static TABLE: LazyLock<HashMap<&'static str, BuiltinFunction, RandomState>> =
    LazyLock::new(|| read_table(BUILTINS));

/// The oldest version that is served.
const OLDEST: &str = "13";

const BUILTINS: &str = include_str!("builtins.tsv");

#[cfg(test)]
mod tests {
    use super::{BUILTINS, read_line};

    #[test]
    fn every_line_is_read_and_in_order() {
        let lines: Vec<&str> = BUILTINS
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        let unread: Vec<_> = lines
            .iter()
            .filter(|line| read_line(line).is_none())
            .collect();
        assert!(unread.is_empty(), "{unread:?}");
        assert!(lines.is_sorted());
    }
}
