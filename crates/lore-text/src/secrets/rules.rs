//! The table of credential formats.

use std::sync::LazyLock;

use super::entropy::{bits, decode_base64, is_mixed, is_placeholder, is_random};
use super::format::SecretFormat;
use super::vendors::VENDORS;

const AUTHORIZATION: &[&str] = &["Authorization", "authorization", "AUTHORIZATION"];
const BEARER: &str =
    r#"(?i:authorization)["'`*\\]*\s*[:=,]\s*["'`\\]*(?i:bearer|token)\s+([\w.~+/-]{16,}={0,2})"#;
const BASIC: &str = r#"(?i:authorization)["'`*\\]*\s*[:=,]\s*["'`\\]*(?i:basic)\s+([0-9A-Za-z+/]{8,}={0,2})"#;
/// A header alone is not a key: key material must follow it and the header lines of older formats.
const PEM: &str = concat!(
    r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----",
    r#"(?:\\[nr]|[\s>|"'+#]|[A-Z][A-Za-z-]+: [^\n\\]*)*([0-9A-Za-z+/]{40,})"#
);
const SERVICE_ACCOUNT: &str =
    r#""private_key\\?"\s*:\s*\\?"-----BEGIN (?:[A-Z]+ )?PRIVATE KEY-----(?:\\+n)*([0-9A-Za-z+/]{40,})"#;
/// Base64 prefixes of a number of 17 to 20 digits, which is the id of a bot.
const DISCORD: &[&str] = &["MD", "MT", "Mj", "Mz", "ND", "NT", "Nj", "Nz", "OD", "OT", "Oj", "Oz"];
const GITLAB: &[&str] =
    &["glpat-", "gldt-", "glrt-", "glcbt-", "glptt-", "glft-", "glsoat-", "glimt-", "glagent-"];
/// Base64 of the beginnings of a JSON object: `{"`, `{ "` and `{` with a line break.
const JSON_OBJECT: &[&str] = &["eyJ", "eyAi", "eyAg", "ewog", "ewoi", "ewoJ", "ewkJ", "ewki", "ew0K"];
const SLACK: &[&str] = &["xoxa-", "xoxb-", "xoxe-", "xoxo-", "xoxp-", "xoxr-", "xoxs-"];

/// All formats with a literal; if two can match the same text, the more specific comes first.
pub static FORMATS: LazyLock<Vec<&'static SecretFormat>> =
    LazyLock::new(|| VENDORS.iter().chain(&GENERAL).collect());

static GENERAL: [SecretFormat; 39] = [
    SecretFormat::certain(
        "gcp-service-account",
        "private key of a Google Cloud service account",
        &["\"private_key"],
        SERVICE_ACCOUNT,
    )
    .real(is_key_material),
    SecretFormat::certain("private-key", "private key in PEM or PGP armour", &["-----BEGIN "], PEM)
        .of_lines()
        .real(is_key_material),
    SecretFormat::certain(
        "age-secret-key",
        "age secret key",
        &["AGE-SECRET-KEY-1"],
        "AGE-SECRET-KEY-1([02-9AC-HJ-NP-Z]{58})",
    ),
    SecretFormat::certain(
        "aws-access-key-id",
        "AWS access key id",
        &["AKIA", "ASIA"],
        "A[KS]IA([0-9A-Z]{16})",
    )
    .real(|id| !is_placeholder(id)),
    SecretFormat::certain("google-api-key", "Google API key", &["AIza"], r"AIza([\w-]{35})"),
    SecretFormat::certain(
        "google-oauth-secret",
        "Google OAuth client secret",
        &["GOCSPX-"],
        r"GOCSPX-([\w-]{28})",
    ),
    SecretFormat::certain(
        "azure-account-key",
        "Azure account key or shared access key",
        &["AccountKey=", "SharedAccessKey="],
        "[A-Za-z]+Key=([0-9A-Za-z+/]{86}==|[0-9A-Za-z+/]{43}=)",
    )
    .announced()
    .real(is_azure_key),
    SecretFormat::certain(
        "azure-access-signature",
        "Azure shared access signature",
        &["sig="],
        "sig=([0-9A-Za-z+/%]{43,}(?:%3[Dd]|=))",
    )
    .near(&["sv=20", "sharedaccesssignature"])
    .real(is_mixed),
    SecretFormat::certain(
        "github-token",
        "GitHub token",
        &["ghp_", "gho_", "ghu_", "ghs_", "ghr_"],
        "gh[pousr]_([0-9A-Za-z]{36,})",
    ),
    SecretFormat::certain(
        "github-fine-grained-token",
        "GitHub fine-grained token",
        &["github_pat_"],
        "github_pat_([0-9A-Za-z]{22}_[0-9A-Za-z]{59})",
    ),
    SecretFormat::certain("gitlab-token", "GitLab token", GITLAB, r"gl[a-z]{2,5}-([\w-]{20,})").alone(),
    SecretFormat::certain("slack-token", "Slack token", SLACK, "xox[abeoprs]-([0-9][0-9A-Za-z-]{18,})")
        .alone(),
    SecretFormat::certain(
        "slack-app-token",
        "Slack app token",
        &["xapp-"],
        "xapp-([0-9]-[0-9A-Z]+-[0-9]+-[0-9a-f]{32,})",
    ),
    SecretFormat::certain(
        "slack-webhook",
        "Slack webhook",
        &["hooks.slack.com/"],
        "hooks[.]slack[.]com/[a-z]+/(T[0-9A-Z]{8,}/[0-9A-Z]{8,}/(?:[0-9]+/)?[0-9A-Za-z]{20,})",
    )
    .announced(),
    SecretFormat::certain(
        "stripe-live-key",
        "Stripe live key",
        &["sk_live_", "rk_live_"],
        "[sr]k_live_([0-9A-Za-z]{16,})",
    ),
    SecretFormat::likely(
        "stripe-test-key",
        "Stripe test key",
        &["sk_test_", "rk_test_"],
        "[sr]k_test_([0-9A-Za-z]{16,})",
    ),
    SecretFormat::certain(
        "anthropic-key",
        "Anthropic key",
        &["sk-ant-"],
        r"sk-ant-[a-z]+[0-9]{2}-([\w-]{32,})",
    )
    .alone(),
    SecretFormat::certain(
        "openai-project-key",
        "OpenAI project, service or admin key",
        &["sk-proj-", "sk-svcacct-", "sk-admin-", "sk-None-"],
        r"sk-[A-Za-z]+-([\w-]{32,})",
    )
    .alone()
    .real(is_mixed),
    SecretFormat::certain(
        "openai-key",
        "OpenAI key, or one of the same form",
        &["sk-"],
        "sk-(?:or-v1-)?([0-9A-Za-z]{32,})",
    )
    .real(is_random),
    SecretFormat::certain("hugging-face-token", "Hugging Face token", &["hf_"], "hf_([0-9A-Za-z]{34,})"),
    SecretFormat::certain("npm-token", "npm token", &["npm_"], "npm_([0-9A-Za-z]{36})"),
    SecretFormat::certain("pypi-token", "PyPI token", &["pypi-AgE"], r"pypi-AgE([\w-]{50,})")
        .alone()
        .real(is_key_material),
    SecretFormat::certain("sendgrid-key", "SendGrid key", &["SG."], r"SG[.]([\w-]{22}[.][\w-]{43})"),
    SecretFormat::certain("twilio-key", "Twilio API key", &["SK"], "SK([0-9a-f]{32})"),
    SecretFormat::certain("mailgun-key", "Mailgun key", &["key-"], "key-([0-9a-f]{32})").near(&["mailgun"]),
    SecretFormat::certain(
        "digitalocean-token",
        "DigitalOcean token",
        &["dop_v1_", "doo_v1_", "dor_v1_"],
        "do[opr]_v1_([0-9a-f]{64})",
    ),
    SecretFormat::certain(
        "shopify-token",
        "Shopify token",
        &["shpat_", "shpca_", "shppa_", "shpss_"],
        "shp[a-z]{2}_([0-9A-Fa-f]{32})",
    ),
    SecretFormat::certain("telegram-bot-token", "Telegram bot token", &[":AA"], r"[0-9]{8,10}:AA([\w-]{33})")
        .after_number(),
    SecretFormat::certain(
        "discord-bot-token",
        "Discord bot token",
        DISCORD,
        r"([\w-]{22,28}[.][\w-]{6}[.][\w-]{27,40})",
    )
    .real(is_discord_token),
    SecretFormat::certain(
        "discord-webhook",
        "Discord webhook",
        &["/webhooks/"],
        r"/webhooks/[0-9]{17,20}/([\w-]{60,})",
    )
    .announced(),
    SecretFormat::certain("databricks-token", "Databricks token", &["dapi"], "dapi([0-9a-f]{32})"),
    SecretFormat::certain("linear-key", "Linear key", &["lin_api_"], "lin_api_([0-9A-Za-z]{40})"),
    SecretFormat::certain(
        "notion-secret",
        "Notion integration secret",
        &["secret_"],
        "secret_([0-9A-Za-z]{43})",
    )
    .real(is_mixed),
    SecretFormat::certain("notion-token", "Notion integration token", &["ntn_"], "ntn_([0-9A-Za-z]{40,})"),
    SecretFormat::certain("atlassian-token", "Atlassian token", &["ATATT"], r"ATATT([\w=-]{60,})").alone(),
    SecretFormat::certain(
        "vault-token",
        "HashiCorp Vault token",
        &["hvs.", "hvb."],
        r"hv[sb][.]([\w-]{24,})",
    )
    .alone(),
    SecretFormat::certain("jwt", "JSON web token", JSON_OBJECT, r"([\w-]{12,}[.][\w-]{8,}[.][\w-]{16,})")
        .alone()
        .long()
        .real(is_jwt),
    SecretFormat::certain("bearer-header", "token in an Authorization header", AUTHORIZATION, BEARER)
        .announced()
        .real(is_random),
    SecretFormat::certain("basic-header", "password in an Authorization header", AUTHORIZATION, BASIC)
        .announced()
        .real(is_user_and_password),
];

/// Accepts encoded bytes, which may repeat and form sequences, but not a line of one letter or of words.
fn is_key_material(value: &str) -> bool {
    bits(value) >= 3.0 && !value.to_ascii_lowercase().contains("example")
}

/// Rejects the storage emulator's key, which is the same for everyone and appears in documentation.
fn is_azure_key(value: &str) -> bool {
    is_mixed(value) && !value.starts_with("Eby8vdM02xNO")
}

/// Checks that the first part is the bot's id in base64, which is unique to this format.
fn is_discord_token(value: &str) -> bool {
    let number = value.split('.').next().and_then(decode_base64).unwrap_or_default();
    (17..=20).contains(&number.len()) && number.iter().all(u8::is_ascii_digit) && !is_placeholder(value)
}

/// Checks that the header names an algorithm and the claims are not those of common tutorials.
fn is_jwt(value: &str) -> bool {
    let mut parts = value.split('.').map(|part| {
        decode_base64(part).map(|bytes| String::from_utf8_lossy(&bytes).into_owned()).unwrap_or_default()
    });
    let (head, claims) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let is_tutorial =
        ["John Doe", "\"1234567890\"", "\"iss\":\"joe\""].iter().any(|name| claims.contains(name));
    let is_object = |json: &str| json.trim_start().strip_prefix('{').is_some_and(|rest| rest.contains('"'));
    // The second part of an encrypted token is a key.
    let is_token = is_object(&claims) || head.contains("\"enc\"");
    is_object(&head) && head.contains("\"alg\"") && is_token && !is_tutorial
}

/// Checks for a user and password in base64, except those in the standards themselves.
fn is_user_and_password(value: &str) -> bool {
    let plain = decode_base64(value).and_then(|bytes| String::from_utf8(bytes).ok()).unwrap_or_default();
    plain.split_once(':').is_some_and(|(user, password)| {
        !plain.chars().any(char::is_control)
            && password.len() >= 4
            && user != password
            && !["Aladdin", "s6BhdRkqt3"].contains(&user)
            && !is_placeholder(password)
    })
}
