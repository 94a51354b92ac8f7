/**
 * The one place where secrets are taken out of records before they leave the process, in streams and in recordings alike:
 * values of environment variables, registry credentials, and what commands run in containers printed.
 */
import { redacted } from '@syncloop/core/cri';
import type { Json, TraceRecord } from '@syncloop/core/trace';

type Fields = { readonly [key: string]: Json | undefined };

/** AuthConfig's fields that are secret. */
const authFields = new Set(['password', 'auth', 'identityToken', 'registryToken', 'username']);
/** What ExecSync brings back. */
const outputs = new Set(['stdout', 'stderr']);

/** The record without secrets. Copies only what it changes; never changes the record itself. */
export function redactRecord(record: TraceRecord): TraceRecord {
  return redactValue(record as unknown as Json, '') as unknown as TraceRecord;
}

// Every record passes here, most of them with nothing to hide: plain loops that allocate nothing then.

function redactValue(value: Json, key: string): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return redactItems(value as readonly Json[], key === 'envs' || key === 'env');
  return redactFields(value as Fields, key);
}

function redactItems(items: readonly Json[], environment: boolean): readonly Json[] {
  let out: Json[] | null = null;
  for (let i = 0; i < items.length; i++) {
    const item = items[i] as Json;
    const made = environment ? redactEnv(item) : redactValue(item, '');
    if (made === item) continue;
    out ??= [...items];
    out[i] = made;
  }
  return out ?? items;
}

function redactFields(fields: Fields, key: string): Fields {
  let out: Record<string, Json | undefined> | null = null;
  for (const name in fields) {
    const field = fields[name];
    if (field === undefined || field === '') continue;
    const made = isSecret(key, name, field) ? redacted : redactValue(field, name);
    if (made === field) continue;
    out ??= { ...fields };
    out[name] = made;
  }
  return out ?? fields;
}

/** Whether field `name` of the map that stands at `key` is one to take out. */
function isSecret(key: string, name: string, field: Json): boolean {
  if (key === 'auth' && authFields.has(name)) return true;
  if (typeof field !== 'string') return false;
  // Under `info` is the runtime's own dump of a container, as JSON in a text: the whole environment is in it.
  return outputs.has(name) || (key === 'info' && field.startsWith('{'));
}

/** `{key, value}` as in CRI, or `{name, value}` as in a pod: names are no secrets. */
function redactEnv(item: Json): Json {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return redacted;
  const { value } = item as Fields;
  return typeof value === 'string' && value !== '' ? { ...(item as Fields), value: redacted } : item;
}
