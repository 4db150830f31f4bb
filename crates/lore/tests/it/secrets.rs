//! Credentials: no commit gets one, whoever wrote the bytes; what is already there is found and can be removed.

mod commits;
mod conflicts;
mod faces;
mod hidden_forms;
mod purge;
mod scan;

use std::fs;

use crate::git_support::{GitVault, TOKEN};
use crate::sandbox::Ran;

/// A fake credential.
fn token() -> String {
    TOKEN.concat()
}

/// A line with the credential.
fn line() -> String {
    format!("The key is {} as of today.\n", token())
}

/// Returns bytes in UTF-16 without a byte-order mark, little-endian.
fn utf16(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

/// Asserts that neither half of the credential is in the output of a command.
#[track_caller]
fn silent(ran: Ran) -> Ran {
    let output = (ran.text() + &ran.err).to_lowercase();
    assert!(TOKEN.iter().all(|part| !output.contains(&part[4..].to_lowercase())), "{output}");
    ran
}

/// Asserts that no object of the repository contains the credential, in any form that the tests use.
#[track_caller]
fn nothing_in_git(vault: &GitVault) {
    let script = "git cat-file --batch-all-objects --batch --buffer | tr -d '\\000'";
    let objects = vault.sandbox.sh(script).out;
    for part in TOKEN {
        let found = objects.windows(part.len()).any(|window| window == part.as_bytes());
        assert!(!found, "git has {}…", &part[..4]);
    }
}

/// Returns every file of Lore's home, with its bytes.
fn home_files(vault: &GitVault) -> Vec<(String, Vec<u8>)> {
    let folder = vault.sandbox.root.join("home");
    let entries = fs::read_dir(&folder).expect("the home").map(|entry| entry.expect("an entry").path());
    entries
        .filter(|path| path.is_file())
        .map(|path| (path.display().to_string(), fs::read(&path).expect("its bytes")))
        .collect()
}
