//! The table `extensions.tsv`, read once. Its columns: extension, library (`-` where it is no code
//! of one), name in the library (else the function's own), verdict, reason.
//!
//! A line that cannot be read is left out, so that its function is what its owner says; a test
//! shows that none is.

use std::collections::HashMap;
use std::sync::LazyLock;

use foldhash::fast::RandomState;

use super::{ExtensionVerdict, FunctionReads};
use crate::functions::BuiltinEffect;

/// One line.
#[derive(Clone, Copy)]
pub(super) struct ExtensionLine {
    pub(super) extension: &'static str,
    pub(super) library: &'static str,
    pub(super) verdict: ExtensionVerdict,
}

/// What is said of a function of a library.
pub(super) fn of_code(library: &str, symbol: &str) -> Option<&'static ExtensionLine> {
    TABLE.code.get(library)?.get(symbol)
}

/// What is said of a function that is no code of a library.
pub(super) fn of_name(extension: &str, name: &str) -> Option<ExtensionVerdict> {
    TABLE.names.get(extension)?.get(name).copied()
}

type MapByText<T> = HashMap<&'static str, T, RandomState>;

#[derive(Default)]
struct ExtensionTable {
    /// By library and name in it.
    code: MapByText<MapByText<ExtensionLine>>,
    /// By extension and name.
    names: MapByText<MapByText<ExtensionVerdict>>,
}

fn read_table(text: &'static str) -> ExtensionTable {
    let mut table = ExtensionTable::default();
    for (line, symbol) in text.lines().filter_map(read_line) {
        match line.library {
            NO_LIBRARY => {
                let names = table.names.entry(line.extension).or_default();
                names.insert(symbol, line.verdict);
            }
            library => {
                table.code.entry(library).or_default().insert(symbol, line);
            }
        }
    }
    table
}

/// One line with its symbol; nothing for the heading and for what cannot be read.
fn read_line(line: &'static str) -> Option<(ExtensionLine, &'static str)> {
    let mut columns = line.split('\t');
    let (extension, library, symbol) = (columns.next()?, columns.next()?, columns.next()?);
    let (verdict, reason) = (columns.next()?, columns.next()?);
    let verdict = match (verdict, reason) {
        ("allowed", "value" | "reads" | "volatile") => ExtensionVerdict::Allowed {
            reads: FunctionReads::Nobody,
        },
        ("allowed", "reads_rows") => ExtensionVerdict::Allowed {
            reads: FunctionReads::Anybody,
        },
        ("effects", reason) => ExtensionVerdict::Effects {
            why: BuiltinEffect::named(reason)?,
        },
        ("runs_sql", "-") => ExtensionVerdict::RunsSql,
        ("runs_literal", "-") => ExtensionVerdict::RunsLiteral,
        ("followed", "-") => ExtensionVerdict::Followed,
        _ => return None,
    };
    let line = ExtensionLine {
        extension,
        library,
        verdict,
    };
    columns.next().is_none().then_some((line, symbol))
}

static TABLE: LazyLock<ExtensionTable> = LazyLock::new(|| read_table(EXTENSIONS));

const NO_LIBRARY: &str = "-";

const EXTENSIONS: &str = include_str!("extensions.tsv");

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{EXTENSIONS, NO_LIBRARY, read_line};
    use crate::extensions::ExtensionVerdict;

    #[test]
    fn every_line_is_read_and_in_order_and_one_of_its_kind() {
        let lines: Vec<&str> = EXTENSIONS
            .lines()
            .filter(|line| !line.starts_with('#'))
            .collect();
        let unread: Vec<_> = lines
            .iter()
            .filter(|line| read_line(line).is_none())
            .collect();
        assert!(unread.is_empty(), "{unread:?}");
        assert!(lines.is_sorted());
        let mut seen = HashSet::new();
        for line in lines {
            let (line, symbol) = read_line(line).unwrap();
            assert!(
                seen.insert((line.extension, line.library, symbol)),
                "{symbol}"
            );
            // By its name alone nothing is vouched for.
            let followed = line.verdict == ExtensionVerdict::Followed;
            assert_eq!(followed, line.library == NO_LIBRARY, "{symbol}");
        }
    }
}
