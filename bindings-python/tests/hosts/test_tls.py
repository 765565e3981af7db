"""The adapters of HTTP clients, against servers whose TLS is wrong or ends too early."""

import gc
import socket
import ssl
import threading

import aiohttp
import httpx
import pytest
import requests
import trustme
import urllib3
from backoff_rs.adapters.urllib3 import Retry
from http_clients import CLIENTS, get

POLICY = "constant:base=1ns,max_retries=2"


class TlsServer:
    """Accepts connections with this certificate; lost is how many of them end in the handshake."""

    def __init__(self, certificate, lost=0):
        self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        if certificate is not None:
            certificate.configure_cert(self._context)
        self._lost = lost
        self._is_plain = certificate is None
        #: The connections so far.
        self.accepted = 0
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"https://127.0.0.1:{self._listener.getsockname()[1]}/"
        self._thread = threading.Thread(target=self._accept)
        self._thread.start()

    def _accept(self):
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            self.accepted += 1
            with connection:
                connection.settimeout(10)
                # The client ends the connection as it likes.
                try:
                    self._serve(connection)
                except OSError:
                    continue

    def _serve(self, connection):
        hello = connection.recv(65536, socket.MSG_PEEK)
        if self.accepted <= self._lost:
            # Read, or the close would be a reset.
            connection.recv(len(hello))
            return
        if self._is_plain:
            connection.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
            return
        with self._context.wrap_socket(connection, server_side=True) as stream:
            stream.recv(65536)
            head = b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"
            stream.sendall(head + b"ready")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        # An accept that waits ends only so.
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join(30)


def with_urllib3(url, trusted):
    with urllib3.PoolManager(retries=Retry(POLICY), ca_certs=str(trusted)) as http:
        return http.request("GET", url).data.decode()


def with_client(kind):
    """The same with the adapter of a client."""

    def fetch(url, trusted):
        ((_, text),) = kind(policy=POLICY, trusted=trusted).fetch(get(url))
        return text

    return fetch


FETCHES = [*map(with_client, CLIENTS), with_urllib3]
ERRORS = (
    httpx.ConnectError,
    requests.exceptions.SSLError,
    aiohttp.ClientConnectorSSLError,
    aiohttp.ClientConnectorCertificateError,
    urllib3.exceptions.MaxRetryError,
)


@pytest.fixture(scope="module")
def authority():
    return trustme.CA()


@pytest.fixture(scope="module")
def trusted(authority, tmp_path_factory):
    """The file of the authority that the clients trust."""
    file = tmp_path_factory.mktemp("tls") / "authority.pem"
    authority.cert_pem.write_to_path(str(file))
    return file


@pytest.fixture(params=FETCHES, ids=[*(kind.__name__ for kind in CLIENTS), "urllib3"])
def fetch(request):
    yield request.param
    # Errors of requests refer to their sockets in circles.
    gc.collect()


def test_an_invalid_certificate_is_permanent(fetch, authority, trusted):
    """Of an unknown authority, and of another host."""
    for certificate in (
        trustme.CA().issue_cert("127.0.0.1"),
        authority.issue_cert("example.org"),
    ):
        with TlsServer(certificate) as server:
            with pytest.raises(ERRORS):
                fetch(server.url, trusted)
            assert server.accepted == 1


def test_a_server_without_tls_is_permanent(fetch, trusted):
    with TlsServer(None) as server:
        with pytest.raises(ERRORS):
            fetch(server.url, trusted)
        assert server.accepted == 1


def test_a_connection_that_is_lost_in_the_handshake_is_repeated(fetch, authority, trusted):
    with TlsServer(authority.issue_cert("127.0.0.1"), lost=2) as server:
        assert fetch(server.url, trusted) == "ready"
        assert server.accepted == 3


def test_an_error_of_the_caller_says_nothing_about_a_request(fetch, authority, trusted):
    """Python makes an error that is handled the context of the next one."""
    with TlsServer(authority.issue_cert("127.0.0.1"), lost=2) as server:
        try:
            raise ssl.SSLCertVerificationError(1, "another server")
        except ssl.SSLError:
            assert fetch(server.url, trusted) == "ready"
        assert server.accepted == 3
