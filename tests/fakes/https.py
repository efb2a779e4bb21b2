"""Any host of the internet, served by a test: a proxy that answers by itself for whatever it is asked to reach."""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache, cached_property
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

_NAME: Final = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "tests of hooks")])


@dataclass(frozen=True, slots=True)
class Asked:
    method: str
    host: str
    path: str
    headers: Mapping[str, str]
    body: bytes


@dataclass(frozen=True, slots=True)
class Told:
    status: int
    body: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    # Keeps whoever asked waiting until the test is over: for everything, or with a status for the body.
    holds: bool = False


@dataclass(frozen=True)
class Certified:
    """A certificate for some hosts, in a file that also makes a client trust it."""

    file: Path

    @cached_property
    def context(self) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.file)
        return context


def certify(file: Path, *hosts: str) -> Certified:
    own = _key()
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName(host) for host in hosts])
    made = (
        x509.CertificateBuilder()
        .subject_name(_NAME)
        .issuer_name(_NAME)
        .public_key(own.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(hours=1))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(names, critical=False)
        .add_extension(x509.BasicConstraints(ca=True, path_length=0), critical=True)
        .add_extension(x509.SubjectKeyIdentifier.from_public_key(own.public_key()), critical=False)
        .add_extension(_KEY_USAGE, critical=True)
        .sign(own, hashes.SHA256())
    )
    private = own.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    file.write_bytes(private + made.public_bytes(serialization.Encoding.PEM))
    return Certified(file)


_KEY_USAGE: Final = x509.KeyUsage(
    digital_signature=True,
    key_cert_sign=True,
    crl_sign=True,
    content_commitment=False,
    key_encipherment=False,
    data_encipherment=False,
    key_agreement=False,
    encipher_only=False,
    decipher_only=False,
)


@cache
def _key() -> ec.EllipticCurvePrivateKey:
    return ec.generate_private_key(ec.SECP256R1())


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server
    host = "localhost"

    def do_CONNECT(self) -> None:
        self.send_response_only(200)
        self.end_headers()
        self.close_connection = False
        self.host = self.path.rpartition(":")[0]
        self.connection = self.server.context.wrap_socket(self.connection, server_side=True)
        self.rfile = self.connection.makefile("rb")
        self.wfile = self.connection.makefile("wb", buffering=0)

    def handle(self) -> None:
        try:
            super().handle()
        finally:
            self.connection.close()

    def answer(self) -> None:
        body = self._body()
        headers = {name.lower(): value for name, value in self.headers.items()}
        told = self.server.answer(Asked(self.command, self.host, self.path, headers, body))
        if told.status:
            self._tell(told)
        if told.holds:
            self.server.over.wait()
            self.close_connection = True

    def _body(self) -> bytes:
        if self.headers.get("Transfer-Encoding", "").lower() != "chunked":
            return self.rfile.read(int(self.headers.get("Content-Length", 0)))
        body = b""
        while size := int(self.rfile.readline().strip() or b"0", 16):
            body += self.rfile.read(size)
            self.rfile.readline()
        self.rfile.readline()
        return body

    def _tell(self, told: Told) -> None:
        self.send_response_only(told.status)
        for name, value in {**told.headers, "Content-Length": str(len(told.body) + told.holds)}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(told.body)

    def do_GET(self) -> None:
        self.answer()

    def do_POST(self) -> None:
        self.answer()

    def do_PUT(self) -> None:
        self.answer()

    def do_DELETE(self) -> None:
        self.answer()


class _Server(ThreadingHTTPServer):
    def __init__(self, certified: Certified, answer: Callable[[Asked], Told]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.context = certified.context
        self.answer = answer
        self.over = Event()

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Clients that go away, or do not trust the certificate, are what some tests are about."""


@contextmanager
def proxied(certified: Certified, answer: Callable[[Asked], Told]) -> Iterator[dict[str, str]]:
    """Give the variables with which a program takes this for the internet."""
    with _serving(_Server(certified, answer)) as port:
        yield {"HTTPS_PROXY": f"http://127.0.0.1:{port}", "SSL_CERT_FILE": str(certified.file)}


@contextmanager
def served(certified: Certified, answer: Callable[[Asked], Told]) -> Iterator[str]:
    """Serve one host, this machine, and give its address."""
    server = _Server(certified, answer)
    server.socket = server.context.wrap_socket(server.socket, server_side=True)
    with _serving(server) as port:
        yield f"https://localhost:{port}"


@contextmanager
def _serving(serving: _Server) -> Iterator[int]:
    with serving as server:
        thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield server.server_port
        finally:
            server.over.set()
            server.shutdown()
            thread.join()
