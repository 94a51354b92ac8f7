/**
 * Checks of what came over a connection: nothing of it is trusted. Each gives the message with only the fields known here, or a
 * ProtocolError that says which field is wrong and what it should be.
 */

import { MAX_SOURCE } from '../../expression/index.js';
import type { Deviation } from '../../kernel/index.js';
import type { Json } from '../../trace/index.js';
import {
  type ClientMessage,
  type Command,
  countedUnits,
  type GoTarget,
  paces,
  type Speed,
  stepUnits,
} from './protocol.js';
import type { Intervention, InterventionCommand, Position } from './run-spec.js';

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Longest text of a manifest or scenario, in UTF-16 units. */
export const MAX_TEXT = 1_000_000;
const MAX_NAME = 500;
const MAX_COUNT = 1_000_000;
const MOST_BREAKPOINTS = 1000;
const MOST_SCHEDULES = 100_000;
/** Most assertions of an exploration, of each kind, and how long each may be. */
const MOST_ASSERTIONS = 20;
const MAX_EXPRESSION = 2000;
/** Most deviations, and interventions, of one run. */
const MOST_PARTS = 100_000;
/** Size of a value that another part of the program checks: how deep, and how many values in it. */
const JSON_DEPTH = 32;
const JSON_VALUES = 20_000;

type Fields = { readonly [key: string]: unknown };

export function parseClientMessage(value: unknown): ClientMessage {
  const m = object(value, 'message');
  switch (own(m, 'type')) {
    case 'hello': {
      const protocol = whole(m, 'protocol', 0, MAX_COUNT);
      return {
        type: 'hello',
        protocol,
        ...(m.session === undefined ? {} : { session: text(m, 'session', MAX_NAME) }),
        ...(m.branch === undefined ? {} : { branch: branch(m) }),
        ...(m.resumeFrom === undefined ? {} : { resumeFrom: whole(m, 'resumeFrom', 0, Number.MAX_SAFE_INTEGER) }),
      };
    }
    case 'ack':
      return { type: 'ack', seq: whole(m, 'seq', 0, Number.MAX_SAFE_INTEGER) };
    case 'command':
      return { type: 'command', id: commandId(m), command: parseCommand(m.command) };
    default:
      throw new ProtocolError(`message.type is ${show(m.type)}; it must be "hello", "command" or "ack"`);
  }
}

/** The id of a command message, for the refusal of a command that is otherwise wrong; null when there is none. */
export function commandIdOf(value: unknown): number | null {
  try {
    const m = object(value, 'message');
    return m.type === 'command' ? commandId(m) : null;
  } catch {
    return null;
  }
}
const commandId = (m: Fields): number => whole(m, 'id', 0, Number.MAX_SAFE_INTEGER);

type Parsers = { readonly [K in Command['do']]: (c: Fields) => Extract<Command, { do: K }> };

const bare =
  <K extends Command['do']>(name: K) =>
  () =>
    ({ do: name }) as Extract<Command, { do: K }>;
const SAFE = Number.MAX_SAFE_INTEGER;
const branch = (c: Fields) => whole(c, 'branch', 1, MAX_COUNT);

/** One per command: the fields that it may have, each checked; no others are taken over. */
const parsers: Parsers = {
  pause: bare('pause'),
  resume: bare('resume'),
  manifests: bare('manifests'),
  objects: bare('objects'),
  logs: (c) => ({ do: 'logs', container: name(c, 'container'), ...maybe(c, 'from', (f, k) => whole(f, k, 0, SAFE)) }),
  restart: bare('restart'),
  scenarios: bare('scenarios'),
  runnable: bare('runnable'),
  branches: bare('branches'),
  spec: bare('spec'),
  step: (c) => ({
    do: 'step',
    unit: oneOf(c, 'unit', stepUnits),
    ...maybe(c, 'count', (f, k) => whole(f, k, 1, MAX_COUNT)),
    ...maybe(c, 'back', flag),
    ...maybe(c, 'goroutine', (f, k) => whole(f, k, 1, SAFE)),
    ...maybe(c, 'pod', name),
  }),
  go: (c) => ({ do: 'go', to: parseTarget(own(c, 'to')) }),
  until: (c) => ({
    do: 'until',
    where: text(c, 'where', MAX_SOURCE),
    ...maybe(c, 'within', (f, k) => whole(f, k, 1, SAFE)),
    ...maybe(c, 'pace', (f, k) => oneOf(f, k, paces)),
  }),
  rewind: (c) => ({ do: 'rewind', unit: oneOf(c, 'unit', countedUnits), to: whole(c, 'to', 0, SAFE) }),
  speed: (c) => ({ do: 'speed', speed: parseSpeed(own(c, 'speed')) }),
  choose: (c) => ({ do: 'choose', index: whole(c, 'index', 0, MAX_COUNT) }),
  ask: (c) => ({ do: 'ask', select: flag(c, 'select') }),
  breakpoints: (c) => ({
    do: 'breakpoints',
    set: list(c, 'set', MOST_BREAKPOINTS).map((b, i) => json(b, `set[${i}]`)),
  }),
  take: (c) => ({ do: 'take', seq: whole(c, 'seq', 1, SAFE), case: whole(c, 'case', 0, MAX_COUNT) }),
  pick: (c) => ({ do: 'pick', goroutine: whole(c, 'goroutine', 1, SAFE) }),
  apply: (c) => ({
    do: 'apply',
    manifest: text(c, 'manifest', MAX_TEXT),
    ...maybe(c, 'file', fileName),
    ...maybe(c, 'force', flag),
  }),
  delete: (c) => ({ do: 'delete', file: fileName(c, 'file') }),
  kill: (c) => ({ do: 'kill', uid: name(c, 'uid'), ...maybe(c, 'container', name) }),
  act: (c) => ({ do: 'act', action: json(own(c, 'action'), 'action') }),
  load: (c) => ({
    do: 'load',
    scenario: name(c, 'scenario'),
    ...maybe(c, 'text', (f, k) => text(f, k, MAX_TEXT)),
    ...maybe(c, 'seed', (f, k) => whole(f, k, 0, 0xffff_ffff)),
    ...maybe(c, 'deviations', (f, k) => list(f, k, MOST_PARTS).map((d, i) => parseDeviation(d, `${k}[${i}]`))),
    ...maybe(c, 'interventions', (f, k) => list(f, k, MOST_PARTS).map((v, i) => parseIntervention(v, `${k}[${i}]`))),
    ...maybe(c, 'to', (f, k) => parsePosition(own(f, k), k)),
  }),
  branch: (c) => ({ do: 'branch', ...maybe(c, 'name', name) }),
  switch: (c) => ({ do: 'switch', branch: branch(c), ...maybe(c, 'to', (f, k) => parsePosition(own(f, k), k)) }),
  rename: (c) => ({ do: 'rename', branch: branch(c), name: name(c, 'name') }),
  drop: (c) => ({ do: 'drop', branch: branch(c) }),
  compare: (c) => ({ do: 'compare', branch: branch(c), ...maybe(c, 'with', (f, k) => whole(f, k, 1, MAX_COUNT)) }),
  explore: (c) => ({
    do: 'explore',
    ...maybe(c, 'schedules', (f, k) => whole(f, k, 1, MOST_SCHEDULES)),
    ...maybe(c, 'strategy', (f, k) => oneOf(f, k, ['random', 'pct', 'exhaustive'] as const)),
    ...maybe(c, 'never', expressions),
    ...maybe(c, 'finally', expressions),
    ...maybe(c, 'until', (f, k) => whole(f, k, 1, SAFE)),
  }),
  why: (c) => ({ do: 'why', question: json(own(c, 'question'), 'question') }),
  whyNot: (c) => ({ do: 'whyNot', question: json(own(c, 'question'), 'question') }),
  search: (c) => ({
    do: 'search',
    breakpoint: json(own(c, 'breakpoint'), 'breakpoint'),
    ...range(c),
    ...maybe(c, 'backwards', flag),
  }),
  history: (c) => ({ do: 'history', path: name(c, 'path'), ...range(c) }),
  lastWriter: (c) => ({ do: 'lastWriter', path: name(c, 'path'), ...maybe(c, 'seq', (f, k) => whole(f, k, 0, SAFE)) }),
  diff: (c) => ({ do: 'diff', from: whole(c, 'from', 0, SAFE), to: whole(c, 'to', 0, SAFE) }),
};

export function parseCommand(value: unknown): Command {
  const c = object(value, 'command');
  const what = own(c, 'do');
  if (typeof what !== 'string' || !Object.hasOwn(parsers, what))
    throw new ProtocolError(`command.do is ${show(what)}; it must be one of ${Object.keys(parsers).join(', ')}`);
  return parsers[what as Command['do']](c);
}

function range(c: Fields) {
  return {
    ...maybe(c, 'from', (f, k) => whole(f, k, 0, SAFE)),
    ...maybe(c, 'to', (f, k) => whole(f, k, 0, SAFE)),
    ...maybe(c, 'limit', (f, k) => whole(f, k, 1, MAX_COUNT)),
  };
}

function parseTarget(value: unknown): GoTarget {
  const t = object(value, 'to');
  const keys = ['seq', 'step', 'iteration', 'time'].filter((k) => own(t, k) !== undefined);
  const [key] = keys;
  if (key === undefined || keys.length > 1)
    throw new ProtocolError(
      `to has ${keys.join(' and ') || 'no place'}; it must have one of seq, step, iteration and time`,
    );
  return { [key]: whole(t, key, 0, SAFE) } as unknown as GoTarget;
}

function parsePosition(value: unknown, place: string): Position {
  const p = object(value, place);
  return { step: whole(p, 'step', 0, SAFE), seq: whole(p, 'seq', 0, SAFE) };
}

function parseDeviation(value: unknown, place: string): Deviation {
  const d = object(value, place);
  return {
    decision: whole(d, 'decision', 1, SAFE),
    ...maybe(d, 'goroutine', (f, k) => whole(f, k, 1, SAFE)),
    ...maybe(d, 'case', (f, k) => whole(f, k, 0, MAX_COUNT)),
  };
}

const interventions: readonly string[] = [
  'apply',
  'delete',
  'kill',
  'act',
] satisfies readonly InterventionCommand['do'][];

function parseIntervention(value: unknown, place: string): Intervention {
  const v = object(value, place);
  const command = parseCommand(own(v, 'command'));
  if (!interventions.includes(command.do))
    throw new ProtocolError(`${place}.command.do is ${command.do}; it must be one of ${interventions.join(', ')}`);
  return {
    step: whole(v, 'step', 0, SAFE),
    after: whole(v, 'after', 0, SAFE),
    time: whole(v, 'time', 0, SAFE),
    command: command as InterventionCommand,
  };
}

function parseSpeed(value: unknown): Speed {
  const s = object(value, 'speed');
  switch (s.mode) {
    case 'max':
      return { mode: 'max' };
    case 'time':
      return { mode: 'time', factor: positive(s, 'factor', 1e9) };
    case 'steps':
      return { mode: 'steps', perSecond: positive(s, 'perSecond', 1e9) };
    default:
      throw new ProtocolError(`speed.mode is ${show(s.mode)}; it must be "time", "steps" or "max"`);
  }
}

function object(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new ProtocolError(`${name} is ${show(value)}; it must be an object`);
  return value as Fields;
}
function whole(fields: Fields, key: string, from: number, to: number): number {
  const v = own(fields, key);
  if (typeof v === 'number' && Number.isSafeInteger(v) && v >= from && v <= to) return v;
  throw new ProtocolError(`${key} is ${show(v)}; it must be a whole number from ${from} to ${to}`);
}
function positive(fields: Fields, key: string, to: number): number {
  const v = own(fields, key);
  if (typeof v === 'number' && v > 0 && v <= to) return v;
  throw new ProtocolError(`${key} is ${show(v)}; it must be a number above 0, at most ${to}`);
}
function text(fields: Fields, key: string, longest: number): string {
  const v = own(fields, key);
  if (typeof v !== 'string') throw new ProtocolError(`${key} is ${show(v)}; it must be text`);
  if (v.length > longest) throw new ProtocolError(`${key} has ${v.length} characters; it may have ${longest}`);
  return v;
}
function flag(fields: Fields, key: string): boolean {
  const v = own(fields, key);
  if (typeof v !== 'boolean') throw new ProtocolError(`${key} is ${show(v)}; it must be true or false`);
  return v;
}
/** The field where there is one. */
function maybe<K extends string, T>(fields: Fields, key: K, read: (fields: Fields, key: K) => T): { [P in K]?: T } {
  return own(fields, key) === undefined ? {} : ({ [key]: read(fields, key) } as { [P in K]?: T });
}
const name = (fields: Fields, key: string): string => text(fields, key, MAX_NAME);
function list(fields: Fields, key: string, most: number): readonly unknown[] {
  const v = own(fields, key);
  if (!Array.isArray(v)) throw new ProtocolError(`${key} is ${show(v)}; it must be a list`);
  if (v.length > most) throw new ProtocolError(`${key} has ${v.length} entries; it may have ${most}`);
  return v;
}
const expressions = (fields: Fields, key: string): string[] =>
  list(fields, key, MOST_ASSERTIONS).map((e, i) => text({ [`${key}[${i}]`]: e }, `${key}[${i}]`, MAX_EXPRESSION));
/** Plain data of bounded size, copied: without prototypes and without anything that runs. */
function json(value: unknown, place: string): Json {
  let left = JSON_VALUES;
  const copy = (v: unknown, depth: number): Json => {
    if (--left < 0) throw new ProtocolError(`${place} is too large; it may hold ${JSON_VALUES} values`);
    if (depth > JSON_DEPTH)
      throw new ProtocolError(`${place} is nested too deep; at most ${JSON_DEPTH} levels are taken`);
    if (v === null || typeof v === 'boolean' || (typeof v === 'number' && Number.isFinite(v))) return v;
    if (typeof v === 'string') {
      if (v.length > MAX_TEXT)
        throw new ProtocolError(`${place} holds a text of ${v.length} characters; it may have ${MAX_TEXT}`);
      return v;
    }
    if (Array.isArray(v)) return v.map((x) => copy(x, depth + 1));
    if (typeof v !== 'object') throw new ProtocolError(`${place} is ${show(v)}; it must be plain data`);
    const out: { [key: string]: Json } = Object.create(null);
    for (const key of Object.keys(v)) out[key] = copy((v as Fields)[key], depth + 1);
    return out;
  };
  return copy(value, 0);
}
function oneOf<T extends string>(fields: Fields, key: string, values: readonly T[]): T {
  const v = own(fields, key);
  const found = values.find((x) => x === v);
  if (found === undefined) throw new ProtocolError(`${key} is ${show(v)}; it must be one of ${values.join(', ')}`);
  return found;
}
/** A name in the manifest folder, never a way out of it. */
function fileName(fields: Fields, key: string): string {
  const v = text(fields, key, 255);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a file name
  if (v === '' || v === '.' || v === '..' || /[/\\\u0000-\u001f]/.test(v))
    throw new ProtocolError(`${key} is ${show(v)}; it must be a plain file name such as "web.yaml", without a folder`);
  return v;
}
const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
