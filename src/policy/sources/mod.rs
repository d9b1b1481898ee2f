//! Where policies come from: built-in names, files, and folders of files. The only part of the
//! floors below that reads files.

pub(super) mod shipped;

use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::layers::{ExtendedText, PolicyLayers};
use super::similar_names::nearest;
use super::{Policy, PolicyProblem, PolicySet};
use ground::limits::CONFIG_FILE_BYTES_MAX;
use ground::text_file::{self, TextFault};

/// One place that policies are read from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicySource {
    /// A policy that is part of the program, by its name.
    BuiltIn(&'static str),
    /// A file, or a folder of which every file that ends in `.yaml` is one, in the order of names.
    Path(PathBuf),
}

/// A policy, and the file or name that it comes from.
#[derive(Debug)]
pub struct LoadedPolicy {
    /// What to call it in problems.
    pub origin: String,
    /// The policy.
    pub policy: Policy,
    /// As it is written, with what it extends.
    pub layers: Arc<PolicyLayers>,
}

/// Why a source gives nothing.
#[derive(Debug)]
pub enum PolicyLoadError {
    /// It cannot be read.
    Unreadable(PathBuf, TextFault),
    /// The folder has no policy.
    NothingInside,
    /// What is wrong with its files, each place with the file's name.
    Wrong(Vec<PolicyProblem>),
}

/// Reads every source anew.
///
/// # Errors
/// Everything that is wrong with them, by themselves and together.
pub fn load(sources: &[PolicySource]) -> Result<PolicySet, Vec<PolicyProblem>> {
    let mut problems = Vec::new();
    let mut policies = Vec::new();
    for source in sources {
        match source.load() {
            Ok(loaded) => policies.extend(loaded.into_iter().map(|one| Arc::new(one.policy))),
            Err(PolicyLoadError::Wrong(wrong)) => problems.extend(wrong),
            Err(unloaded) => problems.push(PolicyProblem {
                place: source.to_string(),
                what: unloaded.to_string(),
            }),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    PolicySet::new(policies).map_err(|wrong| {
        let problem = |wrong: &super::PolicySetError| PolicyProblem {
            place: "policies".into(),
            what: wrong.to_string(),
        };
        wrong.iter().map(problem).collect()
    })
}

impl PolicySource {
    /// The source that a word names: a built-in policy before a file of that name.
    pub fn of(word: &str) -> Self {
        let mut names = Policy::BUILT_IN.iter();
        match names.find(|(name, _)| *name == word) {
            Some((name, _)) => Self::BuiltIn(name),
            None => Self::Path(word.into()),
        }
    }

    /// Whether it is a folder, of which a server uses all policies together.
    pub fn is_folder(&self) -> bool {
        match self {
            Self::BuiltIn(_) => false,
            Self::Path(path) => path.is_dir(),
        }
    }

    /// Reads its policies.
    ///
    /// # Errors
    /// Why not, with everything that is wrong with them.
    pub fn load(&self) -> Result<Vec<LoadedPolicy>, PolicyLoadError> {
        let path = match self {
            Self::BuiltIn(name) => {
                let fault = TextFault::System(io::ErrorKind::NotFound);
                let unreadable = PolicyLoadError::Unreadable(name.into(), fault);
                let text = Policy::text_of(name).ok_or(unreadable)?;
                let layers = PolicyLayers::read(built_in(name, text), find);
                let read = layers.and_then(|layers| LoadedPolicy::of(name, layers));
                return Ok(vec![read.map_err(PolicyLoadError::Wrong)?]);
            }
            Self::Path(path) => path,
        };
        let found =
            fs::metadata(path).map_err(|error| PolicyLoadError::of(path, TextFault::of(error)))?;
        if !found.is_dir() {
            let text = text_of(path).map_err(|fault| PolicyLoadError::of(path, fault))?;
            let read = read(path, &text).map_err(PolicyLoadError::Wrong)?;
            return Ok(vec![read]);
        }
        let (files, mut problems) =
            inside(path).map_err(|error| PolicyLoadError::of(path, TextFault::of(error)))?;
        let mut policies = Vec::new();
        for file in &files {
            let text = regular_text_of(file).map_err(|fault| vec![unreadable(file, fault)]);
            match text.and_then(|text| read(file, &text)) {
                Ok(loaded) => policies.push(loaded),
                Err(wrong) => problems.extend(wrong),
            }
        }
        match (problems.is_empty(), policies.is_empty()) {
            (false, _) => Err(PolicyLoadError::Wrong(problems)),
            (true, true) => Err(PolicyLoadError::NothingInside),
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

    /// The files that it is made of as of now, what they extend included, and the folder: what has
    /// to be looked at to see whether they have changed.
    pub fn files(&self) -> Vec<PathBuf> {
        let Self::Path(path) = self else {
            return Vec::new();
        };
        let mut files = vec![path.clone()];
        let mut policies = vec![path.clone()];
        if path.is_dir()
            && let Ok((inside, _)) = inside(path)
        {
            files.extend(inside.iter().cloned());
            policies = inside;
        }
        for policy in policies {
            let Ok(text) = regular_text_of(&policy) else {
                continue;
            };
            // Those that cannot be read are looked at too: they may come.
            let _ = PolicyLayers::read(in_file(&policy, text), |word, origin| {
                if let Some(file) = file_of(word, origin)
                    && !files.contains(&file)
                {
                    files.push(file);
                }
                find(word, origin)
            });
        }
        files
    }
}

impl LoadedPolicy {
    fn of(origin: &str, layers: PolicyLayers) -> Result<Self, Vec<PolicyProblem>> {
        Ok(Self {
            origin: origin.to_owned(),
            policy: Policy::of_layers(&layers)?,
            layers: Arc::new(layers),
        })
    }
}

impl PolicyLoadError {
    fn of(path: &Path, fault: TextFault) -> Self {
        Self::Unreadable(path.to_owned(), fault)
    }
}

impl fmt::Display for PolicySource {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BuiltIn(name) => formatter.write_str(name),
            Self::Path(path) => path.display().fmt(formatter),
        }
    }
}

impl fmt::Display for PolicyLoadError {
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
fn inside(folder: &Path) -> io::Result<(Vec<PathBuf>, Vec<PolicyProblem>)> {
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
            problems.push(PolicyProblem {
                place: path.display().to_string(),
                what: "would not be read as a policy: its name has to end in .yaml".into(),
            });
        }
    }
    files.sort();
    problems.sort_by(|one, other| one.place.cmp(&other.place));
    Ok((files, problems))
}

/// A policy in a file, from its text.
///
/// # Errors
/// Everything that is wrong with it, each place with its file.
pub fn read(path: &Path, text: &str) -> Result<LoadedPolicy, Vec<PolicyProblem>> {
    let layers = PolicyLayers::read(in_file(path, text.to_owned()), find)?;
    LoadedPolicy::of(&path.display().to_string(), layers)
}

/// A policy in no file. It can only extend built-in ones.
///
/// # Errors
/// What is wrong with it before it is read as a policy.
pub fn layers_of_text(text: &str) -> Result<PolicyLayers, Vec<PolicyProblem>> {
    let own = ExtendedText {
        origin: String::new(),
        identity: String::new(),
        text: text.to_owned(),
    };
    PolicyLayers::read(own, |word, _| match Policy::text_of(word) {
        Some(text) => Ok(built_in(word, text)),
        None => Err(format!(
            "{word} is none of the program's own policies ({}), and what is in no file extends no \
             other",
            names()
        )),
    })
}

/// What a policy of this origin calls so: a built-in one before a file, whose path begins where
/// the policy is.
fn find(word: &str, origin: &str) -> Result<ExtendedText, String> {
    if let Some(text) = Policy::text_of(word) {
        return Ok(built_in(word, text));
    }
    let file = file_of(word, origin).unwrap_or_else(|| word.into());
    match fs::metadata(&file) {
        Ok(found) if found.is_dir() => Err(format!(
            "{word} is a folder, and one policy is extended: name a file in it"
        )),
        Ok(_) | Err(_) => match regular_text_of(&file) {
            Ok(text) => Ok(in_file(&file, text)),
            Err(fault) => Err(format!("{word}: {}", why(&file, fault))),
        },
    }
}

/// The file that a policy of this origin calls so; none where that is a built-in one.
fn file_of(word: &str, origin: &str) -> Option<PathBuf> {
    if Policy::text_of(word).is_some() {
        return None;
    }
    let folder = Path::new(origin).parent();
    Some(folder.map_or_else(|| word.into(), |folder| folder.join(word)))
}

fn built_in(name: &str, text: &str) -> ExtendedText {
    ExtendedText {
        origin: name.to_owned(),
        // No file has this name.
        identity: format!("\0{name}"),
        text: text.to_owned(),
    }
}

fn in_file(path: &Path, text: String) -> ExtendedText {
    let found = fs::canonicalize(path);
    let identity = found.unwrap_or_else(|_| path.to_owned());
    ExtendedText {
        origin: path.display().to_string(),
        identity: identity.to_string_lossy().into_owned(),
        text,
    }
}

/// The program's own policies, for messages.
fn names() -> String {
    let names: Vec<&str> = Policy::BUILT_IN.iter().map(|(name, _)| *name).collect();
    names.join(", ")
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

fn unreadable(path: &Path, fault: TextFault) -> PolicyProblem {
    PolicyProblem {
        place: path.display().to_string(),
        what: why(path, fault),
    }
}

/// Why a file cannot be read, for whoever named it.
fn why(path: &Path, fault: TextFault) -> String {
    let told = fault.describe(path);
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
    struct TestFolder(PathBuf);

    impl std::ops::Deref for TestFolder {
        type Target = Path;

        fn deref(&self) -> &Path {
            &self.0
        }
    }

    impl Drop for TestFolder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    /// A folder of its own with these files.
    fn folder(name: &str, files: &[(&str, &str)]) -> TestFolder {
        let own = format!("pgsieve-policies-{}-{name}", std::process::id());
        let folder = std::env::temp_dir().join(own);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).unwrap();
        for (file, text) in files {
            fs::write(folder.join(file), text).unwrap();
        }
        TestFolder(folder)
    }

    fn wrong(sources: &[PolicySource]) -> String {
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
        assert!(wrong(&[PolicySource::Path(own.to_path_buf())]).contains("cannot be read"));
        assert!(!PolicySource::Path(pipe).can_be_read_again());
        assert!(PolicySource::Path(own.to_path_buf()).can_be_read_again());
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
            PolicySource::Path(file.clone()),
            PolicySource::of("agent"),
            PolicySource::Path(own.to_path_buf()),
        ];
        assert_eq!(sources[1], PolicySource::BuiltIn("agent"));
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
            &[("a.yaml", "mode: a"), ("b.yaml", "x"), ("c.yml", "x")],
        );
        let said = wrong(&[
            PolicySource::Path(own.to_path_buf()),
            PolicySource::of("/no/such/file"),
        ]);
        for wanted in [
            "a.yaml:1:1 name: this key is missing",
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
        assert!(wrong(&[PolicySource::Path(empty.to_path_buf())]).contains("has no policy"));
    }

    #[test]
    fn what_is_extended_is_looked_for_where_the_policy_is() {
        let own = folder(
            "extends",
            &[
                ("a.yaml", "name: a\nextends: base/b\nmatch: {user: a}"),
                ("c.yaml", "name: c\nextends: ./a.yaml\nmatch: {user: c}"),
                (".d", "name: d\nextends: ../nothing"),
            ],
        );
        fs::create_dir(own.join("base")).unwrap();
        let base = own.join("base").join("b");
        fs::write(&base, "extends: strict\nrelations: {allow: [shop.orders]}").unwrap();
        let sources = [PolicySource::Path(own.to_path_buf())];
        let version = || {
            let set = load(&sources).unwrap();
            set.all()
                .iter()
                .map(|policy| policy.version().to_owned())
                .collect::<Vec<_>>()
        };
        let before = version();
        assert_eq!(before.len(), 2);
        let files = sources[0].files();
        assert!(
            files.contains(&base) && files.contains(&own.join("./a.yaml")),
            "{files:?}"
        );
        fs::write(&base, "extends: strict\nrelations: {allow: [shop.sums]}").unwrap();
        let after = version();
        assert!(
            before
                .iter()
                .zip(&after)
                .all(|(before, after)| before != after)
        );
        fs::write(&base, "extends: ../a.yaml").unwrap();
        let said = wrong(&sources);
        assert!(
            said.contains("base/b:1:10 extends: ../a.yaml extends itself in the end"),
            "{said}"
        );
        fs::write(&base, "mode: off").unwrap();
        let said = wrong(&sources);
        assert!(
            said.contains("base/b:1:7 mode: one of enforce, observe"),
            "{said}"
        );
        let hidden = wrong(&[PolicySource::Path(own.join(".d"))]);
        assert!(
            hidden.contains(".d:2:10 extends: ../nothing: the file cannot be read"),
            "{hidden}"
        );
        for (word, wanted) in [
            ("base", "base is a folder, and one policy is extended"),
            ("agnt", "the program's own policies are agent, bi,"),
        ] {
            let file = own.join("e");
            fs::write(&file, format!("name: e\nextends: {word}")).unwrap();
            let said = wrong(&[PolicySource::Path(file)]);
            assert!(said.contains(wanted), "{said}");
        }
        // A path is looked at by where it leads, so that a link is no way around.
        let link = own.join("base").join("link");
        std::os::unix::fs::symlink(own.join("a.yaml"), &link).unwrap();
        fs::write(&base, "extends: link").unwrap();
        assert!(wrong(&sources).contains("extends: link extends itself in the end"));
    }

    #[test]
    fn policies_that_do_not_go_together_are_told() {
        let said = wrong(&[PolicySource::of("agent"), PolicySource::of("bi")]);
        assert!(said.contains("neither agent nor bi has a match"), "{said}");
    }
}
