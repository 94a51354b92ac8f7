/** Facts of this machine. */
import { existsSync, readFileSync } from 'node:fs';
import { availableParallelism, networkInterfaces, totalmem } from 'node:os';
import type { NodeInfo } from '@syncloop/core/kubelet';

/** `resolvConf` is a path, '' for none; `nodeIP` comes before the machine's own addresses. */
export function nodeInfo(hostname: string, resolvConf: string, nodeIP?: string): NodeInfo {
  return {
    hostname,
    addresses: nodeIP ? [nodeIP] : ownAddresses(),
    memoryCapacityBytes: totalmem(),
    cpuMillis: availableParallelism() * 1000,
    cgroupVersion: existsSync('/sys/fs/cgroup/cgroup.controllers') ? 2 : 1,
    resolvConf: read(resolvConf),
  };
}

function read(path: string): string {
  if (!path) return '';
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}

/** Addresses that are not loopback or link-local; IPv4 first. */
function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const usable = all.filter((a) => !a.internal && !/^(169\.254\.|fe80:)/i.test(a.address));
  return usable.sort((a, b) => a.family.localeCompare(b.family)).map((a) => a.address);
}
