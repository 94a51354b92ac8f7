/** Readers for the fields of a KubeletConfiguration. */
import { isIP } from 'node:net';
import { isQuantity, parseDuration, parseQuantity, quantityValue } from '@syncloop/core/base';
import { custom, list, map, type Reader, type Shape, whole } from '@syncloop/core/shape';
import type { AgentConfig } from './agent-config.js';

export { anyText as string, flag as bool, oneOf } from '@syncloop/core/shape';

export const int = (min: number, max = 2 ** 31 - 1): Shape<number> => whole(min, max);
export const port = int(0, 65535);
export const address: Shape<string> = custom({ type: 'string' }, (r) => {
  if (typeof r.value !== 'string' || !isIP(r.value)) throw r.mustBe('an IP address such as 127.0.0.1');
  return r.value;
});
/** Written as Kubernetes reads one: of any length, without a sign. In microseconds. */
export const duration: Shape<number> = custom({ type: 'string' }, (r) => {
  const micros = typeof r.value === 'string' ? parseDuration(r.value) : null;
  if (micros === null || micros < 0) throw r.mustBe('a duration in quotes or plain, such as 20s, 1m30s or 500ms');
  return micros;
});
/** A duration from `least` to `most`; `what` describes valid ones. */
export const durationWithin = (least: number, most: number, what: string): Shape<number> =>
  map(duration, (micros, r) => {
    if (micros < least || micros > most) throw r.mustBe(what);
    return micros;
  });
/** An amount as a text or a number, in whole units. */
export const quantity: Shape<number> = custom({ type: ['string', 'number'] }, (r) => {
  const { value } = r;
  if ((typeof value !== 'string' && typeof value !== 'number') || !isQuantity(String(value)))
    throw r.mustBe('an amount of bytes such as 10Mi');
  return quantityValue(parseQuantity(value));
});
export const listOf = <T>(item: Shape<T>, what: string): Shape<T[]> => list(item, undefined, `a list of ${what}`);
/** 0 means the default. */
export const orDefault = (shape: Shape<number>): Shape<number | undefined> =>
  map(shape, (n) => (n === 0 ? undefined : n));

/** One field of the file. */
export interface Field {
  /** Throws a ShapeError if the value will not do. */
  read(r: Reader, into: AgentConfig): void;
}

/** A field that `shape` reads and `put` takes over. */
export function field<T>(shape: Shape<T>, put: (into: AgentConfig, value: Exclude<T, undefined>) => void): Field {
  return {
    read(r, into) {
      const value = shape.read(r);
      if (value !== undefined) put(into, value as Exclude<T, undefined>);
    },
  };
}
