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

function redactValue(value: Json, key: string): Json {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) {
    const each = key === 'envs' || key === 'env' ? redactEnv : (item: Json) => redactValue(item, '');
    return mapped(value as readonly Json[], each);
  }
  return mapFields(value as Fields, (field, name) => {
    if (key === 'auth' && authFields.has(name)) return field === '' ? field : redacted;
    if (outputs.has(name) && typeof field === 'string' && field !== '') return redacted;
    // The runtime's own dump of a container, as JSON in a text: the whole environment is in it.
    if (key === 'info' && typeof field === 'string' && field.startsWith('{')) return redacted;
    return redactValue(field, name);
  });
}

/** `{key, value}` as in CRI, or `{name, value}` as in a pod: names are no secrets. */
function redactEnv(item: Json): Json {
  if (typeof item !== 'object' || item === null || Array.isArray(item)) return redacted;
  return mapFields(item as Fields, (field, name) =>
    name === 'value' && typeof field === 'string' && field !== '' ? redacted : field,
  );
}

function mapped(items: readonly Json[], each: (item: Json) => Json): readonly Json[] {
  let out: Json[] | null = null;
  items.forEach((item, i) => {
    const made = each(item);
    if (made === item) return;
    out ??= [...items];
    out[i] = made;
  });
  return out ?? items;
}

function mapFields(fields: Fields, each: (field: Json, name: string) => Json): Fields {
  let out: Record<string, Json | undefined> | null = null;
  for (const [name, field] of Object.entries(fields)) {
    if (field === undefined) continue;
    const made = each(field, name);
    if (made === field) continue;
    out ??= { ...fields };
    out[name] = made;
  }
  return out ?? fields;
}
