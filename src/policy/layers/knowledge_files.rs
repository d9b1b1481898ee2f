//! The files of knowledge that a policy names: `knowledge: [shop.yaml]`, or `files` beside records
//! of its own.

use super::super::yaml::tree::{YamlEntry, YamlPlace, YamlTree, YamlValue};

/// The key that names them.
pub(super) const PATH: &str = "knowledge.files";

/// Takes the names of files out of a policy, each with its place; what is left are records.
///
/// # Errors
/// The place of what is no list of words.
pub(super) fn take(policy: &mut YamlTree) -> Result<Vec<(YamlPlace, String)>, YamlPlace> {
    let YamlValue::Map(entries) = &mut policy.value else {
        return Ok(Vec::new());
    };
    let Some(at) = entries.iter().position(|entry| entry.key == "knowledge") else {
        return Ok(Vec::new());
    };
    if let Some(YamlEntry { tree, .. }) = entries.get_mut(at)
        && let YamlValue::Map(records) = &mut tree.value
    {
        let files = records.iter().position(|entry| entry.key == "files");
        return files.map_or(Ok(Vec::new()), |files| words(records.remove(files).tree));
    }
    words(entries.remove(at).tree)
}

/// The records of a file, as a policy that has nothing else.
pub(super) fn as_policy(records: YamlTree) -> YamlTree {
    let place = records.place;
    let entry = YamlEntry {
        key: "knowledge".to_owned(),
        place,
        tree: records,
    };
    YamlTree {
        value: YamlValue::Map(vec![entry]),
        place,
    }
}

fn words(list: YamlTree) -> Result<Vec<(YamlPlace, String)>, YamlPlace> {
    let place = list.place;
    let YamlValue::List(list) = list.value else {
        return Err(place);
    };
    let words = list.into_iter().map(|item| match item.value {
        YamlValue::Word(word) if !word.is_empty() => Ok((item.place, word)),
        _ => Err(item.place),
    });
    words.collect()
}
