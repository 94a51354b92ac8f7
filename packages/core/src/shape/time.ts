import { Hour, parseDuration } from '../base/index.js';
import { custom, refine, type Shape } from './shape.js';

const pattern = '((\\d+(\\.\\d*)?|\\.\\d+)(ns|us|µs|ms|s|m|h))+';
/** A duration of more than a week is a slip of the pen. */
const longest = 7 * 24 * Hour;

/** A duration as Go writes it, without a sign: 500ms, 1m30s, 0. In microseconds. */
export const duration: Shape<number> = custom(
  { type: ['string', 'integer'], pattern: `^(0|${pattern})$`, minimum: 0, maximum: 0 },
  (r) => {
    const { value } = r;
    const micros = value === 0 ? 0 : typeof value === 'string' && !/^[+-]/.test(value) ? parseDuration(value) : null;
    if (micros === null) throw r.mustBe('a duration such as 500ms, 5s or 1m30s');
    if (micros > longest) throw r.error('it is too long', 'it may be 168h');
    return micros;
  },
);

/** A duration of at least this many microseconds. */
export const atLeast = (least: number, shape: Shape<number> = duration): Shape<number> =>
  refine(shape, (micros, r) => {
    if (micros < least) throw r.error('it is too short', `it must be at least ${least / 1_000_000}s`);
  });
