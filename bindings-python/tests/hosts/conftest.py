"""Fixtures of the tests of adapters on what they adapt."""

import pytest
from http_clients import CLIENTS
from nasty import Nasty
from processes import Jobs, Server


def empty(url):
    import redis

    with redis.Redis.from_url(url) as client:
        client.flushall()


@pytest.fixture(params=CLIENTS, ids=[client.__name__ for client in CLIENTS])
def kind(request):
    """An HTTP client with its adapter."""
    return request.param


@pytest.fixture(scope="session")
def nasty():
    server = Nasty()
    yield server
    server.close()


@pytest.fixture(scope="session")
def redis_server():
    server = Server("redis")
    yield server
    server.close()


@pytest.fixture(scope="session")
def redis_cluster_server():
    server = Server("redis-cluster")
    yield server
    server.close()


@pytest.fixture(scope="session")
def postgres_server():
    server = Server("postgres")
    yield server
    server.close()


@pytest.fixture
def redis(redis_server):
    """A server without data."""
    empty(redis_server.url)
    return redis_server


@pytest.fixture
def jobs(redis, tmp_path):
    """Nobody works yet."""
    jobs = Jobs(tmp_path, redis.url)
    yield jobs
    jobs.close()


@pytest.fixture(scope="module")
def worked(request, redis_server, tmp_path_factory):
    """The same with a worker for all tests of a module."""
    empty(redis_server.url)
    jobs = Jobs(tmp_path_factory.mktemp("module"), redis_server.url.removesuffix("0") + "1")
    jobs.run(*request.module.WORKER)
    yield jobs
    jobs.close()


@pytest.fixture
def worker(worked):
    """The jobs of a worker."""
    worked.forget()
    return worked
