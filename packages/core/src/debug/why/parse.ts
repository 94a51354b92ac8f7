import {
  custom,
  type Fields,
  oneOf,
  optional,
  read,
  refine,
  rethrowing,
  type Shape,
  tagged,
  textOf,
  whole,
} from '../../shape/index.js';
import type { Json } from '../../trace/index.js';
import { parsePath } from './status-path.js';
import { type Question, WhyError } from './types.js';

const text = textOf(1000);
const seq = whole(1);
const goroutine: Shape<number | string> = custom({ anyOf: [seq.schema, text.schema] }, (r) => {
  if (typeof r.value !== 'number' && typeof r.value !== 'string') throw r.mustBe('the number or name of a goroutine');
  return typeof r.value === 'number' ? seq.read(r) : text.read(r);
});
const ofContainer = { uid: text, container: text };

/** The fields of each question besides those of all. */
const questions = {
  record: { seq },
  field: { uid: text, path: refine(text, (path) => void parsePath(path)) },
  container: { ...ofContainer, what: oneOf('start', 'restart', 'kill') },
  cri: { seq },
  wait: { goroutine },
  worker: { uid: text },
  pending: { uid: text },
  ready: { uid: text },
  probe: { ...ofContainer, probeType: optional(oneOf('liveness', 'readiness', 'startup')) },
  restart: ofContainer,
} satisfies { readonly [K in Question['about']]: Fields };
const ofAll = { at: optional(seq), detail: optional(oneOf('brief', 'full')) };

const question = tagged(
  'about',
  Object.fromEntries(Object.entries(questions).map(([about, fields]) => [about, { ...fields, ...ofAll }])),
  'drop',
) as unknown as Shape<Question>;

/** A question as it came over a wire. Throws a WhyError that names the field and what it should be. */
export const parseQuestion = (value: Json | undefined): Question =>
  rethrowing(WhyError, () => read(question, value, 'question'));
