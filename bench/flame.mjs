#!/usr/bin/env node
/**
 * Draws where a program's time goes, from a profile of V8 (`node --cpu-prof`, or a browser's), as a flame picture in
 * SVG: a box for each function within its caller, as wide as its share of the samples. `node bench/flame.mjs
 * FILE.cpuprofile FILE.svg TITLE [FUNCTION]`; with a function only what it calls.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';

const WIDTH = 1200;
const ROW = 17;
const HEAD = 28;
/** Boxes that are narrower, in pixels, are left out, and so is what they call. */
const NARROWEST = 2;
/** Calls that are deeper, as those of a drawing that calls itself for each child, are left out too. */
const DEEPEST = 40;
/** The width of a letter, which is about the same in any plain font of this size. */
const LETTER = 6.2;
/** Samples in which the program did nothing. */
const IDLE = new Set(['(idle)', '(root)']);

/** The colours of rooms, by a part of a script's address; what matches first counts. */
const colours = [
  [/\/(core|packages\/core)\/.*\/kubelet\//, '#d9822b', 'kubelet'],
  [/\/(core|packages\/core)\/.*\/(kernel)\//, '#c05a7a', 'kernel'],
  [/\/(core|packages\/core)\/.*\/trace\//, '#5a8f3c', 'trace'],
  [/\/(core|packages\/core)\//, '#b59b2d', 'core'],
  [/\/apps\/agent\//, '#4a7fb5', 'agent'],
  [/\/apps\/web\/|\/assets\//, '#2f8f9d', 'page'],
  [/node_modules/, '#8a6bb0', 'packages'],
  [/^node:/, '#7d8a94', 'Node'],
];
const ENGINE = ['#9aa5ad', 'the engine'];

const colourOf = (url) => colours.find(([pattern]) => pattern.test(url))?.slice(1) ?? ENGINE;

/**
 * Sums a profile up as a tree: `{ name, url, samples, children }`, calls of the same function by the same one in one
 * node. Time in which the program did nothing is left out.
 */
export function callTree(profile) {
  const counts = new Map();
  for (const id of profile.samples) counts.set(id, (counts.get(id) ?? 0) + 1);
  const byId = new Map(profile.nodes.map((node) => [node.id, node]));
  const merged = (nodes) => {
    const groups = new Map();
    for (const node of nodes) {
      const { functionName, url } = node.callFrame;
      if (IDLE.has(functionName)) continue;
      const key = `${functionName} ${url}`;
      groups.set(key, [...(groups.get(key) ?? []), node]);
    }
    return [...groups.values()].map((group) => {
      const children = merged(group.flatMap(({ children = [] }) => children.map((id) => byId.get(id))));
      const own = group.reduce((sum, { id }) => sum + (counts.get(id) ?? 0), 0);
      const { functionName, url } = group[0].callFrame;
      const samples = children.reduce((sum, child) => sum + child.samples, own);
      return { name: functionName || '(anonymous)', url, samples, children };
    });
  };
  const children = merged((profile.nodes[0].children ?? []).map((id) => byId.get(id)));
  return { name: 'all', url: '', samples: children.reduce((sum, child) => sum + child.samples, 0), children };
}

/** The largest part of a tree that is a function's; null if the function was never seen. */
export function partOf(tree, name) {
  if (tree.name === name) return tree;
  const parts = tree.children.map((child) => partOf(child, name)).filter((part) => part !== null);
  return parts.sort((a, b) => b.samples - a.samples)[0] ?? null;
}

const escaped = (text) => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

function box(node, x, width, depth, total) {
  const share = ((node.samples / total) * 100).toFixed(1);
  const script = node.url.split('/').slice(-2).join('/');
  const letters = Math.floor((width - 6) / LETTER);
  const text = node.name.length <= letters ? node.name : letters > 3 ? `${node.name.slice(0, letters - 1)}…` : '';
  const y = HEAD + depth * ROW;
  const label = text ? `<text x="${(x + 3).toFixed(1)}" y="${y + 12}">${escaped(text)}</text>` : '';
  const title = `<title>${escaped(`${node.name}${script ? `, ${script}` : ''}: ${share} %`)}</title>`;
  const place = `x="${x.toFixed(1)}" y="${y}" width="${(width - 0.5).toFixed(1)}" height="${ROW - 1}"`;
  return `<g>${title}<rect ${place} fill="${colourOf(node.url)[0]}"/>${label}</g>`;
}

/** Draws a tree of calls, the outermost on top. */
export function flame(tree, title) {
  const boxes = [];
  let deepest = 0;
  const draw = (node, x, depth) => {
    const width = (node.samples / tree.samples) * WIDTH;
    if (width < NARROWEST || depth > DEEPEST) return;
    deepest = Math.max(deepest, depth);
    boxes.push(box(node, x, width, depth, tree.samples));
    let at = x;
    for (const child of node.children.toSorted((a, b) => b.samples - a.samples)) {
      draw(child, at, depth + 1);
      at += (child.samples / tree.samples) * WIDTH;
    }
  };
  if (tree.samples > 0) draw(tree, 0, 0);
  const height = HEAD + (deepest + 1) * ROW;
  const known = [...colours.map(([, colour, name]) => [colour, name]), ENGINE];
  const named = known.filter(
    ([colour], i) => boxes.some((b) => b.includes(colour)) && known.findIndex(([c]) => c === colour) === i,
  );
  const legend = named
    .toReversed()
    .map(
      ([colour, name], i) => `<text x="${WIDTH - 6 - i * 80}" y="18" text-anchor="end" fill="${colour}">${name}</text>`,
    );
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" font-family="sans-serif" font-size="11">
<rect width="100%" height="100%" fill="#fff"/>
<text x="6" y="18" font-size="13" font-weight="bold">${escaped(title)}</text>
${legend.join('\n')}
${boxes.join('\n')}
</svg>
`;
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  const [from, to, title, name] = process.argv.slice(2);
  if (!title) {
    console.error('usage: node bench/flame.mjs FILE.cpuprofile FILE.svg TITLE [FUNCTION]');
    process.exit(2);
  }
  try {
    const whole = callTree(JSON.parse(readFileSync(from, 'utf8')));
    const tree = name ? partOf(whole, name) : whole;
    if (!tree) {
      console.error(`flame: ${from} has no function ${name}: take the name of one of its callFrames`);
      process.exit(1);
    }
    writeFileSync(to, flame(tree, title));
  } catch (err) {
    console.error(
      `flame: ${from} is no profile of V8 that can be drawn (${err.message}): make one with node --cpu-prof`,
    );
    process.exit(1);
  }
}
