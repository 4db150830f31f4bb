//! Tests of what is found, what is ignored, and that a leak never reveals the credential.

mod cases;
mod disguised;

use std::collections::BTreeSet;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

use super::rules::FORMATS;
use super::*;
use crate::hash::ContentHash;

use cases::{ALNUM, BASE64, Case, HEX, UPPER, named_cases, noise, pem, prefixed_cases, shaped_cases};

fn found(text: &str) -> Vec<&'static str> {
    scan(text).iter().map(|leak| leak.rule).collect()
}

/// Removes the bars that separate the pieces in this file.
fn whole(text: &str) -> String {
    text.replace('|', "")
}

#[test]
fn every_rule_matches_its_credential_only() {
    let cases: Vec<Case> = [prefixed_cases(), shaped_cases(), named_cases()].concat();
    for (rule, text, near_miss) in &cases {
        assert_eq!(found(text), [*rule], "{rule}");
        assert!(
            scan(near_miss).iter().all(|leak| !leak.certain && leak.rule != *rule),
            "near {rule}: {:?}",
            scan(near_miss)
        );
        assert_eq!(found(&format!("```\n{text}\n```\n")), [*rule], "in a code block: {rule}");
    }
    let covered: BTreeSet<&str> = cases.iter().map(|case| case.0).collect();
    assert_eq!(covered, rules().map(|rule| rule.name).collect(), "each rule has a case");
    assert_eq!(covered.len(), rules().count(), "rule names are unique");
}

#[test]
fn private_keys_are_found_and_mentions_are_not() {
    let key = noise(BASE64, 64);
    for kind in ["RSA ", "EC ", "DSA ", "OPENSSH ", "ENCRYPTED ", ""] {
        assert_eq!(found(&pem(&format!("{kind}PRIVATE KEY"), &key)), ["private-key"], "{kind}");
    }
    let armoured = pem("PGP PRIVATE KEY BLOCK", &format!("Version: GnuPG v2\n\n{key}"));
    let locked =
        pem("RSA PRIVATE KEY", &format!("Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n{key}"));
    let quoted = pem("EC PRIVATE KEY", &key).replace('\n', "\n> ");
    for text in [armoured, locked, quoted] {
        assert_eq!(found(&text), ["private-key"], "{text}");
    }
    let cut_off =
        format!("{}\n\nAnd so on ...", pem("PRIVATE KEY", &key).replace("-----END PRIVATE KEY-----", ""));
    assert_eq!(found(&cut_off), ["private-key"]);
    let commit = noise(HEX, 40);
    let talk =
        format!("A file with `{}` is private. See {commit}.", pem("RSA PRIVATE KEY", "").replace('\n', " "));
    let abridged = pem("RSA PRIVATE KEY", &format!("{key}\n..."));
    for text in [talk, abridged, pem("RSA PRIVATE KEY", &"A".repeat(64))] {
        assert_eq!(scan(&text), [], "{text}");
    }
}

#[test]
fn web_tokens_are_found_however_their_json_is_spaced() {
    let encode = |text: &str| URL_SAFE_NO_PAD.encode(text);
    let signature = noise(ALNUM, 43);
    for (head, body) in [
        ("{\"alg\":\"RS256\",\"typ\":\"JWT\"}", "{\"sub\":\"ada\"}"),
        ("{ \"alg\": \"RS256\" }", "{ \"sub\": \"ada\" }"),
        ("{\n  \"typ\": \"JWT\",\n  \"alg\": \"RS256\"\n}", "{\n \"sub\": \"ada\"}"),
        ("{\"alg\":\"RSA-OAEP\",\"enc\":\"A256GCM\"}", "not readable, it is encrypted"),
    ] {
        let token = format!("{}.{}.{signature}", encode(head), encode(body));
        assert_eq!(found(&format!("token {token}")), ["jwt"], "{head}");
    }
    for (head, body) in [("{\"a\":1}", "{\"sub\":\"ada\"}"), ("{\"alg\":\"none\"}", "plain text")] {
        assert_eq!(scan(&format!("{}.{}.{signature}", encode(head), encode(body))), [], "{head}");
    }
}

#[test]
fn placeholders_are_not_credentials() {
    let placeholders = [
        "AK|IAIOSFODNN7EXAMPLE",
        "AK|IAXXXXXXXXXXXXXXXX",
        "AK|IAABCDEFGHIJKLMNOP",
        "gh|p_000000000000000000000000000000000000",
        "gh|p_abcdefghijklmnopqrstuvwxyz0123456789",
        "gh|p_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8",
        "gl|pat-your-token-goes-here",
        "sk-|ant-api03-THIS-IS-A-LONG-SECRET-LOOKING-VALUE",
        "sk|-1234567890abcdef1234567890abcdef",
        "xo|xb-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx",
        "AI|zaSyYOUR_API_KEY_GOES_HERE_0123456789",
        "postgres://user:password@db.acme.io",
        "postgres://app:${DB_PASSWORD}@db.acme.io",
        "redis://:<password>@cache.acme.io",
        "https://ada:***@acme.io",
        "https://ada:xxxx@acme.io",
        "https://ada:GITHUB_TOKEN@acme.io",
        "https://ada:l0velace@example.com",
        "postgres://lore:lore@localhost/lore",
        "mysql://root:my-secret-pw@db",
        "docker://node:20-alpine3.19@sha256:aa",
        "`http://localhost:3000`,`ada@acme.io`",
        "Authorization: Bearer $TOKEN",
        "Authorization: Bearer <access-token-of-16>",
        "task-force-one risk-averse-management-of-things sk-learn",
        "password: correct-horse-battery-staple",
        "token: {{ secrets.GITHUB_TOKEN_1 }}",
        "token = process.env.GITHUB_TOKEN_2",
        "max_tokens: 4096",
        "token: D3D_PRESENT_HISTORY_TOKEN",
        "token: aaa1aabb2aacca3aad",
        "https://ada:DEPLOY_CREDENTIAL@acme.io",
        "https://ada:$DEPLOY9x@acme.io",
        " ://ada:l0velace@acme.io",
    ];
    for text in placeholders {
        assert_eq!(scan(&whole(text)), [], "{text}");
    }
}

#[test]
fn random_values_count_only_in_assignments() {
    let random = noise(ALNUM, 20);
    let (commit, uuid) = (noise(HEX, 40), "9f3c1a7e-52b8-4d06-8e1f-c47a90b2d635");
    for text in
        ["token: #", "\"client_secret\": \"#\"", "API_KEY=#", "**Password:** `#`", "access-key => '#'"]
    {
        assert_eq!(found(&text.replace('#', &random)), ["high-entropy-assignment"], "{text}");
    }
    for text in [
        "Key: #",
        "tokens: #",
        "Token::#",
        "token: $#",
        "token: {{ # }}",
        "token: <#>",
        "secret = load_#(name)",
        "api_key: https://acme.io/#",
        "token: [where it is](../#.md)",
        "secret: /run/secrets/#",
        "password: keys/#.txt",
    ] {
        assert_eq!(scan(&text.replace('#', &random)), [], "{text}");
    }
    assert_eq!(found(&format!("token: {commit}")), ["high-entropy-assignment"]);
    assert_eq!(scan(&format!("commit with the token: {commit}")), []);
    assert_eq!(scan(&format!("session_token: {uuid}")), []);
}

#[test]
fn longer_words_are_not_credentials() {
    let (aws, gitlab) =
        (format!("{}{}", "AKIA", noise(UPPER, 16)), format!("{}{}", "glpat-", noise(ALNUM, 20)));
    for text in [format!("x{aws}"), format!("{aws}x"), format!("a-page-{gitlab}")] {
        assert_eq!(scan(&text), [], "{text}");
    }
    assert_eq!(found(&format!("_{aws}_ -{gitlab}")), ["aws-access-key-id", "gitlab-token"]);
}

#[test]
fn common_password_counts_on_a_real_host() {
    for text in [
        "mongodb+srv://ada|:ada1815@cluster0.acme.io",
        "amqp://ada|:l0velace@localhost",
        "ftp://a|:sunshine@ftp.acme.io",
    ] {
        assert_eq!(found(&whole(text)), ["url-password"], "{text}");
    }
}

#[test]
fn leak_has_the_location_but_not_the_value() {
    let token = format!("{}{}", "ghp_", noise(ALNUM, 36));
    let text = format!("---\ntitle: é\n---\r\n\n  é token: {token}\r\n");
    let leaks = scan(&text);
    let [leak] = leaks.as_slice() else { panic!("one leak, not {leaks:?}") };
    assert_eq!((leak.rule, leak.line, leak.column, leak.certain), ("github-token", 5, 12, true));
    let expected = ContentHash::of(format!("github-token\0é token: {token}").as_bytes()).to_string();
    assert_eq!(leak.fingerprint, expected[..16]);
    assert!(!format!("{leak:?}").contains(&token[4..12]));
}

#[test]
fn keys_with_the_same_first_line_have_different_fingerprints() {
    let prints =
        [noise(BASE64, 64), noise(HEX, 64)].map(|key| scan(&pem("PRIVATE KEY", &key))[0].fingerprint.clone());
    assert_ne!(prints[0], prints[1]);
}

#[test]
fn leaks_are_sorted() {
    let (github, aws) =
        (format!("{}{}", "ghp_", noise(ALNUM, 36)), format!("{}{}", "AKIA", noise(UPPER, 16)));
    let places: Vec<(u32, u32)> =
        scan(&format!("{aws} {github}\n\n{aws}")).iter().map(|leak| (leak.line, leak.column)).collect();
    assert_eq!(places, [(1, 1), (1, 22), (3, 1)]);
    let both = format!("https://{github}:{}@acme.io", "l0velace");
    assert_eq!(found(&both), ["github-token", "url-password"]);
}

#[test]
fn patterns_are_valid() {
    FORMATS.iter().for_each(|format| assert_eq!(format.regex().captures_len(), 2, "{}", format.rule.name));
}

#[test]
fn binary_files_are_detected() {
    let text: [&[u8]; 5] =
        [b"", b"plain\ttext\r\n", "käse".as_bytes(), b"\xFF\xFEa\0b\0", b"\x1B[1mbold\x1B[0m"];
    let binary: [&[u8]; 3] = [b"a\0b", b"\x01\x02\x03text", b"\x89PNG\r\n\x1A\n\0"];
    assert!(text.iter().all(|bytes| !looks_binary(bytes)));
    assert!(binary.iter().all(|bytes| looks_binary(bytes)));
    let late = [vec![b'a'; SAMPLE], vec![0]].concat();
    assert!(!looks_binary(&late), "only the first bytes count");
}

/// Generates text mixed with pieces of credentials.
fn hostile() -> impl Strategy<Value = String> {
    let mut literals: Vec<&str> = FORMATS.iter().flat_map(|format| format.literals.iter().copied()).collect();
    literals.extend(assignment::WORDS);
    literals.extend(["://", "@", ":", " = ", "\n", "\r\n", "é", "…", "PRIVATE KEY-----", "Bearer ", "x.io"]);
    let piece = prop_oneof![
        prop::sample::select(literals).prop_map(String::from),
        "[0-9A-Za-z+/_.-]{0,70}",
        any::<String>()
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { rng_seed: RngSeed::Fixed(11), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn locations_are_valid_in_any_text(text in hostile()) {
        let leaks = scan(&text);
        let lines: Vec<&str> = text.split('\n').collect();
        for leak in &leaks {
            let line = lines.get(leak.line as usize - 1).expect("the line exists");
            prop_assert!((1..=line.chars().count()).contains(&(leak.column as usize)));
        }
        prop_assert!(leaks.is_sorted_by_key(|leak| (leak.line, leak.column)));
        prop_assert!(leaks.iter().all(|leak| text.get(leak.span.clone()).is_some_and(|part| !part.is_empty())));
        masked(&text, |_| true);
    }

    #[test]
    fn any_bytes_can_be_scanned(text in hostile(), zeros in prop::collection::vec(any::<u8>(), 0..4), at in any::<prop::sample::Index>()) {
        let mut bytes = text.into_bytes();
        let place = at.index(bytes.len() + 1);
        bytes.splice(place..place, zeros);
        for leak in scan_bytes(&bytes) {
            prop_assert!(bytes.get(leak.span).is_some_and(|part| !part.is_empty()));
        }
        masked_bytes(&bytes, |_| true);
    }
}
