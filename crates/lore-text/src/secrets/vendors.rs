//! Formats of keys of single vendors, each with a prefix that nothing else has.

use super::entropy::is_mixed;
use super::format::SecretFormat;

/// Formats with a prefix of their own.
pub static VENDORS: [SecretFormat; 27] = [
    SecretFormat::certain("groq-key", "Groq key", &["gsk_"], "gsk_([0-9A-Za-z]{52})"),
    SecretFormat::certain("xai-key", "xAI key", &["xai-"], "xai-([0-9A-Za-z]{70,})").alone(),
    SecretFormat::certain("perplexity-key", "Perplexity key", &["pplx-"], "pplx-([0-9A-Za-z]{48})").alone(),
    SecretFormat::certain("replicate-token", "Replicate token", &["r8_"], "r8_([0-9A-Za-z]{37})"),
    SecretFormat::certain(
        "hugging-face-organization-token",
        "Hugging Face organization token",
        &["api_org_"],
        "api_org_([A-Za-z]{34})",
    ),
    SecretFormat::certain(
        "docker-token",
        "Docker access token",
        &["dckr_pat_", "dckr_oat_"],
        r"dckr_[po]at_([\w-]{27,32})",
    )
    .alone(),
    SecretFormat::certain(
        "sentry-token",
        "Sentry token",
        &["sntrys_eyJ", "sntryu_"],
        "sntry(?:s_eyJ|u_)([0-9A-Za-z+/=_]{60,})",
    )
    .long(),
    SecretFormat::certain(
        "grafana-service-account-token",
        "Grafana service account token",
        &["glsa_"],
        "glsa_([0-9A-Za-z]{32}_[0-9A-Fa-f]{8})",
    ),
    SecretFormat::certain(
        "grafana-cloud-token",
        "Grafana Cloud token",
        &["glc_eyJ"],
        "glc_eyJ([0-9A-Za-z+/]{32,}={0,3})",
    )
    .long(),
    SecretFormat::certain(
        "supabase-key",
        "Supabase key",
        &["sbp_", "sb_secret_"],
        r"sb(?:p_[0-9a-f]{8}|_secret_[\w-]{8})([\w-]{20,})",
    ),
    SecretFormat::certain(
        "planetscale-token",
        "PlanetScale token or password",
        &["pscale_tkn_", "pscale_pw_", "pscale_oauth_"],
        r"pscale_[a-z]+_([\w=.-]{32,64})",
    ),
    SecretFormat::certain(
        "vercel-blob-token",
        "Vercel Blob token",
        &["vercel_blob_rw_"],
        "vercel_blob_rw_([0-9A-Za-z]{16}_[0-9A-Za-z]{24,})",
    ),
    SecretFormat::certain(
        "doppler-token",
        "Doppler token",
        &["dp.pt.", "dp.ct.", "dp.st.", "dp.sa.", "dp.scim.", "dp.audit."],
        r"dp[.][a-z]+[.](?:[\w-]{2,35}[.])?([0-9A-Za-z]{40,44})",
    ),
    SecretFormat::certain("pulumi-token", "Pulumi token", &["pul-"], "pul-([0-9a-f]{40})").alone(),
    SecretFormat::certain("new-relic-key", "New Relic key", &["NRAK-"], "NRAK-([0-9A-Z]{27})"),
    SecretFormat::certain("postman-key", "Postman key", &["PMAK-"], "PMAK-([0-9a-f]{24}-[0-9a-f]{34})"),
    SecretFormat::certain("figma-token", "Figma token", &["figd_"], r"figd_([\w-]{40,})").alone(),
    SecretFormat::certain(
        "airtable-token",
        "Airtable token",
        &["pat"],
        "pat([0-9A-Za-z]{14}[.][0-9a-f]{64})",
    ),
    SecretFormat::certain("netlify-token", "Netlify token", &["nfp_"], "nfp_([0-9A-Za-z]{36})"),
    SecretFormat::certain("rubygems-key", "RubyGems key", &["rubygems_"], "rubygems_([0-9a-f]{48})"),
    SecretFormat::certain("crates-io-token", "crates.io token", &["cio"], "cio([0-9A-Za-z]{32})")
        .real(is_mixed),
    SecretFormat::certain(
        "tailscale-key",
        "Tailscale key",
        &["tskey-"],
        "tskey-[a-z]+-([0-9A-Za-z]{8,}(?:-[0-9A-Za-z]{16,})?)",
    )
    .alone()
    .real(is_mixed),
    SecretFormat::certain("brevo-key", "Brevo key", &["xkeysib-"], "xkeysib-([0-9a-f]{64}-[0-9A-Za-z]{16})")
        .alone(),
    SecretFormat::certain(
        "terraform-token",
        "Terraform Cloud token",
        &[".atlasv1."],
        r"[.]atlasv1[.]([\w=-]{60,70})",
    )
    .announced(),
    SecretFormat::certain(
        "shopify-shared-secret",
        "Shopify partner or app token",
        &["shptka_", "prtapi_"],
        "[a-z]{6}_([0-9A-Fa-f]{32})",
    ),
    SecretFormat::certain(
        "dropbox-token",
        "Dropbox token",
        &["sl.u.", "sl.B"],
        r"sl[.](?:u[.])?([\w-]{130,})",
    )
    .long(),
    SecretFormat::certain(
        "linear-oauth-token",
        "Linear OAuth token",
        &["lin_oauth_"],
        "lin_oauth_([0-9A-Za-z]{40,64})",
    ),
];
