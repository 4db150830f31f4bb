//! Passwords in URLs: `scheme://user:password@host`.

use std::ops::Range;

use super::entropy::{is_placeholder, is_token};
use super::{SecretRule, ahead};

/// Fixed part of every URL.
pub const SCHEME_SEPARATOR: &str = "://";

pub static RULE: SecretRule = SecretRule { name: "url-password", what: "password in a URL", certain: true };

/// Maximum number of bytes before the host.
const MAX_URL_BYTES: usize = 512;
/// Hosts reserved for documentation, with their subdomains, and what follows the tag of a container image.
const INVENTED_HOSTS: [&str; 9] =
    ["example.com", "example.org", "example.net", "example", "test", "invalid", "host", "hostname", "sha256"];

/// Returns the password in the URL whose `://` is at this offset.
pub fn find_password(text: &str, separator: usize) -> Option<Range<usize>> {
    let has_scheme = text[..separator].ends_with(|character: char| character.is_ascii_alphanumeric());
    let start = separator + SCHEME_SEPARATOR.len();
    let rest = ahead(text, start, MAX_URL_BYTES);
    let at = rest.find(ends_password).filter(|at| rest[*at..].starts_with('@'))?;
    let (user, password) = rest[..at].split_once(':')?;
    let host = rest[at + 1..].split(ends_host).next().unwrap_or_default();
    // Development databases often have a trivial password, such as the user's name.
    let is_harmless = is_local(host) && (password == user || !is_token(password));
    let is_real = has_scheme && !is_invented(host) && !is_harmless && is_password(password);
    is_real.then(|| start + user.len() + 1..start + at)
}

/// Returns whether a character ends the user and password: brackets, quotes or delimiters.
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
    let is_masked =
        password.starts_with(['$', '%', '*', '~']) || lower.contains("xxx") || lower.contains("%3c");
    password.chars().count() >= 4
        && !password.contains(':')
        && !is_variable
        && !is_port
        && !is_masked
        && !is_placeholder(password)
}

/// Returns whether the host is this machine or a container name.
fn is_local(host: &str) -> bool {
    !host.contains('.') || host.starts_with("127.") || host == "0.0.0.0" || host.ends_with(".local")
}

fn is_invented(host: &str) -> bool {
    let is_within =
        |name: &&str| host.strip_suffix(*name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'));
    !host.starts_with(|first: char| first.is_ascii_alphanumeric()) || INVENTED_HOSTS.iter().any(is_within)
}
