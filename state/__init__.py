"""The memory of one stream: records, association, biographies, episodes, graph and store.

Plain calls in, values out: no event loop, no network, no model and no clock may be imported here.
"""
