"""Find tokens that are told by their form: most vendors give theirs a prefix, and some a suffix.

The table is made from the vendors' documentation. One RE2 pattern finds all *markers*; what stands around one is read
within REACH characters, so a text of a million markers takes linear time.
"""

import re
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import re2  # pyright: ignore[reportMissingTypeStubs]  it ships none

from palimp_daemon.text.secrets.spans import Span
from palimp_daemon.text.secrets.values import is_token, stands_for_something

_engine: Any = re2

REACH: Final = 4096
"""Characters behind a marker that are one token with it: a JWT with many claims has two thousand."""

JUDGED: Final = 256
"""Characters behind a marker by which it is judged: more than any form asks for at least. The rest is read of what is
a token only, and not again for the markers in it."""

SHORT_MARKER: Final = 5
"""Characters of a marker that says enough by itself."""

PROBED: Final = 8
"""Letters and digits that must stand behind a shorter one."""

REACH_BACK: Final = 81
"""Characters looked at before a marker: one more than the longest form has there."""


_WORD_START: Final = r"(?<![A-Za-z0-9_])"


class Form(NamedTuple):
    """The form of one kind of token: a marker, what follows it, and what stands before it."""

    kind: str
    marker: str
    after: str
    before: str = _WORD_START
    is_random: bool = False
    """Whether what follows the marker must look drawn by chance: the form alone fits names, too."""


_W: Final = "[A-Za-z0-9_-]"
_N: Final = "[A-Za-z0-9]"
_H: Final = "[0-9a-f]"
_B: Final = "[A-Za-z0-9+/]"
_UUID: Final = f"{_H}{{8}}(?:-{_H}{{4}}){{3}}-{_H}{{12}}"


def _each(kind: str, markers: str, after: str, *, is_random: bool = False) -> list[Form]:
    return [Form(kind, marker, after, is_random=is_random) for marker in markers.split()]


FORMS: Final = (
    *_each("aws-key", "AKIA ASIA AROA AIDA ABIA ACCA", r"[A-Z0-9]{16}(?![A-Za-z0-9])"),
    Form("aws-key", "ABSK", rf"{_B}{{100,}}=*"),
    *_each("github-token", "ghp_ gho_ ghu_ ghs_ ghr_", rf"{_N}{{36,}}"),
    Form("github-token", "github_pat_", rf"{_W}{{22,}}"),
    *_each(
        "gitlab-token",
        "glpat- glptt- gldt- glrt- glrtr- glsoat- glcbt- glft- glimt- glagent- gloas- glffct- glwt-",
        rf"{_W}{{20,}}(?:\.[0-9a-z.]{{2,20}})?",
    ),
    Form("gitlab-token", "GR1348941", rf"{_W}{{20,}}"),
    Form("bitbucket-token", "ATBB", rf"{_N}{{28,}}"),
    *_each("slack-token", "xoxa- xoxb- xoxe- xoxo- xoxp- xoxr- xoxs- xoxc- xoxd-", r"[A-Za-z0-9%-]{10,}"),
    Form("slack-token", "xoxe.", r"xox[bp]-\d-[A-Za-z0-9]{20,}"),
    Form("slack-token", "xapp-", r"\d-[A-Za-z0-9-]{10,}"),
    Form(
        "slack-webhook", "hooks.slack.com/", r"(?:services|workflows|triggers)/[A-Za-z0-9/_-]{20,}", r"(?:https?://)?"
    ),
    *_each("discord-webhook", "discord.com/api/ discordapp.com/api/", rf"(?:v\d+/)?webhooks/\d{{15,20}}/{_W}{{60,}}"),
    Form(
        "teams-webhook",
        "webhook.office.com/",
        r"webhookb2/[0-9a-f@-]{36,}/IncomingWebhook/[0-9a-f]{32}/[0-9a-f-]{36}[A-Za-z0-9_/-]*",
        r"(?:https?://)?[a-z0-9.-]*",
    ),
    Form("anthropic-key", "sk-ant-", rf"{_W}{{20,}}", is_random=True),
    *_each("openai-key", "sk-proj- sk-svcacct- sk-admin- sk-None-", rf"{_W}{{32,}}", is_random=True),
    Form("openrouter-key", "sk-or-v1-", rf"{_H}{{64}}"),
    *_each("api-key", "sk-lf- pk-lf-", _UUID),
    Form("openai-key", "sk-", rf"{_N}{{32,}}(?![A-Za-z0-9_-])", is_random=True),
    Form("openai-key", "sk-", rf"{_W}{{40,}}", is_random=True),
    *_each("stripe-key", "sk_live_ sk_test_ rk_live_ rk_test_ pk_live_ pk_test_", rf"{_N}{{16,}}"),
    Form("stripe-key", "whsec_", rf"{_B}{{24,}}=*"),
    *_each("square-token", "sq0atp- sq0csp- sq0idp-", rf"{_W}{{22,}}"),
    Form("square-token", "EAAA", rf"{_W}{{60}}"),
    Form("facebook-token", "EAAC", rf"{_N}{{60,}}"),
    *_each("facebook-token", "EAAB EAAG EAAD EAAF EAAI EAAJ EAAM EAAN EAAO", rf"{_N}{{90,}}"),
    *_each("braintree-token", "access_token$production$ access_token$sandbox$", r"[0-9a-z]{16}\$[0-9a-f]{32}"),
    Form("google-key", "AIza", rf"{_W}{{35}}(?!{_W})"),
    Form("google-key", "ya29.", rf"{_W}{{20,}}[\w.-]*"),
    Form("google-key", "GOCSPX-", rf"{_W}{{20,}}"),
    Form("google-key", "1//0", rf"{_W}{{40,}}"),
    Form("google-key", ":APA91b", rf"{_W}{{80,}}", rf"(?:{_W}{{7,}})?"),
    *_each("npm-token", "npm_", rf"{_N}{{36}}(?![A-Za-z0-9])"),
    Form("pypi-token", "pypi-", rf"{_W}{{50,}}", is_random=True),
    Form("rubygems-key", "rubygems_", rf"{_H}{{48}}"),
    Form("crates-token", "cio", rf"{_N}{{32}}(?!{_N})", is_random=True),
    Form("nuget-key", "oy2", r"[a-z0-9]{43}(?![A-Za-z0-9])"),
    Form("huggingface-token", "hf_", rf"{_N}{{30,}}(?![A-Za-z0-9_])"),
    Form("huggingface-token", "api_org_", rf"{_N}{{30,}}"),
    *_each("docker-token", "dckr_pat_ dckr_oat_", rf"{_W}{{20,}}"),
    Form("sendgrid-key", "SG.", rf"{_W}{{16,}}\.{_W}{{16,}}"),
    Form("twilio-key", "SK", rf"{_H}{{32}}(?!{_H})"),
    Form("mailgun-key", "key-", rf"{_H}{{32}}(?!{_N})"),
    Form("mailgun-key", "pubkey-", rf"{_H}{{32}}(?!{_N})"),
    Form("mailchimp-key", "-us", r"\d{1,2}(?![A-Za-z0-9])", rf"(?<![A-Za-z0-9]){_H}{{32}}"),
    Form("resend-key", "re_", r"[A-Za-z0-9]{8}_[A-Za-z0-9]{20,}(?![A-Za-z0-9_])", is_random=True),
    *_each("brevo-key", "xkeysib- xsmtpsib-", rf"{_H}{{64}}-{_N}{{16}}"),
    *_each("digitalocean-token", "dop_v1_ doo_v1_ dor_v1_", rf"{_H}{{64}}"),
    Form("heroku-key", "HRKU-", rf"{_W}{{36,}}"),
    Form("cloudflare-key", "v1.0-", rf"{_H}{{24}}-{_H}{{146}}"),
    *_each("deno-token", "ddp_ ddw_", rf"{_N}{{36}}(?![A-Za-z0-9_])", is_random=True),
    Form("fly-token", "FlyV1 ", r"fm\d_[A-Za-z0-9+/=_,-]{40,}"),
    Form("fly-token", "fo1_", rf"{_W}{{43}}"),
    *_each("fly-token", "fm1r_ fm1a_ fm2_", r"[A-Za-z0-9+/]{40,}=*"),
    Form("render-key", "rnd_", rf"{_N}{{28,}}"),
    *_each("netlify-token", "nfp_ nfo_ nfu_ nfc_", rf"{_N}{{36}}"),
    *_each("vercel-token", "vcp_ vci_ vca_ vcr_ vck_", rf"{_N}{{24,}}"),
    *_each("supabase-key", "sbp_", r"(?:v0_|oauth_)?[0-9a-f]{40}"),
    *_each("supabase-key", "sb_secret_", rf"{_W}{{20,}}"),
    *_each("planetscale-token", "pscale_tkn_ pscale_pw_ pscale_oauth_", r"[A-Za-z0-9_.=-]{32,}"),
    Form("databricks-token", "dapi", rf"{_H}{{32}}(?:-\d)?(?!{_N})"),
    *_each("doppler-token", "dp.pt. dp.ct. dp.scim. dp.audit. dp.said.", rf"{_N}{{40,}}"),
    *_each("doppler-token", "dp.st. dp.sa.", rf"(?:[a-z0-9_-]{{2,35}}\.)?{_N}{{40,}}"),
    *_each("vault-token", "hvs. hvb. hvr.", rf"{_W}{{24,}}", is_random=True),
    Form("vault-token", "s.", rf"{_N}{{24}}(?![A-Za-z0-9_.-])", is_random=True),
    Form("terraform-token", ".atlasv1.", r"[A-Za-z0-9_=-]{60,}", rf"(?<![A-Za-z0-9]){_N}{{14}}"),
    Form("pulumi-token", "pul-", rf"{_H}{{40}}"),
    *_each("tailscale-key", "tskey-", r"(?:auth|api|client|scim|webhook)-[A-Za-z0-9]{8,}-[A-Za-z0-9]{16,}"),
    Form("1password-token", "ops_", r"eyJ[A-Za-z0-9+/=_-]{100,}"),
    Form("1password-key", "A3-", r"[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}"),
    Form("grafana-token", "glc_", r"[A-Za-z0-9+/=]{32,}"),
    Form("grafana-token", "glsa_", rf"{_N}{{32}}_[A-Fa-f0-9]{{8}}"),
    Form("sentry-token", "sntrys_", r"eyJ[A-Za-z0-9+/=_-]{60,}"),
    Form("sentry-token", "sntryu_", rf"{_H}{{64}}"),
    *_each("newrelic-key", "NRAK- NRII- NRJS- NRIQ- NRRA- NRBR-", r"[A-Za-z0-9]{19,42}"),
    Form("newrelic-key", "NRAL", r"(?![A-Za-z0-9])", rf"(?<![A-Za-z0-9])(?:eu01xx{_H}{{30}}|{_H}{{36}})"),
    *_each("postman-key", "PMAK- PMAT-", r"[A-Za-z0-9-]{26,}"),
    *_each("linear-key", "lin_api_ lin_oauth_ lin_wh_", rf"{_N}{{32,}}"),
    Form("notion-token", "ntn_", rf"{_N}{{40,}}"),
    Form("notion-token", "secret_", rf"{_N}{{43}}(?![A-Za-z0-9_])", is_random=True),
    *_each("figma-token", "figd_ figo_ figu_ figr_ figoh_", rf"{_W}{{36,}}"),
    Form("airtable-token", "pat", rf"{_N}{{14}}\.{_H}{{64}}"),
    Form("hubspot-token", "pat-", rf"(?:na|eu|ap)\d-{_UUID}"),
    *_each("atlassian-token", "ATATT3 ATCTT3 ATSTT3", r"[A-Za-z0-9_=-]{20,}"),
    *_each("shopify-token", "shpat_ shpca_ shppa_ shpss_ shpua_ shptka_", r"[A-Fa-f0-9]{32}"),
    Form("okta-token", "SSWS ", rf"{_W}{{30,}}"),
    Form("dropbox-token", "sl.", r"(?:u\.)?[A-Za-z0-9_-]{100,}"),
    *_each("buildkite-token", "bkua_ bkaj_ bkct_", r"[a-zA-Z0-9]{40}"),
    *_each("circleci-token", "CCIPAT_ CCIPRJ_", rf"{_N}{{20,}}_{_H}{{40}}"),
    *_each("sonar-token", "sqp_ squ_ sqa_", rf"{_H}{{40}}"),
    *_each("artifactory-token", "AKCp", rf"{_N}{{60,}}"),
    Form("artifactory-token", "cmVmdGtu", rf"{_N}{{56}}"),
    Form("contentful-token", "CFPAT-", rf"{_W}{{40,}}"),
    *_each("mapbox-token", "sk.", r"eyJ1[A-Za-z0-9_-]{40,}\.[A-Za-z0-9_-]{16,}"),
    Form("clojars-token", "CLOJARS_", rf"{_H}{{60}}"),
    *_each("prefect-key", "pnu_ pnb_", r"[a-z0-9]{36}", is_random=True),
    Form("readme-key", "rdme_", r"[a-z0-9]{70}"),
    Form("frameio-token", "fio-u-", r"[A-Za-z0-9_=-]{64}"),
    *_each("duffel-token", "duffel_live_ duffel_test_", r"[A-Za-z0-9_=-]{43}"),
    *_each("easypost-key", "EZAK EZTK", rf"{_N}{{54}}"),
    Form("adobe-secret", "p8e-", r"[a-z0-9]{32}(?![a-z0-9])", is_random=True),
    Form("alibaba-key", "LTAI", rf"{_N}{{12,20}}(?!{_N})"),
    Form("tencent-key", "AKID", rf"{_N}{{32}}(?!{_N})"),
    Form("yandex-key", "AQVN", rf"{_W}{{35,38}}(?!{_W})"),
    *_each("yandex-key", "y0_ y1_", rf"{_W}{{50,}}"),
    Form("yandex-key", "t1.", rf"{_W}{{20,}}={{0,2}}\.{_W}{{80,}}={{0,2}}"),
    *_each("groq-key", "gsk_", rf"{_N}{{48,}}"),
    Form("xai-key", "xai-", rf"{_N}{{60,}}"),
    Form("perplexity-key", "pplx-", rf"{_N}{{40,}}"),
    Form("replicate-token", "r8_", rf"{_N}{{37,40}}"),
    *_each("langsmith-key", "lsv2_pt_ lsv2_sk_ ls__", rf"{_H}{{32}}(?:_{_H}{{10}})?"),
    Form("pinecone-key", "pcsk_", r"[A-Za-z0-9]{4,7}_[A-Za-z0-9]{40,}"),
    Form("tavily-key", "tvly-", rf"{_W}{{28,}}"),
    Form("firecrawl-key", "fc-", rf"{_H}{{32}}(?!{_N})"),
    *_each("elevenlabs-key", "sk_", rf"{_H}{{48}}(?!{_N})"),
    Form("nvidia-key", "nvapi-", rf"{_W}{{60,}}"),
    Form("cerebras-key", "csk-", r"[a-z0-9]{40,}"),
    Form("voyage-key", "pa-", rf"{_W}{{43}}(?!{_W})", is_random=True),
    Form("jina-key", "jina_", rf"{_W}{{50,}}"),
    Form("fireworks-key", "fw_", rf"{_N}{{22,}}", is_random=True),
    Form("together-key", "tgp_v1_", rf"{_W}{{40,}}"),
    Form("wandb-key", "wandb_v1_", rf"{_W}{{40,}}"),
    *_each("ngrok-key", "ak_ cr_", rf"{_N}{{27}}(?![A-Za-z0-9_])", is_random=True),
    *_each("dynatrace-token", "dt0c01. dt0s16. dt0s01. dt0s02.", r"[A-Z0-9]{8,24}\.[A-Z0-9]{64}"),
    *_each("harness-token", "pat. sat.", rf"{_W}{{22}}\.{_H}{{24}}\.{_N}{{20}}"),
    Form("rails-session", "glsess-", rf"{_W}{{20,}}"),
    *_each("typeform-token", "tfp_", r"[A-Za-z0-9_.=-]{44,}"),
    *_each("flutterwave-key", "FLWSECK-", r"[A-Za-z0-9-]{12,}"),
    *_each("flutterwave-key", "FLWSECK_TEST-", r"[A-Za-z0-9-]{12,}"),
    Form("razorpay-key", "rzp_live_", rf"{_N}{{14,}}"),
    Form("razorpay-key", "rzp_test_", rf"{_N}{{14,}}"),
    *_each("plaid-token", "access-sandbox- access-development- access-production-", _UUID),
    *_each("intra42-key", "s-s4t2ud- s-s4t2af-", rf"{_H}{{64}}"),
    Form("infracost-key", "ico-", rf"{_N}{{32}}(?!{_N})"),
    *_each("scalingo-token", "tk-us-", rf"{_W}{{48}}"),
    Form("octopus-key", "API-", r"[A-Z0-9]{26,40}(?![A-Za-z0-9])", is_random=True),
    Form("posthog-key", "phx_", rf"{_W}{{40,}}"),
    Form("launchdarkly-key", "sdk-", _UUID),
    Form("launchdarkly-key", "api-", _UUID),
    Form("zapier-hook", "hooks.zapier.com/hooks/catch/", r"\d+/[a-z0-9]+", r"(?:https?://)?"),
    Form("telegram-token", ":AA", rf"{_W}{{32,34}}(?!{_W})", r"(?<!\d)\d{8,10}"),
    Form("azure-secret", "Q~", r"[A-Za-z0-9_.~-]{31,34}", r"(?<![A-Za-z0-9_.~-])[A-Za-z0-9_.~-]{3}\d"),
    Form("openai-key", "T3BlbkFJ", rf"{_W}{{20,}}", rf"(?<![A-Za-z0-9_-]){_W}{{20,80}}"),
    Form("azure-devops-token", "AZDO", rf"{_N}{{4}}(?!{_N})", rf"(?<!{_N}){_N}{{76}}"),
    Form("twitter-token", "AAAAAAAAAAAAAAAAAAAAA", r"[A-Za-z0-9%]{60,}"),
    Form(
        "jwt",
        "eyJ",
        r"[A-Za-z0-9_-]{8,}\.(?:eyJ[A-Za-z0-9_-]{8,}|[A-Za-z0-9_-]{0,1000}(?:\.[A-Za-z0-9_-]{10,}){2})(?:\.[A-Za-z0-9_-]{2,}){0,3}",
        r"(?<![A-Za-z0-9_+/])",
    ),
    Form("neon-key", "napi_", r"[a-z0-9]{60,}"),
    *_each("honeycomb-key", "hcaik_ hcbik_ hccik_ hcxik_ hcalk_ hcxlk_ hcamk_ hcxmk_", r"[a-z0-9]{40,}"),
    *_each("asana-token", "1/ 2/", rf"\d{{10,20}}(?:/\d{{10,20}})?:{_H}{{32}}(?!{_N})"),
    Form("openshift-token", "sha256~", rf"{_W}{{43}}(?!{_W})"),
    Form("sourcegraph-token", "sgp_", rf"(?:(?:{_H}{{16}}|local)_)?{_H}{{40}}(?!{_N})"),
    Form("sourcegraph-token", "slk_", rf"{_H}{{64}}"),
    *_each("shippo-token", "shippo_live_ shippo_test_", rf"{_H}{{40}}"),
    Form("adafruit-key", "aio_", rf"{_N}{{28}}(?!{_N})", is_random=True),
    *_each("mongodb-key", "mdb_sa_sk_", rf"{_W}{{32,}}"),
    *_each("snyk-token", "snyk_uat. snyk_sat.", rf"{_N}{{8}}\.{_W}{{20,}}(?:\.{_W}{{20,}})?"),
    *_each("paddle-key", "pdl_live_apikey_ pdl_sdbx_apikey_", rf"[a-z0-9]{{26}}_{_N}{{22}}_{_N}{{3}}"),
    *_each("paddle-key", "pdl_ntfset_", rf"[a-z0-9]{{26}}_{_W}{{20,}}"),
    Form("google-key", "AQ.", rf"Ab8{_W}{{40,}}"),
    Form("e2b-key", "e2b_", rf"{_H}{{40}}"),
    *_each("inngest-key", "signkey-prod- signkey-test- signkey-branch-", rf"{_H}{{32,}}"),
    *_each("trigger-key", "tr_prod_ tr_dev_ tr_stg_ tr_pat_", rf"{_N}{{20,}}", is_random=True),
    Form("clickup-token", "pk_", r"\d{5,10}_[A-Z0-9]{32}(?![A-Za-z0-9])"),
    Form("astra-token", "AstraCS:", rf"{_N}{{24}}:{_H}{{64}}"),
    *_each("mercadopago-token", "APP_USR-", rf"\d{{13,20}}-\d{{6}}-{_H}{{32}}(?:-\d{{6,12}})?"),
    Form("amazon-secret", "amzn1.oa2-cs.v1.", rf"{_H}{{64}}"),
    Form("zoho-token", "1000.", rf"{_H}{{32}}\.{_H}{{32}}"),
    *_each("elastic-key", "essu_", rf"{_B}{{40,}}=*"),
    Form("brave-key", "BSA", rf"{_W}{{27,28}}(?!{_W})", is_random=True),
    *_each("ory-token", "ory_pat_ ory_at_ ory_rt_ ory_ac_ ory_apikey_ ory_wak_", rf"{_W}{{30,}}"),
    *_each("runpod-key", "rpa_", r"[A-Za-z0-9]{40,}"),
    Form("age-key", "AGE-SECRET-KEY-1", r"[A-Z0-9]{50,60}"),
    Form("age-key", "AGE-PLUGIN-", r"[A-Z0-9-]{3,30}-1[A-Z0-9]{20,}"),
    Form("private-key", "xprv", r"[1-9A-HJ-NP-Za-km-z]{100,112}"),
    *_each("password-hash", "$2a$ $2b$ $2y$", r"\d\d\$?[./A-Za-z0-9]{53}", is_random=False),
    *_each(
        "password-hash",
        "$1$ $5$ $6$ $y$ $7$ $apr1$ $gy$ $sha1$",
        r"(?:rounds=\d+\$)?[./A-Za-z0-9]{1,64}\$[./A-Za-z0-9]{20,}",
    ),
    *_each(
        "password-hash",
        "$argon2id$ $argon2i$ $argon2d$ $scrypt$ $pbkdf2$ $pbkdf2-sha256$ $pbkdf2-sha512$",
        r"[A-Za-z0-9=,$+/._-]{30,}",
    ),
    *_each("password-hash", "pbkdf2_sha256$ pbkdf2_sha1$ argon2$ scrypt$ bcrypt_sha256$", r"[A-Za-z0-9=,$+/._-]{30,}"),
    *_each("password-hash", "{SHA} {SSHA} {SSHA256} {SSHA512} {SHA256} {SHA512} {CRYPT}", r"[A-Za-z0-9+/$.]{20,}=*"),
)
"""What is looked for. A shorter marker stands after the longer ones that begin with it."""

_BOUNDS: Final = {"$", "{"}
"""Markers that begin so may follow a letter or digit."""


class _Row(NamedTuple):
    form: Form
    before: re.Pattern[str] | None
    """What stands before the marker; None: nothing that could be part of the same word."""

    after: re.Pattern[str]


def _row(form: Form) -> _Row:
    if form.before == _WORD_START:
        before = re.compile("") if form.marker[0] in _BOUNDS else None
    else:
        before = re.compile(rf"{form.before}\Z")
    return _Row(form, before, re.compile(form.after))


def _rows() -> dict[str, list[_Row]]:
    rows = [_row(form) for form in FORMS]
    markers = {form.marker for form in FORMS}
    return {
        marker: sorted(
            (row for row in rows if marker.startswith(row.form.marker)), key=lambda row: -len(row.form.marker)
        )
        for marker in markers
    }


_ROWS: Final = _rows()
_DRAWN: Final = (f"{_N}{{", f"{_H}{{", "[a-z0-9]{")
"""How forms begin behind whose marker at least eight letters and digits stand."""

_OPTIONS: Final = _engine.Options()
_OPTIONS.log_errors = False
_OPTIONS.max_mem = 16 * 1024 * 1024  # bytes; long texts overflow the cache of states that fits in RE2's own 8 MB


def _probe(marker: str) -> str:
    """Return the RE2 by which *marker* is found; a short one with what must follow it, since many words begin so."""
    forms = [row.form for row in _ROWS[marker]]
    begins_word = marker[0].isalnum() and all(form.before == _WORD_START for form in forms)
    is_short = len(marker) < SHORT_MARKER and all(form.after.startswith(_DRAWN) for form in forms)
    return (r"\b" if begins_word else "") + re.escape(marker) + (f"{_N}{{{PROBED}}}" if is_short else "")


_BY_LENGTH: Final = sorted(_ROWS, key=len, reverse=True)
_MARKERS: Final = _engine.compile("|".join(map(_probe, _BY_LENGTH)), _OPTIONS)
_DISCORD: Final = _engine.compile(r"\b[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,45}", _OPTIONS)
_UNLISTED: Final = _engine.compile(rf"[_-]{_N}{{40}}", _OPTIONS)
"""What may be the token of a vendor that the table does not have: forty characters behind a prefix."""

_PREFIX: Final = re.compile(r"(?<![A-Za-z0-9_.-])[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,8}){0,3}\Z")
_DIGEST: Final = re.compile(r"(?:sha|md|blake|h|xxh)\d+\w*\Z")
_DRAWN_RUN: Final = re.compile(rf"(?P<drawn>{_N}{{40,200}}){_W}{{0,{REACH}}}={{0,2}}")
_HEX_RUN: Final = re.compile(r"[0-9a-f]+|[0-9A-F]+|\d+")
_DIGITS_MIN: Final = 3
"""Digits in what was drawn: forty of 62 characters have six or seven, a long name in camel case two at most."""

LEADS: Final = (_MARKERS.pattern, _DISCORD.pattern, _UNLISTED.pattern)
"""What a text has in which anything is found here, as RE2."""

_PARTNER: Final = re.compile(r"(?<![A-Za-z0-9+/=])[A-Za-z0-9+/]{30,60}={0,2}(?![A-Za-z0-9+/=])")
_PAIRED: Final = {"AKIA": "aws-secret", "ASIA": "aws-secret", "LTAI": "alibaba-secret", "AKID": "tencent-secret"}

PARTNER_REACH: Final = 120
"""Characters behind the id of a key within which its secret is looked for."""


def tokens(text: str) -> Iterator[Span]:
    """Yield the tokens in *text* that their form tells."""
    done = 0
    for found in _MARKERS.finditer(text):
        if found.start() < done:
            continue
        for span in _at(text, found.start(), _marker_of(found.group())):
            done = max(done, span.end)
            yield span
    for found in _DISCORD.finditer(text):
        if is_token(found.group()):
            yield Span(found.start(), found.end(), "discord-token")


def _marker_of(found: str) -> str:
    return found if found in _ROWS else found[:-PROBED]


def unlisted_tokens(text: str) -> Iterator[Span]:
    """Yield tokens of vendors that the table lacks: a prefix, and much drawn by chance."""
    for found in _UNLISTED.finditer(text):
        if span := _unlisted(text, found.start()):
            yield span


def _at(text: str, start: int, marker: str) -> Iterator[Span]:
    for row in _ROWS[marker]:
        if span := _fits(row, text, start):
            yield span
            if marker in _PAIRED:
                yield from _partner(text, span.end, _PAIRED[marker])
            return


def _unlisted(text: str, start: int) -> Span | None:
    prefix = _PREFIX.search(text, max(0, start - REACH_BACK), start)
    body = _DRAWN_RUN.match(text, start + 1)
    if prefix is None or body is None or _DIGEST.match(prefix.group()):
        return None
    drawn = body["drawn"]
    if _HEX_RUN.fullmatch(drawn) or sum(map(str.isdigit, drawn)) < _DIGITS_MIN or not is_token(drawn):
        return None
    return Span(prefix.start(), body.end(), "api-key")


def _fits(row: _Row, text: str, start: int) -> Span | None:
    form, body_at = row.form, start + len(row.form.marker)
    body = row.after.match(text, body_at, min(len(text), start + JUDGED))
    if body is None:
        return None
    begin = _begin(row, text, start)
    if begin is None:
        return None
    drawn = body.group() or text[begin:start]
    if stands_for_something(drawn) or (form.is_random and not is_token(drawn, is_named=True)):
        return None
    if body.end() == start + JUDGED:  # it goes on, and may turn out to be another thing
        body = row.after.match(text, body_at, min(len(text), start + REACH))
    return Span(begin, body.end(), form.kind) if body else None


def _begin(row: _Row, text: str, start: int) -> int | None:
    if row.before is None:
        before = text[start - 1 : start]
        return None if before == "_" or (before.isascii() and before.isalnum()) else start
    head = row.before.search(text[max(0, start - REACH_BACK) : start])
    return start - len(head.group()) if head else None


def _partner(text: str, start: int, kind: str) -> Iterator[Span]:
    ahead = text[start : start + PARTNER_REACH]
    for found in _PARTNER.finditer(ahead):
        if is_token(found.group()):
            yield Span(start + found.start(), start + found.end(), kind)
            return
