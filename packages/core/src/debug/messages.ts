/**
 * Checks of what came over a connection: nothing of it is trusted. Each gives the message with only the fields known here, or a
 * ProtocolError that says which field is wrong and what it should be.
 */
import type { ClientMessage, Command, Speed, StepUnit } from './protocol.js';

export class ProtocolError extends Error {
  override readonly name = 'ProtocolError';
}

/** Longest text of a manifest or scenario, in UTF-16 units. */
export const MAX_TEXT = 1_000_000;
const MAX_NAME = 500;
const MAX_COUNT = 1_000_000;

type Fields = { readonly [key: string]: unknown };

export function parseClientMessage(value: unknown): ClientMessage {
  const m = object(value, 'message');
  switch (m.type) {
    case 'hello': {
      const protocol = whole(m, 'protocol', 0, MAX_COUNT);
      return {
        type: 'hello',
        protocol,
        ...(m.session === undefined ? {} : { session: text(m, 'session', MAX_NAME) }),
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

export function parseCommand(value: unknown): Command {
  const c = object(value, 'command');
  switch (c.do) {
    case 'pause':
    case 'resume':
    case 'manifests':
    case 'restart':
    case 'scenarios':
      return { do: c.do };
    case 'step':
      return {
        do: 'step',
        unit: oneOf<StepUnit>(c, 'unit', ['decision', 'record', 'iteration']),
        ...(c.count === undefined ? {} : { count: whole(c, 'count', 1, MAX_COUNT) }),
      };
    case 'rewind':
      return {
        do: 'rewind',
        unit: oneOf<StepUnit>(c, 'unit', ['decision', 'record', 'iteration']),
        to: whole(c, 'to', 0, Number.MAX_SAFE_INTEGER),
      };
    case 'speed':
      return { do: 'speed', speed: parseSpeed(c.speed) };
    case 'choose':
      return { do: 'choose', index: whole(c, 'index', 0, MAX_COUNT) };
    case 'ask':
      return { do: 'ask', select: flag(c, 'select') };
    case 'apply':
      return {
        do: 'apply',
        manifest: text(c, 'manifest', MAX_TEXT),
        ...(c.file === undefined ? {} : { file: fileName(c) }),
        ...(c.force === undefined ? {} : { force: flag(c, 'force') }),
      };
    case 'delete':
      return { do: 'delete', file: fileName(c) };
    case 'kill':
      return {
        do: 'kill',
        uid: text(c, 'uid', MAX_NAME),
        ...(c.container === undefined ? {} : { container: text(c, 'container', MAX_NAME) }),
      };
    case 'load':
      return {
        do: 'load',
        scenario: text(c, 'scenario', MAX_NAME),
        ...(c.text === undefined ? {} : { text: text(c, 'text', MAX_TEXT) }),
        ...(c.seed === undefined ? {} : { seed: whole(c, 'seed', 0, 0xffff_ffff) }),
      };
    default:
      throw new ProtocolError(
        `command.do is ${show(c.do)}; it must be pause, resume, step, speed, choose, ask, apply, delete, manifests, kill, load, restart, rewind or scenarios`,
      );
  }
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
function oneOf<T extends string>(fields: Fields, key: string, values: readonly T[]): T {
  const v = own(fields, key);
  const found = values.find((x) => x === v);
  if (found === undefined) throw new ProtocolError(`${key} is ${show(v)}; it must be one of ${values.join(', ')}`);
  return found;
}
/** A name in the manifest folder, never a way out of it. */
function fileName(fields: Fields): string {
  const v = text(fields, 'file', 255);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they have no place in a file name
  if (v === '' || v === '.' || v === '..' || /[/\\\u0000-\u001f]/.test(v))
    throw new ProtocolError(`file is ${show(v)}; it must be a plain file name such as "web.yaml", without a folder`);
  return v;
}
const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

function show(value: unknown): string {
  if (value === undefined) return 'missing';
  if (typeof value === 'string') return JSON.stringify(value.length > 60 ? `${value.slice(0, 60)}…` : value);
  if (typeof value === 'number' || typeof value === 'boolean' || value === null) return String(value);
  return Array.isArray(value) ? 'a list' : `a ${typeof value}`;
}
