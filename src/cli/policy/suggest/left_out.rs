//! What a policy that is proposed does not have of what an audit has seen, and why.

use crate::cli::complain;
use crate::cli::policy::suggest::audit_reads::{AuditReads, SeenCount};
use crate::cli::policy::suggest::{is_of_the_server, names_of};
use crate::gate::effects::graph::EffectGraph;

/// What is left out, beside what was refused or not recorded.
#[derive(Default)]
pub struct LeftOut {
    /// What cannot be in a policy, each with the reason.
    pub lost: Vec<String>,
    /// Functions that run without being named.
    pub unneeded: Vec<String>,
    /// How many relations of the server's own were read.
    pub of_server: u64,
}

impl LeftOut {
    /// Takes in what no policy shows that hides anything: what the server itself holds of the data
    /// and texts of others. A superuser reads it past pgsieve.
    pub fn take_hidden(&mut self, seen: &AuditReads, effect_graph: &EffectGraph) {
        let (catalog, Some(mask)) = (effect_graph.catalog(), effect_graph.mask()) else {
            return;
        };
        for (id, _) in catalog.relations() {
            let (schema, name) = names_of(catalog, id);
            let told = format!("{schema}.{name}");
            if !is_of_the_server(&told) || !seen.relations.contains_key(&told) {
                continue;
            }
            if mask.hides(id) {
                self.lost.push(format!("relation {told} {HOLDS_OF_OTHERS}"));
                continue;
            }
            let columns = catalog.columns_of(id).iter();
            let hidden = columns.filter(|column| mask.hides_column(id, column.number));
            let hidden: Vec<&str> = hidden
                .map(|column| catalog.names().text(column.name))
                .collect();
            if !hidden.is_empty() {
                let hidden = hidden.join(", ");
                self.lost
                    .push(format!("{told}: column {hidden} {HOLDS_OF_OTHERS}"));
            }
        }
    }

    /// Says all of it. Settings that were set are those that the base does not give.
    pub fn print(&self, seen: &AuditReads, base: &str, not_given: &[(&String, &SeenCount)]) {
        print_reason(
            seen.unrecorded,
            "statements without what they name (audit.names: off, or an older version), so that \
             what they read may be missing",
        );
        print_reason(
            seen.cut,
            "statements that name more than a line of the audit holds, so that what they read may \
             be missing",
        );
        print_reason(
            seen.refused,
            "statements that were refused, so that what they name is left out",
        );
        for (by, times) in &seen.refused_by {
            complain(format_args!("  refused by {by}: {times}"));
        }
        for (database, times) in &seen.elsewhere {
            complain(format_args!(
                "statements in database {database}, which --upstream does not name, are left out: \
                 {times}"
            ));
        }
        print_reason(
            seen.of_others,
            "statements of users or applications that were not asked for, so that they are left \
             out",
        );
        print_reason(seen.unreadable, "lines that are none of an audit");
        print_reason(
            self.of_server,
            "relations of the server's own, which need no naming, are not listed",
        );
        if !self.unneeded.is_empty() {
            let all = self.unneeded.join(", ");
            complain(format_args!(
                "functions that need no naming, because it is known what they run: {all}"
            ));
        }
        for lost in &self.lost {
            complain(format_args!("{lost}"));
        }
        for (name, often) in not_given {
            complain(format_args!(
                "setting {name} was set ({}) and is not in settings.allow of {base}: it is left out",
                often.in_words()
            ));
        }
    }
}

/// Why some of the server's own cannot be in a policy.
const HOLDS_OF_OTHERS: &str = "holds data, texts or secrets of others: no policy that hides \
                               anything shows it, so that reading it is refused";

fn print_reason(count: u64, words: &str) {
    if count > 0 {
        complain(format_args!("{words}: {count}"));
    }
}
