/** The folder of static pods: manifests of all kinds, and files that are not manifests. */
import { execFileSync } from 'node:child_process';
import { constants } from 'node:fs';
import { mkdir, rename, rm, symlink, truncate, writeFile } from 'node:fs/promises';
import net from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { jsonOf, mutated, mutatedText, ODD_WORDS } from '../values.mjs';
import { pod } from './programs.mjs';

export default {
  name: 'manifests',
  targets: ['kubelet'],
  /** True: after each file of the corpus the node is asked whether it still works. */
  changesNode: true,
  packet: 'a change of a file',
  /** One at a time: each sets the folder up, and leaves it empty. */
  lanes: 1,
  make(random) {
    return [...random.list(1, 12, () => change(random)), { op: 'wait', ms: random.pick([0, 50, 1200]) }];
  },
  async perform({ manifests }, operations) {
    let packets = 0;
    const made = new Set();
    const servers = [];
    for (const { op, file = '', text = '', to = '', size = 0, ms = 0 } of operations) {
      const path = join(manifests, `a-${file}`);
      const act = {
        async write() {
          await writeFile(`${manifests}.new`, text);
          await rename(`${manifests}.new`, path);
        },
        // Seen half written.
        torn: () => put(path, text.slice(0, text.length >> 1)),
        fifo: () => execFileSync('mkfifo', [path], { stdio: 'ignore' }),
        link: () => symlink(to, path),
        folder: () => mkdir(path),
        // A hole in a file costs no disk.
        async huge() {
          await put(path, text);
          await truncate(path, size);
        },
        socket: () =>
          new Promise((resolve) => {
            const server = net.createServer().on('error', resolve).listen(path, resolve);
            servers.push(server);
          }),
        remove: () => rm(path, { recursive: true, force: true }),
        wait: () => delay(ms),
      }[op];
      made.add(path);
      packets++;
      // A name that is taken or not valid: the next one.
      await Promise.resolve()
        .then(act)
        .catch(() => {});
    }
    for (const server of servers) server.close();
    for (const path of made) await rm(path, { recursive: true, force: true }).catch(() => {});
    return packets;
  },
};

/** Writes in place. A pipe without a reader refuses, instead of waiting for one; nothing is written through a link. */
const put = (path, text) =>
  writeFile(path, text, {
    flag: constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC | constants.O_NONBLOCK | constants.O_NOFOLLOW,
  });

const bombs = [
  '[',
  '[['.repeat(2000),
  'a: &a [*a]',
  `a: &a {x: 1}\n${'b: {<<: *a}\n'.repeat(200)}`,
  '\ufeff{}',
  '\u0000\u0000',
  '---\n'.repeat(1000),
  `apiVersion: v1\nkind: List\nitems: []\n`,
  `apiVersion: v1\nkind: PodList\nitems: [{}]\n`,
  '!!binary x',
  `${'a'.repeat(1000)}: `.repeat(100),
];

function change(random) {
  const file = random.pick(['1.yaml', '2.yaml', '3.json', '4', '.hidden', '5.yaml~', 'é', 'x'.repeat(200)]);
  return random.weighted([
    [8, () => ({ op: 'write', file, text: manifest(random) })],
    [1, () => ({ op: 'torn', file, text: manifest(random) })],
    [2, () => ({ op: 'remove', file })],
    [0.5, () => ({ op: 'fifo', file })],
    [0.5, () => ({ op: 'socket', file })],
    [0.5, () => ({ op: 'folder', file })],
    [
      1,
      () => ({
        op: 'link',
        file,
        to: random.pick([
          '/dev/zero',
          '/dev/random',
          '/proc/self/environ',
          '/etc/passwd',
          'a-1.yaml',
          `a-${file}`,
          '..',
          '/nowhere',
          '/proc/kmsg',
          '/dev/tty',
        ]),
      }),
    ],
    [0.5, () => ({ op: 'huge', file, text: '{', size: random.pick([11_000_000, 3_000_000_000, 1e12]) })],
    [1, () => ({ op: 'wait', ms: random.pick([10, 300, 1100]) })],
  ]);
}

function manifest(random) {
  if (random.chance(0.15)) return random.pick(bombs);
  const made = pod(random, random.pick(['p1', 'p2', 'p1', 'x'.repeat(300), ...ODD_WORDS.slice(0, 4)]));
  if (random.chance(0.2))
    made.spec.volumes = [{ name: 'v', [random.pick(['emptyDir', 'hostPath', 'configMap', 'x'])]: {} }];
  const text = jsonOf(random.chance(0.5) ? mutated(random, made, 0.08) : made);
  return random.chance(0.2) ? mutatedText(random, text) : text;
}
