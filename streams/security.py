"""KafkaSettings as aiokafka's connection options: address, TLS context, SASL.

The only place that turns certificate files into a context; nothing here connects.
"""

import ssl
from pathlib import Path
from typing import Any

from biographer.state.errors import FatalError
from biographer.streams.kafka_settings import KafkaSecurity, KafkaSettings, Protocol


def connection_options(settings: KafkaSettings) -> dict[str, Any]:
    """Return the keyword arguments that aiokafka's consumer, producer and admin client share.

    Raises FatalError, naming the setting and the file, where a file or a name is missing.
    """
    security = settings.security
    options: dict[str, Any] = {
        "bootstrap_servers": settings.bootstrap,
        "request_timeout_ms": settings.request_timeout_ms,
        "security_protocol": security.protocol.value,
    }
    if security.protocol in {Protocol.SSL, Protocol.SASL_SSL}:
        options["ssl_context"] = tls_context(security)
    if security.protocol in {Protocol.SASL_PLAINTEXT, Protocol.SASL_SSL}:
        if not security.user or not security.password:
            raise FatalError(f"kafka security protocol {security.protocol.value} needs user and password; set both")
        options["sasl_mechanism"] = security.mechanism.value
        options["sasl_plain_username"] = security.user
        options["sasl_plain_password"] = security.password
    return options


def tls_context(security: KafkaSecurity) -> ssl.SSLContext:
    """Return a verifying client context; raises FatalError where a file is missing or not what it should be."""
    if security.key_file and not security.certificate_file:
        raise FatalError("kafka key_file is set without certificate_file; set both, or neither")
    ca_file = _file("ca_file", security.ca_file)
    try:
        context = ssl.create_default_context(ssl.Purpose.SERVER_AUTH, cafile=ca_file)
    except ssl.SSLError as error:
        raise FatalError(f"kafka ca_file {ca_file!r} holds no PEM certificate: {error}") from error
    context.check_hostname = security.check_hostname
    _add_certificate(context, security)
    return context


def _add_certificate(context: ssl.SSLContext, security: KafkaSecurity) -> None:
    certificate = _file("certificate_file", security.certificate_file)
    key = _file("key_file", security.key_file)
    if certificate is None:
        return
    try:
        # A callable, always: without one OpenSSL would ask the terminal for a password.
        context.load_cert_chain(certificate, key, password=lambda: security.key_password)
    except ssl.SSLError as error:
        raise FatalError(f"kafka certificate_file {certificate!r} and key_file {key!r} do not fit: {error}") from error


def _file(setting: str, path: str) -> str | None:
    if not path:
        return None
    if not Path(path).is_file():
        raise FatalError(f"kafka {setting} {path!r} is no file; correct the path or clear the setting")
    return path
