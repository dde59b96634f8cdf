"""Values that a name gives: which of them go, and what only stands as one does."""

import pytest
from marked_secrets import wrongly_redacted

CASES = {
    "A group of an IPv6 address is no name of a secret, and a second factor is one.": r"""
        fe80::2fa:1b2c:9d4e:ff3a:7c1b
        FE80::2FA:1B2C:9D4E:FF3A:7C1B is its address
        2fa:1b2c:9d4e:ff3a:7c1b::1 is up
        2fa: ‹token:JBSWY3DPEHPK3PXP7Q2A›
        2FA:‹token:JBSWY3DPEHPK3PXP7Q2A›
        user:2fa:‹token:JBSWY3DPEHPK3PXP7Q2A›
    """,
    "What tests do is no password, unless it is drawn by chance.": r"""
        PASS: Girasol77girasol
        --- PASS: Xk29fQ7mLp4Z (0.00s)
        all of them pass: Girasol77girasol
        pass: `Girasol77girasol`
        pass: `‹password:Xk29fQ7mLp4Z›`
        All unit tests pass: ‹password:Xk29fQ7mLp4Z›
    """,
    "A name in capitals with an underscore is one of the environment.": r"""
        MY_KEY=‹token:550e8400-e29b-41d4-a716-446655440000›
        KEY=550e8400-e29b-41d4-a716-446655440000
        _KEY=550e8400-e29b-41d4-a716-446655440000
        KEY_=550e8400-e29b-41d4-a716-446655440000
    """,
    "Words before a name on its line say what it is.": r"""
        our api key: ‹token:550e8400-e29b-41d4-a716-446655440000›
        our primary key: 550e8400-e29b-41d4-a716-446655440000
        our api\nkey: 550e8400-e29b-41d4-a716-446655440000
        of the api-key: ‹token:550e8400-e29b-41d4-a716-446655440000›
    """,
    "Letters of base64 are no name, and a mark of a diff is none of base64.": r"""
        wJalrXUt+pwd/Girasol77girasol
        x+pwd=Girasol77girasol
        +pwd=‹password:Girasol77girasol›
        -password: ‹password:Girasol77girasol›
    """,
    "A name of another script ends what stands before it.": r"""
        abcパスワード：‹password:Girasol77girasol›
    """,
    "Only the first argument of a call is a name.": r"""
        ['token', '‹token:Xk29fQ7mLp4ZtR8vWn3c›']
        [1, 'token', 'Xk29fQ7mLp4ZtR8vWn3c']
        ('DB_PASSWORD', '‹password:sonnenblume›')
    """,
    "What stands between tags goes whole, and what only says something of it stays.": r"""
        <password>‹password:hunter2x›</password>
        <server><username>ada</username><password>‹password:sonnenblume›</password></server>
        <Password>‹password:correct horse battery›</Password>
        <secret name="x">‹password:tr0ub4dor and 3›</secret>
        <apiKey>‹token:Xk29fQ7mLp4ZtR8vWn3c›</apiKey>
        <token>the word that you were given</token>
        <password>${db.password}</password>
        <passwordHint>the name of my first dog</passwordHint>
        <p>password>sonnenblume</p>
    """,
    "A value may stand behind a type, on the next line, in a block, between quotes of any kind.": r"""
        password: Foo = "‹password:Girasol77girasol›"
        password: SecretStr = SecretStr("Girasol77girasol")
        password: |\n  ‹password:Girasol77girasol›
        password: >-\n    ‹password:Girasol77girasol›
        password:\n  Girasol77girasol
        password:\n  ‹password:Xk29fQ7mLp4Z›
        password:\n  **`‹password:Xk29fQ7mLp4Z›`**
        Xk29fQ7mLp5Z password:\n  ‹password:Xk29fQ7mLp4Z›
        "password": "sonnen\nblumen77"
        {\"password\": \"‹password:Girasol77girasol›\"}
        password = “‹password:Girasol77girasol›”
        password = 「‹password:sonnenblume›」
    """,
    "What stands without quotes ends where no value goes on.": r"""
        totp secret: ‹password:JBSW Y3DP EHPK 3PXP›
        token: ‹token:JBSW Y3DP EHPK 3PXP›
        token=‹token:Xk29fQ7mLp4ZtR8vWn3c›)
        password=‹password:Girasol77girasol›)
        password=‹password:Girasol77=›
        password=‹password:Girasol77girasol›</b>
        ${DB_PASSWORD:-‹password:sonnenblume7›}/x
        ${DB_PASSWORD:=‹password:sonnenblume7›}/{y}
        password=‹password:Girasol77x;foo›
    """,
    "A comparison with what stands between quotes gives it, and so does what sets it.": r"""
        if password == "‹password:sonnenblume›":
        const password string = "‹password:sonnenblume›"
        {"name": "DB_PASSWORD", "value": "‹password:sonnenblume›"}
        - name: DB_PASSWORD\n  value: ‹password:sonnenblume7›
        os.Setenv("DB_PASSWORD", "‹password:sonnenblume›")
        ["DB_PASSWORD", "‹password:sonnenblume›"]
        setPassword("‹password:sonnenblume›")
        user.withPassword("‹password:sonnenblume›")
        checkPassword("sonnenblume")
        checkPassword("‹password:Xk29fQ7mLp4Z›")
        ARG.PASSWORD, "sonnenblume"
        process.env.DB_PASSWORD || 'sonnenblume7'
        process.env.DB_PASSWORD || '‹password:Xk29fQ7mLp4Z›'
    """,
    "Behind a space it is given to a name in capitals or to an option.": r"""
        ENV DB_PASSWORD "‹password:sonnenblume›"
        ENV db_password "sonnenblume"
        ENV db_password "‹password:Girasol77girasol›"
        --password sonnenblume
        --password ‹password:sonnenblume7›
        --password "‹password:sonnenblume›"
        --api-key ‹token:550e8400-e29b-41d4-a716-446655440000›
        API_KEY ‹token:550e8400-e29b-41d4-a716-446655440000›
        api_key 550e8400-e29b-41d4-a716-446655440000
        api_key ‹token:Xk29fQ7mLp4ZtR8vWn3c›
    """,
    "Running text gives a password by a word that says it all, and a key by an id.": r"""
        the password is ‹password:Girasol77girasol›
        the password is "‹password:sonnenblume›"
        the password is "the old one"
        the password is sonnenblumenfeldweg
        the secret is Girasol77girasol
        the pass is Girasol77girasol
        the pass is ‹password:Xk29fQ7mLp4Z›
        the api key is ‹token:550e8400-e29b-41d4-a716-446655440000›
        the token is 550e8400-e29b-41d4-a716-446655440000
    """,
    "A field of an address is a password, a parameter of that name and a digest behind a key are none.": r"""
        /login?user=ada&pass=‹password:Girasol77girasol›
        login(pass = Girasol77girasol)
        key: Linux-node-3f2a9b4c5d6e7f8091a2b3c4d5e6f708
        token: ‹token:Linux-node-3f2a9b4c5d6e7f8091a2b3c4d5e6f708›
        cache key = Xk29fQ7mLp4ZtR8vWn3c
        DB_PASSWORD=settings.value1
        DB_PASSWORD=getpass(x)
    """,
}


@pytest.mark.parametrize("why", CASES)
def test_what_a_name_says_to_be_secret_goes_and_nothing_else(why: str):
    assert wrongly_redacted(CASES[why]) == []
