#!/usr/bin/env node
/**
 * Prints counts of how the house is built: circles of imports, arrows upward, flat folders, lines, rooms without
 * README. `--types` lists the circles that close only when imports of types count as well.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { circles, runTimeGraph, wayAround } from './circles.mjs';
import { CODE_FOLDERS, filesBelow, importGraph } from './imports.mjs';
import { top } from './lib.mjs';

const TEST = /\.test\.(tsx?|mjs)$|\/testing\/|\/e2e\//;
const GENERATED = /\/gen\//;
/** Folders whose folders are rooms. */
const HOUSES = [
  'packages/core/src',
  'packages/observe/src',
  'packages/workshop/src',
  'apps/agent/src',
  'apps/web/src',
  'apps/web/src/features',
];

/** The room of a file, which is the longest folder right below a house; null for a file that is in none. */
export function roomOf(file) {
  const house = HOUSES.filter((h) => file.startsWith(`${h}/`)).sort((a, b) => b.length - a.length)[0];
  if (!house) return null;
  const rest = file.slice(house.length + 1).split('/');
  return rest.length > 1 ? `${house}/${rest[0]}` : null;
}

/** Returns the distinct arrows between rooms, `[from, to][]`, by imports of any kind in files that are not tests. */
export function roomArrows(imports) {
  const found = new Map();
  for (const [file, node] of imports) {
    const from = roomOf(file);
    if (!from || TEST.test(file)) continue;
    for (const { to } of node.imports) {
      const room = roomOf(to);
      if (room && room !== from) found.set(`${from} ${room}`, [from, room]);
    }
  }
  return [...found.values()];
}

/**
 * The arrows that run upward when rooms are put in the order in which the fewest do: of those inside a circle of rooms
 * (no other has to), those that remain after rooms were moved, one at a time, to their best place until none gets
 * better.
 */
export function upwardArrows(all) {
  const graph = new Map();
  for (const [from, to] of all) graph.set(from, [...(graph.get(from) ?? []), to]);
  const circle = new Map(circles(graph).flatMap((rooms, i) => rooms.map((room) => [room, i])));
  const arrows = all.filter(([from, to]) => circle.has(from) && circle.get(from) === circle.get(to));
  let order = [...new Set(arrows.flat())].sort();
  const upward = (names) => {
    const at = new Map(names.map((name, i) => [name, i]));
    return arrows.filter(([from, to]) => at.get(from) > at.get(to));
  };
  for (let better = true; better; ) {
    better = false;
    for (const name of [...order]) {
      const rest = order.filter((n) => n !== name);
      const now = upward(order).length;
      const best = rest
        .map((_, i) => [...rest.slice(0, i), name, ...rest.slice(i)])
        .concat([[...rest, name]])
        .map((names) => ({ names, count: upward(names).length }))
        .reduce((a, b) => (b.count < a.count ? b : a));
      if (best.count < now) {
        order = best.names;
        better = true;
      }
    }
  }
  return upward(order);
}

/**
 * Returns the circles of the sources that are not tests when imports of types count as well, the largest first;
 * generated files, whose entries have their type from the file that lists them, are left out.
 */
export const circlesThroughTypes = (imports) => {
  const counts = (file) => /^(packages|apps)\//.test(file) && !TEST.test(file) && !GENERATED.test(file);
  const product = [...imports].filter(([file]) => counts(file));
  return circles(new Map(product.map(([file, node]) => [file, node.imports.map(({ to }) => to).filter(counts)])));
};

/** All counts, by name. */
export function structure() {
  const imports = importGraph();
  const product = [...imports.keys()].filter(
    (f) => !TEST.test(f) && !GENERATED.test(f) && /^(packages|apps)\//.test(f),
  );
  const counted = (found) => ({
    circles: found.length,
    files: found.flat().length,
    largest: found[0]?.length ?? 0,
  });
  const ofCircles = (later) => counted(circles(runTimeGraph(imports, { later })));
  const flat = new Map();
  for (const file of product) flat.set(path.posix.dirname(file), (flat.get(path.posix.dirname(file)) ?? 0) + 1);
  const [folder, files] = [...flat].sort((a, b) => b[1] - a[1])[0];
  const arrows = roomArrows(imports);
  const upward = (house) => {
    const inside = arrows.filter((pair) => pair.every((room) => room.startsWith(`${house}/`)));
    return { arrows: inside.length, upward: upwardArrows(inside).length };
  };
  const rooms = [...new Set([...imports.keys()].map(roomOf).filter(Boolean))]
    .filter((room) => !HOUSES.includes(room))
    .sort();
  const lines = (names) =>
    names.reduce((sum, f) => sum + fs.readFileSync(path.join(top, f), 'utf8').split('\n').length - 1, 0);
  const styles = filesBelow(CODE_FOLDERS, /\.css$/);
  return {
    circlesOfLoadedModules: ofCircles(false),
    circlesWithWhatIsLoadedLater: ofCircles(true),
    circlesThroughTypes: counted(circlesThroughTypes(imports)),
    arrowsBetweenRooms: {
      core: upward('packages/core/src'),
      observe: upward('packages/observe/src'),
      workshop: upward('packages/workshop/src'),
      agent: upward('apps/agent/src'),
      page: upward('apps/web/src'),
    },
    largestFlatFolder: { folder, files },
    productLines: { code: lines(product), styles: lines(styles) },
    rooms: {
      all: rooms.length,
      withoutReadme: rooms.filter((room) => !fs.existsSync(path.join(top, room, 'README.md'))),
    },
  };
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url))
  if (process.argv.includes('--types')) {
    const imports = importGraph();
    const graph = new Map([...imports].map(([file, node]) => [file, node.imports.map(({ to }) => to)]));
    for (const circle of circlesThroughTypes(imports))
      console.log(`${circle.length} files: ${wayAround(graph, circle).join(' -> ')}`);
  } else console.log(JSON.stringify(structure(), null, 2));
