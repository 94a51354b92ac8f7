/** Folders of captures whose files are spoiled: logs, calls, spans, pods, events, counters, and about.json. */
import { life } from '../kubelet-lines.mjs';
import { commandsOf, performFiles } from '../stranger-files.mjs';
import { anyValue, deep, long, many, mutated, ODD_NUMBERS, ODD_WORDS } from '../values.mjs';

/** Captures by their folder in packages/core/testdata/attach. */
const captures = {
  'v1.36-v4/static-pod-update': [
    'container-events.ndjson',
    'kubelet.v4.log',
    'otlp.ndjson',
    'pods.ndjson',
    'cri-bytes.ndjson',
  ],
  'v1.36-v2/api-pod-life': ['container-events.ndjson', 'kubelet.v2.log', 'otlp.ndjson', 'pods.ndjson', 'metrics.txt'],
  'v1.25-v4/single-pod-lifecycle': ['cri-bytes.ndjson', 'kubelet.v4.log', 'pods.ndjson', 'otlp.ndjson', 'metrics.txt'],
};

/** The files that are spoiled. */
export const captured = Object.entries(captures).flatMap(([folder, names]) => names.map((name) => `${folder}/${name}`));

export default {
  name: 'captures',
  targets: ['commands'],
  packet: 'a command on a capture',
  make(random) {
    const folder = random.pick(Object.keys(captures));
    const names = captures[folder].filter(() => random.chance(0.5));
    return [
      ...(random.chance(0.8) ? [{ op: 'file', name: 'about.json' }, about(random, folder)] : []),
      ...names.flatMap((name) => [{ op: 'file', name, ...packing(random) }, spoiled(random, folder, name)]),
      ...(random.chance(0.6) || names.length === 0 ? [{ op: 'file', name: oddName(random) }, ...made(random)] : []),
      ...commandsOf([commands(random)]),
    ];
  },
  perform: performFiles,
};

const packing = (random) =>
  random.chance(0.2) ? { pack: random.pick(['gzip', 'cut', 'twice', 'garbage', 'spoiled']) } : {};

const spoiled = (random, folder, name) => ({
  op: 'capture',
  from: `${folder}/${name}.gz`,
  seed: random.int(2 ** 31),
  changes: random.pick([0, 1, 3, 20]),
});

const about = (random, folder) =>
  random.chance(0.4)
    ? { op: 'capture', from: `${folder}/about.json`, seed: random.int(2 ** 31), changes: random.pick([0, 2]) }
    : {
        op: 'json',
        value: {
          startedAt: random.pick([
            '2026-11-22T11:26:10.514Z',
            '9999-12-31T23:59:59Z',
            '-271821-04-20T00:00:00Z',
            'x',
            1e308,
          ]),
          scenario: anyValue(random),
          steps: random.chance(0.5) ? [['put', anyValue(random)]] : anyValue(random),
          marks: anyValue(random),
        },
      };

const commands = (random) =>
  random.weighted([
    [
      4,
      () => [
        ['import', '@'],
        ['info', '@out', '--kinds'],
      ],
    ],
    [4, () => [['twin', '@', '--tries', '3']]],
    [1, () => [['open', '@']]],
    [1, () => [['conformance', '--attach', '@']]],
  ]);

const oddName = (random) =>
  random.pick(['pods.yaml', 'pods.json', 'otlp.ndjson', 'cri-bytes.ndjson', 'metrics.txt', 'k.log']);

const pod = (random) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: random.pick(['web-0', 'a\u0000b', '../x', ...ODD_WORDS]), namespace: 'default', uid: 'u-#' },
  spec: {
    containers: [{ name: 'app', image: 'i', command: ['sh', '-c', 'sleep 1'], resources: anyValue(random) }],
    terminationGracePeriodSeconds: random.pick(ODD_NUMBERS),
  },
  status: {
    phase: random.pick(['Running', 'x', null]),
    startTime: random.pick(['2026-11-22T11:25:11Z', '9999-12-31T23:59:59Z', 'x', null]),
    containerStatuses: random.pick([[], [{ name: 'app', restartCount: random.pick(ODD_NUMBERS), state: {} }], null, 1]),
  },
});

/** Makes a file of one kind that no program wrote: each has its own oddities. */
function made(random) {
  return random.pick([
    () => [
      {
        op: 'json',
        value: {
          apiVersion: 'v1',
          kind: 'PodList',
          items: many(mutated(random, pod(random), 0.05), random.pick([1, 3, 500])),
        },
      },
    ],
    () => [
      {
        op: 'text',
        text: 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\nspec: &a\n  x: *a\n---\n',
        times: random.pick([1, 2000]),
      },
    ],
    () => [{ op: 'text', text: `apiVersion: v1\nkind: List\na: &a [x,x,x,x,x,x,x,x,x]\n${bomb}` }],
    () => [{ op: 'text', text: 'apiVersion: v1\nkind: Pod\n? {a: 1}\n: !!binary x\n<<: 1\n' }],
    () => [{ op: 'json', value: { apiVersion: 'v1', kind: 'Pod', metadata: deep(random.pick([50, 5000]), 'map') } }],
    () =>
      random.list(1, 5, () => ({
        op: 'json',
        value: {
          at: random.pick([3, ...ODD_NUMBERS]),
          pods: random.chance(0.5) ? [mutated(random, pod(random), 0.1)] : anyValue(random),
        },
      })),
    () => random.list(1, 5, () => ({ op: 'json', value: spans(random) })),
    () => random.list(1, 8, (i) => ({ op: 'json', value: call(random, i) })),
    () => [
      { op: 'text', text: '# HELP a b\n# TYPE a counter\n' },
      ...random.list(1, 9, () => ({ op: 'text', text: random.pick(counters), times: random.pick([1, 1, 5000]) })),
    ],
    () => [{ op: 'lines', form: 'text', lines: life, times: 3, every: 5 }],
    () =>
      random.list(1, 5, () => ({ op: 'json', value: { at: random.pick([1, 1e308, -1]), event: anyValue(random) } })),
  ])();
}

const bomb = [...'bcdefghi']
  .map((c, i) => `${c}: &${c} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[i]}`).join()}]\n`)
  .join('');

const counters = [
  'kubelet_running_pods 1e308\n',
  'kubelet_running_pods NaN\n',
  'a{b="c\n',
  'a{b="\\"} 1\n',
  'kubelet_pleg_relist_duration_seconds_bucket{le="+Inf"} -1\n',
  'a#{x="#"} # 1\n',
  '# syncloop scrape 1e308\n',
  `${'a'.repeat(5000)} 1\n`,
];

const spans = (random) =>
  mutated(
    random,
    {
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: 'kubelet' } }] },
          scopeSpans: [
            {
              spans: [
                {
                  traceId: 'a'.repeat(32),
                  spanId: 'b'.repeat(16),
                  parentSpanId: random.pick(['', 'b'.repeat(16), 'x']),
                  name: random.pick(['syncPod', 'runtime.v1.RuntimeService/RunPodSandbox', long('n', 100_000), '']),
                  startTimeUnixNano: random.pick(['1795346770000000000', '9'.repeat(30), '-1', 'x', 0]),
                  endTimeUnixNano: random.pick(['1795346771000000000', '1', '253402300799000000000']),
                  attributes: [
                    { key: 'k8s.pod', value: random.chance(0.3) ? anyValue(random) : { stringValue: 'default/web-0' } },
                  ],
                },
              ],
            },
          ],
        },
      ],
    },
    0.05,
  );

/** Bytes on the socket: HTTP/2 frames that lie about their length, and lines that are not of the protocol. */
const call = (random, i) =>
  random.pick([
    () => ({ at: i, conn: 1, open: true }),
    () => ({ at: i, conn: 1, dir: 'c', b64: Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n').toString('base64') }),
    () => ({ at: i, conn: random.pick([1, -1, 1e308, 'x']), dir: random.pick(['c', 's', 'x']), b64: frame(random) }),
    () => ({ at: random.pick(ODD_NUMBERS), conn: 1, close: true }),
    () => ({ at: i, conn: 1, dir: 's', b64: anyValue(random) }),
  ])();

function frame(random) {
  const payload = random.bytes(random.pick([0, 9, 60]));
  const head = Buffer.alloc(9);
  head.writeUIntBE(random.pick([payload.length, 0, 0xffffff]), 0, 3);
  head[3] = random.int(11);
  head[4] = random.int(256);
  head.writeUInt32BE(random.pick([0, 1, 3, 0x7fffffff]), 5);
  return Buffer.concat([head, payload]).toString('base64');
}
