//! Which of several files hold one chain, and which copy of pgsieve wrote it.
//!
//! Files are of one chain where one was put aside of the other, where one goes on behind the last
//! line of the other, and where one copy wrote both: what is missing between those is a fault.
//! Lines of before they named their copy count as a copy's of its own, or as the only one's there
//! is.
//! Two files that each begin a chain are never of one.

use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;

use crate::cli::audit::files;
use crate::cli::audit::files::{AuditFile, FileOrder, UnreadableFile};
use crate::telemetry::audit::ChainKey;
use crate::telemetry::audit::chain::ChainHead;
use crate::telemetry::audit::file_ends::{LineOrigin, last_in};

/// The files of one chain.
pub struct ChainFiles {
    /// The oldest first.
    pub files: Vec<PathBuf>,
    /// The copies that wrote it: one, unless it was given another name; none where no line names
    /// one.
    pub copies: BTreeSet<String>,
    /// Whether it is the only chain of its copy.
    pub standing: ChainStanding,
}

/// A chain among those of the same copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ChainStanding {
    /// The first.
    First,
    /// One more.
    Another,
}

/// A file, and what its ends say.
struct ReadFile {
    path: PathBuf,
    order: FileOrder,
    first: Option<LineOrigin>,
    last: Option<ChainHead>,
    copies: BTreeSet<String>,
    /// Files with the same number are of one chain.
    chain: usize,
}

/// The chains in these files, by the names of their copies; and the files that cannot be read.
pub fn chains(
    named: Vec<AuditFile>,
    key: Option<&ChainKey>,
) -> (Vec<ChainFiles>, Vec<UnreadableFile>) {
    let (mut files, mut unread) = (Vec::new(), Vec::new());
    for (place, file) in named.into_iter().enumerate() {
        match ReadFile::of(file, place, key) {
            Ok(file) => files.push(file),
            Err(unreadable) => unread.push(unreadable),
        }
    }
    join_by_links(&mut files);
    join_by_copies(&mut files);
    (collected(files), unread)
}

impl ReadFile {
    fn of(file: AuditFile, place: usize, key: Option<&ChainKey>) -> Result<Self, UnreadableFile> {
        let AuditFile {
            path,
            family,
            emptiness,
        } = file;
        let first = files::open(&path).and_then(LineOrigin::first_in);
        let ends = first.and_then(|first| Ok((first, last_in(&path, key)?)));
        let (first, last) = ends.map_err(|error| files::unreadable(&path, &error))?;
        let (last, last_copy) = last.unzip();
        let first_copy = first.as_ref().and_then(|first| first.copy.clone());
        let seq = first.as_ref().map(|first| first.seq);
        Ok(Self {
            order: files::order(seq, place, emptiness),
            path,
            first,
            last,
            copies: first_copy.into_iter().chain(last_copy.flatten()).collect(),
            chain: family,
        })
    }

    fn begins(&self) -> bool {
        self.first.as_ref().is_some_and(LineOrigin::begins)
    }
}

/// A file that goes on behind the last line of another is of its chain.
fn join_by_links(files: &mut [ReadFile]) {
    let heads = files.iter().enumerate().filter_map(|(place, file)| {
        let head = file.last?;
        Some(((head.seq + 1, head.digest), place))
    });
    let heads: HashMap<_, usize> = heads.collect();
    for place in 0..files.len() {
        let first = files.get(place).and_then(|file| file.first.as_ref());
        let before = first.and_then(|first| heads.get(&(first.seq, first.prev)));
        if let Some(before) = before {
            let (one, other) = (chain_of(files, *before), chain_of(files, place));
            join(files, one, other);
        }
    }
}

/// What one copy wrote is of its chain. Of files that name no copy it is not known who wrote them:
/// they are one more copy's, or of the one chain that there is beside them.
fn join_by_copies(files: &mut [ReadFile]) {
    let names: BTreeSet<String> = files.iter().flat_map(|file| file.copies.clone()).collect();
    for name in &names {
        let of_copy = files.iter().filter(|file| file.copies.contains(name));
        let of_copy: BTreeSet<usize> = of_copy.map(|file| file.chain).collect();
        join_around_beginnings(files, &of_copy);
    }
    let named = files.iter().filter(|file| !file.copies.is_empty());
    let named: BTreeSet<usize> = named.map(|file| file.chain).collect();
    let unnamed = |files: &[ReadFile]| -> BTreeSet<usize> {
        let chains = files.iter().map(|file| file.chain);
        chains.filter(|chain| !named.contains(chain)).collect()
    };
    let found = unnamed(files);
    join_around_beginnings(files, &found);
    if named.len() == 1 {
        let all = unnamed(files).into_iter().chain(named.clone()).collect();
        join_around_beginnings(files, &all);
    }
}

/// Joins these chains, but for those that have a beginning each: what has none goes to the first.
fn join_around_beginnings(files: &mut [ReadFile], chains: &BTreeSet<usize>) {
    let begun = files
        .iter()
        .filter(|file| file.begins() && chains.contains(&file.chain));
    let begun: BTreeSet<usize> = begun.map(|file| file.chain).collect();
    let Some(first) = begun.first().or(chains.first()).copied() else {
        return;
    };
    for chain in chains.iter().filter(|chain| !begun.contains(chain)) {
        join(files, first, *chain);
    }
}

fn chain_of(files: &[ReadFile], place: usize) -> usize {
    files.get(place).map_or(usize::MAX, |file| file.chain)
}

fn join(files: &mut [ReadFile], one: usize, other: usize) {
    for file in files.iter_mut().filter(|file| file.chain == other) {
        file.chain = one;
    }
}

fn collected(mut files: Vec<ReadFile>) -> Vec<ChainFiles> {
    files.sort_by_key(|file| (file.chain, file.order));
    let parts = files.chunk_by(|one, other| one.chain == other.chain);
    let mut chains: Vec<ChainFiles> = parts
        .map(|part| ChainFiles {
            files: part.iter().map(|file| file.path.clone()).collect(),
            copies: part.iter().flat_map(|file| file.copies.clone()).collect(),
            standing: ChainStanding::First,
        })
        .collect();
    chains.sort_by(|one, other| one.copies.cmp(&other.copies));
    let (mut seen, mut is_unnamed_seen) = (BTreeSet::new(), false);
    for chain in &mut chains {
        let is_known = match chain.copies.is_empty() {
            true => std::mem::replace(&mut is_unnamed_seen, true),
            false => chain.copies.iter().any(|copy| seen.contains(copy)),
        };
        seen.extend(chain.copies.clone());
        if is_known {
            chain.standing = ChainStanding::Another;
        }
    }
    chains
}
