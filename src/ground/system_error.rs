//! What the operating system refused, in the words of whoever has to mend it: one place for all
//! files and addresses, so that no message has the system's own words or lacks the path.

use std::io::ErrorKind;
use std::path::Path;

/// Why a file cannot be used.
pub fn of_file(path: &Path, kind: ErrorKind) -> String {
    let shown = path.display();
    match kind {
        ErrorKind::NotFound if path.is_relative() => {
            format!("no such file: {shown}, looked for from the folder that pgsieve was started in")
        }
        ErrorKind::NotFound => format!("no such file: {shown}"),
        ErrorKind::PermissionDenied => format!(
            "permission denied: {shown} must be open to the user that pgsieve runs as; chown or \
             chmod it"
        ),
        ErrorKind::IsADirectory => format!("{shown} is a folder, and a file is wanted"),
        ErrorKind::NotADirectory => {
            format!("a part of {shown} is a file, and a folder is wanted there")
        }
        ErrorKind::FileTooLarge => format!("{shown} is longer than it may be"),
        ErrorKind::InvalidData => format!("{shown} is not text of UTF-8: save it as UTF-8"),
        kind => format!("{shown}: {kind}"),
    }
}

/// Why a file cannot be made or written; `folder_exists` says whether there is the folder that it
/// stands in.
pub fn of_new_file(path: &Path, kind: ErrorKind, folder_exists: bool) -> String {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match (kind, folder) {
        (ErrorKind::NotFound, Some(folder)) if !folder_exists => {
            let folder = folder.display();
            format!(
                "the folder of {} is missing: make it first, as with mkdir -p {folder}",
                path.display()
            )
        }
        (kind, _) => of_file(path, kind),
    }
}

/// Why an address cannot be listened at.
pub fn of_address(address: &str, kind: ErrorKind) -> String {
    let (host, port) = address.rsplit_once(':').unwrap_or((address, ""));
    match kind {
        ErrorKind::AddrInUse => format!(
            "{address} is in use by another program (ss -ltnp 'sport = :{port}' names it): end \
             that one or choose another port"
        ),
        ErrorKind::AddrNotAvailable => format!(
            "no interface of this host has the address of {address}: name one of its own, or \
             0.0.0.0:{port} for all"
        ),
        ErrorKind::PermissionDenied => format!(
            "permission denied for {address}: ports below 1024 are for root; choose a higher one \
             than {port}"
        ),
        kind => format!("{address} ({host}) cannot be listened at: {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_message_has_the_path_or_address() {
        let kinds = [
            ErrorKind::NotFound,
            ErrorKind::PermissionDenied,
            ErrorKind::IsADirectory,
            ErrorKind::NotADirectory,
            ErrorKind::FileTooLarge,
            ErrorKind::InvalidData,
            ErrorKind::AddrInUse,
            ErrorKind::AddrNotAvailable,
            ErrorKind::Other,
        ];
        for kind in kinds {
            for path in ["/a/b", "a/b"] {
                assert!(of_file(Path::new(path), kind).contains(path), "{kind}");
                assert!(
                    of_new_file(Path::new(path), kind, false).contains(path),
                    "{kind}"
                );
            }
            assert!(
                of_address("127.0.0.1:1", kind).contains("127.0.0.1:1"),
                "{kind}"
            );
        }
        let made = of_new_file(Path::new("a/b/c"), ErrorKind::NotFound, false);
        assert!(made.contains("mkdir -p a/b"), "{made}");
        let made = of_new_file(Path::new("c"), ErrorKind::NotFound, true);
        assert!(made.contains("no such file: c"), "{made}");
    }
}
