"""``numaaudit.predict/1``: one launcher's forecast for machines. Keys are only ever added within /1."""

import json
from typing import Any

from numaaudit.launchers.placement import PlacedRank
from numaaudit.launchers.registry import Forecast

SCHEMA = "numaaudit.predict/1"


def predict_document(forecast: Forecast) -> dict[str, Any]:
    """``allowed_cpus`` and ``allowed_mems`` are the ceiling that the prediction was made under."""
    launcher, prediction = forecast.launcher, forecast.prediction
    return {
        "schema": SCHEMA,
        "launcher": launcher.name,
        "version": launcher.launcher.version,
        "source": launcher.launcher.source,
        "options": dict(forecast.job.options),
        "allowed_cpus": str(forecast.view.allowed_cpus),
        "allowed_mems": str(forecast.view.allowed_mems),
        "confidence": forecast.confidence.value,
        "outcome": prediction.outcome.value,
        "reason": prediction.reason,
        "reaches": prediction.reaches.value,
        "stage": prediction.stage.value,
        "ranks": [_rank(rank) for rank in forecast.ranks],
    }


def one_line_of(document: dict[str, Any]) -> str:
    """The document as one line of JSON lines."""
    return json.dumps(document, ensure_ascii=False)


def _rank(rank: PlacedRank) -> dict[str, Any]:
    return {
        "rank": rank.rank,
        "gpu": rank.gpu.name if rank.gpu else None,
        "gpu_numa_node": rank.gpu_numa_node,
        "cpus": _text(rank.cpus),
        "effective_cpus": _text(rank.effective_cpus),
        "numa_nodes": _text(rank.numa_nodes),
        "offnode_cpus": _text(rank.offnode_cpus),
        "memory_policy": rank.memory_policy,
        "placement": rank.placement.value,
        "outcome": rank.outcome.value,
        "notes": list(rank.notes),
    }


def _text(ids: object) -> str | None:
    return None if ids is None else str(ids)
