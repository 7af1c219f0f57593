"""Keys and tokens that are told by their own form: what a vendor put there so that they can be found.

A row is what stands in the text in small letters, by which most texts are passed over, and the form.
Every repetition is bounded below and of single characters, so that a search takes time as the text is long.
"""

from __future__ import annotations

from twofold.memory.secret_patterns import SecretPattern, marked

_HEX = "[0-9a-f]"
_B64 = r"[\w+/=-]"

_FORMS: tuple[tuple[tuple[str, ...], str], ...] = (
    # Models and the tools around them
    (("sk-",), r"sk-(?=[\w-]{0,200}\d)[\w-]{16,}"),  # OpenAI, Anthropic, OpenRouter, Langfuse
    (
        ("hf_", "npm_", "gsk_", "r8_"),
        r"(?:npm|hf|gsk|r8)_(?:(?=\w{0,200}\d)\w{20,}|\w{30,})",
    ),  # Hugging Face, npm, Groq
    (("xai-", "xai_", "lsv2_"), r"(?:xai|lsv2_(?:pt|sk))[_-](?=\w{0,200}\d)\w{20,}"),  # xAI, LangSmith
    (("pplx-", "tvly-", "nvapi-", "csk-"), r"(?:pplx|tvly|nvapi|csk)-[\w-]{24,}"),  # Perplexity, Tavily, NVIDIA
    (("pcsk_", "jina_", "tgp_v1_", "fw_"), r"(?:pcsk|jina|tgp_v1|fw)_(?=\w{0,200}\d)[\w-]{22,}"),
    # Clouds
    (("akia", "asia", "abia", "acca", "a3t"), r"(?:AKIA|ASIA|ABIA|ACCA|A3T[A-Z0-9])[0-9A-Z]{16}"),  # AWS
    (("iqojb3jpz2lu", "fwogzxiv"), rf"(?:IQoJb3JpZ2lu|FwoGZXIv){_B64}{{60,}}"),  # AWS session
    (("absk", "bedrock-api-key-"), rf"ABSK{_B64}{{60,}}|bedrock-api-key-{_B64}{{20,}}"),  # Bedrock
    (("aiza",), r"AIza[\w-]{30,}"),  # Google
    (("ya29.", "gocspx-", "1//0"), r"ya29\.[\w-]{20,}|GOCSPX-[\w-]{20,}|1//0[\w-]{30,}"),
    (("q~",), r"[\w~.-]{3}\dQ~[\w~.-]{31,34}"),  # Entra ID
    (
        ("azfu", "azse", "azca", "acdb", "+ast"),
        r"[A-Za-z0-9+/]{40,90}(?:AzFu|AzSe|AzCa|ACDb|\+ASt)[A-Za-z0-9+/]{5,10}={0,2}",
    ),
    (("azdo",), r"[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}"),  # Azure DevOps
    (("ltai",), r"LTAI[A-Za-z0-9]{12,}"),  # Alibaba
    (("aqvn", "ycaj", "yca_"), r"(?:AQVN|YCAJ)[\w-]{20,}"),  # Yandex
    (("doo_v1_", "dop_v1_", "dor_v1_"), rf"do[opr]_v1_{_HEX}{{40,}}"),  # DigitalOcean
    (("v1.0-",), rf"v1\.0-{_HEX}{{24}}-{_HEX}{{100,}}"),  # Cloudflare
    (("hrku-",), r"HRKU-[\w-]{30,}"),  # Heroku
    (("fo1_", "fm1_", "fm1a_", "fm1r_", "fm2_"), rf"(?:fo1|fm1[ar]?|fm2)_{_B64}{{40,}}"),  # Fly.io
    (("vcp_", "vck_", "vci_", "vca_", "vcr_"), r"vc[pkiar]_\w{24,}"),  # Vercel
    (("nfp_", "napi_", "sbp_", "sb_secret_"), r"(?:nfp|napi|sbp|sb_secret)_(?=\w{0,200}\d)[\w-]{22,}"),
    (("tk-us-",), r"tk-us-[\w-]{40,}"),  # Scalingo
    # Code, builds and secrets
    (("ghp_", "gho_", "ghu_", "ghs_", "ghr_"), r"gh[opsur]_\w{20,}"),  # GitHub
    (("github_pat_",), r"github_pat_\w{20,}"),
    (
        ("glpat-", "gldt-", "glrt-", "glrtr-", "glcbt-", "glptt-", "glft-", "glimt-", "glagent-", "gloas-", "glsoat-"),
        r"gl(?:pat|dt|rtr?|cbt|ptt|ft|imt|agent|oas|soat)-[\w.-]{16,}",  # GitLab
    ),
    (("glffct-", "gr1348941"), r"(?:glffct-|GR1348941)[\w-]{16,}"),
    (("atatt3", "atbb", "atctt3"), rf"(?:ATATT3|ATBB|ATCTT3){_B64}{{20,}}"),  # Atlassian
    (("dckr_pat_", "dckr_oat_"), r"dckr_[po]at_[\w-]{20,}"),  # Docker
    (("pypi-", "rubygems_", "clojars_"), rf"pypi-[\w-]{{20,}}|rubygems_{_HEX}{{40,}}|CLOJARS_\w{{50,}}"),
    (("oy2",), r"oy2[a-z0-9]{43}"),  # NuGet
    (("akcp", "cmvmd"), r"(?:AKCp|cmVmd)[A-Za-z0-9]{50,}"),  # JFrog
    (("ccipat_", "bkua_", "squ_", "sqp_", "sqa_"), rf"CCIPAT_\w{{20,}}|bkua_{_HEX}{{30,}}|sq[upa]_{_HEX}{{40,}}"),
    (("hvs.", "hvb.", "hvr.", "s."), r"hv[sbr]\.[\w-]{20,}|s\.(?=[a-z0-9]{0,23}\d)[a-zA-Z0-9]{24}"),  # Vault
    ((".atlasv1.",), r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{60,}"),  # Terraform
    (("age-secret-key-1",), r"AGE-SECRET-KEY-1[0-9A-Z]{50,}"),
    (("ops_eyj", "a3-"), r"ops_eyJ[\w=+/-]{100,}|A3-[A-Z0-9]{6}-[A-Z0-9-]{23,}"),  # 1Password
    (("dp.pt.", "dp.st.", "dp.ct.", "dp.sa."), r"dp\.(?:pt|st|ct|sa)\.[\w.-]{40,}"),  # Doppler
    (("pul-", "pnu_", "pnb_"), rf"pul-{_HEX}{{40}}|pn[ub]_\w{{36}}"),  # Pulumi, Prefect
    (("sha256~",), r"sha256~[\w-]{43}"),  # OpenShift
    (("api-",), r"API-[A-Z0-9]{26,}"),  # Octopus
    (("sgp_", "pmak-"), rf"sgp_[\w-]{{40,}}|PMAK-{_HEX}[0-9a-f-]{{40,}}"),  # Sourcegraph, Postman
    (("dapi",), rf"dapi{_HEX}{{32}}(?:-\d)?"),  # Databricks
    # Watching and telling
    (("xox", "xapp-"), r"xox[abeoprs](?:\.xox[bp])?-[\w-]{10,}|xapp-[\w-]{10,}"),  # Slack
    (("hooks.slack.com/", "discord"), r"hooks\.slack\.com/(?:services|workflows|triggers)/[\w/-]{20,}"),
    (("/api/webhooks/",), r"discord(?:app)?\.com/api/webhooks/\d{10,}/[\w-]{40,}"),
    (
        ("webhook.office.com/", "office.com/webhook/"),
        r"(?:\w{1,60}\.webhook\.office\.com|outlook\.office\.com)/webhook\w{0,3}/[\w@/-]{40,}",
    ),
    (("discord", "bot "), r"[MNO][A-Za-z0-9_-]{23,27}\.[\w-]{6}\.[\w-]{27,}"),  # Discord
    ((":aa",), r"\d{8,10}:AA[\w-]{32,}"),  # Telegram
    (("glc_", "glsa_", "eyjrijoi"), rf"gl(?:c|sa)_{_B64}{{32,}}|eyJrIjoi{_B64}{{40,}}"),  # Grafana
    (("nrak-", "nrii-", "nrjs-", "nraa-"), r"NR(?:AK|II|JS|AA)-[\w-]{19,}"),  # New Relic
    (("sntrys_", "sntryu_"), rf"sntry[su]_{_B64}{{40,}}"),  # Sentry
    (("dt0",), r"dt0[a-z]\d{2}\.\w{24}\.\w{60,}"),  # Dynatrace
    # Mail, money and business
    (("sk_", "rk_"), r"[sr]k_(?:live|test|prod)_\w{10,}"),  # Stripe
    (("whsec_",), r"whsec_[\w+/=]{16,}"),
    (("sk",), r"SK[0-9a-fA-F]{32}"),  # Twilio
    (("sg.",), r"SG\.(?=[\w=-]{0,80}\.)[\w.=-]{34,}"),  # SendGrid
    (("key-", "-us"), rf"key-{_HEX}{{32}}|{_HEX}{{32}}-us\d{{1,2}}"),  # Mailgun, Mailchimp
    (("xkeysib-",), rf"xkeysib-{_HEX}{{40,}}-\w{{16}}"),  # Brevo
    (("shpat_", "shpca_", "shppa_", "shpss_"), r"shp(?:at|ca|pa|ss)_\w{20,}"),  # Shopify
    (("shippo_", "duffel_"), r"(?:shippo|duffel)_(?:live|test)_[\w=-]{20,}"),
    (("sq0", "eaa"), r"sq0(?:atp|csp)-[\w-]{22,}|EAAA[\w-]{22,}|EAA(?=\w{0,200}\d)[\w-]{57,}"),  # Square, Facebook
    (("access_token$",), rf"access_token\$(?:production|sandbox)\$\w{{16}}\${_HEX}{{32}}"),  # PayPal
    (("flwseck",), r"FLWSECK(?:_TEST)?-\w{12,}"),  # Flutterwave
    (
        ("access-sandbox-", "access-production-", "access-development-"),
        r"access-(?:sandbox|production|development)-[0-9a-f-]{36}",
    ),
    (("ezak", "eztk"), r"EZ[AT]K\w{50,}"),  # EasyPost
    (("pat-na", "pat-eu", "pat-ap"), r"pat-(?:na|eu|ap)\d-[0-9a-f-]{36}"),  # HubSpot
    (
        ("pat", "sat."),
        rf"pat\w{{14}}\.{_HEX}{{60,}}|[ps]at\.[\w-]{{20,24}}\.\w{{20,24}}\.\w{{16,}}",
    ),  # Airtable, Harness
    (("ntn_", "secret_"), r"(?:ntn|secret)_(?=\w{0,200}\d)\w{40,}"),  # Notion
    (("lin_api_", "lin_oauth_"), r"lin_(?:api|oauth)_\w{32,}"),  # Linear
    (("tfp_", "rdme_", "figd_", "figu_"), r"(?:tfp|rdme|fig[du])_[\w.-]{36,}"),  # Typeform, ReadMe, Figma
    (("sm_aat_", "sm_pat_", "sm_sat_"), r"sm_[aps]at_\w{16,}"),  # SettleMint
    (
        ("ico-", "fio-u-", "s-s4t2"),
        rf"ico-\w{{32}}|fio-u-[\w=-]{{60,}}|s-s4t2(?:ud|af)-{_HEX}{{64}}",
    ),  # Infracost, Frame.io
    (("scauth_", "authress_"), r"(?:scauth|authress)_\w{5,30}\.[\w.+/=-]{30,}"),
    (("_mmk", "4b1d"), r"\w{6}_\w{29}_mmk|4b1d\w{38}"),  # MaxMind, ClickHouse
    (("|", "%7c"), r"\d{15,16}(?:\||%7C)[\w-]{27,40}"),  # Facebook, of an app
    (("api_org_",), r"api_org_\w{34,}"),
    (("cfpat-",), r"CFPAT-[\w-]{40,}"),  # Contentful
    (("p8e-",), r"p8e-\w{32}"),  # Adobe
    (("pscale_",), r"pscale_(?:tkn|pw|oauth)_[\w.=-]{32,}"),  # PlanetScale
    (("mdb_sa_sk_",), r"mdb_sa_sk_[\w-]{30,}"),  # MongoDB Atlas
    (("00d",), r"00D[A-Za-z0-9]{12,15}![\w.]{60,}"),  # Salesforce
)


def vendor_tokens() -> tuple[SecretPattern, ...]:
    """Return the pattern of each form."""
    return tuple(marked(form, needs=needs) for needs, form in _FORMS)
