/** A stranger's log, of any content, form and packing, read by each command that reads one. */
import { FRAMINGS, life, oldLife } from '../kubelet-lines.mjs';
import { commandsOf, performFiles, readers } from '../stranger-files.mjs';
import { anyValue, deep, jsonOf, jsonText, long, mutated, mutatedText, ODD_NUMBERS, ODD_WORDS } from '../values.mjs';

export default {
  name: 'logs',
  targets: ['commands'],
  packet: 'a command on a log',
  make(random) {
    const form = random.weighted([
      [4, () => 'text'],
      [2, () => 'json'],
      [1, () => 'printf'],
      [1, () => null],
    ]);
    return [
      file(random),
      ...random.list(1, 10, () => part(random, form ?? random.pick(['text', 'json', 'printf']))),
      ...commandsOf([readers(random, '@kubelet.log')]),
    ];
  },
  perform: performFiles,
};

const file = (random) => {
  const pack = random.weighted([
    [8, () => undefined],
    [2, () => random.pick(['gzip', 'cut', 'twice', 'garbage', 'spoiled'])],
    [1, () => 'members'],
  ]);
  return {
    op: 'file',
    name: 'kubelet.log',
    framing: random.chance(0.5) ? 'none' : random.pick(FRAMINGS),
    ...(random.chance(0.15) && { ending: random.pick(['\r\n', '\r', '', '\u0000', '\n\n', '\u2028']) }),
    ...(random.chance(0.1) && { encoding: random.pick(['utf16le', 'utf16be', 'latin1', 'bom']) }),
    ...(pack && { pack }),
    ...(pack === 'members' && { times: random.pick([2, 20]) }),
  };
};

/** Times that no clock has, and times that follow each other. */
const times = (random) =>
  random.weighted([
    [4, () => random.int(4000)],
    [1, () => random.pick([86_400 * 8, 86_400 * 40, -5, 86_400 * 364])],
    [
      1,
      () =>
        random.pick([
          '1399 99:99:99.999999',
          '0000 00:00:00',
          '9999-12-31T23:59:59Z',
          '+275760-09-13T00:00:01Z',
          '1122 11:25:00.9999999999999',
          '0229 23:59:60.000000',
        ]),
    ],
    [1, () => random.pick([...ODD_NUMBERS, 252_000_000_000])],
  ]);

function part(random, form) {
  return random.weighted([
    [4, () => ({ op: 'lines', form, lines: lived(random, form), times: random.pick([1, 1, 3, 40]), every: 1 })],
    [4, () => ({ op: 'lines', form, lines: [odd(random, form)] })],
    [2, () => ({ op: 'lines', form, lines: lived(random, form).map((line) => mutated(random, line, 0.1)) })],
    [1, () => ({ op: 'lines', lines: [mutatedText(random, plain(random))] })],
    [1, () => ({ op: 'text', text: junk(random) })],
    [0.3, () => ({ op: 'bytes', base64: random.bytes(random.pick([3, 200, 3000])).toString('base64') })],
    [0.3, () => ({ op: 'text', text: long(random.pick(['x', 'a=b ', '{', '"', '\u0000', 'é']), 2_000_000) })],
    [0.2, () => ({ op: 'lines', form, lines: [wide(random)], times: random.pick([10, 3000]), every: 0.01 })],
  ]);
}

/** Some of the lines of a pod's life, at times that may be odd. */
function lived(random, form) {
  const from = form === 'printf' ? oldLife : life;
  const shift = random.int(3000);
  const lines = random.chance(0.6) ? from : from.filter(() => random.chance(0.6));
  return lines.map(([at, ...rest]) => [random.chance(0.03) ? times(random) : at + shift, ...rest]);
}

/** Makes a line whose message is known, and whose values are odd. */
function odd(random, form) {
  const [, place, msg, fields] = random.pick(form === 'printf' ? oldLife : life);
  const key = random.pick(Object.keys(fields).length > 0 ? Object.keys(fields) : ['pod']);
  const name = random.pick([key, ...ODD_WORDS.slice(1, 8)]);
  const value = random.weighted([
    [3, () => anyValue(random)],
    [2, () => random.pick(oddNames)],
    [1, () => [random.pick(oddNames), random.pick(oddNames)]],
    [1, () => ({ $raw: random.pick(raws) })],
    [1, () => jsonText(jsonText({ metadata: { name: 'a' }, deep: deep(random.pick([5, 500])) }))],
    [1, () => ({ ID: random.pick(oddNames), Type: random.pick(['ContainerStarted', 'x', 1]), Data: anyValue(random) })],
  ]);
  const made = Object.defineProperty({ ...fields }, name, {
    value,
    enumerable: true,
    writable: true,
    configurable: true,
  });
  return [times(random), place, form === 'printf' && random.chance(0.5) ? mutatedText(random, msg) : msg, made];
}

const oddNames = [
  'default/web-0',
  'a\u0007/b\u001b[2J',
  'default/',
  '/',
  '',
  'default/a/b',
  '../..//etc',
  'x'.repeat(300),
  'default/web\n- evil: true',
  'default/__proto__',
  'web-0_default(u)',
  'default/é\u202e',
  'default/"a"',
  "default/{{a: 'b'}}",
];
const raws = [
  '[',
  '{',
  '"',
  'map[a:map[b:',
  '&{',
  '{"a":',
  '<nil>',
  '[a b',
  '1e308',
  '=<\n\tx\n >',
  'nil)',
  '%!s(MISSING)',
];

const plain = (random) =>
  `I1122 11:25:10.000000   14074 kubelet.go:1] "${random.pick(ODD_WORDS)}" pod="default/web-0"\n`;
const junk = (random) =>
  random.pick([
    'FLAG: --v="4"\n',
    '\n\n\n',
    '\t indented\n',
    'panic: runtime error\n\ngoroutine 1 [running]:\nmain.main()\n\t/a.go:1 +0x1\n',
    '-- Boot 1234 --\n',
    '-- Logs begin at Mon 2026-11-23 --\n',
    '\u001b[31mred\u001b[0m\n',
    '{"a":1}\n',
    `${jsonOf(deep(5000))}\n`,
    '[[[[[[\n',
    'I1122 11:25:10.000000',
    '\ufeff\ufeff\n',
  ]);
/** A line of very many fields, or a field of very many pods. */
const wide = (random) => [
  1,
  'kubelet.go:2724',
  'SyncLoop ADD',
  random.chance(0.5)
    ? { source: 'api', pods: Array.from({ length: random.pick([50, 1000]) }, (_, i) => `default/w-#-${i}`) }
    : Object.fromEntries(Array.from({ length: random.pick([40, 1000]) }, (_, i) => [`k${i}`, `v#${i}`])),
];
