//! Distinguishes random credentials from placeholders, names and phrases.

use base64::Engine as _;
use base64::alphabet;
use base64::engine::general_purpose::{GeneralPurpose, NO_PAD};

/// Base64 without padding. Some encoders leave bits set at the end.
const LENIENT: GeneralPurpose =
    GeneralPurpose::new(&alphabet::STANDARD, NO_PAD.with_decode_allow_trailing_bits(true));

/// Words that mark a value as a placeholder.
const INVENTED: &str = "example xxxx your ... … *** ••• redacted placeholder changeme dummy sample";

/// Words that placeholder passwords are made of, longer ones before their prefixes.
const FILLER: &str = "passphrase password passwort p@ssw0rd passw0rd passwd pass pwd pw secret token keys key api \
    access auth username user name login admin root guest test my the some super strong very here value goes foobar \
    foo bar baz postgres mysql mongo redis rabbit database default demo local private github gitlab dev db pat app \
    qwerty";

/// Minimum number of distinct characters in a random value of 16 or more.
const DISTINCT: u32 = 6;
/// Length of a sequence, such as `1234567`, that is not random.
const SEQUENCE: usize = 7;
/// Number of equal characters in a row that is not random.
const REPEAT: usize = 6;

/// Returns whether the value is an obvious placeholder.
pub fn is_placeholder(value: &str) -> bool {
    let lower = value.to_lowercase();
    INVENTED.split(' ').any(|word| lower.contains(word))
        || has_steps(lower.as_bytes(), 1, SEQUENCE)
        || has_steps(lower.as_bytes(), 2, SEQUENCE)
        || longest(lower.as_bytes(), 1, |before, after| before == after) >= REPEAT
        || distinct(lower.as_bytes()) < if value.len() < 16 { 3 } else { DISTINCT }
        || is_filler(&lower)
}

/// Returns whether the value is neither a placeholder nor a phrase, which suffices for formats with a distinctive
/// prefix.
pub fn is_token(value: &str) -> bool {
    !is_phrase(value) && !is_placeholder(value)
}

/// Returns whether a token contains upper case, lower case and digits, which no checksum does.
pub fn is_mixed(value: &str) -> bool {
    has(value, u8::is_ascii_digit)
        && has(value, u8::is_ascii_lowercase)
        && has(value, u8::is_ascii_uppercase)
        && is_token(value)
}

/// Returns whether a value is a random mixture of letters and digits, without any other clue.
pub fn is_random(value: &str) -> bool {
    let is_hex = value.bytes().all(|byte| byte.is_ascii_hexdigit());
    has(value, u8::is_ascii_digit)
        && has(value, u8::is_ascii_alphabetic)
        && bits(value) >= if is_hex { 3.0 } else { 3.5 }
        && !is_named(value)
        && !is_placeholder(value)
}

fn has(value: &str, class: fn(&u8) -> bool) -> bool {
    value.as_bytes().iter().any(class)
}

/// Returns whether a value consists of words and short numbers: `put-Token-HERE-1`.
fn is_phrase(value: &str) -> bool {
    parts(value).all(|part| {
        let tail = part.get(1..).unwrap_or_default().as_bytes();
        tail.iter().all(u8::is_ascii_lowercase)
            || part.bytes().all(|byte| byte.is_ascii_uppercase())
            || (part.len() <= 4 && part.bytes().all(|byte| byte.is_ascii_digit()))
    })
}

/// Returns whether a value consists of words and numbers, as in names like `backup-2024-NodeSet3` or constants like
/// `D3D_TOKEN`.
fn is_named(value: &str) -> bool {
    parts(value).all(|part| {
        let word = part.trim_matches(|character: char| character.is_ascii_digit());
        let digits = part.len() - word.len();
        word.bytes().all(|byte| byte.is_ascii_alphabetic()) && (word.is_empty() || digits <= 3)
    }) || (value.contains('_')
        && !has(value, |byte| !byte.is_ascii_uppercase() && !byte.is_ascii_digit() && *byte != b'_'))
}

fn parts(value: &str) -> impl Iterator<Item = &str> {
    value.split(|character: char| !character.is_ascii_alphanumeric())
}

/// Returns whether nothing is left after removing filler words such as `my`, `secret` and `password` and a short
/// number.
pub fn is_filler(lower: &str) -> bool {
    let mut rest = lower;
    let mut others = 0;
    while let Some(first) = rest.chars().next() {
        if let Some(tail) = FILLER.split(' ').find_map(|word| rest.strip_prefix(word)) {
            rest = tail;
        } else if first.is_alphabetic() || others == 5 {
            return false;
        } else {
            others += 1;
            rest = &rest[first.len_utf8()..];
        }
    }
    true
}

/// Returns the Shannon entropy in bits per byte.
pub fn bits(value: &str) -> f64 {
    let mut counts = [0u32; 256];
    value.bytes().for_each(|byte| counts[usize::from(byte)] += 1);
    let length = value.len() as f64;
    let shares = counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / length);
    -shares.map(|share| share * share.log2()).sum::<f64>()
}

/// Decodes base64 in either alphabet, up to the padding; none if it contains any other character.
pub fn decode_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    // A text that was cut may end with a single digit, which is less than a byte.
    let whole = digits.len() - usize::from(digits.len() % 4 == 1);
    LENIENT.decode(digits.get(..whole)?.replace('-', "+").replace('_', "/")).ok()
}

/// Returns whether it contains an ascending or descending sequence in every `stride`th byte: `abcdefg`,
/// `a1b2c3d4e5f6g7`.
fn has_steps(bytes: &[u8], stride: usize, least: usize) -> bool {
    let up = |before: u8, after: u8| before + 1 == after || (before == b'9' && after == b'0');
    longest(bytes, stride, up) >= least || longest(bytes, stride, |before, after| up(after, before)) >= least
}

/// Returns the length of the longest chain of bytes, `stride` apart, in which each follows from the previous one.
fn longest(bytes: &[u8], stride: usize, follows: impl Fn(u8, u8) -> bool) -> usize {
    let mut best = 0;
    for offset in 0..stride {
        let mut chain = 1;
        let every: Vec<u8> = bytes.iter().skip(offset).step_by(stride).copied().collect();
        for pair in every.windows(2) {
            let goes_on = pair.iter().all(u8::is_ascii_graphic) && follows(pair[0], pair[1]);
            chain = if goes_on { chain + 1 } else { 1 };
            best = best.max(chain);
        }
    }
    best
}

fn distinct(bytes: &[u8]) -> u32 {
    let mut seen = [0u64; 4];
    bytes.iter().for_each(|byte| seen[usize::from(byte / 64)] |= 1 << (byte % 64));
    seen.iter().map(|word| word.count_ones()).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64_is_decoded_in_either_alphabet_with_or_without_padding() {
        for (text, bytes) in [
            ("YWRhOng=", b"ada:x".as_slice()),
            ("YWRhOng", b"ada:x"),
            ("YWRhOnh", b"ada:x"),
            ("YWRhY", b"ada"),
            ("-_8", b"\xfb\xff"),
            ("+/8=", b"\xfb\xff"),
            ("-/8", b"\xfb\xff"),
        ] {
            assert_eq!(decode_base64(text).as_deref(), Some(bytes), "{text}");
        }
        for text in ["YW Rh", "YW=Rh", "YWRé"] {
            assert_eq!(decode_base64(text), None, "{text}");
        }
    }
}
