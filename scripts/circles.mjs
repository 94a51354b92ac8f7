/** Circles of imports: modules of which each loads the other before it can run. */
import { importGraph } from './imports.mjs';

/**
 * Known circles that are not yet broken up: each is named by its first file in alphabetical order, with the number of
 * its files. A circle that is not here, or has grown, is a violation; so is an entry whose circle is gone or smaller.
 * `loaded` are circles of modules that are loaded together, `later` those that close only when `import()` counts as
 * well.
 */
export const KNOWN_CIRCLES = {
  loaded: {},
  later: {},
};

/**
 * The circles of more than one file in a graph (path -> paths): Tarjan's strongly connected components, without
 * recursion. Each is sorted; the largest comes first.
 */
export function circles(graph) {
  const index = new Map();
  const low = new Map();
  const stack = [];
  const onStack = new Set();
  const found = [];
  for (const root of graph.keys()) {
    if (index.has(root)) continue;
    const work = [{ file: root, next: 0 }];
    while (work.length > 0) {
      const frame = work[work.length - 1];
      const { file } = frame;
      if (frame.next === 0) {
        index.set(file, index.size);
        low.set(file, index.get(file));
        stack.push(file);
        onStack.add(file);
      }
      const to = (graph.get(file) ?? [])[frame.next++];
      if (to !== undefined) {
        if (!index.has(to)) work.push({ file: to, next: 0 });
        else if (onStack.has(to)) low.set(file, Math.min(low.get(file), index.get(to)));
        continue;
      }
      work.pop();
      const above = work[work.length - 1];
      if (above) low.set(above.file, Math.min(low.get(above.file), low.get(file)));
      if (low.get(file) !== index.get(file)) continue;
      const circle = stack.splice(stack.indexOf(file));
      for (const member of circle) onStack.delete(member);
      if (circle.length > 1) found.push(circle.sort());
    }
  }
  return found.sort((a, b) => b.length - a.length || (a[0] < b[0] ? -1 : 1));
}

/**
 * Returns the graph of files that make others run: by value imports, with `later` by `import()` as well; never by
 * imports of types.
 */
export const runTimeGraph = (imports = importGraph(), { later = false } = {}) =>
  new Map(
    [...imports].map(([file, node]) => [
      file,
      node.imports.filter((i) => i.kind === 'value' || (later && i.kind === 'dynamic')).map((i) => i.to),
    ]),
  );

/** A shortest way from a circle's first file back to it, as a list of files. */
export function wayAround(graph, circle) {
  const inside = new Set(circle);
  const from = new Map();
  const queue = [circle[0]];
  for (const file of queue)
    for (const to of graph.get(file) ?? []) {
      if (!inside.has(to) || from.has(to)) continue;
      from.set(to, file);
      if (to !== circle[0]) {
        queue.push(to);
        continue;
      }
      const way = [to];
      for (let at = file; at !== circle[0]; at = from.get(at)) way.unshift(at);
      return [circle[0], ...way];
    }
  return circle;
}

/** Violations, as sentences: circles beyond those that are known, and known ones that are no longer. */
export function circleViolations(graph, known) {
  const found = circles(graph);
  const out = [];
  for (const circle of found) {
    const limit = known[circle[0]] ?? 0;
    if (circle.length > limit)
      out.push(
        `${circle[0]}: ${circle.length} files import each other in a circle${limit ? ` (${limit} are known)` : ''}: ` +
          `${wayAround(graph, circle).join(' -> ')}; move what both need into a file below them, or hand it in`,
      );
  }
  for (const [first, limit] of Object.entries(known)) {
    const now = found.find((c) => c[0] === first)?.length ?? 0;
    if (now < limit)
      out.push(`scripts/circles.mjs: KNOWN_CIRCLES says ${limit} for ${first}, but there are ${now}: correct it`);
  }
  return out;
}

/**
 * The violations of the whole tree. A cycle of modules that are loaded together is not reported again with those that
 * are loaded later.
 */
export function allCircleViolations(imports = importGraph()) {
  const { loaded, later } = KNOWN_CIRCLES;
  return [
    ...circleViolations(runTimeGraph(imports), loaded),
    ...circleViolations(runTimeGraph(imports, { later: true }), { ...loaded, ...later }),
  ].filter((text, i, all) => all.indexOf(text) === i);
}
