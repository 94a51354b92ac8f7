type Schema = { readonly [key: string]: unknown };

const typeOf = (v: unknown): string =>
  v === null
    ? 'null'
    : Array.isArray(v)
      ? 'array'
      : typeof v === 'number' && Number.isInteger(v)
        ? 'integer'
        : typeof v;

const known = new Set([
  ...['$schema', '$defs', '$ref', 'title', 'description', 'type', 'enum', 'const', 'anyOf', 'items', 'properties'],
  ...['required', 'additionalProperties', 'minProperties', 'maxProperties', 'minItems', 'maxItems', 'pattern'],
  // `format` says what a text is, and refuses nothing.
  ...['minLength', 'minimum', 'maximum', 'format'],
]);

/**
 * Checks a value against a JSON Schema, as far as its keywords are used here; returns the first problem, null if there
 * is none.
 */
export function validate(schema: Schema, value: unknown, root: Schema = schema, path = ''): string | null {
  for (const keyword of Object.keys(schema)) if (!known.has(keyword)) return `${path}: unknown keyword ${keyword}`;
  const { $ref, type, anyOf, pattern, properties, required, additionalProperties, items } = schema as {
    $ref?: string;
    type?: string | readonly string[];
    anyOf?: readonly Schema[];
    pattern?: string;
    properties?: Readonly<Record<string, Schema>>;
    required?: readonly string[];
    additionalProperties?: boolean | Schema;
    items?: Schema;
  };
  if ($ref !== undefined) {
    const name = $ref.replace('#/$defs/', '');
    const target = (root.$defs as Record<string, Schema>)[name];
    if (!target) return `${path}: no definition ${name}`;
    const problem = validate(target, value, root, path);
    if (problem) return problem;
  }
  if (type !== undefined) {
    const types = typeof type === 'string' ? [type] : type;
    const t = typeOf(value);
    if (!types.includes(t) && !(t === 'integer' && types.includes('number'))) return `${path}: ${t} is not ${types}`;
  }
  if (schema.enum && !(schema.enum as readonly unknown[]).includes(value)) return `${path}: not one of ${schema.enum}`;
  if ('const' in schema && schema.const !== value) return `${path}: not ${schema.const}`;
  if (anyOf) {
    const problems = anyOf.map((s) => validate(s, value, root, path));
    if (!problems.includes(null))
      return problems.find((p) => p !== null && p.length > path.length) ?? `${path}: none of`;
  }
  if (typeof value === 'string') {
    if (pattern !== undefined && !new RegExp(pattern, 'u').test(value)) return `${path}: does not match ${pattern}`;
    if (value.length < Number(schema.minLength ?? 0)) return `${path}: too short`;
  }
  if (typeof value === 'number') {
    if (value < Number(schema.minimum ?? value) || value > Number(schema.maximum ?? value))
      return `${path}: out of range`;
  }
  if (Array.isArray(value)) {
    if (value.length < Number(schema.minItems ?? 0) || value.length > Number(schema.maxItems ?? value.length))
      return `${path}: wrong number of items`;
    for (const [i, v] of value.entries()) {
      const problem = items ? validate(items, v, root, `${path}[${i}]`) : null;
      if (problem) return problem;
    }
    return null;
  }
  if (typeof value !== 'object' || value === null) return null;
  const keys = Object.keys(value);
  if (keys.length < Number(schema.minProperties ?? 0) || keys.length > Number(schema.maxProperties ?? keys.length))
    return `${path}: wrong number of fields`;
  for (const key of required ?? []) if (!Object.hasOwn(value, key)) return `${path}.${key}: missing`;
  for (const key of keys) {
    const own = properties && Object.hasOwn(properties, key) ? properties[key] : additionalProperties;
    if (own === false) return `${path}.${key}: unknown`;
    const v = (value as Record<string, unknown>)[key];
    const problem = typeof own === 'object' ? validate(own, v, root, `${path}.${key}`) : null;
    if (problem) return problem;
  }
  return null;
}
