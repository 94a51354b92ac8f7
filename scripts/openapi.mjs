#!/usr/bin/env node
/**
 * Holds the declarations of the API's objects (packages/core/src/api/objects) against the documents that
 * Kubernetes publishes: names, types, protobuf numbers, what is required, list kinds, patch keys and defaults.
 *
 *   node scripts/openapi.mjs --version 1.36 --swagger api/openapi-spec/swagger.json --proto DIR
 *
 * DIR has one generated.proto for each package, named like `core.v1.proto`; core must be built (npm run build). Prints
 * every difference, and every field that upstream has and we do not claim; exits 1 on a difference. With --write it
 * keeps what was found equal in packages/core/testdata/openapi/checked.json: a digest for each type, which
 * scripts/openapi.test.mjs compares with the declarations, the names of the fields that we do not claim, and of those
 * whose values we take as they are.
 */
import { createHash } from 'node:crypto';
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { top } from './lib.mjs';

export const checkedFile = path.join(top, 'packages/core/testdata/openapi/checked.json');

/** All structs that are declared, by `package.Name`; a struct belongs to the first package that reaches it. */
export function declaredStructs(apiObjects) {
  const out = new Map();
  const seen = new Set();
  const add = (group, type) => {
    if (type.t === 'list' || type.t === 'map') add(group, type.of);
    if (type.t !== 'struct' || seen.has(type.fields)) return;
    seen.add(type.fields);
    out.set(`${META.has(type.name) ? 'meta' : group}.${type.name}`, type);
    for (const field of Object.values(type.fields)) add(group, field);
  };
  for (const [group, types] of Object.entries(apiObjects)) for (const type of types) add(group, type);
  return out;
}
const META = new Set([
  'ObjectMeta',
  'OwnerReference',
  'ManagedFieldsEntry',
  'LabelSelector',
  'LabelSelectorRequirement',
  'Condition',
  'DeleteOptions',
  'Preconditions',
]);

/** Returns the claims of a struct: one line for each field. Fields that are not looked into have the type `?`. */
export function claimsOf(struct) {
  return Object.fromEntries(
    Object.entries(struct.fields).map(([name, f]) => [
      name,
      line({
        number: f.number ? (f.via === undefined ? `${f.number}` : `${f.via}.${f.number}`) : '',
        type: typeName(f),
        required: f.required === true,
        list: f.t === 'list' ? `${f.list}${f.keys ? `(${f.keys})` : ''}` : '',
        atomic: f.t === 'struct' || f.t === 'map' ? f.atomic === true : false,
        patch: f.t === 'list' && f.patchKey !== undefined ? `${f.retainKeys ? 'retainKeys ' : ''}${f.patchKey}` : null,
        initial: f.default,
      }),
    ]),
  );
}
function typeName(type) {
  if (type.t === 'list') return `[]${typeName(type.of)}`;
  if (type.t === 'map') return `map ${typeName(type.of)}`;
  if (type.t === 'struct') return type.name;
  return type.kind === 'raw' ? '?' : type.kind;
}
const line = ({ number, type, required, list, atomic, patch, initial }) =>
  [
    number,
    type,
    required && 'required',
    list && list !== 'atomic' && list,
    atomic && 'atomic',
    patch !== null && `patch ${patch}`.trim(),
    initial !== undefined && `default ${JSON.stringify(initial)}`,
  ]
    .filter(Boolean)
    .join(' ');

/** Returns a short digest of the claims of a struct. */
export const digestOf = (struct) =>
  createHash('sha256')
    .update(JSON.stringify(Object.entries(claimsOf(struct)).sort()))
    .digest('hex')
    .slice(0, 12);

/** Returns the same lines for each field that upstream publishes; null if it has no such type. */
function publishedIn(swagger, protos, key, struct) {
  const [group, name] = key.split('.');
  const at = group === 'meta' ? 'io.k8s.apimachinery.pkg.apis.meta.v1' : `io.k8s.api.${group}.v1`;
  const definition = swagger.definitions[`${at}.${name}`];
  if (!definition) return null;
  const messages = { ...protos.get('meta'), ...protos.get('core'), ...protos.get(group) };
  const numbers = numbersOf(messages, name, new Set(Object.keys(definition.properties ?? {})));
  const fields = Object.entries(definition.properties ?? {}).map(([field, p]) => {
    const claimed = struct.fields[field];
    const whole = claimed?.kind === 'raw';
    const inner = p.$ref && swagger.definitions[p.$ref.replace('#/definitions/', '')];
    const strategy = p['x-kubernetes-patch-strategy'] ?? '';
    return [
      field,
      line({
        number: numbers.get(field.toLowerCase())?.number ?? '',
        type: publishedType(p, claimed),
        required: (definition.required ?? []).includes(field),
        list:
          p.type === 'array' && !whole
            ? `${p['x-kubernetes-list-type'] ?? 'atomic'}${p['x-kubernetes-list-map-keys'] ? `(${p['x-kubernetes-list-map-keys']})` : ''}`
            : '',
        atomic: !whole && (p['x-kubernetes-map-type'] ?? inner?.['x-kubernetes-map-type']) === 'atomic',
        patch: strategy.includes('merge')
          ? `${strategy.includes('retainKeys') ? 'retainKeys ' : ''}${p['x-kubernetes-patch-merge-key'] ?? ''}`
          : null,
        // Most defaults are code upstream (SetDefaults functions) and published nowhere.
        initial: whole ? undefined : (numbers.get(field.toLowerCase())?.initial ?? claimed?.default),
      }),
    ];
  });
  return Object.fromEntries(fields);
}
/** Returns upstream's type of a field. `claimed`: if we do not look into the type, upstream's does not matter. */
function publishedType(p, claimed) {
  if (claimed?.t === 'scalar' && claimed.kind === 'raw') return '?';
  if (p.type === 'array') return `[]${publishedType(p.items, claimed?.of)}`;
  if (p.additionalProperties) return `map ${publishedType(p.additionalProperties, claimed?.of)}`;
  if (p.$ref) {
    const name = p.$ref.split('.').at(-1);
    return { Quantity: 'quantity', IntOrString: 'intOrString', Time: 'time', MicroTime: 'microTime' }[name] ?? name;
  }
  if (p.type === 'integer') return p.format;
  if (p.type === 'boolean') return 'bool';
  return p.format === 'byte' ? 'bytes' : p.type;
}

/**
 * Returns the numbers of a message's fields, and their published defaults, by their names in lower case; the number of
 * a field of an embedded message is `outer.inner`.
 */
function numbersOf(messages, name, fields) {
  const out = new Map();
  for (const [field, { number, type, initial }] of Object.entries(messages[name] ?? {})) {
    const embedded = ![...fields].some((f) => f.toLowerCase() === field.toLowerCase()) && messages[type];
    if (embedded)
      for (const [f, inner] of numbersOf(messages, type, fields))
        out.set(f, { ...inner, number: `${number}.${inner.number}` });
    else out.set(field.toLowerCase(), { number: `${number}`, initial });
  }
  return out;
}
function readProto(text) {
  const messages = {};
  let current = null;
  let initial;
  for (const raw of text.split('\n')) {
    const open = /^message (\w+) \{/.exec(raw);
    if (open) current = messages[open[1]] = {};
    const field = /^ {2}(?:optional|repeated)? ?(map<.*>|[.\w]+) (\w+) = (\d+);/.exec(raw);
    initial = /^ {2}\/\/ \+default=(["\d].*|true|false)$/.exec(raw)?.[1] ?? initial;
    if (!field || !current) continue;
    current[field[2]] = {
      type: field[1].split('.').at(-1),
      number: Number(field[3]),
      ...(initial !== undefined && initial !== '""' && { initial: JSON.parse(initial) }),
    };
    initial = undefined;
  }
  return messages;
}

async function main() {
  const { values } = parseArgs({
    options: {
      version: { type: 'string' },
      swagger: { type: 'string' },
      proto: { type: 'string' },
      write: { type: 'boolean', default: false },
    },
  });
  if (!values.version || !values.swagger || !values.proto) {
    console.error('usage: openapi.mjs --version 1.36 --swagger swagger.json --proto DIR [--write]');
    process.exit(2);
  }
  const { apiObjects } = await import(`${top}/packages/core/dist/api/objects/index.js`);
  const swagger = JSON.parse(fs.readFileSync(values.swagger, 'utf8'));
  const protos = new Map(
    fs
      .readdirSync(values.proto)
      .filter((f) => f.endsWith('.proto'))
      .map((f) => [f.split('.')[0], readProto(fs.readFileSync(path.join(values.proto, f), 'utf8'))]),
  );
  const problems = [];
  const checked = { version: values.version, unclaimed: {}, notLookedInto: {}, digests: {} };
  for (const [key, struct] of [...declaredStructs(apiObjects)].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const published = publishedIn(swagger, protos, key, struct);
    if (!published) {
      problems.push(`${key}: upstream has no such type`);
      continue;
    }
    const claims = claimsOf(struct);
    for (const [field, claim] of Object.entries(claims))
      if (published[field] === undefined) problems.push(`${key}.${field}: upstream has no such field`);
      else if (published[field] !== claim)
        problems.push(`${key}.${field}: declared "${claim}", published "${published[field]}"`);
    const unclaimed = Object.keys(published).filter((field) => claims[field] === undefined);
    if (unclaimed.length > 0) checked.unclaimed[key] = unclaimed;
    const whole = Object.keys(claims).filter((field) => claims[field].includes('?') && field !== 'fieldsV1');
    if (whole.length > 0) checked.notLookedInto[key] = whole;
    checked.digests[key] = digestOf(struct);
  }
  for (const [key, fields] of Object.entries(checked.unclaimed))
    console.log(`not claimed: ${key}: ${fields.join(', ')}`);
  for (const problem of problems) console.error(problem);
  const count = Object.keys(checked.digests).length;
  console.log(`openapi: ${count} types, ${problems.length} differences from Kubernetes ${values.version}`);
  if (problems.length > 0) process.exit(1);
  if (!values.write) return;
  fs.mkdirSync(path.dirname(checkedFile), { recursive: true });
  fs.writeFileSync(checkedFile, `${JSON.stringify(checked, null, 2)}\n`);
}
if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
