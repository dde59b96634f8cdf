"""Secrets of command lines and requests, and of files that have a form of their own."""

import pytest
from marked_secrets import wrongly_redacted

CASES = {
    "A command's option gives it, as far as its line goes.": r"""
        mysql.exe -p‹password:Girasol77› db
        curl.exe -u ada:‹password:sonnenblume› https://x
        curl -u ada:‹password:sonnenblume› \\n  -U bob:‹password:gaensebluemchen› https://y
        curl -u ada:‹password:sonnenblume› https://x && curl -u bob:‹password:gaensebluemchen› https://y
        mysql -p'‹password:sonnen blume›' db; mysql -p"‹password:sonnen blume›"
        zip -P ‹password:sonnenblume› a.zip b; unzip -P ‹password:gaensebluemchen› a.zip
        mysql db; cat -pGirasol77
        mysql db && cat -pGirasol77
        mysql db | cat -pGirasol77
    """,
    "A user without a password is one that was drawn by chance.": r"""
        curl -u ada: https://x
        curl -u ada:‹password:a:sonnenblume› https://x
        curl -u ‹password:Xk29fQ7mLp4ZtR8vWn3c›: https://x
        curl -u ‹password:550e8400-e29b-41d4-a716-446655440000›: https://x
        curl -u 550e8400-e29b-41d4-a716-446655440000:‹password:sonnenblume› https://x
    """,
    "Of containers only a login has a password, others a port.": r"""
        docker login -u ada -p ‹password:sonnenblume›
        docker run -p 8080:80 sonnenblume
        docker run -p sonnenblume
    """,
    "What points to a password is none, and neither is what is too short.": r"""
        sshpass -p abc ssh x
        sshpass -p ‹password:wort› ssh x
        mysql -p$PASS db
        sshpass -p /run/secrets/x ssh
        sshpass -p @name ssh
        sshpass -p {pass} ssh
        sshpass -p <pass> ssh
        sshpass -p %wort% ssh
        sshpass -p -wort ssh
        openssl x -passin file:wort -passout env:WORT
        openssl x -passin stdin -passout fd:33
        openssl x -passin pass:‹password:sonnenblume›
    """,
    "A cookie of a session may be an id, any other one was drawn by chance.": r"""
        Cookie: ‹cookie:sid=550e8400-e29b-41d4-a716-446655440000›; theme=550e8400-e29b-41d4-a716-446655440000
        Cookie: a=b; auth_id=‹cookie:550e8400-e29b-41d4-a716-446655440000›; x=550e8400-e29b-41d4-a716-446655440000
        Cookie: a=b; theme=‹cookie:Xk29fQ7mLp4ZtR8vWn3c›; lang=sonnenblume
        Cookie: a=b; session=sonnenblume-und-mohn
        Cookie: a=b; Set-Cookie: c=d; sid=‹cookie:550e8400-e29b-41d4-a716-446655440000›
        Cookie: a=b; Cookie: c=d; theme=‹cookie:Xk29fQ7mLp4ZtR8vWn3c›\nCookie: a=b; theme=‹cookie:Xk29fQ7mLp4ZtR8vWn3c›
        Cookie: a=b\nx; sid=550e8400-e29b-41d4-a716-446655440000
    """,
    "Behind Authorization an id goes too, and without it what was drawn by chance.": r"""
        Authorization: Bearer ‹bearer-token:550e8400-e29b-41d4-a716-446655440000›
        "Authorization": "Bearer ‹bearer-token:550e8400-e29b-41d4-a716-446655440000›"
        Bearer 550e8400-e29b-41d4-a716-446655440000
        Authorization: Token ‹bearer-token:Xk29fQ7m›
        Token Xk29fQ7m
        Bearer ‹bearer-token:Xk29fQ7mLp4ZtR8vWn3c›.
        Bearer ‹bearer-token:Xk29fQ7mLp4ZtR8vWn3c›: it
        Authorization: Bearer ‹bearer-token:3f2a9b4c5d6e7f8091a2b3c4d5e6f708›...
    """,
    "Basic is a user and a password in base64.": r"""
        Basic ‹bearer-token:YWRhOmJsdW1l›
        Basic ‹bearer-token:YTpiYmI=›
        Basic ‹bearer-token:YWRhOmJsdW1lMQ==›
        basic ‹bearer-token:YWRhOmJsdW1l› and more
        Basic YWRhOmJsdW1lMQ=
        Basic YWRhYmx1
        Basic YWRhYmx1bWVu
        Basic YTpi
        Basic knowledge of it
        Basic knowledg
    """,
    "Files have forms.": r"""
        machine x login ada password ‹netrc-password:sonnenblume›
        machine x login ada password <password>
        machine x login ada password $PASS and login bob password ‹netrc-password:gaensebluemchen›
        localhost:5432:db:ada:‹pgpass-password:sonnenblume›
        localhost:5432:db:ada:password
        localhost:5432:db:ada:none
        /src/x.c:1234:12:error:missing
        {"kty":"EC","d":"‹private-key:Xk29fQ7mLp4ZtR8vWn3cXk29›"}
        {"d":"‹private-key:3f2a9b4c5d6e7f8091a2b3c4d5e6f708›"}
        {"d":"‹private-key:550e8400-e29b-41d4-a716-446655440000›"}
        {"d":"a-name-that-is-long-enough-to-be-one"} {"k":"‹private-key:Xk29fQ7mLp4ZtR8vWn3cXk29›"}
        <D>‹private-key:Xk29fQ7mLp4ZtR8vWn3cXk29›</D>
        AC3f2a9b4c5d6e7f8091a2b3c4d5e6f708:‹twilio-key:3f2a9b4c5d6e7f8091a2b3c4d5e6f708›
        echo "ada:sonnenblume" | chpasswd\necho "ada:‹password:Xk29fQ7mLp4Z›" | chpasswd
        auth=("ada", "‹password:Xk29fQ7mLp4Z›")
        auth=("ada", "sonnenblume")
        otpauth://totp/x?secret=‹otp-secret:JBSWY3DPEHPK3PXP›&issuer=x
        otpauth://totp/x?secret=EXAMPLEXXXXXXXXX&issuer=x
    """,
}


@pytest.mark.parametrize("why", CASES)
def test_what_a_command_or_a_request_gives_goes_and_nothing_else(why: str):
    assert wrongly_redacted(CASES[why]) == []
