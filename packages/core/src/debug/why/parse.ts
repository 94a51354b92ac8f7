import { own } from '../../base/index.js';
import type { Json } from '../../trace/index.js';
import { parsePath } from './status-path.js';
import { type Question, WhyError } from './types.js';

/** Which fields each question has besides `about`; `?` marks those that may be missing. */
const shapes: Readonly<Record<string, readonly string[]>> = {
  record: ['seq'],
  field: ['uid', 'path'],
  container: ['uid', 'container', 'what'],
  cri: ['seq'],
  wait: ['goroutine'],
  worker: ['uid'],
  pending: ['uid'],
  ready: ['uid'],
  probe: ['uid', 'container', 'probeType?'],
  restart: ['uid', 'container'],
};
const choices: Readonly<Record<string, readonly string[]>> = {
  what: ['start', 'restart', 'kill'],
  probeType: ['liveness', 'readiness', 'startup'],
  detail: ['brief', 'full'],
};
const longest = 1000;

/** A question as it came over a wire. Throws a WhyError that names the field and what it should be. */
export function parseQuestion(value: Json | undefined): Question {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new WhyError(`question: expected an object with "about", one of ${Object.keys(shapes).join(', ')}`);
  const given = value as { readonly [key: string]: Json | undefined };
  const about = own(given, 'about');
  const shape = typeof about === 'string' && Object.hasOwn(shapes, about) ? shapes[about] : undefined;
  if (!shape)
    throw new WhyError(
      `question.about: expected one of ${Object.keys(shapes).join(', ')}, not ${JSON.stringify(about ?? null)?.slice(0, 60)}`,
    );
  const out: { [key: string]: Json } = { about: about as string };
  for (const name of [...shape, 'at?', 'detail?']) {
    const key = name.replace('?', '');
    const v = own(given, key);
    if (v === undefined) {
      if (name.endsWith('?')) continue;
      throw new WhyError(
        `question.${key}: missing; a question about ${about} needs ${shape.filter((s) => !s.endsWith('?')).join(', ')}`,
      );
    }
    out[key] = checked(key, v);
  }
  return out as unknown as Question;
}

function checked(key: string, v: Json): Json {
  const fail = (what: string): never => {
    throw new WhyError(`question.${key}: expected ${what}`);
  };
  if (key === 'seq' || key === 'at')
    return Number.isSafeInteger(v) && Number(v) > 0 ? v : fail('the number of a record, from 1 on');
  if (key === 'goroutine' && typeof v === 'number')
    return Number.isSafeInteger(v) && v > 0 ? v : fail('the number or name of a goroutine');
  if (typeof v !== 'string' || v === '' || v.length > longest) return fail(`a text of 1 to ${longest} characters`);
  const among = Object.hasOwn(choices, key) ? choices[key] : undefined;
  if (among && !among.includes(v)) return fail(`one of ${among.join(', ')}`);
  if (key === 'path') parsePath(v);
  return v;
}
