"""From a section to a backend; and backends that installed packages bring."""

from __future__ import annotations

from pathlib import Path

import pytest

from robust.backends.mock import MockBackend
from robust.backends.registry import build_backend
from robust.errors import BackendError, ContractError
from robust.records.backend_config import BUILT_IN, CallableConfig, MockConfig, PluginConfig
from tests.programs import python
from tests.unit.backends.asking import CHOICE, build

PLUGIN = '''
"""A package with backends, good and bad."""

from robust.records.request import BackendAnswer, BackendIdentity


class Shifted:
    def __init__(self, settings, name, model, decision):
        self.settings, self.decision = settings, decision
        self.identity = BackendIdentity(name=name, provider="shifted", model=model, details=settings)

    def decide(self, request):
        first, *rest = request.decision.labels
        return BackendAnswer(probabilities={first: self.settings["share"], **dict.fromkeys(rest, 0.25)})


def make_backend(settings, *, name, model, decision):
    return Shifted(settings, name, model, decision)


def refuses(settings, *, name, model, decision):
    from robust.errors import BackendError

    raise BackendError.of("no_share", "there is no share", path="backend.share")


def raises(settings, *, name, model, decision):
    raise SystemExit("never mind")


def makes_nothing(settings, *, name, model, decision):
    return None


number = 5
'''
ENTRY_POINTS = """
[robust.backends]
shifted = shifting:make_backend
mock = shifting:makes_nothing
http = shifting:makes_nothing
refuses = shifting:refuses
raises = shifting:raises
makes-nothing = shifting:makes_nothing
number = shifting:number
no-module = shifting_away:make_backend
no-name = shifting:missing
breaks = breaking:make_backend
twice = shifting:make_backend
"""
ASK = """
import json, sys
sys.path.insert(0, sys.argv[1])
from robust.backends.registry import build_backend
from robust.records.contract import Contract
from robust.records.request import DecisionRequest
from robust.errors import RobustError

def build(settings):
    contract = Contract.model_validate({
        "schema_version": "1",
        "decision": {"name": "q", "type": "choice", "options": ["a", "b", "c"], "description": "Which?"},
        "backend": settings,
    })
    return build_backend(contract.backend, name="default", decision=contract.decision, tolerance=0.001), contract

for text in sys.argv[2:]:
    try:
        backend, contract = build(json.loads(text))
    except RobustError as error:
        print(error.code, "|", error)
        continue
    request = DecisionRequest(case_id="c", decision=contract.decision.shown(), input="x")
    print(type(backend).__name__, json.dumps(backend.identity.to_json()), backend.decide(request).probabilities)
"""


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """A folder in which a package with entry points is installed, and a second one that brings one of them again."""
    (tmp_path / "shifting.py").write_text(PLUGIN, encoding="utf-8")
    (tmp_path / "breaking.py").write_text("import sys\nsys.exit('no')\n", encoding="utf-8")
    for name, points in (("shifting", ENTRY_POINTS), ("other", "[robust.backends]\ntwice = other:make_backend\n")):
        folder = tmp_path / f"{name}-1.0.dist-info"
        folder.mkdir()
        (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.0\n", encoding="utf-8")
        (folder / "entry_points.txt").write_text(points, encoding="utf-8")
    return tmp_path


def test_an_installed_package_brings_a_backend(installed: Path) -> None:
    """It gets its settings as plain JSON, its name, the model and the decision."""
    settings = '{"provider": "shifted", "model": "m", "share": 0.5, "deep": {"a": [1, null]}}'
    done = python(ASK, str(installed), settings)
    assert done.stderr == ""
    assert done.stdout == (
        'Shifted {"name": "default", "provider": "shifted", "model": "m", "model_version": null, '
        '"details": {"share": 0.5, "deep": {"a": [1, null]}}} {\'a\': 0.5, \'b\': 0.25, \'c\': 0.25}\n'
    )


def test_the_name_of_a_built_in_backend_cannot_be_taken(installed: Path) -> None:
    """The package registers it in vain."""
    done = python(ASK, str(installed), '{"provider": "mock"}')
    assert done.stdout.startswith("MockBackend ")


def test_what_is_wrong_with_a_package_is_an_error_that_names_it(installed: Path) -> None:
    """Whatever it does: when imported, when called, or by what it gives."""
    providers = "no-module", "no-name", "breaks", "number", "raises", "makes-nothing", "refuses", "twice", "shifte"
    done = python(ASK, str(installed), *(f'{{"provider": "{provider}"}}' for provider in providers))
    assert done.stderr == ""
    lines = dict(zip(providers, done.stdout.splitlines(), strict=True))
    for provider in providers[:6]:
        assert lines[provider].startswith("bad_plugin | backend")
        assert f"the plugin '{provider}' (" in lines[provider]
    assert "(shifting_away:make_backend) cannot be imported: ModuleNotFoundError" in lines["no-module"]
    assert "(breaking:make_backend) cannot be imported: SystemExit: no" in lines["breaks"]
    assert "made NoneType" in lines["makes-nothing"]
    assert lines["refuses"] == "no_share | backend.share: there is no share"
    assert lines["twice"].startswith("ambiguous_plugin |")
    assert lines["shifte"].startswith("unknown_provider |")
    assert lines["shifte"].endswith("did you mean 'shifted'?")


def test_every_built_in_provider_is_built() -> None:
    """But the one that can only come from Python."""
    assert isinstance(build_backend(MockConfig(provider="mock"), decision=CHOICE, tolerance=0.001), MockBackend)
    for provider in ("http", "systemone", "openai"):
        backend = build(provider, "http://a", CHOICE, name="second")
        assert (backend.identity.name, backend.identity.provider) == ("second", provider)
    with pytest.raises(ContractError) as caught:
        build_backend(CallableConfig(provider="callable"), decision=CHOICE, tolerance=0.001)
    assert caught.value.code == "callable_backend"
    assert set(BUILT_IN) == {"mock", "callable", "http", "systemone", "openai"}


def test_an_unknown_provider_is_an_error_with_what_there_is() -> None:
    """And a near miss gets a suggestion."""
    for provider, hint in (("systemon", "did you mean 'systemone'?"), ("zzz", "installed: mock, callable, http")):
        with pytest.raises(BackendError) as caught:
            build_backend(PluginConfig(provider=provider), decision=CHOICE, tolerance=0.001)
        assert caught.value.problems[0].path == "backend.provider"
        assert hint in str(caught.value)


def test_a_contract_that_asks_no_service_loads_no_http() -> None:
    """It costs time and memory."""
    code = "import sys, robust.backends.registry; print([m for m in ('httpx', 'stamina') if m in sys.modules])"
    assert python(code).stdout == "[]\n"
