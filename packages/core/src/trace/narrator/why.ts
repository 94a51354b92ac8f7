/** The narrator's second line, as each language has it. */
import type { RecordOf, TraceRecord } from '../records.js';

/** The reason why a record matters or is so, by its kind; undefined if no rule knows. */
export type WhyRules = { readonly [K in TraceRecord['kind']]?: (record: RecordOf<K>) => string | undefined };
/** The purpose of each numbered step, by the call, then by the name of the step. */
export type Steps = { readonly [fn: string]: { readonly [name: string]: string } };

export const known = <T>(table: { readonly [name: string]: T }, name: string): T | undefined =>
  Object.hasOwn(table, name) ? table[name] : undefined;

export const stepWhy = (steps: Steps, { fn, name }: RecordOf<'step'>): string | undefined =>
  known(known(steps, fn) ?? {}, name);
