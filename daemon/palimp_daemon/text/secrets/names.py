"""Tell names of a secret, in several languages, from similar words.

Names are split into words: `DB_PASSWORD` has `password`, `monkey` no `key`. Others may change the meaning
(`password_min_length`, `primary key`).
"""

import re
import unicodedata
from enum import IntEnum
from functools import lru_cache
from typing import Final

NAME_CHARACTERS_MAX: Final = 120
"""Characters of the longest name."""


class Naming(IntEnum):
    """How much a name says of its value."""

    NOTHING = 0
    MAYBE = 1
    """`key`, `token`, `cookie`: only a random value is a secret."""

    KEY = 2
    """`api_key`, `auth_token`: random values, ids and hashes are secrets."""

    PASSWORD = 3
    """`password`, `client_secret`: any value that could be one is a secret."""


_FOREIGN: Final = """
contraseña|contrasena|contrasenya|contrasinal|clave de acceso|senha|palavra-passe|palavra passe|
mot de passe|mdp|passwort|kennwort|passwörter|losung|zugangscode|parola|parolă|wachtwoord|wagwoord|lösenord|
losenord|adgangskode|passord|salasana|lykilorð|leyniorð|hasło|haslo|heslo|jelszó|jelszo|lozinka|geslo|
slaptažodis|parole|parool|salasõna|şifre|sifre|şifrə|parol|fjalëkalim|fjalëkalimi|pasahitza|pasfhocal|
cyfrinair|facal-faire|nenosiri|igama lokungena|pasvorto|κωδικός πρόσβασης|κωδικός|κωδικος|συνθηματικό|
пароль|пароля|пароли|паролем|паролю|парола|лозинка|шифра|гасло|құпиясөз|құпия сөз|сырсөз|нууц үг|գաղտնաբառ|
პაროლი|סיסמה|סיסמא|ססמה|كلمة المرور|كلمة السر|كلمه المرور|گذرواژه|رمز عبور|رمزعبور|پاس ورڈ|پاسورڈ|पासवर्ड|
कूटशब्द|पासफ्रेज|संकेतशब्द|पासवर्ड|পাসওয়ার্ড|পাসওয়ার্ড|கடவுச்சொல்|సంకేతపదం|పాస్‌వర్డ్|ಪಾಸ್‌ವರ್ಡ್|ಗುಪ್ತಪದ|
പാസ്‌വേഡ്|രഹസ്യവാക്ക്|પાસવર્ડ|ਪਾਸਵਰਡ|මුරපදය|รหัสผ่าน|ລະຫັດຜ່ານ|စကားဝှက်|ពាក្យសម្ងាត់|លេខសម្ងាត់|mật khẩu|
mat khau|kata sandi|kata laluan|sandi|パスワード|ﾊﾟｽﾜｰﾄﾞ|パスフレーズ|パスコード|暗証番号|合言葉|密码|密碼|
口令|暗号|暗號|密语|비밀번호|암호|패스워드|የይለፍ ቃል|ｐａｓｓｗｏｒｄ|ｐａｓｓ
""".replace("\n", "")
"""*Password* in other languages."""

_FOREIGN_KEYS: Final = """
api密钥|api密鑰|api 密钥|密钥|密鑰|私钥|访问令牌|令牌|apiキー|api キー|アクセスキー|シークレットキー|
シークレット|秘密鍵|トークン|api 키|api키|비밀 키|비밀키|액세스 키|토큰|ключ api|api-ключ|api ключ|
секретный ключ|ключ доступа|секрет|токен|clave api|clave secreta|clave privada|llave api|llave privada|
clé api|clé secrète|clé privée|cle api|jeton|api-schlüssel|geheimer schlüssel|zugriffstoken|zugangstoken|
zugangsschlüssel|chave de api|chave api|chave secreta|chiave api|chiave segreta|klucz api|klucz prywatny|
api anahtarı|gizli anahtar|مفتاح api|المفتاح السري|מפתח api|api कुंजी|khóa api|kunci api
""".replace("\n", "")
"""*API key* and *token* in other languages."""

ENGLISH: Final = """
password|passwd|passwrd|pasword|passwort|passw|passphrase|pass phrase|passcode|pass|pwd|pw|psk|secret|
apikey|token|key|credential|creds|auth|authorization|salt|pepper|seed|mnemonic|recovery phrase|
recovery code|backup code|cookie|phpsessid|jsessionid|signature|sig|hmac|otp|totp|2fa|identified by|
community string|bearer|license|honeycomb|securestring
""".replace("\n", "")
"""Stems to search for; `naming` reads the words around them."""


def _forms(words: str) -> set[str]:
    return {unicodedata.normalize(form, word) for word in words.split("|") if word for form in ("NFC", "NFD")}


PASSWORDS: Final = frozenset(_forms(_FOREIGN))
KEYS: Final = frozenset(_forms(_FOREIGN_KEYS))


def _alternatives(words: frozenset[str] | set[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=lambda each: (-len(each), each)))


def _is_alphabetic(word: str) -> bool:
    return unicodedata.name(word[0], "").startswith(("LATIN", "CYRILLIC", "GREEK", "DIGIT", "ARMENIAN"))


_ALL: Final = PASSWORDS | KEYS | _forms(ENGLISH)
_WITH_ENDINGS: Final = {word for word in _ALL if _is_alphabetic(word)}
NAMES: Final = (
    rf"(?:{_alternatives(_ALL - _WITH_ENDINGS)})|"
    rf"(?:{_alternatives(_WITH_ENDINGS)})[\p{{Latin}}\p{{Cyrillic}}\p{{Greek}}\p{{M}}0-9_-]*"
)
"""RE2 of every word that may name a secret, case ignored."""

ENDING: Final = 4
"""Characters that a language may append: *lösenordet*, *parolası*."""

_IS_PASSWORD: Final = frozenset(
    """
    password passwords passwd passwrd pasword passwort passw passphrase passcode pass pwd pw psk secret userpass
    dbpass dbpassword mysqlpassword rootpassword adminpassword mypassword passwd2 password1 password2 clientsecret
    presharedkey keypass storepass keystorepass requirepass securestring
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
_IS_KEY: Final = frozenset(
    {
        "apikey",
        "authtoken",
        "accesstoken",
        "secretkey",
        "accesskey",
        "privatekey",
        "authkey",
        "apitoken",
        "refreshtoken",
        "accountkey",
        "sharedaccesskey",
        "sessionsecret",
        "xapikey",
    }
)
_IS_MAYBE: Final = frozenset(
    """
    token tokens key keys credential credentials creds auth authorization salt pepper seed mnemonic cookie
    phpsessid jsessionid signature sig hmac otp totp bearer identitytoken connect
    """.split()  # noqa: SIM905  the same
)
_NEVER_KEY: Final = frozenset(["cookie", "seed", "salt", "signature", "sig", "hmac", "connect", "mnemonic"])
"""Names with a secret value only if it looks random, whatever precedes them."""

_MAKES_KEY: Final = frozenset(
    """
    api access secret private auth authentication authorization signing encryption encrypt decryption master account
    shared refresh bot deploy deployment app application service personal client admin root server webhook license
    jwt hmac ssh gpg aws azure gcp google github gitlab slack stripe openai anthropic twilio sendgrid npm pypi heroku
    railway cloudflare datadog dd newrelic sentry snyk vercel netlify fly postmark ngrok linear notion hf huggingface
    groq mistral cohere replicate telegram discord x bearer oauth oauth2 session cookie csrf rails django flask
    vapid
    jwk age wg vault lob acme ci cd bearer provider user my our vpn db database storage subscription ocp apim
    write read rw production prod staging live sandbox test enc sym aes dev
    """.split()  # noqa: SIM905  the same
)
"""Words that make `key` or `token` beside them a secret's name."""

_LOGGED_INTO: Final = frozenset(
    """
    db database pg postgres postgresql mysql mariadb mongo mongodb redis sql rabbitmq amqp mqtt smtp imap pop mail email
    ftp sftp ssh ldap http proxy wifi wlan vpn nas basic become sudo root admin user login account registry repo
    keystore truststore key store jks p12 pfx zip archive backup
    """.split()  # noqa: SIM905  the same
)
"""Things with a password: `smtp_pass` is one, `render_pass` is none."""

_IS_OTHER: Final = frozenset(
    """
    id ids name names file files filename path paths dir url uri link endpoint type types field fields length len size
    count limit limits ttl expiry expires expire expiration expired lifetime age policy policies ref refs reference arn
    algorithm alg format prefix suffix header headers param parameter version regex pattern label hint placeholder
    input selector class element error errors message messages manager min max budget scope scopes strength reset
    resetting changed date enabled disabled required require requires optional validator validators hasher hashers
    validation rules prompt forgot forget wrong invalid incorrect weak strong confirmed show hide toggle visible
    visibility usage description desc tooltip icon button btn aria autocomplete rotation history interval timeout
    retries retry attempts fingerprint stdin less protected function method handler callback view form component column
    mode rate spec exception title screen parse parser chiave
    """.split()  # noqa: SIM905  the same
)
"""Words in names about a secret, not of one: `token_length`."""

_IS_NO_KEY: Final = frozenset(
    """
    primary foreign partition sort routing cache translation i18n l10n locale shortcut hot issue jira object s3 public
    pub host composite unique natural surrogate range group lookup registry idempotency dedupe react row index symbol
    total num number page next continuation cancellation design lexer syntax completion map dict event binding bindings
    ring chain pair pairs redis kms correlation trace span stream tree position line lines per bucket css color spacing
    font reserved text days hours minutes seconds ms guess shift ctrl alt cmd press json yaml mapping engine backend
    provider usages kind window clave tecla touche tasto garden agent talk
    """.split()  # noqa: SIM905  the same
)
"""Words that give `key` or `token` another meaning."""

_PHRASES: Final = {
    "recovery phrase": Naming.PASSWORD,
    "recovery code": Naming.PASSWORD,
    "backup code": Naming.PASSWORD,
    "identified by": Naming.PASSWORD,
    "community string": Naming.PASSWORD,
    "pass phrase": Naming.PASSWORD,
    "2fa": Naming.KEY,
    "securestring": Naming.PASSWORD,
    "x-honeycomb-team": Naming.KEY,
    "license": Naming.MAYBE,
}
"""Names that mean something else than their words."""

_HINTS: Final = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_]+")
_ENDS: Final = ("password", "passwd", "passphrase", "passwort", "secret")
_ENDS_KEY: Final = (
    "apikey",
    "accesskey",
    "secretkey",
    "privatekey",
    "authtoken",
    "accesstoken",
    "refreshtoken",
    "apitoken",
    "authkey",
)
_ENDS_MAYBE: Final = ("token",)


def words_of_name(name: str) -> list[str]:
    """Split a name into lower-case words, also at camel case."""
    return [word.lower() for word in _HINTS.findall(name)]


def is_pass_of_login(name: str) -> bool:
    """Tell whether *name* is `pass` of a login: `db_pass`, `SmtpPass`."""
    *before, last = words_of_name(name) or [""]
    return last == "pass" and not _LOGGED_INTO.isdisjoint(before)


def names_another(words: str) -> bool:
    """Tell whether *words* behind a name change its meaning: *password rules of the printer*."""
    return any(word in _IS_OTHER for word in words_of_name(words))


def naming(name: str, before: str = "") -> Naming:
    """Return how much *name* says; *before*: the words before it."""
    if len(name) > NAME_CHARACTERS_MAX:
        return Naming.NOTHING
    says = _says(name)
    return _with_others(says, words_of_name(name), before) if says == Naming.MAYBE else says


@lru_cache(maxsize=4096)
def _says(name: str) -> Naming:
    folded = unicodedata.normalize("NFC", name).lower()
    if known := _foreign(folded):
        return known
    for phrase, says in _PHRASES.items():
        if folded.removesuffix("s").endswith(phrase):
            return says
    words = words_of_name(name)
    if any(word in _IS_OTHER for word in words):
        return Naming.NOTHING
    return max((_word_says(word) for word in words), default=Naming.NOTHING)


def _foreign(folded: str) -> Naming:
    for length in range(len(folded), max(0, len(folded) - ENDING - 1), -1):
        if folded[:length] in PASSWORDS:
            return Naming.PASSWORD
        if folded[:length] in KEYS:
            return Naming.KEY
    return Naming.NOTHING


def _word_says(word: str) -> Naming:
    if word in _IS_PASSWORD or (word.endswith(_ENDS) and len(word) <= 24):
        return Naming.PASSWORD
    if word in _IS_KEY or word.endswith(_ENDS_KEY):
        return Naming.KEY
    if word in _IS_MAYBE or word.endswith(_ENDS_MAYBE):
        return Naming.MAYBE
    return Naming.NOTHING


def _with_others(found: Naming, words: list[str], before: str) -> Naming:
    around = words_of_name(before)[-2:]
    is_other = any(word in _IS_NO_KEY for word in [*words, *around[-1:]])
    if is_other:
        return Naming.NOTHING
    is_key = any(_word_says(word) and word not in _NEVER_KEY for word in words)
    return Naming.KEY if is_key and any(word in _MAKES_KEY for word in [*words, *around]) else found
