//! Where policies come from: built-in names, files, and folders of files. The only part of the
//! floors below that reads files.

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::near::nearest;
use super::{Policy, PolicySet, Problem};
use crate::limits::CONFIG_FILE_BYTES_MAX;
use crate::text_file::{self, TextFault};

/// One place that policies are read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// A policy that is part of the program, by its name.
    BuiltIn(&'static str),
    /// A file, or a folder of which every file that ends in `.yaml` is one, in the order of names.
    Path(PathBuf),
}

/// A policy, and the file or name that it comes from.
#[derive(Debug)]
pub struct Loaded {
    /// What to call it in problems.
    pub origin: String,
    /// The policy.
    pub policy: Policy,
    /// As it is written.
    pub text: String,
}

/// Why a source gives nothing.
#[derive(Debug)]
pub enum Unloaded {
    /// It cannot be read.
    Unreadable(PathBuf, TextFault),
    /// The folder has no policy.
    NothingInside,
    /// What is wrong with its files, each place with the file's name.
    Wrong(Vec<Problem>),
}

/// Reads every source anew.
///
/// # Errors
/// Everything that is wrong with them, by themselves and together.
pub fn load(sources: &[Source]) -> Result<PolicySet, Vec<Problem>> {
    let mut problems = Vec::new();
    let mut policies = Vec::new();
    for source in sources {
        match source.load() {
            Ok(loaded) => policies.extend(loaded.into_iter().map(|one| Arc::new(one.policy))),
            Err(Unloaded::Wrong(wrong)) => problems.extend(wrong),
            Err(unloaded) => problems.push(Problem {
                place: source.to_string(),
                what: unloaded.to_string(),
            }),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    PolicySet::new(policies).map_err(|wrong| {
        let problem = |wrong: &super::WrongSet| Problem {
            place: "policies".into(),
            what: wrong.to_string(),
        };
        wrong.iter().map(problem).collect()
    })
}

impl Source {
    /// The source that a word names: a built-in policy before a file of that name.
    pub fn of(word: &str) -> Self {
        let mut names = Policy::BUILT_IN.iter();
        match names.find(|(name, _)| *name == word) {
            Some((name, _)) => Self::BuiltIn(name),
            None => Self::Path(word.into()),
        }
    }

    /// Reads its policies.
    ///
    /// # Errors
    /// Why not, with everything that is wrong with them.
    pub fn load(&self) -> Result<Vec<Loaded>, Unloaded> {
        let path = match self {
            Self::BuiltIn(name) => {
                let policy = Policy::built_in(name);
                let fault = TextFault::System(io::ErrorKind::NotFound);
                let unreadable = Unloaded::Unreadable(name.into(), fault);
                let origin = (*name).to_owned();
                let mut texts = Policy::BUILT_IN.iter();
                let text = texts.find_map(|(own, text)| (own == name).then_some(*text));
                return Ok(vec![Loaded {
                    policy: policy.ok_or(unreadable)?,
                    origin,
                    text: text.unwrap_or_default().to_owned(),
                }]);
            }
            Self::Path(path) => path,
        };
        let found = fs::metadata(path).map_err(|error| Unloaded::of(path, TextFault::of(error)))?;
        if !found.is_dir() {
            let text = text_of(path).map_err(|fault| Unloaded::of(path, fault))?;
            let read = read(path, &text).map_err(Unloaded::Wrong)?;
            return Ok(vec![read]);
        }
        let (files, mut problems) =
            inside(path).map_err(|error| Unloaded::of(path, TextFault::of(error)))?;
        let mut policies = Vec::new();
        for file in &files {
            let text = regular_text_of(file).map_err(|fault| vec![unreadable(file, fault)]);
            match text.and_then(|text| read(file, &text)) {
                Ok(loaded) => policies.push(loaded),
                Err(wrong) => problems.extend(wrong),
            }
        }
        match (problems.is_empty(), policies.is_empty()) {
            (false, _) => Err(Unloaded::Wrong(problems)),
            (true, true) => Err(Unloaded::NothingInside),
            (true, false) => Ok(policies),
        }
    }

    /// Whether it can be read more than once: a pipe can not, and could keep the reader for ever.
    pub fn can_be_read_again(&self) -> bool {
        match self {
            Self::BuiltIn(_) => true,
            // One that is missing is told as such where it is read.
            Self::Path(path) => {
                fs::metadata(path).map_or(true, |found| found.is_file() || found.is_dir())
            }
        }
    }

    /// The files that it is made of as of now, and the folder: what has to be looked at to see
    /// whether they have changed.
    pub fn files(&self) -> Vec<PathBuf> {
        let Self::Path(path) = self else {
            return Vec::new();
        };
        let mut files = vec![path.clone()];
        if path.is_dir()
            && let Ok((inside, _)) = inside(path)
        {
            files.extend(inside);
        }
        files
    }
}

impl Unloaded {
    fn of(path: &Path, fault: TextFault) -> Self {
        Self::Unreadable(path.to_owned(), fault)
    }
}

impl fmt::Display for Source {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(name) => formatter.write_str(name),
            Self::Path(path) => path.display().fmt(formatter),
        }
    }
}

impl fmt::Display for Unloaded {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(path, fault) => formatter.write_str(&why(path, *fault)),
            Self::NothingInside => {
                formatter.write_str("the folder has no policy: files that end in .yaml are")
            }
            Self::Wrong(problems) => {
                let count = problems.len();
                write!(formatter, "{count} things are wrong with it")
            }
        }
    }
}

/// The policies in a folder by name, and the files that may have been meant as one and are not.
/// What begins with a dot belongs to editors and to tools that swap folders.
fn inside(folder: &Path) -> io::Result<(Vec<PathBuf>, Vec<Problem>)> {
    let (mut files, mut problems) = (Vec::new(), Vec::new());
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().map(|name| name.to_string_lossy());
        let Some(name) = name.filter(|name| !name.starts_with('.')) else {
            continue;
        };
        if name.ends_with(".yaml") && !path.is_dir() {
            files.push(path);
        } else if name.ends_with(".yml") {
            problems.push(Problem {
                place: path.display().to_string(),
                what: "would not be read as a policy: its name has to end in .yaml".into(),
            });
        }
    }
    files.sort();
    problems.sort_by(|one, other| one.place.cmp(&other.place));
    Ok((files, problems))
}

fn read(path: &Path, text: &str) -> Result<Loaded, Vec<Problem>> {
    let origin = path.display().to_string();
    match Policy::from_yaml(text) {
        Ok(policy) => Ok(Loaded {
            origin,
            policy,
            text: text.to_owned(),
        }),
        Err(mut problems) => {
            for problem in &mut problems {
                problem.place = format!("{origin}:{}", problem.place);
            }
            Err(problems)
        }
    }
}

/// The text of a file, within the bound for files of settings.
fn text_of(path: &Path) -> Result<String, TextFault> {
    text_file::read(path, CONFIG_FILE_BYTES_MAX)
}

/// The same of a file that is nothing else: a pipe could keep the reader for ever.
fn regular_text_of(path: &Path) -> Result<String, TextFault> {
    match fs::metadata(path).map_err(TextFault::of)?.is_file() {
        true => text_of(path),
        false => Err(TextFault::System(io::ErrorKind::InvalidInput)),
    }
}

fn unreadable(path: &Path, fault: TextFault) -> Problem {
    Problem {
        place: path.display().to_string(),
        what: why(path, fault),
    }
}

/// Why a file cannot be read, for whoever named it.
fn why(path: &Path, fault: TextFault) -> String {
    let told = fault.told(path);
    if fault != TextFault::System(io::ErrorKind::NotFound) {
        return format!("the file cannot be read: {told}");
    }
    let names: Vec<&str> = Policy::BUILT_IN.iter().map(|(name, _)| *name).collect();
    let near = path
        .to_str()
        .and_then(|word| nearest(word, names.iter().copied()));
    let near = near.map_or_else(String::new, |near| format!("; did you mean {near}?"));
    format!(
        "the file cannot be read: {told}; the program's own policies are {}{near}",
        names.join(", ")
    )
}

#[cfg(test)]
mod tests {
    use super::super::tests::yaml;
    use super::*;

    /// A folder of one test; removed when it ends.
    struct Folder(PathBuf);

    impl std::ops::Deref for Folder {
        type Target = Path;

        fn deref(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// A folder of its own with these files.
    fn folder(name: &str, files: &[(&str, &str)]) -> Folder {
        let own = format!("pgsieve-policies-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            fs::write(folder.join(file), text).unwrap();
        }
        Folder(folder)
    }

    fn wrong(sources: &[Source]) -> String {
        let problems = load(sources).unwrap_err();
        let shown: Vec<String> = problems.iter().map(ToString::to_string).collect();
        shown.join("\n")
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        let own = folder("pipe", &[("a.yaml", &yaml("one", "match", "user: one"))]);
        let pipe = own.join("b.yaml");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.unwrap().success());
        assert!(wrong(&[Source::Path(own.to_path_buf())]).contains("cannot be read"));
        assert!(!Source::Path(pipe).can_be_read_again());
        assert!(Source::Path(own.to_path_buf()).can_be_read_again());
    }

    #[test]
    fn names_files_and_folders_are_read_in_order() {
        let (one, two) = (
            yaml("one", "match", "user: one"),
            yaml("two", "match", "user: two"),
        );
        let own = folder(
            "order",
            &[
                ("b.yaml", &two),
                ("a.yaml", &one),
                ("c.txt", "x"),
                (".d.yaml", "x"),
            ],
        );
        let other = folder("file", &[("x", &yaml("three", "match", "user: three"))]);
        let file = other.join("x");
        let sources = [
            Source::Path(file.clone()),
            Source::of("agent"),
            Source::Path(own.to_path_buf()),
        ];
        assert_eq!(sources[1], Source::BuiltIn("agent"));
        let set = load(&sources).unwrap();
        let names: Vec<&str> = set.all().iter().map(|policy| policy.name()).collect();
        assert_eq!(names, ["three", "agent", "one", "two"]);
        assert_eq!(sources[0].files(), [file]);
        assert!(sources[1].files().is_empty());
        assert_eq!(
            sources[2].files(),
            [own.to_path_buf(), own.join("a.yaml"), own.join("b.yaml")]
        );
    }

    #[test]
    fn everything_wrong_is_said_with_the_name_of_its_file() {
        let own = folder(
            "wrong",
            &[("a.yaml", "name: a"), ("b.yaml", "x"), ("c.yml", "x")],
        );
        let said = wrong(&[Source::Path(own.to_path_buf()), Source::of("/no/such/file")]);
        for wanted in [
            "a.yaml:1:1 timeouts: this key is missing",
            "b.yaml:1:1",
            "c.yml: would not",
        ] {
            assert!(said.contains(wanted), "{said}");
        }
        assert!(
            said.contains("/no/such/file: the file cannot be read"),
            "{said}"
        );
        let empty = folder("empty", &[]);
        assert!(wrong(&[Source::Path(empty.to_path_buf())]).contains("has no policy"));
    }

    #[test]
    fn policies_that_do_not_go_together_are_told() {
        let said = wrong(&[Source::of("agent"), Source::of("bi")]);
        assert!(said.contains("neither agent nor bi has a match"), "{said}");
    }
}
