import {
  flag,
  list,
  object,
  optional,
  positive,
  read,
  real,
  ShapeError,
  tagged,
  text,
  whole,
} from '@syncloop/core/shape';

const number = real(-1e15, 1e15);
const head = { seq: whole(0), time: whole(0), g: whole(0), span: whole(0), cause: whole(0) };
const pod = { pod: text, uid: text };
const kinds = (more) => ({
  select: { ...head, cases: list(number), ready: list(number), chosen: number },
  send: { ...head, chan: number, len: number },
  receive: { ...head, chan: number, ok: flag, len: number },
  wait: { ...head, on: object({ op: text, name: optional(text), until: optional(number) }, more) },
  'cri-call': { ...head, method: text, uid: optional(text), sandbox: optional(text), container: optional(text) },
  'cri-return': {
    ...head,
    call: number,
    method: text,
    took: number,
    error: optional(object({ code: number, details: text }, more)),
    uid: optional(text),
  },
  worker: { ...head, state: text, from: optional(text), reason: text, ...pod },
  step: { ...head, fn: text, n: number, name: text, container: optional(text), ...pod },
});
const record = tagged('kind', kinds('keep'), 'keep');
const strict = tagged('kind', kinds('refuse'));

export const check = (value) => {
  read(record, value);
};
export const problems = (value) => {
  try {
    read(strict, value, 'record');
    return [];
  } catch (error) {
    return error instanceof ShapeError ? error.message.split('\n') : [String(error)];
  }
};
export const jsonSchema = () => strict.schema;
export const message = tagged('type', {
  hello: { protocol: whole(0, 1e6), session: optional(text) },
  ack: { seq: whole(0) },
  speed: { factor: positive(1e9) },
});
