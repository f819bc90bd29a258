// Where the nodes of a small graph go: rings around the centre, each node near the one that leads to it.

const RING = [0, 150, 260, 350, 430];

/** The nodes with x and y: each gets a part of its parent's angle by how many leaves hang on it. */
export function laid(graph) {
  const nodes = new Map(graph.nodes.map((one) => [one.node, { ...one, children: [] }]));
  const [centre] = graph.nodes;
  const joined = new Map([...nodes.keys()].map((name) => [name, []]));
  for (const { left, right } of graph.edges) {
    joined.get(left)?.push(right);
    joined.get(right)?.push(left);
  }
  for (const one of nodes.values()) {
    if (one.node === centre.node) continue;
    const parents = joined
      .get(one.node)
      .map((name) => nodes.get(name))
      .filter((other) => other && other.hops === one.hops - 1);
    // To the one with the fewest, so that no part of the circle is crowded while another is bare.
    const parent = parents.toSorted((a, b) => a.children.length - b.children.length)[0] ?? nodes.get(centre.node);
    parent.children.push(one);
  }
  spread(nodes.get(centre.node), -Math.PI / 2, 2 * Math.PI, new Map());
  return [...nodes.values()];
}

function leaves(one, counted) {
  if (!counted.has(one))
    counted.set(one, one.children.length ? one.children.reduce((sum, child) => sum + leaves(child, counted), 0) : 1);
  return counted.get(one);
}

function spread(one, from, width, counted) {
  const ring = RING[Math.min(one.hops, RING.length - 1)];
  const middle = from + width / 2;
  [one.x, one.y] = [ring * Math.cos(middle), ring * Math.sin(middle)];
  let start = from;
  for (const child of one.children) {
    const part = (width * leaves(child, counted)) / leaves(one, counted);
    spread(child, start, part, counted);
    start += part;
  }
}

/** The node that is next in a direction: near, and rather ahead than aside; undefined where there is none. */
export function nearestIn(nodes, from, [dx, dy]) {
  const cost = (one) => {
    const [x, y] = [one.x - from.x, one.y - from.y];
    const ahead = x * dx + y * dy;
    return ahead > 1 ? ahead + 2 * Math.abs(x * dy - y * dx) : Infinity;
  };
  return nodes.filter((one) => one !== from && cost(one) < Infinity).toSorted((a, b) => cost(a) - cost(b))[0];
}
