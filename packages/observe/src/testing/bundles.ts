/** Bundles as their collectors lay them out, made of logs of two nodes. */
import { utf8Bytes } from '@syncloop/core/base';
import type { BundleFile } from '../bundle/index.js';

/** The logs of a node, as journald's short form has them. */
export interface NodeLogs {
  readonly name: string;
  readonly kubelet: string;
}
export type Files = { readonly [path: string]: string };
type Maker = (nodes: readonly NodeLogs[]) => Files;

const each = (nodes: readonly NodeLogs[], of: (node: NodeLogs) => Files): Files =>
  Object.assign({}, ...nodes.map(of)) as Files;
const first = (nodes: readonly NodeLogs[]) => nodes[0] as NodeLogs;

/** By kind: its files, and the top folder that its archive has. */
export const bundleMakers: {
  readonly [kind: string]: { readonly top: string; readonly files: Maker; readonly nodes: 1 | 2 };
} = {
  'kind export logs': {
    top: '2026-logs',
    nodes: 2,
    files: (nodes) => ({
      'kind-version.txt': 'kind v0.30.0\n',
      ...each(nodes, ({ name, kubelet }) => ({
        [`${name}/kubelet.log`]: kubelet,
        [`${name}/journal.log`]: kubelet,
        [`${name}/containerd.log`]: `Nov 22 00:00:01 ${name} containerd[7]: time="2026-11-22T00:00:01Z" level=info msg="x"\n`,
        [`${name}/pods/kube-system_etcd_1/etcd/0.log`]: '2026-11-22T00:00:01Z stderr F {"level":"warn"}\n',
      })),
    }),
  },
  'talosctl support': {
    top: 'support',
    nodes: 2,
    files: (nodes) => ({
      'cluster/kubernetesResources/nodes.yaml': 'items: []\n',
      ...each(nodes, ({ name, kubelet }) => ({
        [`${name}/kubelet.log`]: kubelet,
        [`${name}/machined.log`]: 'machined\n',
        [`${name}/dmesg.log`]: `${name}: kern: info: [2026-11-22T00:00:01.0Z]: Linux\n`,
      })),
    }),
  },
  'EKS log collector': {
    top: 'eks_i-0123456789abcdef0_2026-11-22_0000-UTC_0.7.8',
    nodes: 1,
    files: (nodes) => ({
      'kubelet/kubelet.log': first(nodes).kubelet,
      'containerd/containerd-log.txt': '',
      'system/services.txt': 'x\n',
      'var_log/messages': 'x\n',
    }),
  },
  'must-gather': {
    top: 'must-gather.local.1/quay-io',
    nodes: 2,
    files: (nodes) => ({
      'namespaces/kube-system/pods/a/a.yaml': 'kind: Pod\n',
      ...each(nodes, ({ name, kubelet }) => ({ [`nodes/${name}/${name}_logs_kubelet`]: kubelet })),
    }),
  },
  sosreport: {
    top: 'sosreport-n1-03512345-2026-11-22-abcdefg',
    nodes: 1,
    files: (nodes) => ({
      'sos_commands/kubernetes/journalctl_--no-pager_--unit_kubelet': first(nodes).kubelet,
      'sos_commands/logs/journalctl_--no-pager_--boot': first(nodes).kubelet,
      'etc/hostname': 'n1\n',
    }),
  },
  'Prow artifacts': {
    top: 'run/artifacts/e2e',
    nodes: 2,
    files: (nodes) => ({
      'build-log.txt': 'x\n',
      ...each(nodes, ({ name, kubelet }) => ({
        [`nodes/${name}/kubelet.log`]: kubelet,
        [`nodes/${name}/serial-1.log`]: 'booting\n',
      })),
    }),
  },
  'Rancher logs collector': {
    top: 'n1-2026-11-22_00_00_00',
    nodes: 1,
    files: (nodes) => ({
      'journald/k3s': first(nodes).kubelet.replaceAll('kubelet[', 'k3s['),
      'journald/containerd': '',
      'systeminfo/dmesg': '[    0.000000] Linux\n',
    }),
  },
  '': {
    top: 'ticket-123/logs',
    nodes: 2,
    files: (nodes) => each(nodes, ({ name, kubelet }) => ({ [`from/${name}/deep/kubelet.txt`]: kubelet })),
  },
};

/** A file that is there as bytes. */
export const fileOf = (path: string, bytes: Uint8Array): BundleFile => ({
  path,
  size: bytes.length,
  modified: Date.UTC(2026, 10, 23),
  async *open() {
    // In pieces that no format expects.
    for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000);
  },
});

/** A tar archive, with a pax header for names that are too long for one of ustar. */
export function tarOf(files: { readonly [path: string]: Uint8Array }): Uint8Array {
  const blocks: Uint8Array[] = [];
  const put = (name: string, type: string, bytes: Uint8Array) => {
    const header = new Uint8Array(512);
    const text = (at: number, value: string) => header.set(utf8Bytes(value), at);
    text(0, name.slice(0, 99));
    text(100, '0000644\0');
    text(124, `${bytes.length.toString(8).padStart(11, '0')}\0`);
    text(
      136,
      `${Math.floor(Date.UTC(2026, 10, 22) / 1000)
        .toString(8)
        .padStart(11, '0')}\0`,
    );
    text(148, '        ');
    text(156, type);
    text(257, 'ustar\x0000');
    text(
      148,
      `${header
        .reduce((sum, byte) => sum + byte, 0)
        .toString(8)
        .padStart(6, '0')}\0 `,
    );
    blocks.push(header, bytes, new Uint8Array((512 - (bytes.length % 512)) % 512));
  };
  for (const [path, bytes] of Object.entries(files)) {
    if (path.length > 99) {
      const field = ` path=${path}\n`;
      const length = String(field.length + 3).length + field.length;
      put('pax', 'x', utf8Bytes(`${length}${field}`));
    }
    put(path, '0', bytes);
  }
  blocks.push(new Uint8Array(1024));
  const all = new Uint8Array(blocks.reduce((sum, block) => sum + block.length, 0));
  let at = 0;
  for (const block of blocks) {
    all.set(block, at);
    at += block.length;
  }
  return all;
}
