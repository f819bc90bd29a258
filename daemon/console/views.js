// The views there are. One that is added here has a tab and addresses of its own; nothing else knows of it.
//
// A view's `show(place)` returns its element at once and fills it as answers come. `place` has the stream, its record,
// the rest of the path, the parameters, `following` (its changes) and `signal`, which ends what the view began.

import * as live from "./views/live.js";
import * as entities from "./views/entities.js";
import * as biography from "./views/biography.js";
import * as search from "./views/search.js";
import * as ask from "./views/ask.js";
import * as chains from "./views/chains.js";
import * as graph from "./views/graph.js";
import * as operator from "./views/operator.js";

/** Views of a stream, by the second part of their address; those with a `tab` are in the bar. */
export const OF_STREAM = {
  live: { tab: "Live", show: live.show },
  entities: { tab: "Entities", show: entities.show },
  entity: { show: biography.show, within: "entities" },
  search: { tab: "Search", show: search.show },
  ask: { tab: "Ask", show: ask.show },
  chains: { show: chains.show, within: "live" },
  graph: { show: graph.show, within: "entities" },
};

/** Views of the daemon, by the first part of their address. */
export const OF_DAEMON = {
  daemon: { tab: "Daemon", show: operator.show },
};
