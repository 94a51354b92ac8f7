/** The form of a compiled expression, and the values that it runs on. */
import type { Json } from '../trace/records.js';
import type { Shape } from './shapes.js';
import type { Context } from './subject.js';
import type { Budget } from './values.js';

/** The values of one evaluation. */
export interface Env extends Budget {
  readonly context: Context;
  readonly record: Json;
  readonly state: Json;
  /** Elements and keys of the loops, outermost first: element at 2n, key at 2n+1. */
  readonly locals: Json[];
}
export type Run = (env: Env) => Json;

/** A compiled part, and what is known of its value. */
export interface Part {
  readonly run: Run;
  readonly shape: Shape;
}
