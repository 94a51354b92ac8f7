import { toJsonSchema } from '@valibot/to-json-schema';
import * as v from 'valibot';

const number = v.number();
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const text = v.pipe(v.string(), v.minLength(1));
const head = { seq: count, time: count, g: count, span: count, cause: count };
const pod = { pod: text, uid: text };
const kinds = (object) =>
  v.variant('kind', [
    object({ kind: v.literal('select'), ...head, cases: v.array(number), ready: v.array(number), chosen: number }),
    object({ kind: v.literal('send'), ...head, chan: number, len: number }),
    object({ kind: v.literal('receive'), ...head, chan: number, ok: v.boolean(), len: number }),
    object({
      kind: v.literal('wait'),
      ...head,
      on: object({ op: text, name: v.optional(text), until: v.optional(number) }),
    }),
    object({
      kind: v.literal('cri-call'),
      ...head,
      method: text,
      uid: v.optional(text),
      sandbox: v.optional(text),
      container: v.optional(text),
    }),
    object({
      kind: v.literal('cri-return'),
      ...head,
      call: number,
      method: text,
      took: number,
      error: v.optional(object({ code: number, details: text })),
      uid: v.optional(text),
    }),
    object({ kind: v.literal('worker'), ...head, state: text, from: v.optional(text), reason: text, ...pod }),
    object({
      kind: v.literal('step'),
      ...head,
      fn: text,
      n: number,
      name: text,
      container: v.optional(text),
      ...pod,
    }),
  ]);
const record = kinds(v.looseObject);
const strict = kinds(v.strictObject);

export const check = (value) => {
  v.parse(record, value);
};
export const problems = (value) => {
  const r = v.safeParse(strict, value);
  return r.success ? [] : r.issues.map((i) => `${v.getDotPath(i)}: ${i.message}`);
};
export const jsonSchema = () => toJsonSchema(strict);
