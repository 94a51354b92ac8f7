/** Checks of what came over a class's connection: nothing of it is trusted, only what is known here is taken over. */
import type { Speed } from '../debug/protocol/protocol.js';
import type { Json } from '../trace/index.js';
import {
  type ClassRun,
  type ClassView,
  type FollowerMessage,
  type LocalText,
  type PollDraft,
  type PresenterMessage,
  pollPhases,
  type Sight,
} from './types.js';

/** The message that came is none: which field is wrong, and what it should be. */
export class ClassError extends Error {
  override readonly name = 'ClassError';
}

/** Longest run, in characters: with what socket.io adds it stays below what one message may have. */
export const MAX_RUN = 48_000;
export const MAX_QUESTION = 400;
export const MAX_OPTION = 160;
export const FEWEST_OPTIONS = 2;
export const MOST_OPTIONS = 6;
/** Most things in sight, and the size of all of them as JSON. */
const MOST_SIGHTS = 24;
const MAX_SIGHT = 4_000;
const SAFE = Number.MAX_SAFE_INTEGER;
const MOST_LEVELS = 6;

type Fields = { readonly [key: string]: unknown };

/** Throws a ClassError. */
export function parseFollowerMessage(value: unknown): FollowerMessage {
  const m = object(value, 'message');
  if (own(m, 'type') !== 'answer') throw wrong('message.type', own(m, 'type'), 'must be "answer"');
  return { type: 'answer', poll: whole(m, 'poll', 1), option: whole(m, 'option', 0, MOST_OPTIONS - 1) };
}

/** Throws a ClassError. */
export function parsePresenterMessage(value: unknown): PresenterMessage {
  const m = object(value, 'message');
  const type = own(m, 'type');
  switch (type) {
    case 'present':
    case 'stop':
    case 'endPoll':
      return { type };
    case 'run':
      return { type, run: parseRun(own(m, 'run')) };
    case 'view':
      return { type, view: parseView(own(m, 'view')) };
    case 'poll':
      return { type, poll: parsePoll(own(m, 'poll')) };
    case 'phase': {
      const phase = pollPhases.find((p) => p === own(m, 'phase'));
      if (!phase) throw wrong('phase', own(m, 'phase'), `must be one of ${pollPhases.join(', ')}`);
      return { type, phase };
    }
    default:
      throw wrong('message.type', type, 'must be "present", "stop", "run", "view", "poll", "phase" or "endPoll"');
  }
}

/** Throws a ClassError. */
export function parseRun(value: unknown): ClassRun {
  const r = object(value, 'run');
  const moment = own(r, 'moment');
  if (typeof moment !== 'string' || !/^v\d{1,6}\.[\w-]+$/.test(moment))
    throw wrong('run.moment', moment, 'must be the text of a link, such as v1.j…');
  if (moment.length > MAX_RUN)
    throw new ClassError(`run.moment has ${moment.length} characters; it may have ${MAX_RUN}`);
  return { n: whole(r, 'n', 1), moment };
}

/** Throws a ClassError. */
export function parseView(value: unknown): ClassView {
  const v = object(value, 'view');
  const running = own(v, 'running');
  if (typeof running !== 'boolean') throw wrong('running', running, 'must be true or false');
  return {
    n: whole(v, 'n', 1),
    run: whole(v, 'run', 0),
    step: whole(v, 'step', 0),
    seq: whole(v, 'seq', 0),
    time: whole(v, 'time', 0),
    running,
    speed: parseSpeed(own(v, 'speed')),
    sight: parseSight(own(v, 'sight')),
  };
}

function parseSpeed(value: unknown): Speed {
  const s = object(value, 'speed');
  const positive = (key: string): number => {
    const n = own(s, key);
    if (typeof n !== 'number' || !(n > 0 && n <= 1e9)) throw wrong(`speed.${key}`, n, 'must be a number above 0');
    return n;
  };
  switch (own(s, 'mode')) {
    case 'max':
      return { mode: 'max' };
    case 'time':
      return { mode: 'time', factor: positive('factor') };
    case 'steps':
      return { mode: 'steps', perSecond: positive('perSecond') };
    default:
      throw wrong('speed.mode', own(s, 'mode'), 'must be "time", "steps" or "max"');
  }
}

function parseSight(value: unknown): Sight {
  const s = object(value, 'sight');
  const names = Object.keys(s);
  if (names.length > MOST_SIGHTS) throw new ClassError(`sight has ${names.length} entries; it may have ${MOST_SIGHTS}`);
  const sight: { [name: string]: Json } = {};
  for (const name of names) {
    if (!/^[a-z][\w.-]{0,39}$/i.test(name)) throw wrong('a name in sight', name, 'must be letters, digits, dots');
    sight[name] = plain(own(s, name), `sight.${name}`, 0);
  }
  if (JSON.stringify(sight).length > MAX_SIGHT)
    throw new ClassError(`sight is too large; it may have ${MAX_SIGHT} characters as JSON`);
  return sight;
}

function plain(value: unknown, place: string, level: number): Json {
  if (level > MOST_LEVELS) throw new ClassError(`${place} is nested too deep`);
  if (value === null || typeof value === 'boolean' || (typeof value === 'number' && Number.isFinite(value)))
    return value;
  if (typeof value === 'string') {
    if (value.length > MAX_SIGHT) throw new ClassError(`${place} is too long`);
    return value;
  }
  if (Array.isArray(value)) {
    if (value.length > 100) throw new ClassError(`${place} has too many entries`);
    return value.map((v) => plain(v, place, level + 1));
  }
  const from = object(value, place);
  const out: { [key: string]: Json } = {};
  const keys = Object.keys(from);
  if (keys.length > 100) throw new ClassError(`${place} has too many entries`);
  for (const key of keys) {
    if (key === '__proto__') throw new ClassError(`${place} may not have a key __proto__`);
    out[key] = plain(from[key], place, level + 1);
  }
  return out;
}

/** Throws a ClassError. */
export function parsePoll(value: unknown): PollDraft {
  const p = object(value, 'poll');
  const options = own(p, 'options');
  if (!Array.isArray(options) || options.length < FEWEST_OPTIONS || options.length > MOST_OPTIONS)
    throw new ClassError(`poll.options must be a list of ${FEWEST_OPTIONS} to ${MOST_OPTIONS} answers`);
  return {
    question: localText(own(p, 'question'), 'poll.question', MAX_QUESTION),
    options: options.map((o, i) => localText(o, `poll.options[${i}]`, MAX_OPTION)),
    ...(own(p, 'right') !== undefined && { right: whole(p, 'right', 0, options.length - 1) }),
  };
}

function localText(value: unknown, place: string, longest: number): LocalText {
  const t = object(value, place);
  const text: { en?: string; 'zh-CN'?: string } = {};
  for (const lang of ['en', 'zh-CN'] as const) {
    const words = own(t, lang);
    if (words === undefined) continue;
    if (typeof words !== 'string' || words.trim() === '') throw wrong(`${place}.${lang}`, words, 'must be text');
    if (words.length > longest)
      throw new ClassError(`${place}.${lang} has ${words.length} characters; it may have ${longest}`);
    text[lang] = words;
  }
  if (text.en === undefined && text['zh-CN'] === undefined)
    throw new ClassError(`${place} must have a text in en or zh-CN`);
  return text;
}

/** In that language, or in the one that there is. */
export function inLanguage(text: LocalText, lang: keyof LocalText): string {
  return text[lang] ?? text.en ?? text['zh-CN'] ?? '';
}

const own = (fields: Fields, key: string): unknown => (Object.hasOwn(fields, key) ? fields[key] : undefined);

function object(value: unknown, name: string): Fields {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong(name, value, 'must be an object');
  return value as Fields;
}
function whole(fields: Fields, key: string, from: number, to = SAFE): number {
  const v = own(fields, key);
  if (typeof v === 'number' && Number.isSafeInteger(v) && v >= from && v <= to) return v;
  throw wrong(key, v, `must be a whole number from ${from} to ${to}`);
}
function wrong(place: string, value: unknown, must: string): ClassError {
  const shown = value === undefined ? 'missing' : typeof value === 'object' ? 'an object' : String(value).slice(0, 40);
  return new ClassError(`${place} is ${shown}; it ${must}`);
}
