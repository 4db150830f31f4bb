//! Credentials split by line breaks, encoded, or in files that are not plain UTF-8.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};

use super::cases::{ALNUM, BASE64, HEX, UPPER, noise, prefixed_cases};
use super::*;

fn token() -> String {
    format!("{}{}", "ghp_", noise(ALNUM, 36))
}

/// Returns what a text contains: each rule, and how the credential is written.
fn forms(text: &str) -> Vec<(&'static str, Form)> {
    scan(text).iter().map(|leak| (leak.rule, leak.form)).collect()
}

fn percent(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

fn hex(text: &str) -> String {
    text.bytes().map(|byte| format!("{byte:02x}")).collect()
}

/// Wraps a text at a column.
fn wrapped(text: &str, column: usize, with: &str) -> String {
    let lines: Vec<&str> =
        text.as_bytes().chunks(column).map(|line| std::str::from_utf8(line).expect("ASCII")).collect();
    lines.join(with)
}

#[test]
fn token_split_anywhere_is_found() {
    for (rule, text, _) in prefixed_cases().into_iter().filter(|case| case.0 != "stripe-test-key") {
        let token = text.strip_prefix("see ").and_then(|text| text.strip_suffix(", ok")).expect("a token");
        for at in 1..token.len() {
            for gap in ["\n", "  \n", "\r\n", "\n    ", "\n> ", "\n> > ", "\\\n", "\u{200b}", "\u{ad}"] {
                let (first, rest) = token.split_at(at);
                let split = format!("see the key\n{first}{gap}{rest}\nnext");
                let leaks = scan(&split);
                assert_eq!(leaks.len(), 1, "{rule} at {at} with {gap:?}: {leaks:?}");
                assert_eq!(leaks[0].secret, scan(&text)[0].secret, "{rule} at {at}: the same credential");
                assert_eq!(leaks[0].line, 2, "{rule}");
            }
        }
    }
}

/// In JSON and source code, the letter of an escape stands right before the token.
#[test]
fn token_after_an_escape_is_found() {
    for (rule, text, _) in prefixed_cases().into_iter().filter(|case| case.0 != "stripe-test-key") {
        let token = text.strip_prefix("see ").and_then(|text| text.strip_suffix(", ok")).expect("a token");
        for escape in ["\\n", "\\t", "\\r\\n", "\\u000a", "\\x0A"] {
            let json = format!("{{\"text\": \"see{escape}{token}{escape}ok\"}}");
            let leaks = scan(&json);
            assert_eq!(leaks.len(), 1, "{rule} after {escape}: {leaks:?}");
            assert_eq!(leaks[0].secret, scan(&text)[0].secret, "{rule}: the same credential");
        }
    }
    assert_eq!(forms(&format!("gain{}", token())), [], "a longer word is no token");
}

#[test]
fn token_wrapped_over_several_lines_is_found() {
    let key = format!("sk-ant-{}{}", "api03-", noise(ALNUM, 90));
    for column in [20, 33, 40] {
        let text = format!("> The key is\n> {}\n>\n> Keep it.", wrapped(&key, column, "\n> "));
        assert_eq!(forms(&text), [("anthropic-key", Form::Split)], "{column}");
    }
    let header = format!("Authorization: Bearer {}\n  {}", noise(ALNUM, 12), noise(UPPER, 12));
    assert_eq!(forms(&header), [("bearer-header", Form::Split)]);
    let assigned = wrapped(&noise(BASE64, 40), 25, "\n    ");
    assert_eq!(forms(&format!("aws_secret_access_key = {assigned}")), [("aws-secret-key", Form::Split)]);
    let url = format!("postgres://ada:{}\n  {}@db.acme.io/x", "tr0ub", "4dor99");
    assert_eq!(forms(&url), [("url-password", Form::Split)]);
}

#[test]
fn separate_lines_are_not_joined() {
    let (first, rest) = (format!("{}{}", "ghp_", noise(ALNUM, 20)), noise(ALNUM, 16));
    for gap in ["\n\n", "\n- ", "\n\n> ", " ", "\n```\n", ",\n", "\n| "] {
        assert_eq!(scan(&format!("{first}{gap}{rest}")), [], "{gap:?}");
    }
    assert_eq!(scan("the task-\nforce of risk-\naverse management and sk-\nlearn\n"), []);
}

#[test]
fn encoded_credentials_are_found() {
    let token = token();
    let env = format!("# Settings\nGITHUB_TOKEN={token}\nDEBUG=1\n");
    let utf16: Vec<u8> = env.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let cases = [
        (STANDARD.encode(&token), Form::Base64),
        (format!("token: {}", STANDARD.encode(&env)), Form::Base64),
        (format!("data:text/plain;base64,{}", STANDARD.encode(&env)), Form::Base64),
        (format!("https://acme.io/set/{}?x=1", URL_SAFE_NO_PAD.encode(&env)), Form::Base64),
        (format!("the file\n{}\nends here", wrapped(&STANDARD.encode(&env), 40, "\n")), Form::Base64),
        (format!("powershell -enc {}", STANDARD.encode(&utf16)), Form::Base64),
        (STANDARD.encode(STANDARD.encode(&env)), Form::Base64),
        (STANDARD.encode(percent(&token)), Form::Base64),
        (format!("key {}", hex(&token)), Form::Hex),
        (hex(&STANDARD.encode(&token)), Form::Hex),
        (format!("https://acme.io/?key={}", percent(&token)), Form::Percent),
        (format!("?key={}&b=2", token.replace('_', "%5F")), Form::Percent),
        (percent(&STANDARD.encode(&token)), Form::Percent),
        (format!("?next=https%3A%2F%2Fada%3A{}%40db.acme.io%2F", "tr0ub4dor"), Form::Percent),
    ];
    let plain = scan(&token)[0].secret.clone();
    for (text, form) in cases {
        let leaks = scan(&text);
        assert_eq!(leaks.len(), 1, "{text}: {leaks:?}");
        assert_eq!(leaks[0].form, form, "{text}");
        assert!(leaks[0].rule == "url-password" || leaks[0].secret == plain, "{text}: the same credential");
    }
}

#[test]
fn encoded_text_without_credentials_is_ignored() {
    let placeholder = format!("{}{}", "ghp_", "x".repeat(36));
    for text in [
        STANDARD.encode("A sentence that is long enough to be looked at, with a key and a token in it."),
        STANDARD.encode(&placeholder),
        STANDARD.encode(noise(ALNUM, 600)),
        noise(BASE64, 4000),
        noise(HEX, 64),
        hex("a text that says nothing of interest"),
        "https://acme.io/wiki/Caf%C3%A9_token%3A_the_password%20manager?key=a%20long%20value".into(),
        format!("token: {}", STANDARD.encode("api_key: see the wiki, please")),
    ] {
        assert!(scan(&text).iter().all(|leak| !leak.certain), "{text}: {:?}", scan(&text));
    }
}

#[test]
fn plain_credential_is_reported_once() {
    let token = token();
    for text in [format!("?key={token}&a=%20"), format!("{token}\nand\nmore"), format!("a\n{token}\nb")] {
        assert_eq!(forms(&text), [("github-token", Form::Plain)], "{text}");
    }
}

#[test]
fn every_kind_of_file_is_scanned() {
    let token = token();
    let text = format!("first line\nkey {token} end\n");
    let units = || text.encode_utf16();
    let little: Vec<u8> = units().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = units().flat_map(u16::to_be_bytes).collect();
    let plain = scan(&text);
    for bytes in [
        text.clone().into_bytes(),
        [b"\xFF\xFE", little.as_slice()].concat(),
        [b"\xFE\xFF", big.as_slice()].concat(),
        little,
        big,
        format!("{text}\0").into_bytes(),
        format!("\0{text}").into_bytes(),
        text.replace(' ', "\0").into_bytes(),
        [b"\x89PNG \0\x01\x02\xFF", text.as_bytes(), b"\xFE\x00"].concat(),
        [b"caf\xe9 ", text.as_bytes()].concat(),
    ] {
        let leaks = scan_bytes(&bytes);
        let places: Vec<_> = leaks.iter().map(|leak| (leak.rule, leak.line, &leak.secret)).collect();
        assert_eq!(places, [("github-token", 2, &plain[0].secret)], "{bytes:?}");
        let clean = masked_bytes(&bytes, |_| true);
        assert_eq!(scan_bytes(&clean), [], "{clean:?}");
        let is_text = std::str::from_utf8(&bytes).is_ok() && !bytes.contains(&0);
        assert!(is_text || clean.len() == bytes.len(), "the size of data stays");
    }
}

#[test]
fn masking_removes_every_form_and_nothing_else() {
    let token = token();
    let text =
        format!("a {token} b\n> c {}\n> {} d\n{}\n", &token[..20], &token[20..], STANDARD.encode(&token));
    assert_eq!(masked(&text, |_| true), format!("a {MARK} b\n> c {MARK} d\n{MARK}\n"));
    assert_eq!(masked(&text, |leak| leak.form == Form::Plain), text.replacen(&token, MARK, 1));
    assert_eq!(masked("no secret", |_| true), "no secret");
}

#[test]
fn large_files_are_scanned_in_blocks() {
    const BLOCK: usize = 1024;
    let word = format!(" {} ", token());
    let size = 2 * BLOCK + 300;
    for filler in ["A line of text without anything in it.\n", "\u{1}\0data "] {
        let plain: Vec<u8> = filler.bytes().cycle().take(size).collect();
        for at in (0..size - word.len()).step_by(7) {
            let mut bytes = plain.clone();
            bytes[at..at + word.len()].copy_from_slice(word.as_bytes());
            let line = count(bytes[..at].iter().filter(|byte| **byte == b'\n')) + 1;
            let leaks = bytes::scan_in_blocks(&bytes, BLOCK, 256);
            let found: Vec<(usize, u32)> = leaks.iter().map(|leak| (leak.span.start, leak.line)).collect();
            assert_eq!(found, [(at + 1, line)], "{filler:?}");
        }
    }
}
