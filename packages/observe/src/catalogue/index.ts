/** The messages of a kubelet's log, and what each proves. The versions differ in data only. */
import type { Json } from '@syncloop/core/trace';
import type { LogEntry } from '../evidence/index.js';
import { ELLIPSIS } from '../log/go-values.js';
import { areaOf } from './areas.js';
import { devices } from './devices.js';
import { loop } from './loop.js';
import { node } from './node.js';
import { pleg } from './pleg.js';
import { pods } from './pods.js';
import { printfNode } from './printf-node.js';
import { printfPods } from './printf-pods.js';
import { quietOf } from './quiet.js';
import type { Row } from './row.js';
import { runtime } from './runtime.js';
import { start } from './start.js';
import { syncs } from './syncs.js';
import { withTroubles } from './troubles.js';
import { workers } from './workers.js';

export type { Gate, Row, Says } from './row.js';

/** All messages that are known, by the chapters of fidelity list 4. */
export const CATALOGUE: readonly Row[] = withTroubles([
  ...start,
  ...loop,
  ...workers,
  ...syncs,
  ...pleg,
  ...runtime,
  ...pods,
  ...node,
  ...devices,
  ...printfNode,
  ...printfPods,
]);

/** Characters by which expressions are found: each begins with as many plain ones. */
const HEAD = 5;
/**
 * A row of an expression: the plain text that the expression begins with, and the expression with groups by number,
 * whose names are next to it. With names inside, V8 makes an object of them for each match.
 */
interface Pattern {
  readonly row: Row;
  readonly begin: string;
  readonly expression: RegExp;
  readonly names: readonly string[];
}
function patternOf(row: Row, { source, flags }: RegExp, begin: string): Pattern {
  const names = [...source.matchAll(/(?<!\\)\((?!\?(?:[:=!]|<[=!]))(?:\?<(\w+)>)?/g)].map(([, name]) => name);
  if (names.includes(undefined)) throw new Error(`a group of the expression ${row.msg} has no name`);
  const expression = new RegExp(source.replace(/\(\?<\w+>/g, '('), flags);
  return { row, begin, expression, names: names as string[] };
}
const byMessage = new Map<string, Row>();
const byHead = new Map<string, Pattern[]>();
for (const one of CATALOGUE) {
  if (typeof one.msg === 'string') {
    if (!byMessage.has(one.msg)) byMessage.set(one.msg, one);
    continue;
  }
  const plain =
    /^\^((?:(?:[\w ,:;'"<>=%&@!#~-]|\\[^\w])(?![?*{]))*)/.exec(one.msg.source)?.[1]?.replaceAll('\\', '') ?? '';
  const head = plain.slice(0, HEAD);
  if (head.length < HEAD) throw new Error(`the expression ${one.msg} does not begin with ${HEAD} plain characters`);
  byHead.set(head, [...(byHead.get(head) ?? []), patternOf(one, one.msg, plain)]);
}

/** A row of the catalogue and the fields that its line has. */
export interface Found {
  readonly row: Row;
  readonly fields: { readonly [key: string]: Json };
}

/**
 * The row of an entry: of its message, else of the part of the kubelet that logged it; null if the catalogue knows
 * neither.
 */
export function find(entry: LogEntry): Found | null {
  // Whoever asks for an entry is followed by others that ask for the same.
  if (entry !== last.entry) last = { entry, found: look(entry) };
  return last.found;
}
let last: { readonly entry: LogEntry | null; readonly found: Found | null } = { entry: null, found: null };

function look(entry: LogEntry): Found | null {
  const found = byMessageOrHead(entry);
  if (found) return found;
  const row = quietOf(entry) ?? areaOf(entry.file, entry.severity);
  return row && { row, fields: entry.fields };
}

function byMessageOrHead({ msg, fields, structured }: LogEntry): Found | null {
  if (structured) {
    const row = byMessage.get(msg) ?? (msg.endsWith(ELLIPSIS) ? rowOfCut(msg) : undefined);
    if (row) return { row, fields };
  }
  const candidates = byHead.get(msg.slice(0, HEAD));
  return candidates ? match(candidates, msg, fields) : null;
}

/** Characters by which a message is known whose end is not in the log. */
const ENOUGH = 16;

/** The row of the one message that begins so. */
function rowOfCut(msg: string): Row | undefined {
  const beginning = msg.slice(0, -ELLIPSIS.length);
  if (beginning.length < ENOUGH) return undefined;
  const rows = [...byMessage].filter(([whole]) => whole.startsWith(beginning));
  return rows.length === 1 ? rows[0]?.[1] : undefined;
}

function match(patterns: readonly Pattern[], msg: string, fields: LogEntry['fields']): Found | null {
  for (const { row, begin, expression, names } of patterns) {
    // Dozens begin alike; most are ruled out before their expression is tried.
    if (!msg.startsWith(begin)) continue;
    const found = expression.exec(msg);
    if (!found) continue;
    if (names.length === 0) return { row, fields };
    const all: { [key: string]: Json | undefined } = { ...fields };
    for (let i = 0; i < names.length; i++) all[names[i] as string] = found[i + 1];
    return { row, fields: all as Found['fields'] };
  }
  return null;
}
