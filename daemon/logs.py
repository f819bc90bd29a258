"""Logs: one line an event to standard error, for people or as JSON; ours and the libraries' alike.

What comes from a recording is only ever a value of an event, escaped, never its text.
"""

import asyncio
import logging
import traceback
from typing import TextIO

import structlog
from structlog.typing import ExcInfo, FilteringBoundLogger, Processor

from biographer.daemon.sections import Log


def configure_logs(section: Log, out: TextIO) -> FilteringBoundLogger:
    """Send this process's logs to `out`; return a logger."""
    level = logging.getLevelNamesMapping()[section.level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
    ]
    handler = logging.StreamHandler(out)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.ExtraAdder(), *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_last(section, out)],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level)
    if level > logging.DEBUG:
        # aiokafka tells of a broker that is away many times a second; the source says it once, and readiness meanwhile.
        logging.getLogger("aiokafka").setLevel(logging.CRITICAL)
        logging.getLogger("uvicorn").setLevel(max(level, logging.WARNING))
        # httpx writes a line for each request: of a clip models are asked ten times and more.
        logging.getLogger("httpx").setLevel(max(level, logging.WARNING))
    logging.getLogger("uvicorn.error").addFilter(_is_fault)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        logger_factory=structlog.stdlib.LoggerFactory(),
        wrapper_class=structlog.make_filtering_bound_logger(level),
        cache_logger_on_first_use=False,
    )
    logger: FilteringBoundLogger = structlog.get_logger("biographer")
    return logger


def _last(section: Log, out: TextIO) -> list[Processor]:
    if section.format == "json":
        told = structlog.tracebacks.ExceptionDictTransformer(show_locals=False)
        return [structlog.processors.ExceptionRenderer(told), structlog.processors.JSONRenderer()]
    # repr: a stream's name could otherwise move the cursor of whoever reads this.
    return [
        structlog.dev.ConsoleRenderer(colors=out.isatty(), repr_native_str=True, exception_formatter=_write_traceback)
    ]


def _write_traceback(out: TextIO, failure: ExcInfo) -> None:
    """Write a traceback, its letters as harmless as those of events, and no line like one of theirs.

    No locals: keys and what was recorded are among them, and showing them took a second on the event loop.
    """
    for line in "".join(traceback.format_exception(*failure)).splitlines():
        shown = "".join(one if one.isprintable() else repr(one)[1:-1] for one in line)
        out.write(f"    {shown}\n")


def _is_fault(record: logging.LogRecord) -> bool:
    """Whether something failed: an answer that is cancelled because all ends has not."""
    failure = record.exc_info
    return failure is None or failure[0] is not asyncio.CancelledError
