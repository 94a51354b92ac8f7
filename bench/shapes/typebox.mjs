import Type from 'typebox';
import Value from 'typebox/value';

const number = Type.Number();
const count = Type.Integer({ minimum: 0 });
const text = Type.String({ minLength: 1 });
const head = { seq: count, time: count, g: count, span: count, cause: count };
const pod = { pod: text, uid: text };
const kinds = (object) =>
  Type.Union([
    object({
      kind: Type.Literal('select'),
      ...head,
      cases: Type.Array(number),
      ready: Type.Array(number),
      chosen: number,
    }),
    object({ kind: Type.Literal('send'), ...head, chan: number, len: number }),
    object({ kind: Type.Literal('receive'), ...head, chan: number, ok: Type.Boolean(), len: number }),
    object({
      kind: Type.Literal('wait'),
      ...head,
      on: object({ op: text, name: Type.Optional(text), until: Type.Optional(number) }),
    }),
    object({
      kind: Type.Literal('cri-call'),
      ...head,
      method: text,
      uid: Type.Optional(text),
      sandbox: Type.Optional(text),
      container: Type.Optional(text),
    }),
    object({
      kind: Type.Literal('cri-return'),
      ...head,
      call: number,
      method: text,
      took: number,
      error: Type.Optional(object({ code: number, details: text })),
      uid: Type.Optional(text),
    }),
    object({ kind: Type.Literal('worker'), ...head, state: text, from: Type.Optional(text), reason: text, ...pod }),
    object({
      kind: Type.Literal('step'),
      ...head,
      fn: text,
      n: number,
      name: text,
      container: Type.Optional(text),
      ...pod,
    }),
  ]);
const record = kinds((fields) => Type.Object(fields));
const strict = kinds((fields) => Type.Object(fields, { additionalProperties: false }));

export const check = (value) => {
  if (!Value.Check(record, value)) throw new Error('no record');
};
export const problems = (value) =>
  [...Value.Errors(strict, value)].map((e) => `${e.instancePath ?? e.path}: ${e.message}`);
export const jsonSchema = () => strict;
