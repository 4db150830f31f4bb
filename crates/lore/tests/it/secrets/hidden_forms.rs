//! Credentials that are split or encoded are refused like plain ones.

use super::{nothing_in_git, silent, token};
use crate::git_support::{GitVault, TOKEN};

/// Returns a text in base64.
fn base64(text: &str) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digit = |chunk: &[u8], at: usize| {
        let bits = chunk.iter().chain([&0, &0]).take(3).fold(0u32, |bits, byte| bits << 8 | u32::from(*byte));
        let is_padding = at > chunk.len();
        if is_padding { '=' } else { char::from(DIGITS[(bits >> (18 - 6 * at) & 63) as usize]) }
    };
    text.as_bytes().chunks(3).flat_map(|chunk| (0..4).map(move |at| digit(chunk, at))).collect()
}

#[test]
fn disguised_credentials_are_refused_and_named() {
    let vault = GitVault::with_profile("notes");
    vault.put("page", "# Page\n").ok();
    let [first, rest] = TOKEN;
    let percent: String = token().bytes().map(|byte| format!("%{byte:02x}")).collect();
    let hex: String = token().bytes().map(|byte| format!("{byte:02x}")).collect();
    for (text, form) in [
        (format!("{first}\n{rest}\n"), "split over lines"),
        (format!("> key {first}\n> {rest}\n"), "split over lines"),
        (format!("- key {first}  \n  {rest}\n"), "split over lines"),
        (format!("{first}\u{200b}{rest}\n"), "split over lines"),
        (format!("data: {}\n", base64(&token())), "in base64"),
        (format!("data: {}\n", base64(&base64(&token()))), "in base64"),
        (format!("https://acme.io/?key={percent}\n"), "URL-encoded"),
        (format!("https://acme.io/?key={}\n", token().replace('_', "%5F")), "URL-encoded"),
        (format!("dump {hex}\n"), "in hexadecimal"),
    ] {
        let ran = silent(vault.refuses(|| vault.put("keys", &text)));
        ran.says(&format!("[github-token, {form}]")).says("keys.md:1");
        silent(vault.refuses(|| vault.lore(&["edit", "page", "--append", &text])));
        silent(vault.refuses(|| vault.lore(&["capture", &text])));
    }
    nothing_in_git(&vault);
}

#[test]
fn page_with_a_nul_byte_or_in_utf16_is_refused() {
    let vault = GitVault::with_profile("notes");
    for bytes in [format!("a\0b {}\n", token()).into_bytes(), super::utf16(&super::line())] {
        let file = vault.sandbox.root.join("text.md");
        std::fs::write(&file, bytes).expect("a file");
        let path = file.to_string_lossy().into_owned();
        silent(vault.refuses(|| vault.lore(&["put", "keys", &path]))).says("[github-token]");
    }
}
