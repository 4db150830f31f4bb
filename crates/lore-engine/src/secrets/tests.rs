//! Credentials are put together here from pieces, so that no file of the project holds one.

use std::collections::BTreeSet;

use proptest::prelude::*;

use super::rules::FORMATS;
use super::*;
use crate::hash::ContentHash;

const ALNUM: &str = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const HEX: &str = "0123456789abcdef";
const UPPER: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
const BASE64: &str = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// So many characters of an alphabet in an order that looks random and is always the same.
fn noise(alphabet: &str, length: usize) -> String {
    let digest = |block: usize| Sha256::digest(format!("{alphabet} {block}"));
    let bytes = (0..).flat_map(|block| digest(block).to_vec()).take(length);
    bytes.map(|byte| char::from(alphabet.as_bytes()[usize::from(byte) % alphabet.len()])).collect()
}

fn base64(text: &str) -> String {
    let mut encoded = String::new();
    for chunk in text.as_bytes().chunks(3) {
        let held = (0..3).fold(0usize, |held, at| held << 8 | usize::from(*chunk.get(at).unwrap_or(&0)));
        let digits = (0..=chunk.len()).map(|at| char::from(BASE64.as_bytes()[held >> (18 - 6 * at) & 63]));
        encoded.extend(digits);
    }
    encoded
}

fn found(text: &str) -> Vec<&'static str> {
    scan(text).iter().map(|leak| leak.rule).collect()
}

fn pem(kind: &str, material: &str) -> String {
    format!("-----{} {kind}-----\n{material}\n-----END {kind}-----", "BEGIN")
}

/// A rule, a text with such a credential, and one that only comes near.
type Case = (&'static str, String, String);

fn prefixed(rule: &'static str, prefix: &str, alphabet: &str, length: usize) -> Case {
    let near = format!("{prefix}{}", noise(alphabet, length - 1));
    (rule, format!("see {prefix}{}, ok", noise(alphabet, length)), near)
}

fn prefixed_cases() -> Vec<Case> {
    vec![
        prefixed("age-secret-key", "AGE-SECRET-KEY-1", "QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L", 58),
        prefixed("aws-access-key-id", "AKIA", UPPER, 16),
        prefixed("google-api-key", "AIza", ALNUM, 35),
        prefixed("google-oauth-secret", "GOCSPX-", ALNUM, 28),
        prefixed("github-token", "ghp_", ALNUM, 36),
        prefixed("gitlab-token", "glpat-", ALNUM, 20),
        prefixed("stripe-live-key", "sk_live_", ALNUM, 16),
        prefixed("stripe-test-key", "rk_test_", ALNUM, 16),
        prefixed("anthropic-key", "sk-ant-api03-", ALNUM, 32),
        prefixed("openai-project-key", "sk-proj-", ALNUM, 32),
        prefixed("openai-key", "sk-", ALNUM, 32),
        prefixed("hugging-face-token", "hf_", ALNUM, 34),
        prefixed("npm-token", "npm_", ALNUM, 36),
        prefixed("pypi-token", "pypi-AgE", ALNUM, 50),
        prefixed("twilio-key", "SK", HEX, 32),
        prefixed("digitalocean-token", "dop_v1_", HEX, 64),
        prefixed("shopify-token", "shpat_", HEX, 32),
        prefixed("databricks-token", "dapi", HEX, 32),
        prefixed("linear-key", "lin_api_", ALNUM, 40),
        prefixed("notion-secret", "secret_", ALNUM, 43),
        prefixed("notion-token", "ntn_", ALNUM, 40),
        prefixed("atlassian-token", "ATATT", ALNUM, 60),
        prefixed("vault-token", "hvs.", ALNUM, 24),
    ]
}

fn shaped_cases() -> Vec<Case> {
    let key = noise(BASE64, 64);
    let (part, hex) = (|length| noise(ALNUM, length), |length| noise(HEX, length));
    let signed = |head: &str, claims: &str| format!("{}.{}.{}", base64(head), base64(claims), part(43));
    let robot = |number: &str| format!("{}.{}.{}", base64(number), part(6), part(30));
    let uuid = format!("{}-{}-{}-{}-{}", hex(8), hex(4), hex(4), hex(4), hex(12));
    let header = "-----BEGIN PRIVATE KEY-----";
    vec![
        (
            "gcp-service-account",
            format!("\"private_key\": \"{header}\\n{key}\\n"),
            format!("\"private_key\": \"{header}\\n…"),
        ),
        ("private-key", pem("OPENSSH PRIVATE KEY", &key), pem("PUBLIC KEY", &key)),
        (
            "azure-account-key",
            format!("Name=x;AccountKey={}==;End", noise(BASE64, 86)),
            format!("AccountKey={}", noise(BASE64, 40)),
        ),
        (
            "azure-access-signature",
            format!("https://a.net/b?sv=2024-01-01&sig={}%3D", part(43)),
            format!("https://a.net/b?page=2&sig={}%3D", part(43)),
        ),
        (
            "github-fine-grained-token",
            format!("github_pat_{}_{}", part(22), part(59)),
            format!("github_pat_{}", part(22)),
        ),
        (
            "slack-token",
            format!("xoxb-{}-{}", noise("0123456789", 12), part(24)),
            "xoxb-the-token-of-our-bot".into(),
        ),
        (
            "slack-app-token",
            format!("xapp-1-A0{}-918273-{}", noise(UPPER, 9), hex(64)),
            "xapp-1-and-more".into(),
        ),
        (
            "slack-webhook",
            format!("https://hooks.slack.com/services/T0{0}/B0{0}/{1}", noise(UPPER, 8), part(24)),
            "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX".into(),
        ),
        ("sendgrid-key", format!("SG.{}.{}", part(22), part(43)), format!("SG.{}.x", part(22))),
        ("mailgun-key", format!("mailgun:\n  use: key-{}", hex(32)), format!("cache key-{}", hex(32))),
        ("telegram-bot-token", format!("bot 918273645:AA{}", part(33)), format!("time 12:AA{}", part(33))),
        ("discord-bot-token", robot("918273645546372819"), robot("not a number at all")),
        (
            "discord-webhook",
            format!("https://discord.com/api/webhooks/918273645546372819/{}", part(68)),
            "https://discord.com/api/webhooks/918273645546372819".into(),
        ),
        (
            "jwt",
            signed("{\"alg\":\"HS256\"}", "{\"sub\":\"ada\"}"),
            signed("{\"kid\":\"1\"}", "{\"sub\":\"ada\"}"),
        ),
        (
            "bearer-header",
            format!("curl -H 'Authorization: Bearer {}'", part(24)),
            "Authorization: Bearer the-token-you-got-before".into(),
        ),
        (
            "basic-header",
            format!("authorization: basic {}", base64("ada:Lovelace7")),
            format!("authorization: basic {}", base64("username:password")),
        ),
        (
            "url-password",
            format!("postgres://ada:{}@db.acme.io/x", "tr0ub4dor"),
            "https://acme.io:8080/@ada and postgres://ada@db.acme.io".into(),
        ),
        (
            "aws-secret-key",
            format!("aws_secret_access_key = {}", noise(BASE64, 40)),
            "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".into(),
        ),
        (
            "cloudflare-token",
            format!("CLOUDFLARE_API_TOKEN={}", part(40)),
            "CLOUDFLARE_API_TOKEN=put-the-token-of-our-account-here-please".into(),
        ),
        ("heroku-key", format!("HEROKU_API_KEY: {uuid}"), format!("SESSION_TOKEN: {uuid}")),
        (
            "high-entropy-assignment",
            format!("- **API key**: `{}`", part(20)),
            "- **API key**: `asked for on 2024-01-01`".into(),
        ),
    ]
}

#[test]
fn every_rule_finds_its_credential_and_leaves_what_comes_near() {
    let cases: Vec<Case> = prefixed_cases().into_iter().chain(shaped_cases()).collect();
    for (rule, text, near) in &cases {
        assert_eq!(found(text), [*rule], "{rule}");
        assert!(
            scan(near).iter().all(|leak| !leak.certain && leak.rule != *rule),
            "near {rule}: {:?}",
            scan(near)
        );
        assert_eq!(found(&format!("```\n{text}\n```\n")), [*rule], "in a block of code: {rule}");
    }
    let covered: BTreeSet<&str> = cases.iter().map(|case| case.0).collect();
    assert_eq!(covered, rules().map(|rule| rule.name).collect(), "each rule has its case");
    assert_eq!(covered.len(), rules().count(), "no two rules share a name");
}

#[test]
fn every_kind_of_private_key_is_found_and_talk_about_one_is_not() {
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
    let commit = noise(HEX, 40);
    let talk =
        format!("A file with `{}` is private. See {commit}.", pem("RSA PRIVATE KEY", "").replace('\n', " "));
    let abridged = pem("RSA PRIVATE KEY", &format!("{key}\n..."));
    for text in [talk, abridged, pem("RSA PRIVATE KEY", &"A".repeat(64))] {
        assert_eq!(scan(&text), [], "{text}");
    }
}

#[test]
fn stand_ins_of_documents_are_no_credentials() {
    let stand_ins = [
        "AKIAIOSFODNN7EXAMPLE",
        "AKIAXXXXXXXXXXXXXXXX",
        "AKIAABCDEFGHIJKLMNOP",
        "ghp_000000000000000000000000000000000000",
        "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
        "ghp_a1b2c3d4e5f6g7h8i9j0k1l2m3n4o5p6q7r8",
        "glpat-your-token-goes-here",
        "sk-ant-api03-THIS-IS-A-LONG-SECRET-LOOKING-VALUE",
        "sk-1234567890abcdef1234567890abcdef",
        "xoxb-123456789012-123456789012-AbCdEfGhIjKlMnOpQrStUvWx",
        "AIzaSyYOUR_API_KEY_GOES_HERE_0123456789",
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
        "secret = config.get(\"app9secret8name7\")",
        "api_key: https://acme.io/a1b2c3d4x9/q8z7",
        "token: [where it is](../a9b8/c7d6e5f4z3.md)",
        "secret: /run/secrets/a9b8c7d6e5f4",
        "password: ~/keys/a9b8c7d6e5f4g3.txt",
        "max_tokens: 4096",
        "Key: a9b8c7d6e5f4g3h2i1",
        "token: D3D_PRESENT_HISTORY_TOKEN",
        "Token::a9b8c7d6e5f4z3y2x1",
        "tokens: 9f8e7d6c5b4a39281706",
    ];
    for text in stand_ins {
        assert_eq!(scan(text), [], "{text}");
    }
    let commit = noise(HEX, 40);
    assert_eq!(scan(&format!("commit with the token: {commit}")), []);
    assert_eq!(found(&format!("token: {commit}")), ["high-entropy-assignment"]);
}

#[test]
fn a_shared_password_counts_on_a_real_host() {
    for text in [
        "mongodb+srv://ada:ada1815@cluster0.acme.io",
        "amqp://ada:l0velace@localhost",
        "ftp://a:sunshine@ftp.acme.io",
    ] {
        assert_eq!(found(text), ["url-password"], "{text}");
    }
}

#[test]
fn a_leak_tells_where_and_never_what() {
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
fn several_leaks_come_in_order() {
    let (github, aws) =
        (format!("{}{}", "ghp_", noise(ALNUM, 36)), format!("{}{}", "AKIA", noise(UPPER, 16)));
    let places: Vec<(u32, u32)> =
        scan(&format!("{aws} {github}\n\n{aws}")).iter().map(|leak| (leak.line, leak.column)).collect();
    assert_eq!(places, [(1, 1), (1, 22), (3, 1)]);
}

#[test]
fn patterns_are_valid() {
    FORMATS.iter().for_each(|format| assert_eq!(format.regex().captures_len(), 2, "{}", format.rule.name));
}

#[test]
fn text_and_binary_are_told_apart() {
    let text: [&[u8]; 5] =
        [b"", b"plain\ttext\r\n", "käse".as_bytes(), b"\xFF\xFEa\0b\0", b"\x1B[1mbold\x1B[0m"];
    let binary: [&[u8]; 3] = [b"a\0b", b"\x01\x02\x03text", b"\x89PNG\r\n\x1A\n\0"];
    assert!(text.iter().all(|bytes| !looks_binary(bytes)));
    assert!(binary.iter().all(|bytes| looks_binary(bytes)));
    let late = [vec![b'a'; SAMPLE], vec![0]].concat();
    assert!(!looks_binary(&late), "only the first bytes count");
}

/// Text, and pieces of credentials thrown together.
fn hostile() -> impl Strategy<Value = String> {
    let mut marks: Vec<&str> = FORMATS.iter().flat_map(|format| format.marks.iter().copied()).collect();
    marks.extend(assignment::WORDS);
    marks.extend(["://", "@", ":", " = ", "\n", "\r\n", "é", "…", "PRIVATE KEY-----", "Bearer ", "x.io"]);
    let piece = prop_oneof![
        prop::sample::select(marks).prop_map(String::from),
        "[0-9A-Za-z+/_.-]{0,70}",
        any::<String>()
    ];
    prop::collection::vec(piece, 0..12).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_text_is_scanned_and_places_lie_within_it(text in hostile()) {
        let leaks = scan(&text);
        let lines: Vec<&str> = text.split('\n').collect();
        for leak in &leaks {
            let line = lines.get(leak.line as usize - 1).expect("the line exists");
            prop_assert!((1..=line.chars().count()).contains(&(leak.column as usize)));
        }
        prop_assert!(leaks.is_sorted_by_key(|leak| (leak.line, leak.column)));
    }
}
