/** Looks at the beginning of a log before any of it is read: its order, its nodes, its year and its zone. */
import type { Unframed } from './framings/index.js';
import { readHeader, readJson } from './klog.js';
import { KUBELET, Programs } from './programs.js';
import { datedTime, isZone, type LocalTime } from './times.js';

/** Bytes of a log that are looked at. */
export const SURVEYED = 1024 * 1024;

/** A node with lines in this log. */
export interface LogNode {
  /** Its name as the framing has it, its address, or the kubelet's process if nothing names the node. */
  readonly name: string;
  lines: number;
  /** Records of the kubelet. */
  kubelet: number;
}

export interface Survey {
  /** The newest line comes first. */
  readonly reversed: boolean;
  /** The nodes with lines of a kubelet, the one with most of them first. */
  readonly nodes: readonly LogNode[];
  /** Nodes are distinguished by the kubelet's process, because no framing names them. */
  readonly byPid: boolean;
  /** Microseconds since 1970 of a time in the log that has a year, near one that has none. */
  readonly dated: number | null;
  /** The characters after which a terminal wrapped the lines that have no framing; null if none did. */
  readonly width: number | null;
  /** Lines with a framing go on in lines without one: somebody wrapped them. */
  readonly wrapped: boolean;
  /** Minutes that the log's local time is ahead of UTC; null if nothing says. */
  readonly zoneMinutes: number | null;
}

const DAY = 86_400e6;
/** Two processes of one node do not write in turns; lines before and after another's are at most this far apart. */
const TURNS = 600e6;
/** Lines that a process writes when the next one has begun are fewer. */
const MOST_LATE = 3;
/** Lines with a date that are looked at. */
const MOST_DATED = 500;
/** A line of the kubelet and the time in it that it has just taken. */
const JUST = 120e6;

/** A time within a year that is nobody's, to compare two of them. */
const within = ({ month, day, micros }: LocalTime): number => Date.UTC(2000, month - 1, day) * 1000 + micros;

interface Spoken {
  readonly pid: number;
  readonly at: number;
}

/** Two names of one node: with and without its domain, or before it had one. */
export const sameHost = (a: string, b: string): boolean =>
  a === b ||
  /^localhost(?:$|\.)/.test(a) ||
  (!/^[\d.:]+$/.test(a) && !/^[\d.:]+$/.test(b) && (a.startsWith(`${b}.`) || b.startsWith(`${a}.`)));

export function surveyOf(lines: readonly Unframed[]): Survey {
  const programs = new Programs();
  const hosts: LogNode[] = [];
  const spoken: Spoken[] = [];
  const votes = new Map<number, number>();
  let looked = 0;
  let down = 0;
  let up = 0;
  let last: number | null = null;
  let near: LocalTime | null = null;
  let dated: number | null = null;
  for (const unframed of lines) {
    const { text, host, local, epochMicros } = unframed;
    const head = readHeader(text);
    const json = !head && text.startsWith('{"') ? readJson(text) : null;
    const kubelet = head ? programs.ofKlog(unframed, head) === KUBELET : json !== null;
    if (host !== undefined) count(hosts, host, kubelet);
    const header: LocalTime | null = head ?? (local && local.month > 0 ? local : null);
    const at = epochMicros ?? json?.epochMicros ?? (header ? within(header) : null);
    // Lines of one clock only are compared; New Year is not a step back.
    if (at !== null && last !== null && Math.abs(at - last) < 180 * DAY) {
      if (at < last) down++;
      else if (at > last) up++;
    }
    if (at !== null) last = at;
    if (header) near = header;
    if (head && kubelet) spoken.push({ pid: head.pid, at: within(head) });
    if (local?.year !== undefined && local.month > 0)
      dated ??= Date.UTC(local.year, local.month - 1, local.day) * 1000 + local.micros;
    if (looked < MOST_DATED && /\d{4}-\d\d-\d\d/.test(text)) {
      looked++;
      const found = datedTime(text);
      if (found) {
        if (near && fits(found.epochMicros, near)) dated ??= found.epochMicros;
        else if (near === null && unframed.framing === 'keeper') dated ??= found.epochMicros + DAY;
        if (head && kubelet && found.own && found.zoneMinutes !== undefined && justNow(found, head))
          votes.set(found.zoneMinutes, (votes.get(found.zoneMinutes) ?? 0) + 1);
      }
    }
  }
  const named = hosts.filter(({ kubelet }) => kubelet > 0).sort((a, b) => b.kubelet - a.kubelet);
  const pids = named.length === 0 ? nodesByPid(spoken) : [];
  const zone = [...votes].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null;
  return {
    reversed: down >= 2 && down > 3 * up,
    nodes: pids.length > 1 ? pids : named,
    byPid: pids.length > 1,
    dated,
    width: widthOf(lines.filter(({ framing }) => framing === 'none').map(({ text }) => text)),
    wrapped: goesOn(lines),
    zoneMinutes: zone !== null && isZone(zone) ? zone : null,
  };
}

/** True if several lines of a log with a framing have none and are not records. */
function goesOn(lines: readonly Unframed[]): boolean {
  const bare = lines.filter(({ framing, text }, i) => {
    const before = lines[i - 1];
    return framing === 'none' && before && before.framing !== 'none' && text.trim() !== '' && !readHeader(text);
  });
  return bare.length >= LEAST_WRAPPED;
}

const NARROWEST = 60;
const LEAST_WRAPPED = 4;
const ENDING = 12;

/**
 * The width of the terminal from which lines were copied: no line is longer, and several of that length go on in the
 * next line, most of them in the middle of a word.
 */
function widthOf(texts: readonly string[]): number | null {
  const width = texts.reduce((most, { length }) => Math.max(most, length), 0);
  if (width < NARROWEST) return null;
  let full = 0;
  let wrapped = 0;
  let within = 0;
  /** A record that is logged again and again ends alike each time. */
  const ends = new Set<string>();
  for (const [i, text] of texts.entries()) {
    if (text.length < width) continue;
    full++;
    const next = texts[i + 1] ?? '';
    if (next === '' || readHeader(next)) continue;
    wrapped++;
    if (/[^\s")\]}]$/.test(text) && /^\S/.test(next)) within++;
    ends.add(text.slice(-ENDING));
  }
  return ends.size >= LEAST_WRAPPED && 2 * wrapped > full && 2 * within > wrapped ? width : null;
}

function count(hosts: LogNode[], host: string, kubelet: boolean): void {
  let node = hosts.find(({ name }) => name === host) ?? hosts.find(({ name }) => sameHost(host, name));
  if (!node) {
    if (hosts.length >= 1000) return;
    node = { name: host, lines: 0, kubelet: 0 };
    hosts.push(node);
  }
  node.lines++;
  if (kubelet) node.kubelet++;
}

/** True if a date has the month and the day of a line next to it, in whatever zone. */
function fits(epochMicros: number, line: LocalTime): boolean {
  const year = new Date(epochMicros / 1000).getUTCFullYear();
  const there = Date.UTC(year, line.month - 1, line.day) * 1000 + line.micros;
  return Math.abs(there - epochMicros) < DAY;
}

const justNow = (found: { readonly epochMicros: number; readonly zoneMinutes?: number }, line: LocalTime): boolean => {
  const local = found.epochMicros + (found.zoneMinutes ?? 0) * 60e6;
  const there = Date.UTC(new Date(local / 1000).getUTCFullYear(), line.month - 1, line.day) * 1000 + line.micros;
  return Math.abs(there - local) < JUST;
};

/** The kubelets of several nodes whose lines are mixed: processes that write in turns. */
function nodesByPid(spoken: readonly Spoken[]): LogNode[] {
  const ordered = [...spoken].sort((a, b) => a.at - b.at);
  const lines = new Map<number, number>();
  for (const { pid } of ordered) lines.set(pid, (lines.get(pid) ?? 0) + 1);
  if (lines.size < 2) return [];
  /** The number of times that a process goes on after another has written. */
  const resumed = new Map<number, number>();
  const lastOf = new Map<number, number>();
  let before = -1;
  for (const { pid, at } of ordered) {
    const own = lastOf.get(pid);
    if (own !== undefined && before !== pid && at - own <= TURNS) resumed.set(pid, (resumed.get(pid) ?? 0) + 1);
    lastOf.set(pid, at);
    before = pid;
  }
  const turns = [...resumed].filter(([, times]) => times >= MOST_LATE).map(([pid]) => pid);
  return turns
    .map((pid) => ({ name: `pid ${pid}`, lines: lines.get(pid) ?? 0, kubelet: lines.get(pid) ?? 0 }))
    .sort((a, b) => b.kubelet - a.kubelet || (a.name < b.name ? -1 : 1));
}
