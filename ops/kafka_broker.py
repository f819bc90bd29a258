"""Apache Kafka on loopback without Docker: its jars by Maven, one KRaft node, a small heap.

For tests, and for whoever wants to try the demo on the broker that users run. A real deployment is
`deploy/compose.yaml`'s, or one's own.
"""

import base64
import shutil
import subprocess
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from string import Template

from biographer.ops.broker import Broker, free_port
from biographer.state.errors import FatalError

DEPLOY = Path(__file__).resolve().parent / "deploy" / "kafka"
"""Where pom.xml and the template of server.properties lie."""

_REMEDY = "install them (Debian: apt install openjdk-17-jre-headless maven), or use the embedded broker"
_JVM = (
    "-Xms64m",
    "-Xmx512m",
    "-XX:+UseSerialGC",  # a short-lived broker of a test gains nothing from compiling well or collecting in parallel
    "-XX:TieredStopAtLevel=1",
    "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn",
)
_MAVEN_TIMEOUT_S = 900


class KafkaBroker(Broker):
    """One node that is broker and controller. Its log survives `kill` and `start` in the same folder.

    `properties` are added to server.properties and override what stands there; they may name its places, ${port} say.
    """

    name = "Apache Kafka"
    idempotent = True

    def __init__(
        self, folder: Path | None = None, properties: Mapping[str, str] | None = None, deploy: Path = DEPLOY
    ) -> None:
        super().__init__(folder)
        self._properties = dict(properties or {})
        self._deploy = deploy

    def choose_ports(self) -> None:
        """Choose one for the controller too."""
        super().choose_ports()
        self._controller_port = free_port()

    def command(self) -> Sequence[str]:
        """Fetch the jars where absent, format the storage where new, and return the server's command."""
        jars = prepare(self._deploy)
        properties = self.folder / "server.properties"
        properties.write_text(self._server_properties(), encoding="utf-8")
        java = ("java", *_JVM, "-cp", f"{jars}/*")
        if not (self.folder / "log" / "meta.properties").exists():
            # Its first letter may be no dash, which the storage tool takes for an option of its own.
            cluster = base64.urlsafe_b64encode(b"\x00" + uuid.uuid4().bytes[1:]).decode().rstrip("=")
            _run((*java, "kafka.tools.StorageTool", "format", "-t", cluster, "-c", str(properties)), timeout_s=60)
        return (*java, "kafka.Kafka", str(properties))

    def _server_properties(self) -> str:
        template = (self._deploy / "server.properties.template").read_text(encoding="utf-8")
        extra = "".join(f"{name}={value}\n" for name, value in self._properties.items())
        places = {"port": self.port, "controller_port": self._controller_port, "log": self.folder / "log"}
        return Template(template + extra).substitute(places)


def missing() -> str | None:
    """Return what of Java and Maven is absent, with the remedy; None where both are there."""
    absent = [command for command in ("java", "mvn") if shutil.which(command) is None]
    return f"Apache Kafka needs {' and '.join(absent)}; {_REMEDY}" if absent else None


def prepare(deploy: Path = DEPLOY) -> Path:
    """Return the folder of Kafka's jars, after fetching them by Maven where they are not there.

    Raises FatalError where Java or Maven is absent or Maven fails.
    """
    reason = missing()
    if reason is not None:
        raise FatalError(reason)
    jars, pom = deploy / "target" / "lib", deploy / "pom.xml"
    done = deploy / "target" / "fetched-for.xml"
    if not done.exists() or done.read_bytes() != pom.read_bytes():
        shutil.rmtree(jars, ignore_errors=True)
        _run(("mvn", "-q", "-B", "-f", str(pom), "dependency:copy-dependencies"), timeout_s=_MAVEN_TIMEOUT_S)
        shutil.copyfile(pom, done)
    return jars


def _run(command: Sequence[str], timeout_s: float) -> None:
    try:
        ended = subprocess.run(command, capture_output=True, timeout=timeout_s, check=False)  # noqa: S603 - our own command
    except subprocess.TimeoutExpired as error:
        raise FatalError(f"{command[0]} took over {timeout_s:g} s: {' '.join(command)}") from error
    if ended.returncode:
        text = (ended.stdout + ended.stderr).decode(errors="replace")[-2_000:].strip()
        raise FatalError(f"{' '.join(command)} failed ({ended.returncode}):\n{text}")
