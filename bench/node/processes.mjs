/** Measures processor time and memory of a process with all that it started, by `/proc`. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks of `/proc` in a second, which Linux gives as 100 on every machine that Node runs on. */
const TICKS = 100;

/** The fields of a process's `stat` after its name, which may have spaces; null if it has ended. */
function statOf(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return text.slice(text.lastIndexOf(')') + 2).split(' ');
  } catch {
    return null;
  }
}

/** The process and those below it that run now. */
function familyOf(pid) {
  const children = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    const parent = Number(statOf(entry)?.[1]);
    if (Number.isInteger(parent)) children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
  }
  const family = [pid];
  for (const one of family) family.push(...(children.get(one) ?? []));
  return family;
}

function residentKiB(pid) {
  try {
    return Number(/^VmRSS:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** Returns the use of a process and those below it: those that ended and were waited for count too. */
export function familyCost(pid) {
  const family = familyOf(pid);
  let ticks = 0;
  let kib = 0;
  for (const one of family) {
    // User and system time of itself, then of its children that ended.
    for (const n of statOf(one)?.slice(11, 15) ?? []) ticks += Number(n);
    kib += residentKiB(one);
  }
  return { cpuSeconds: ticks / TICKS, rssMiB: Math.round(kib / 1024), processes: family.length };
}
