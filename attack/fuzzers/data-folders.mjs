/** The folder of `--serve-api-data`, damaged after its server was killed: it opens whole, or reports what is wrong. */
import { cpSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { anyDamage, inflict, same } from '../damage.mjs';
import { Subject } from '../process.mjs';
import { WrongAnswer } from '../replay.mjs';
import { batchesOf, stateAfter } from '../store.mjs';

const program = fileURLToPath(new URL('../store.mjs', import.meta.url));
/** The files that may be in the folder, also of later formats. */
const files = ['objects.db', 'objects.db', 'objects.db-wal', 'objects.db-wal', 'acknowledged', 'lock'];
const BATCHES = 30;

export default {
  name: 'data-folders',
  targets: ['commands'],
  packet: 'a damaged folder of data that is opened',
  make: (random) => [
    { op: 'store', seed: random.int(4) },
    ...random.list(1, random.pick([1, 1, 1, 2]), () => anyDamage(random, files)),
  ],
  async perform({ work, run }, operations) {
    const folder = join(work, 'data');
    const [{ seed = 0 }] = operations.filter(({ op }) => op === 'store').concat({});
    const made = await store(seed);
    rmSync(folder, { recursive: true, force: true });
    cpSync(made.folder, folder, { recursive: true });
    const damages = operations.filter(({ op }) => op === 'damage');
    for (const damage of damages) inflict(folder, damage, made.older);
    // A folder that has lost all data looks like a new one, and one as it once was looks whole.
    if (readdirSync(folder).every((name) => name === 'lock') || same(folder, made.older, (name) => name === 'lock'))
      return 1;
    const back = damages.some(({ kind, file }) => kind === 'older' && file === 'acknowledged');
    judge(await run('data', { folder }), [made.state, ...(back ? [made.olderState] : [])], made.state);
    return 1;
  },
};

/** Throws a WrongAnswer if the opened state is not one of the allowed ones. */
function judge(answer, allowed, whole) {
  // It did not end: that is noted by the target. A code other than 0: refused with a message.
  if (answer?.code !== 0) return;
  const { objects, version } = JSON.parse(answer.output);
  const found = new Map(objects);
  if (allowed.some(({ objects }) => isSame(objects, found))) {
    const least = Math.min(...allowed.map((state) => state.version));
    if (version >= least) return;
    throw new WrongAnswer(`opened without a word: versions go back from ${least} to ${version}`, 'data');
  }
  const kept = [...whole.objects].filter(([key, text]) => found.get(key) === text).length;
  throw new WrongAnswer(
    `opened without a word: ${kept} of ${whole.objects.size} acknowledged objects are left`,
    'data',
  );
}
const isSame = (a, b) => a.size === b.size && [...a].every(([key, text]) => b.get(key) === text);

const stores = new Map();
let place = null;
/** A folder as the killed server left it, and its copy of before. Made once for each seed. */
function store(seed) {
  if (!place) {
    place = mkdtempSync(join(tmpdir(), 'syncloop-attack-stores-'));
    process.on('exit', () => rmSync(place, { recursive: true, force: true }));
  }
  if (!stores.has(seed)) stores.set(seed, make(join(place, `seed-${stores.size}`), seed));
  return stores.get(seed);
}

async function make(at, seed) {
  const [folder, older] = [join(at, 'data'), join(at, 'older')];
  mkdirSync(at, { recursive: true });
  const subject = new Subject('store', [folder, older, String(seed), String(BATCHES)], { script: program });
  await subject.says(/^waits$/m, 60);
  await subject.kill();
  const batches = batchesOf(String(seed), BATCHES);
  const state = (count) => ({ objects: stateAfter(batches, count), version: batches[count - 1].at(-1)[2] });
  return { folder, older, state: state(BATCHES), olderState: state((BATCHES >> 1) + 1) };
}
