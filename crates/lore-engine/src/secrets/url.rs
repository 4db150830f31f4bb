//! Passwords in addresses: `scheme://user:password@host`.

use std::ops::Range;

use super::entropy::{is_placeholder, is_token};
use super::{SecretRule, ahead};

/// What stands in every address.
pub const MARK: &str = "://";

pub static RULE: SecretRule =
    SecretRule { name: "url-password", what: "password in an address", certain: true };

/// How far the part before the host goes on at most.
const REACH: usize = 512;
/// Hosts set aside for documents, with their subdomains, and what follows the version of a container's image.
const INVENTED_HOSTS: [&str; 9] =
    ["example.com", "example.org", "example.net", "example", "test", "invalid", "host", "hostname", "sha256"];

/// The password of the address whose `://` stands here.
pub fn find_password(text: &str, mark: usize) -> Option<Range<usize>> {
    let has_scheme = text[..mark].ends_with(|character: char| character.is_ascii_alphanumeric());
    let start = mark + MARK.len();
    let rest = ahead(text, start, REACH);
    let at = rest.find(ends_password).filter(|at| rest[*at..].starts_with('@'))?;
    let (user, password) = rest[..at].split_once(':')?;
    let host = rest[at + 1..].split(ends_host).next().unwrap_or_default();
    // A development database often has a password that is none, such as the user's name.
    let is_harmless = is_local(host) && (password == user || !is_token(password));
    let is_real = has_scheme && !is_invented(host) && !is_harmless && is_password(password);
    is_real.then(|| start + user.len() + 1..start + at)
}

/// Whether no part of a name and password: what brackets, quotes or ends an address.
fn ends_password(character: char) -> bool {
    character.is_whitespace() || r#"@/?#"'`<>()[]{}|\,;"#.contains(character)
}

fn ends_host(character: char) -> bool {
    !character.is_ascii_alphanumeric() && !"-._".contains(character)
}

fn is_password(password: &str) -> bool {
    let is_variable =
        password.contains('_') && password.bytes().all(|byte| b'_' == byte || byte.is_ascii_uppercase());
    let is_port = password.len() <= 5 && password.bytes().all(|byte| byte.is_ascii_digit());
    let lower = password.to_lowercase();
    let is_marked =
        password.starts_with(['$', '%', '*', '~']) || lower.contains("xxx") || lower.contains("%3c");
    password.chars().count() >= 4
        && !password.contains(':')
        && !is_variable
        && !is_port
        && !is_marked
        && !is_placeholder(password)
}

/// Whether this machine or a container's own name.
fn is_local(host: &str) -> bool {
    !host.contains('.') || host.starts_with("127.") || host == "0.0.0.0" || host.ends_with(".local")
}

fn is_invented(host: &str) -> bool {
    let is_within =
        |name: &&str| host.strip_suffix(*name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !host.starts_with(|first: char| first.is_ascii_alphanumeric()) || INVENTED_HOSTS.iter().any(is_within)
}
