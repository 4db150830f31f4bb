//! Secrets recognized only by the name they are assigned to: `api_key = …`, `"client_secret": "…"`, `**Password:** …`.

use std::ops::Range;

use super::SecretRule;
use super::entropy::{is_mixed, is_placeholder, is_random};

/// Last words of names that secrets are assigned to, in their usual spellings.
pub const WORDS: [&str; 15] = [
    "password", "Password", "PASSWORD", "passwd", "Passwd", "PASSWD", "secret", "Secret", "SECRET", "token",
    "Token", "TOKEN", "key", "Key", "KEY",
];

/// A rule for values assigned to a name.
pub struct Assigned {
    pub rule: SecretRule,
    fits: fn(&Assignment<'_>) -> bool,
}

/// A name and its value.
struct Assignment<'a> {
    /// End of the text before the sign on its line, reduced to lower-case letters and digits.
    name: String,
    value: &'a str,
}

/// Maximum number of bytes read before the sign.
const NAME: usize = 48;
/// Maximum number of bytes of a value.
const VALUE: usize = 512;
/// Minimum number of characters of a value judged by its randomness.
const MIN_VALUE_CHARS: usize = 16;
/// Names of secret keys. Most other names that end in `key` are not secret.
const SECRET_KEYS: [&str; 4] = ["apikey", "accesskey", "secretkey", "accountkey"];
/// Words that mark a value as a checksum or as public.
const PUBLIC: [&str; 7] = ["commit", "sha", "hash", "checksum", "digest", "revision", "public"];

const fn assigned(
    name: &'static str,
    what: &'static str,
    certain: bool,
    fits: fn(&Assignment<'_>) -> bool,
) -> Assigned {
    Assigned { rule: SecretRule { name, what, certain }, fits }
}

/// Rules for assignments, most specific first.
pub static RULES: [Assigned; 4] = [
    assigned("aws-secret-key", "AWS secret access key", true, is_aws_secret),
    assigned("cloudflare-token", "Cloudflare token or key", true, is_cloudflare_token),
    assigned("heroku-key", "Heroku key", false, is_heroku_key),
    assigned("high-entropy-assignment", "random value assigned to a secret's name", false, is_high_entropy),
];

/// Returns the secret assigned to the name that ends with this word: index of the rule, the rule, and the byte range.
pub fn find(text: &str, word: Range<usize>) -> Option<(usize, &'static SecretRule, Range<usize>)> {
    let start = value_start(text.as_bytes(), word.end)?;
    let value = value(&text[start..])?;
    let assignment = Assignment { name: name(&text.as_bytes()[..word.end]), value };
    if assignment.name.ends_with("key") && !SECRET_KEYS.iter().any(|key| assignment.name.ends_with(key)) {
        return None;
    }
    let (at, assigned) = RULES.iter().enumerate().find(|(_, assigned)| (assigned.fits)(&assignment))?;
    Some((at, &assigned.rule, start..start + value.len()))
}

/// Returns the start of the value if an assignment sign follows the name.
fn value_start(bytes: &[u8], name_end: usize) -> Option<usize> {
    let skip = |from: usize, among: &[u8]| {
        from + bytes[from..].iter().take(8).take_while(|byte| among.contains(byte)).count()
    };
    let sign = skip(skip(name_end, b"\"'`*\\])"), b" \t");
    let after = skip(sign, b":=");
    let is_assigned = after > sign && !bytes[sign..after].starts_with(b"::");
    is_assigned.then(|| skip(skip(after, b"> \t"), b"\"'`*\\ "))
}

/// Returns the value at the start of the text, unless an expression or a link starts there.
fn value(text: &str) -> Option<&str> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || b"_+/=.~!@#$%^*?-".contains(byte);
    let length = text.bytes().take(VALUE).take_while(is_part).count();
    let is_expression = text[length..].starts_with(['(', '[', '{', '<', ':']);
    let value = text[..length].trim_end_matches(['.', '!', '?', '*', '_']);
    (!is_expression && value.len() >= MIN_VALUE_CHARS).then_some(value)
}

fn name(before: &[u8]) -> String {
    let context = &before[before.len().saturating_sub(NAME)..];
    let line = context.rsplit(|byte| *byte == b'\n').next().unwrap_or(context);
    let letters = line.iter().filter(|byte| byte.is_ascii_alphanumeric());
    letters.map(|byte| char::from(byte.to_ascii_lowercase())).collect()
}

fn is_aws_secret(assignment: &Assignment<'_>) -> bool {
    let Assignment { name, value } = assignment;
    let is_named = name.ends_with("secretaccesskey") || (name.contains("aws") && name.ends_with("secretkey"));
    let is_key = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'/' || byte == b'+';
    is_named && value.len() == 40 && value.bytes().all(is_key) && is_mixed(value)
}

fn is_cloudflare_token(assignment: &Assignment<'_>) -> bool {
    let Assignment { name, value } = assignment;
    let is_named = name.contains("cloudflare") || name.ends_with("cfapitoken") || name.ends_with("cfapikey");
    let is_token = value.len() == 40 && is_mixed(value);
    let is_key = value.len() == 37 && is_hex(value) && is_random(value);
    is_named && (is_token || is_key)
}

fn is_heroku_key(assignment: &Assignment<'_>) -> bool {
    assignment.name.contains("heroku") && is_uuid(assignment.value) && !is_placeholder(assignment.value)
}

fn is_high_entropy(assignment: &Assignment<'_>) -> bool {
    let Assignment { name, value } = assignment;
    // A checksum is as random as a secret; only the words around it distinguish the two.
    let is_checksum = is_hex(value) && PUBLIC.iter().any(|word| name.contains(word));
    let is_labelled = value.starts_with("sha") && value.contains('-');
    // Paths, variables and handles.
    let is_reference = value.starts_with(['$', '%', '/', '.', '~', '@', '#', '=']) || is_file(value);
    is_random(value) && !is_uuid(value) && !is_checksum && !is_labelled && !is_reference
}

fn is_hex(value: &str) -> bool {
    value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

fn is_uuid(value: &str) -> bool {
    let lengths = value.split('-').map(str::len);
    lengths.eq([8, 4, 4, 4, 12]) && value.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

/// Returns whether the value is a path to a file: it ends with an extension.
fn is_file(value: &str) -> bool {
    let extension = value.rsplit_once('.').map_or("", |(_, extension)| extension);
    (2..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_lowercase())
}
