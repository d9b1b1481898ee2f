//! `pgsieve policy known`: the relations of a database that a policy lets in by wildcards, as
//! `relations.known` lists them.

use std::io::Write;

use crate::catalog::{Catalog, RelationId};
use crate::cli::policy::files;
use crate::cli::policy::rewrite::{ListedEntry, YamlWriter};
use crate::cli::policy::suggest::{names_of, of_the_server, pattern};
use crate::cli::policy::test::misused;
use crate::cli::policy::trial::world;
use crate::cli::{CommandOutcome, complain, fail, print_outcome};
use crate::policy::AccessLists;

/// The flags of `policy known`.
#[derive(clap::Args)]
#[command(after_help = EXIT_STATUS)]
pub struct PolicyKnownFlags {
    /// The database: postgres://[user[:password]@]host[:port]/[name]. Only its catalog is read.
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// The policy: a file, or the name of a built-in one.
    #[arg(value_name = "FILE")]
    file: String,
}

/// Prints the two keys.
pub fn run(flags: &PolicyKnownFlags, out: &mut impl Write) -> CommandOutcome {
    let prepared = files::read_one(&flags.file);
    let prepared = prepared.and_then(|file| Ok((file, world(Some(&flags.upstream))?)));
    let (file, world) = match prepared {
        Ok(prepared) => prepared,
        Err(problems) => return misused(&problems),
    };
    let Some(catalog) = &world.catalog else {
        return fail(format_args!("--upstream: nothing is known of the database"));
    };
    let mut written = YamlWriter::default();
    written.word(1, "new", "refuse");
    written.list(1, "known", &listed(file.policy.access(), catalog));
    print_outcome(out.write_all(written.finish().as_bytes()))
}

/// What may be read there and is not named already, whatever was known before.
fn listed(access: &AccessLists, catalog: &Catalog) -> Vec<ListedEntry> {
    let any_age = AccessLists {
        relations_known: None,
        ..access.clone()
    };
    let none_known = AccessLists {
        relations_known: Some(Vec::new()),
        ..access.clone()
    };
    let is_let_in = |id: &RelationId| {
        let (schema, name) = names_of(catalog, *id);
        let of_server = of_the_server(catalog.schema(catalog.relation(*id).schema).kind);
        !of_server && any_age.allows(schema, name) && !none_known.allows(schema, name)
    };
    let relations = catalog.relations().map(|(id, _)| id).filter(is_let_in);
    let mut words = Vec::new();
    for id in relations {
        match pattern(names_of(catalog, id)) {
            Some(word) => words.push(word),
            None => complain(format_args!(
                "relation {} has a * in its name: it is left out",
                catalog.relation_name(id)
            )),
        }
    }
    words.sort();
    let plain = |word| ListedEntry {
        word,
        comment: String::new(),
    };
    words.into_iter().map(plain).collect()
}

const EXIT_STATUS: &str = "Exit status: 0 where the keys were printed, for the section relations \
    of the file; 2 where the question was wrong.";
