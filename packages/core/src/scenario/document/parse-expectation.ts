import { compile, ExpressionError } from '../../expression/index.js';
import {
  custom,
  flag,
  list,
  matching,
  object,
  oneOf,
  optional,
  type Reader,
  readFields,
  type Shape,
  text,
  whole,
} from '../../shape/index.js';
import { type RecordKind, recordKinds } from '../../trace/index.js';
import type { Condition, Count, Expectation, PlacedExpectation, RecordPattern } from './scenario.js';

const most = 1_000_000_000;
const podName = matching(/^[a-z0-9][-a-z0-9./]{0,252}$/, 'the name of a pod');

const kind: Shape<RecordKind> = oneOf(...recordKinds);

const where: Shape<string> = custom({ type: 'string', minLength: 1 }, (r) => {
  const source = r.string();
  try {
    compile(source);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw r.error(`${error.message}, at character ${error.position + 1} of the expression`, `correct it there`);
  }
  return source;
});

const patternFields = { kind, where: optional(where) };
const count = whole(0, most);
const countFields = { atLeast: optional(count), atMost: optional(count), exactly: optional(count) };

export const pattern: Shape<RecordPattern> = object(patternFields);
const counted = <T extends Count>(shape: Shape<T>): Shape<T> =>
  custom(shape.schema, (r) => {
    const value = shape.read(r);
    const { atLeast, atMost, exactly } = value;
    if (exactly !== undefined && (atLeast !== undefined || atMost !== undefined))
      throw r.at('exactly').error('it cannot be combined with atLeast or atMost', 'keep one of them');
    if (atLeast !== undefined && atMost !== undefined && atLeast > atMost)
      throw r.at('atLeast').error(`it is more than atMost, ${atMost}`, `swap them`);
    return value;
  });
const records = counted(object({ ...patternFields, ...countFields }));
const event = counted(
  object({
    pod: optional(podName),
    reason: text,
    message: optional(text),
    type: optional(oneOf('Normal', 'Warning')),
    ...countFields,
  }),
);
const sequence: Shape<RecordPattern[]> = custom(
  { type: 'array', items: pattern.schema, minItems: 1, maxItems: 1000 },
  (r) => {
    const items = r.list();
    if (items.length === 0 || items.length > 1000)
      throw r.error(`it has ${items.length} records`, 'it must have 1 to 1000');
    return list(pattern).read(r);
  },
);

const gone: Shape<true> = custom({ const: true }, (r) => {
  if (flag.read(r)) return true;
  throw r.error('false is not possible here', 'leave it out or wait for a phase');
});
export const conditionFields = {
  pod: podName,
  gone: optional(gone),
  phase: optional(oneOf('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown')),
  ready: optional(flag),
  reason: optional(text),
  container: optional(text),
  running: optional(flag),
  waiting: optional(text),
  terminated: optional(text),
  exitCode: optional(whole(0, 255)),
  restarts: optional(whole(0, 1_000_000)),
  atMostRestarts: optional(whole(0, 1_000_000)),
};
const conditionObject = object(conditionFields);
const ofContainer = ['running', 'waiting', 'terminated', 'exitCode', 'restarts', 'atMostRestarts'] as const;

function readCondition(r: Reader): Condition {
  const condition: Condition = readFields(r, conditionFields);
  const { pod: _, container, ...rest } = condition;
  if (Object.keys(rest).length === 0)
    throw r.error('nothing to wait for', 'add phase, ready, gone, waiting, terminated or restarts');
  const its = ofContainer.find((k) => condition[k] !== undefined);
  if (its && container === undefined)
    throw r.at(its).error('it is a container that has this', 'name it with container');
  if (container !== undefined && !its)
    throw r.at('container').error('nothing to wait for', 'add waiting, terminated or restarts');
  if (condition.gone && Object.keys(condition).length > 2)
    throw r.error('a pod that is gone has nothing else', 'keep only gone');
  return condition;
}

const forms = { event, records, sequence, never: pattern } as const;
export const formNames = Object.keys(forms) as (keyof typeof forms)[];

/** The schema of an expectation, with additional fields. */
export const expectationSchema = (more: Readonly<Record<string, unknown>> = {}) => ({
  anyOf: [
    {
      ...conditionObject.schema,
      properties: { ...(conditionObject.schema.properties as object), ...more },
    },
    ...formNames.map((name) => ({
      type: 'object',
      properties: { [name]: forms[name].schema, ...more },
      required: [name],
      additionalProperties: false,
    })),
  ],
});

/** Reads an expectation from an object that may also have the fields `more`, which are ignored. */
export function readExpectation(r: Reader, more: readonly string[] = []): Expectation {
  const there = formNames.filter((name) => !r.at(name).missing);
  const [form, second] = there;
  if (second !== undefined)
    throw r.error(`${there.join(' and ')} cannot be combined`, 'keep one, and put the other into an item of its own');
  if (form === undefined) {
    r.fields([...Object.keys(conditionFields), ...(r.at('pod').missing ? formNames : []), ...more]);
    return { condition: readCondition(r) };
  }
  r.fields([form, ...more]);
  return { [form]: forms[form].read(r.at(form)) } as unknown as Expectation;
}

export const expected: Shape<PlacedExpectation> = custom({ $ref: '#/$defs/expectation' }, (r) => {
  const expectation = readExpectation(r);
  return { expectation, text: expectationText(expectation), line: r.line };
});
/** A list of them, or a single one. */
export const expectedList: Shape<PlacedExpectation[]> = custom(
  { anyOf: [{ type: 'array', items: expected.schema, maxItems: 10_000 }, expected.schema] },
  (r) => (Array.isArray(r.value) ? list(expected).read(r) : [expected.read(r)]),
);

const countText = ({ atLeast, atMost, exactly }: Count): string =>
  [
    ...(exactly === undefined ? [] : [` exactly ${exactly}`]),
    ...(atLeast === undefined ? [] : [` at least ${atLeast}`]),
    ...(atMost === undefined ? [] : [` at most ${atMost}`]),
  ].join('');
export const patternText = ({ kind, where }: RecordPattern): string =>
  where === undefined ? kind : `${kind} where ${where}`;

/** An expectation in words, for messages. */
export function expectationText(e: Expectation): string {
  if ('condition' in e) return conditionText(e.condition);
  if ('event' in e) {
    const { pod, reason, message, type } = e.event;
    return `event ${[...(pod === undefined ? [] : [pod]), ...(type ? [type] : []), reason].join(' ')}${message === undefined ? '' : ` "${message}"`}${countText(e.event)}`;
  }
  if ('records' in e) return `records ${patternText(e.records)}${countText(e.records)}`;
  if ('sequence' in e) return `sequence ${e.sequence.map((p) => p.kind).join(', ')}`;
  return `never ${patternText(e.never)}`;
}

export function conditionText(c: Condition): string {
  const { pod, container, ...rest } = c;
  const what = Object.entries(rest).map(([k, v]) => (k === 'phase' ? String(v) : v === true ? k : `${k}=${v}`));
  return [container === undefined ? pod : `${pod}/${container}`, ...what].join(' ');
}
