/** Very many pods: in lines, in one line, in a list; and lines that inflate to very many. */
import { life, oldLife } from '../kubelet-lines.mjs';
import { commandsOf, performFiles } from '../stranger-files.mjs';
import { many } from '../values.mjs';

export default {
  name: 'pod-floods',
  targets: ['commands'],
  packet: 'a command on a flood of pods',
  make(random, index) {
    const most = random.pick([100, 300, 1000, 1000, 3000, 10_000]);
    const [name, operations] = flood(random, index, most);
    const path = `@${name}`;
    const commands = random.pick([
      [
        ['import', path],
        ['info', '@out'],
      ],
      [['twin', path, '--tries', '1']],
      [['open', path]],
    ]);
    return [
      { op: 'file', name, ...(random.chance(0.3) && { pack: 'gzip' }) },
      ...operations,
      ...commandsOf([commands], true),
    ];
  },
  perform: performFiles,
};

const pod = {
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web-#', namespace: 'default', uid: '1fa4b0c2-5d6e-4f70-8a91-#' },
  spec: { containers: [{ name: 'app', image: 'i', command: ['sh', '-c', 'sleep 1'] }] },
  status: { phase: 'Running', containerStatuses: [{ name: 'app', restartCount: 0, state: { running: {} } }] },
};
const adds = (names) => ({ source: 'api', pods: names });
const names = (from, length) => Array.from({ length }, (_, i) => `default/web-${from + i}`);

function flood(random, index, most) {
  return random.weighted([
    // A life each, one after the other or all at once.
    [
      3,
      () => [
        'kubelet.log',
        [
          {
            op: 'lines',
            form: random.pick(['text', 'json']),
            lines: life,
            times: most,
            every: random.pick([0, 0.05, 8]),
          },
        ],
      ],
    ],
    [1, () => ['kubelet.log', [{ op: 'lines', form: 'printf', lines: oldLife, times: most, every: 1 }]]],
    // Additions only, as on a node where no pod ends.
    [2, () => ['kubelet.log', [{ op: 'lines', form: 'text', lines: [life[0]], times: most * 10, every: 0.01 }]]],
    [1, () => ['kubelet.log', [{ op: 'lines', form: 'text', lines: [life[13]], times: most * 10, every: 0 }]]],
    // All in one line, once or again and again.
    [
      2,
      () => [
        'kubelet.log',
        [
          {
            op: 'lines',
            form: 'text',
            lines: [
              [
                1,
                'kubelet.go:2724',
                random.pick(['SyncLoop ADD', 'SyncLoop (SYNC) pods', 'SyncLoop DELETE']),
                adds(names(0, most)),
              ],
            ],
            times: random.pick([1, 1, 5]),
            every: 1,
          },
        ],
      ],
    ],
    [1, () => ['pods.json', [{ op: 'json', value: { apiVersion: 'v1', kind: 'PodList', items: many(pod, most) } }]]],
    [
      1,
      () => [
        'pods.ndjson',
        Array.from({ length: 3 }, (_, i) => ({ op: 'json', value: { at: i * 1000, pods: many(pod, most) } })),
      ],
    ],
    // A few lines that inflate to very many.
    [
      1,
      () => [
        'kubelet.log',
        [
          { op: 'file', name: 'kubelet.log', pack: 'members', times: random.pick([100, 1000, 5000]) },
          { op: 'lines', form: 'text', lines: life, times: 50, every: 0.1 },
        ],
      ],
    ],
    [
      1,
      () => [
        'kubelet.log',
        [
          { op: 'file', name: 'kubelet.log', pack: 'members', times: random.pick([100, 2000]) },
          { op: 'text', text: `I1122 11:25:11.388790   14074 a.go:1] "${index}"\n`, times: 5000 },
        ],
      ],
    ],
    [
      1,
      () => [
        'kubelet.log',
        [
          { op: 'file', name: 'kubelet.log', pack: 'members', times: random.pick([20, 200]) },
          {
            op: 'lines',
            form: 'text',
            lines: [[1, 'a.go:1', 'x', Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`k${i}`, i]))]],
            times: 2000,
            every: 0.001,
          },
        ],
      ],
    ],
  ]);
}
