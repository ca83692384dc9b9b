"""Queries that add up many trees, on database servers."""

import contextlib

import pytest

import treewright as tw
from exports.database_servers import NoServerError, mariadb, postgresql
from exports.sum_models import FEW_SUMS, IN_FLOAT32, OF_INDUCTORS, fitted

SERVERS = {"postgresql": postgresql, "mysql": mariadb}
REFUSED = (*IN_FLOAT32, *OF_INDUCTORS[:2])  # in SQL, as test_sums.py shows


@pytest.fixture(scope="module", params=SERVERS)
def engine(request):
    """(dialect, connection) of a server."""
    with contextlib.ExitStack() as running:
        try:
            connection = running.enter_context(SERVERS[request.param]())
        except NoServerError as reason:
            pytest.skip(str(reason))
        if request.param == "mysql":
            connection.cursor().execute("CREATE DATABASE scratch")
            connection.select_db("scratch")
        yield request.param, connection


@pytest.mark.full
@pytest.mark.parametrize("name", [name for name in FEW_SUMS if name not in REFUSED])
def test_a_server_predicts_as_the_model(engine, name):
    dialect, connection = engine
    model = fitted(name)
    options = {"dialect": dialect, "order_by": "row"}
    options["probabilities"] = hasattr(model, "classes_") or isinstance(model, tw.IsolationForest)
    code = tw.export(model, "sql", **options)
    found = tw.verify_export(model, code, "sql", connection=connection, **options)
    assert found, str(found)
