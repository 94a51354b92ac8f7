/** Links to a moment of a run: read as the page reads them, and the run executed as the page's worker would. */
import { deflateRawSync } from 'node:zlib';
import { jsonOf, jsonText, mutated, mutatedText, ODD_NUMBERS, ODD_WORDS } from '../values.mjs';
import { scenario } from './programs.mjs';

export default {
  name: 'links',
  targets: ['commands'],
  packet: 'a link',
  /** Its target needs the page's parser. */
  needsLinks: true,
  make(random) {
    const plain = random.chance(0.6);
    return [plain ? { op: 'moment', moment: moment(random) } : { op: 'link', text: link(random) }];
  },
  async perform({ run }, operations) {
    for (const { op, text, moment } of operations)
      await run('link', {
        text: op === 'moment' ? `v2.z${deflateRawSync(jsonOf(moment)).toString('base64url')}` : text,
      });
    return operations.length;
  },
};

function link(random) {
  const json = jsonOf(random.chance(0.6) ? mutated(random, moment(random), 0.08) : moment(random));
  const bytes = Buffer.from(random.chance(0.1) ? mutatedText(random, json) : json);
  const version = random.chance(0.9) ? 'v2.' : random.pick(['v1.', 'v0.', 'v3.', 'v999999.', 'x', '']);
  const text = random.weighted([
    [3, () => `${version}j${bytes.toString('base64url')}`],
    [3, () => `${version}z${deflateRawSync(bytes).toString('base64url')}`],
    [
      0.2,
      () =>
        `${version}z${deflateRawSync(Buffer.alloc(random.pick([5_000_000, 60_000_000]), 'x')).toString('base64url')}`,
    ],
    [0.5, () => `${version}z${random.bytes(random.int(200)).toString('base64url')}`],
  ]);
  return random.chance(0.1) ? mutatedText(random, text) : text;
}

/** Makes a moment with the short names that links have. */
const moment = (random) => ({
  ...(random.chance(0.5)
    ? { s: random.pick(['hello', 'crash-loop', 'many-pods', ...ODD_WORDS]) }
    : { s: 'attack', t: jsonText(scenario(random)) }),
  ...(random.chance(0.5) && { n: random.pick([1, ...ODD_NUMBERS]) }),
  ...(random.chance(0.6) && {
    p: [random.pick([10, 5000, 5_000_001, ...ODD_NUMBERS]), random.pick([10, 5000, ...ODD_NUMBERS])],
  }),
  ...(random.chance(0.3) && { d: random.list(0, 5, () => ({ decision: random.int(99) + 1, goroutine: 3 })) }),
  ...(random.chance(0.3) && {
    i: random.list(0, 3, () => ({ step: random.int(99), after: 1, time: 1, command: { do: 'kill', uid: 'x' } })),
  }),
  ...(random.chance(0.2) && { l: random.pick(['en', 'zh-CN', 'x']) }),
  ...(random.chance(0.2) && { x: random.pick([['pod', 'x'], ['container', 'y'], 1]) }),
  ...(random.chance(0.1) && { e: [random.pick(['reconcile', '__proto__', 'x']), random.pick(ODD_NUMBERS)] }),
  ...(random.chance(0.2) && { b: random.pick(ODD_WORDS) }),
  ...(random.chance(0.2) && { o: random.list(0, 3, () => [1, random.pick(ODD_WORDS)]) }),
  ...(random.chance(0.2) && { k: random.list(0, 3, () => ({ id: 'b', on: 'log', condition: '1 == 1' })) }),
  ...(random.chance(0.2) && { v: { l: random.pick([1, 'x']), f: 'x' } }),
});
