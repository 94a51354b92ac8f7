/** Checks all that comes from a file: which fields a record must have to be shown and folded. */
import { own } from '../../base/index.js';
import { numbers } from '../kinds/common.js';
import { boolean, type Field, holds, maybe, number, object, text } from '../kinds/field.js';
import { kinds } from '../kinds/index.js';
import type { TraceRecord } from '../records.js';
import { isWhole, type Raw } from './header.js';

/** Further fields of an observed run's records. */
const READ: { readonly [name: string]: Field } = {
  evidence: maybe(object({ source: text, line: maybe(number), offset: maybe(number) })),
  basis: maybe(numbers),
  concluded: maybe(boolean),
};

/** Fields that may hold any JSON value need no check. */
const fieldsOf: ReadonlyMap<string, readonly (readonly [string, Field])[]> = new Map(
  Object.entries(kinds).map(([kind, { fields }]) => [
    kind,
    Object.entries<Field>(fields).filter(([, field]) => field.shape.type !== 'any'),
  ]),
);

/**
 * Says what is wrong with a record from a file, '' if nothing is. An unknown kind passes: a newer writer's records say
 * nothing to this reader, and do no harm.
 */
export function recordProblem(raw: Raw): string {
  for (const key of ['seq', 'time', 'g', 'span', 'cause'] as const)
    if (!isWhole(own(raw, key))) return `its ${key} is not a whole number`;
  const kind = own(raw, 'kind');
  if (typeof kind !== 'string') return 'it has no kind';
  for (const [name, field] of Object.entries(READ))
    if (!holds(field, raw, name)) return `its ${name} is not ${field.want}`;
  for (const [name, field] of fieldsOf.get(kind) ?? [])
    if (!holds(field, raw, name)) return `the ${name} of its ${kind} is not ${field.want}`;
  return '';
}

/** A record from a file that `recordProblem` has nothing against. */
export const asRecord = (raw: Raw): TraceRecord => raw as unknown as TraceRecord;
