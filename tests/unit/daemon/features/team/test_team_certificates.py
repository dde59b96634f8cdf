"""A server with a name: only a certificate of that name, by an authority that was named, is taken."""

import datetime
import socket
import subprocess
from pathlib import Path

import pytest
from postgres_server import Server, new_database, programs

from palimp_daemon.features.team.postgres_connection import connection_to
from palimp_daemon.features.team.postgres_schema import create_team, team_in
from palimp_daemon.features.team.transport import TransportError

x509 = pytest.importorskip("cryptography.x509")
from cryptography.hazmat.primitives import hashes, serialization  # noqa: E402  only where it is installed
from cryptography.hazmat.primitives.asymmetric import ec  # noqa: E402  the same

HOST = "db.example.test"
DAY = datetime.timedelta(days=1)


def certificate(name: str, issuer: str, key: ec.EllipticCurvePrivateKey, own: ec.EllipticCurvePrivateKey) -> bytes:
    """Return the certificate of *name*, whose key is *own*, which the authority *issuer* signed with its *key*."""
    now = datetime.datetime.now(datetime.UTC)
    made = (
        x509.CertificateBuilder()
        .subject_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)]))
        .issuer_name(x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, issuer)]))
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - DAY)
        .not_valid_after(now + DAY)
        .add_extension(x509.BasicConstraints(ca=name == issuer, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName(name)]), critical=False)
        .sign(key, hashes.SHA256())
    )
    return made.public_bytes(serialization.Encoding.PEM)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A server with a certificate, its port, and the file of the authority. The usual one has no TLS, Debian's has."""
    folders = [programs(), *sorted(Path("/usr/lib/postgresql").glob("*/bin"))]
    authority, own = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    key = own.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    files = {"server.key": key, "server.crt": certificate(HOST, "An authority", authority, own)}
    root = tmp_path_factory.mktemp("authority") / "root.crt"
    root.write_bytes(certificate("An authority", "An authority", authority, authority))
    for folder in folders:
        made = Server(folder)
        try:
            made.restart_with({"ssl": "on", "listen_addresses": "127.0.0.1", "port": str(port)}, files)
        except subprocess.CalledProcessError:  # it was built without
            made.remove()
            continue
        yield made, port, root
        made.remove()
        return
    pytest.skip("no PostgreSQL here has TLS")


def test_a_certificate_of_that_name_by_that_authority_is_taken_and_the_line_is_encrypted(server) -> None:
    made, port, root = server
    create_team(by_socket := new_database(server=made), "t")
    database = by_socket.partition("?")[0].rpartition("/")[2]
    address = f"postgresql://postgres@{HOST}:{port}/{database}?hostaddr=127.0.0.1&sslrootcert={root}"
    assert team_in(address) == "t"
    with connection_to(address) as connection:
        statement = "SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()"
        assert connection.execute(statement).fetchone() == (True, "TLSv1.3")


@pytest.mark.parametrize(
    ("host", "authority", "reason"),
    [("other.example.test", "", "does not match host name"), (HOST, "system", "certificate verify failed")],
)
def test_any_other_certificate_is_refused(server, host, authority, reason) -> None:
    _, port, root = server
    address = f"postgresql://postgres@{host}:{port}/postgres?hostaddr=127.0.0.1&sslrootcert={authority or root}"
    with pytest.raises(TransportError, match=f"cannot be reached: .*{reason}"):
        team_in(address)
