/** A kubelet's root directory, damaged before it starts: it works, or reports what is wrong; it never hangs or dies. */
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { anyDamage, inflict } from '../damage.mjs';
import { jsonOf, mutated } from '../values.mjs';

/** `#uid`: the folder of the pod that ran. */
const files = [
  'syncloop-ownership',
  'allocated_pods_state',
  'actuated_pods_state',
  'pki/kubelet.key',
  'pki/kubelet.crt',
  'syncloop.lock',
  'api/data/objects.db',
  'api/data/objects.db-wal',
  'api/data/lock',
  'api/data/acknowledged',
  'pods/#uid/etc-hosts',
];
const folders = [
  'pods',
  'pods/#uid',
  'pods/#uid/containers/app',
  'pki',
  'checkpoints',
  'device-plugins',
  'api',
  'plugins',
];

export default {
  name: 'root-folders',
  targets: ['starts'],
  packet: 'a start on a damaged root directory',
  make: (random) => random.list(1, 3, () => change(random)),
  async perform({ startWith }, operations) {
    await startWith(async (root, [uid]) => {
      for (const operation of operations) {
        const named = (name = '') => String(name).replaceAll('#uid', uid);
        const { op } = operation;
        if (op === 'damage')
          inflict(root, { ...operation, file: named(operation.file), other: named(operation.other) }, null);
        else if (op === 'put') await put(join(root, named(operation.file)), jsonOf(operation.value));
        else if (op === 'text') await put(join(root, named(operation.file)), String(operation.text));
        else if (op === 'no-folder') await rm(join(root, named(operation.file)), { recursive: true, force: true });
        else if (op === 'file-for-folder') {
          await rm(join(root, named(operation.file)), { recursive: true, force: true });
          await put(join(root, named(operation.file)), 'a file');
        }
      }
    });
    return 1;
  },
};

/** Writes a file; one that cannot be written is left out. */
async function put(path, text) {
  await mkdir(dirname(path), { recursive: true }).catch(() => {});
  await writeFile(path, text).catch(() => {});
}

const checkpoint = {
  Data: {
    PodDeviceEntries: [
      {
        PodUID: 'u',
        ContainerName: 'app',
        ResourceName: 'example.com/a',
        DeviceIDs: { '-1': ['d0'] },
        AllocResp: 'CgA=',
      },
    ],
    RegisteredDevices: { 'example.com/a': ['d0', 'd1'] },
  },
  Checksum: 1234567890,
};
const state = { data: '{"entries":{"u":{"ContainerResources":{"app":{}}}}}', checksum: 3880184165 };

const change = (random) =>
  random.weighted([
    [6, () => anyDamage(random, files)],
    [
      2,
      () => ({
        op: 'put',
        file: 'device-plugins/kubelet_internal_checkpoint',
        value: mutated(random, checkpoint, 0.1),
      }),
    ],
    [
      2,
      () => ({
        op: 'put',
        file: random.pick(['allocated_pods_state', 'actuated_pods_state']),
        value: mutated(random, state, 0.2),
      }),
    ],
    [
      1,
      () => ({
        op: 'text',
        file: 'syncloop-ownership',
        text: `syncloop ownership ${random.pick(['1', '2', ''])}\n${random.pick(['sandbox a\n', 'sandbox ../x ..\n', 'gone\n', 'image x\n', '\u0000\n']).repeat(random.pick([1, 1000, 300_000]))}`,
      }),
    ],
    [1, () => ({ op: 'no-folder', file: random.pick(folders) })],
    [1, () => ({ op: 'file-for-folder', file: random.pick(folders) })],
    [
      0.5,
      () => ({
        op: 'text',
        file: random.pick(['pods/x', 'pods/../evil/', 'checkpoints/c', 'pods/a/volumes']),
        text: 'x',
      }),
    ],
  ]);
