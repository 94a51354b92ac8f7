/** Facts of this machine. */

import { lookup } from 'node:dns/promises';
import { existsSync, readdirSync, statfsSync } from 'node:fs';
import { cpus, networkInterfaces, release, totalmem, uptime } from 'node:os';
import { dirname } from 'node:path';
import { trimRight } from '@syncloop/core/base';
import type { NodeInfo } from '@syncloop/core/host';
import { call, type Go } from '@syncloop/core/kernel';
import { readRegularSync, settingsLimit } from '../base/read-file.js';

/** Options of {@link nodeInfo}. */
export interface NodeInfoOptions {
  /** The kubelet's own folder, whose file system is the pods'. Default: the root's. */
  readonly rootDirectory?: string;
  /** The root of the machine's files, for tests. Default: `/`. */
  readonly root?: string;
}

/** `resolvConf` is a path, '' for none; `nodeIP` comes before the machine's own addresses. */
export function nodeInfo(
  hostname: string,
  resolvConf: string,
  nodeIP?: string,
  options: NodeInfoOptions = {},
): NodeInfo {
  const { rootDirectory = '/', root = '/' } = options;
  const at = (path: string) => `${root.replace(/\/$/, '')}${path}`;
  const read = (...paths: string[]) => firstOf(paths.map(at));
  // These only choose a family.
  const given = nodeIP === '0.0.0.0' || nodeIP === '::' ? undefined : nodeIP;
  const capacity = diskCapacity(rootDirectory);
  const maxPID = Number(read('/proc/sys/kernel/pid_max'));
  return {
    hostname,
    addresses: given ? [given] : ownAddresses(read('/proc/net/route'), read('/proc/net/ipv6_route')),
    interfaceAddresses: Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map((a) => a.address)),
    memoryCapacityBytes: totalmem(),
    cpuMillis: cpus().length * 1000,
    cgroupVersion: existsSync(at('/sys/fs/cgroup/cgroup.controllers')) ? 2 : 1,
    resolvConf: resolvConf ? firstOf([resolvConf]) : '',
    resolverConfig: resolvConf,
    machineID: read('/etc/machine-id', '/var/lib/dbus/machine-id').trim(),
    // From the firmware, if this process may read it.
    systemUUID: read(
      '/sys/class/dmi/id/product_uuid',
      '/proc/device-tree/system-id',
      '/proc/device-tree/vm,uuid',
      '/etc/machine-id',
    ).trim(),
    bootID: read('/proc/sys/kernel/random/boot_id').trim(),
    bootTimeMillis: Math.round(Date.now() - uptime() * 1000),
    kernelVersion: release(),
    osImage: osImage(read('/etc/os-release', '/usr/lib/os-release')),
    architecture: goArchitectures[process.arch] ?? process.arch,
    hugePages: hugePages(at('/sys/kernel/mm/hugepages')),
    swapCapacityBytes: Number(/^SwapTotal:\s+(\d+) kB/m.exec(read('/proc/meminfo'))?.[1] ?? 0) * 1024,
    lookupIP: cachedLookup(),
    ...(capacity !== null && { ephemeralStorageBytes: capacity }),
    ...(maxPID > 0 && { maxPID }),
  };
}

/** Node's names of machines by Go's. */
const goArchitectures: Readonly<Partial<Record<string, string>>> = {
  x64: 'amd64',
  ia32: '386',
  ppc64: 'ppc64le',
  loong64: 'loong64',
};

/** Returns the text of the first file that can be read and is not empty; '' for none. */
function firstOf(paths: readonly string[]): string {
  for (const path of paths)
    try {
      const text = trimRight(readRegularSync(path, { limit: settingsLimit }).toString('utf8'), '\0');
      if (text !== '') return text;
    } catch {
      // The next file may be readable.
    }
  return '';
}

/** upstream: cadvisor machine getOperatingSystem */
function osImage(text: string): string {
  const value = /^PRETTY_NAME=(.*)$/m.exec(text)?.[1]?.trim() ?? '';
  return value.replace(/^(["'])(.*)\1$/, '$2') || 'Linux';
}

/** upstream: cadvisor machine GetHugePagesInfo */
function hugePages(dir: string): { pageSizeKB: number; pages: number }[] {
  let names: string[] = [];
  try {
    names = readdirSync(dir);
  } catch {
    // This kernel has no huge pages.
  }
  return names
    .flatMap((name) => {
      const size = /^hugepages-(\d+)kB$/.exec(name)?.[1];
      return size ? [{ pageSizeKB: Number(size), pages: Number(firstOf([`${dir}/${name}/nr_hugepages`])) || 0 }] : [];
    })
    .sort((a, b) => a.pageSizeKB - b.pageSizeKB);
}

/** Returns the bytes of the file system that has the folder, or will have it; null if unknown. */
function diskCapacity(path: string): number | null {
  for (let at = path; ; at = dirname(at)) {
    try {
      const { blocks, bsize } = statfsSync(at);
      return blocks * bsize;
    } catch {
      if (at === '/' || at === '.') return null;
    }
  }
}

/**
 * Addresses that are not loopback or link-local: those of the interface with the default route first, and IPv4 before
 * IPv6. `v4` and `v6`: the kernel's tables of routes. upstream: apimachinery util/net ResolveBindAddress
 */
function ownAddresses(v4: string, v6: string): string[] {
  const routes = [...defaultInterfaces(v4, 1, 0), ...defaultInterfaces(v6, 0, 9)];
  const rank = (name: string) => (routes.includes(name) ? routes.indexOf(name) : routes.length);
  return Object.entries(networkInterfaces())
    .flatMap(([name, list]) => (list ?? []).map((a) => ({ ...a, name })))
    .filter((a) => !a.internal && !/^(169\.254\.|fe80:)/i.test(a.address))
    .sort((a, b) => a.family.localeCompare(b.family) || rank(a.name) - rank(b.name))
    .map((a) => a.address);
}

/** Interfaces that have a route to everywhere, by the columns in which a table has destination and name. */
function defaultInterfaces(table: string, destination: number, name: number): string[] {
  return table.split('\n').flatMap((line) => {
    const fields = line.trim().split(/\s+/);
    const isDefault = /^0+$/.test(fields[destination] ?? '') && (name === 0 || fields[1] === '00');
    const device = fields[name];
    return isDefault && device !== undefined && device !== 'lo' ? [device] : [];
  });
}

/** The time for which an answer is valid, and the longest wait for one, ms. */
const lookupLife = 60_000;
const lookupWait = 1000;

/**
 * The addresses that DNS and /etc/hosts have for a name. Without an answer in time the name is unknown: a node must not
 * wait for its own.
 */
function cachedLookup(): (name: string) => Go<readonly string[]> {
  let last: { name: string; at: number; ips: readonly string[] } | null = null;
  return function* (name) {
    if (last?.name === name && performance.now() - last.at < lookupLife) return last.ips;
    const ips = yield* call('lookupIP', async () => {
      let timer: NodeJS.Timeout | undefined;
      const late = new Promise<{ address: string }[]>((resolve) => {
        timer = setTimeout(() => resolve([]), lookupWait);
      });
      try {
        const found = await Promise.race([lookup(name, { all: true }), late]);
        return found.map((a) => a.address);
      } catch {
        return [];
      } finally {
        clearTimeout(timer);
      }
    });
    last = { name, at: performance.now(), ips };
    return ips;
  };
}
