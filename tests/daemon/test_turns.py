"""Turns at Python's lock: a thread that asks for it while another computes does not wait for long."""

import sys
import threading
import time

from biographer.daemon.turns import TURN_S, short_turns


def test_a_reader_gets_its_turn_soon_beside_a_writer_that_computes():
    before = sys.getswitchinterval()
    try:
        short_turns()
        assert sys.getswitchinterval() == TURN_S
        done, turns = threading.Event(), []

        def read():
            for _ in range(200):
                began = time.perf_counter()
                time.sleep(0)
                turns.append(time.perf_counter() - began)
            done.set()

        reader = threading.Thread(target=read)
        reader.start()
        while not done.is_set():
            sum(range(1000))
        reader.join()
    finally:
        sys.setswitchinterval(before)
    assert len(turns) == 200
