"""Ray: binds nothing. What runs in its workers may.

Source: ray 2.60.0: no call that sets affinity or a memory policy in its Python files, none in the strings of raylet and core
library. It sets CUDA_VISIBLE_DEVICES and OMP_NUM_THREADS (``num_cpus``, 1 where that is not given).
"""

from numaaudit.launchers.host_view import HostView
from numaaudit.launchers.job import Job
from numaaudit.launchers.prediction import Launcher, Prediction, same_for_all, unbound

LAUNCHER = Launcher(version="ray 2.60.0", source="ray: no affinity call")


def predict(view: HostView, job: Job) -> Prediction:
    """Every CPU that is allowed."""
    binding = unbound("Ray sets neither affinity nor memory policy", view.allowed_cpus)
    return Prediction(same_for_all(job, binding.noting("OMP_NUM_THREADS is num_cpus, 1 where that is not given")))
