// The text of zod.mjs, not a function of both: one with `z` as its parameter would keep the whole library in its
// bundle.
import * as z from 'zod/mini';

z.config({ ...z.locales.en(), jitless: true });
const number = z.number();
const count = z.int().check(z.gte(0));
const text = z.string().check(z.minLength(1));
const head = { seq: count, time: count, g: count, span: count, cause: count };
const pod = { pod: text, uid: text };
const kinds = (object) =>
  z.discriminatedUnion('kind', [
    object({
      kind: z.literal('select'),
      ...head,
      cases: z.array(number),
      ready: z.array(number),
      chosen: number,
    }),
    object({ kind: z.literal('send'), ...head, chan: number, len: number }),
    object({ kind: z.literal('receive'), ...head, chan: number, ok: z.boolean(), len: number }),
    object({
      kind: z.literal('wait'),
      ...head,
      on: object({ op: text, name: z.optional(text), until: z.optional(number) }),
    }),
    object({
      kind: z.literal('cri-call'),
      ...head,
      method: text,
      uid: z.optional(text),
      sandbox: z.optional(text),
      container: z.optional(text),
    }),
    object({
      kind: z.literal('cri-return'),
      ...head,
      call: number,
      method: text,
      took: number,
      error: z.optional(object({ code: number, details: text })),
      uid: z.optional(text),
    }),
    object({ kind: z.literal('worker'), ...head, state: text, from: z.optional(text), reason: text, ...pod }),
    object({
      kind: z.literal('step'),
      ...head,
      fn: text,
      n: number,
      name: text,
      container: z.optional(text),
      ...pod,
    }),
  ]);
const record = kinds(z.looseObject);
const strict = kinds(z.strictObject);

export const check = (value) => {
  record.parse(value);
};
export const problems = (value) =>
  strict.safeParse(value).error?.issues.map((i) => `${i.path.join('.')}: ${i.message}`) ?? [];
export const jsonSchema = () => z.toJSONSchema(strict);
