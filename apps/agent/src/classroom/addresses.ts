/** The addresses of this machine that a class could be served at, for a presenter to choose from. */
import { type NetworkInterfaceInfo, networkInterfaces } from 'node:os';
import type { ClassAddress } from '@syncloop/core/classroom';

/** Networks within this machine: no student is there. */
const WITHIN = /^(docker|br-|veth|virbr|vmnet|vboxnet|cni|flannel|cali|cilium|lxc|lxd|kind|podman)/;
const MOST = 16;

export const LOOPBACK = '127.0.0.1';

/** Those of networks first, then those within this machine, at the end loopback. */
export function addressesOf(
  interfaces: Readonly<Record<string, readonly NetworkInterfaceInfo[] | undefined>> = networkInterfaces(),
): readonly ClassAddress[] {
  const found = Object.entries(interfaces).flatMap(([name, list = []]) =>
    list.filter((a) => !a.internal && !a.address.startsWith('fe80:')).map((a) => ({ name, ...a })),
  );
  const rank = (a: (typeof found)[number]) => (WITHIN.test(a.name) ? 2 : 0) + (a.family === 'IPv4' ? 0 : 1);
  const sorted = [...found].sort((a, b) => rank(a) - rank(b)).slice(0, MOST);
  return [...sorted.map(({ address, name }) => ({ address, name })), { address: LOOPBACK, name: '' }];
}
