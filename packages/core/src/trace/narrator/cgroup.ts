import type { Json } from '../records.js';

const units = ['', 'Ki', 'Mi', 'Gi', 'Ti'];

function bytes(n: number): string {
  let i = 0;
  let left = n;
  while (i + 1 < units.length && left >= 1024 && left % 1024 === 0) {
    left /= 1024;
    i++;
  }
  return `${left}${units[i]}`;
}

/** Returns a cgroup's settings by the kernel's names, after a blank and in brackets; '' if there are none. */
export function settings(config: Json | undefined): string {
  if (typeof config !== 'object' || config === null || Array.isArray(config)) return '';
  const { cpuShares, cpuQuota, cpuPeriod, memory, pidsLimit } = config as Record<string, unknown>;
  const out = [
    typeof cpuShares === 'number' && `cpu.shares ${cpuShares}`,
    typeof cpuQuota === 'number' && `cpu.max ${cpuQuota < 0 ? 'max' : cpuQuota}/${cpuPeriod}`,
    typeof memory === 'number' && `memory.max ${bytes(memory)}`,
    typeof pidsLimit === 'number' && `pids.max ${pidsLimit}`,
  ].filter((part) => part !== false);
  return out.length === 0 ? '' : ` (${out.join(', ')})`;
}
