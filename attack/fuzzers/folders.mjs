/** Files that are not regular, and folders that nobody would make: every command that reads files gets them. */
import { life } from '../kubelet-lines.mjs';
import { commandsOf, performFiles } from '../stranger-files.mjs';

export default {
  name: 'folders',
  targets: ['commands'],
  packet: 'a command on a folder or on what is no file',
  make(random) {
    const things = random.list(1, 4, (i) => thing(random, i));
    const target = random.pick(['@', ...things.map(({ name = '' }) => `@${name.replaceAll('#', '0')}`)]);
    return [...things, ...(random.chance(0.4) ? log : []), ...commandsOf([[command(random, target)]])];
  },
  perform: performFiles,
};

const log = [
  { op: 'file', name: 'kubelet.log' },
  { op: 'lines', form: 'text', lines: life, times: 2, every: 5 },
];

const command = (random, path) =>
  random.pick([
    ['info', path],
    ['why', path, '--pod', 'default/web-0', '--field', 'phase'],
    ['export', path, '--format', 'ndjson'],
    ['import', path],
    ['import', path, '--pseudonyms'],
    ['twin', path, '--tries', '1'],
    ['open', path],
    ['conformance', path],
    ['conformance', '--attach', path],
    ['simulate', path],
  ]);

function thing(random, i) {
  const name = random.pick([`a${i}.log`, `a${i}.yaml`, `a${i}`, `.a${i}`, `a${i}.log.1`, `a${i}.ndjson`, 'about.json']);
  return random.weighted([
    [3, () => ({ op: 'special', kind: 'fifo', name })],
    [1, () => ({ op: 'special', kind: 'socket', name })],
    [1, () => ({ op: 'special', kind: 'device', name })],
    [1, () => ({ op: 'special', kind: 'folder', name })],
    [0.5, () => ({ op: 'special', kind: 'deep', name })],
    [1, () => ({ op: 'special', kind: 'hole', name, to: random.pick(['3G', '8T', '20M']) })],
    [
      4,
      () => ({
        op: 'special',
        kind: 'link',
        name,
        to: random.pick([
          '/dev/zero',
          '/dev/random',
          '/dev/full',
          '/dev/tty',
          '/dev/stdin',
          '/dev/kmsg',
          '/proc/kmsg',
          '/proc/self/mem',
          '/proc/self/environ',
          '/proc/self/fd/0',
          '/sys/kernel/debug',
          '/nowhere',
          name,
          '.',
          '..',
          'kubelet.log',
          'a0',
        ]),
      }),
    ],
    [0.5, () => ({ op: 'many', name: `k${i}-#.log`, times: random.pick([20, 1100, 3000]), text: line })],
  ]);
}
const line = 'I1122 11:25:11.388790   14074 kubelet.go:2724] "SyncLoop ADD" source="api" pods=["default/web"]\n';
