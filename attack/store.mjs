/**
 * A small store of an API server, as a program that is killed: `node attack/store.mjs FOLDER OLDER SEED BATCHES`. It
 * keeps batches through the product's own journal, copies the folder to OLDER on half its way, and prints a line after
 * each acknowledged batch. It closes the store if SEED is odd, and waits for its end.
 */
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { built } from '../apps/agent/e2e/node-files.mjs';
import { Random } from './random.mjs';

/** Returns the changes of each batch: `[resource, key, version, object or null]` of each change. */
export function batchesOf(seed, count) {
  const random = new Random('store', seed);
  let version = 0;
  return Array.from({ length: count }, () =>
    random.list(1, 12, () => {
      const key = `default/p${random.int(60)}`;
      const gone = random.chance(0.15);
      version++;
      const text = random.pick(['a', 'b', 'é']).repeat(random.pick([10, 300, 5000]));
      const metadata = { name: key.slice(8), namespace: 'default', resourceVersion: String(version) };
      return ['pods', key, version, gone ? null : { metadata, text }];
    }),
  );
}

/** Returns the objects after the first `count` batches: texts of JSON by key. */
export function stateAfter(batches, count) {
  const state = new Map();
  for (const [, key, , object] of batches.slice(0, count).flat())
    if (object === null) state.delete(key);
    else state.set(key, JSON.stringify(object));
  return state;
}

async function make([folder, older, seed, count]) {
  const { ApiData } = await built('api-data/api-data.js');
  const data = await ApiData.open(folder, { warn: (text) => console.error(text) });
  let changes = [];
  let kept = () => {};
  const store = {
    version: 0,
    takeChanges: () => changes.splice(0),
    commit: () => kept(),
    abort: (why) => {
      throw new Error(why);
    },
  };
  data.serve({ kernel: { post: (run) => run() }, store });
  const batches = batchesOf(seed, Number(count));
  for (const [i, batch] of batches.entries()) {
    await new Promise((resolve) => {
      kept = resolve;
      changes = batch.map(([resource, key, version, object]) => ({ resource, key, version, object }));
      store.version = batch.at(-1)[2];
      data.wake();
    });
    if (i === batches.length >> 1) cpSync(folder, older, { recursive: true });
    console.log(`acknowledged ${i + 1}`);
  }
  if (Number(seed) % 2 === 1) await data.close();
  console.log('waits');
  setInterval(() => {}, 1000);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await make(process.argv.slice(2));
