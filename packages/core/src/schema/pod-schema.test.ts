import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { DecodeError, decodeValue } from '../api/decoder.js';
import { decodePod, podFromJSON, validatePod } from '../api/index.js';
import { pod as podType } from '../api/objects/pod.js';
import type { Pod } from '../api/types.js';
import { checkManifest } from '../manifest/check.js';
import { library, parseScenario } from '../scenario/index.js';
import { childOf, itemOf, podSchema, type SchemaNode, schemaAt } from './index.js';
import { podWords } from './pod-schema.js';

interface Place {
  /** With `[]` for the items of a list. */
  readonly path: readonly string[];
  readonly node: SchemaNode;
}
function* places(node: SchemaNode, path: readonly string[] = []): Generator<Place> {
  yield { path, node };
  for (const [key, child] of Object.entries(node.properties ?? {})) yield* places(child, [...path, key]);
  if (node.items) yield* places(node.items, [...path, '[]']);
  if (node.values) yield* places(node.values, [...path, 'key']);
}
const all = [...places(podSchema)];
/** The status is not read from manifests. */
const fields = all.filter((p) => p.path[0] !== 'status' && p.path.length > 0);

/** A pod with a value at a path and as little else as can be. */
function podWith(path: readonly string[], value: unknown): Record<string, unknown> {
  let inner = value;
  for (const key of [...path].reverse()) inner = key === '[]' ? [inner] : { [key]: inner };
  const given = inner as Record<string, Record<string, unknown>>;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    ...given,
    metadata: { name: 'web', ...given.metadata },
    spec: { containers: [], ...given.spec },
  };
}
function at(value: unknown, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (v, key) => (v as Record<string, unknown> | undefined)?.[key === '[]' ? '0' : key],
    value,
  );
}
const right = (node: SchemaNode): unknown =>
  ({
    object: {},
    map: {},
    array: [],
    string: node.enum?.[0] ?? 'text',
    integer: 1,
    boolean: true,
    quantity: '1',
    'int-or-string': 'http',
    time: '2026-01-02T03:04:05Z',
    any: { a: 1 },
  })[node.type];
const wrong = (node: SchemaNode): unknown => (node.type === 'object' || node.type === 'map' ? 'text' : { a: [] });

describe('the schema of pods', () => {
  it('has words for every field in both languages, and no two fields of one object in the same ones', () => {
    for (const { path, node } of all) {
      const { en, zh } = node.description;
      expect(en, path.join('.')).toMatch(/^[A-Z0-9$].*[.]$/);
      expect(zh, path.join('.')).toMatch(/[\u4e00-\u9fff].*[。]$|^[^.]*。$/);
    }
  });

  it('lays words over fields that there are, and over all fields of a type', () => {
    expect(new Set(podWords.map((w) => w.type.name)).size).toBe(podWords.length);
    for (const { type, fields } of podWords)
      expect(Object.keys(fields).sort(), type.name).toEqual(Object.keys(type.fields).sort());
    const worded = new Map(podWords.map((w) => [w.type.name, w]));
    const items = new Set<string>();
    for (const { type } of podWords)
      for (const field of Object.values(type.fields))
        if (field.t === 'list' && field.of.t === 'struct' && worded.has(field.of.name)) items.add(field.of.name);
    expect(podWords.filter((w) => w.item).map((w) => w.type.name)).toEqual(
      podWords.map((w) => w.type.name).filter((name) => items.has(name)),
    );
  });

  it('has the types that the kubelet reads', () => {
    expect(fields.length).toBeGreaterThan(500);
    for (const { path, node } of fields) {
      const name = path.join('.');
      // Nothing inside of what is ignored is read.
      if (path.slice(0, -1).some((_, i) => schemaAt(path.slice(0, i + 1).filter((k) => k !== '[]'))?.unsupported))
        continue;
      if (name === 'spec' || name === 'metadata') continue;
      const read = (value: unknown) => at(decodeValue(podType, podWith(path, value)), path);
      const kept = read(right(node));
      // An ignored field is not even decoded, or decoded and never looked at.
      if (node.unsupported && kept === undefined) continue;
      // Behind `any` is a struct that has no words, of which only known fields are kept, or something not looked into.
      if (node.type === 'any') expect(kept, name).toBeDefined();
      else expect(kept, name).toEqual(right(node));
      if (node.type !== 'any') expect(() => read(wrong(node)), name).toThrow(DecodeError);
    }
  });

  it('gives the defaults that the kubelet fills in', () => {
    const withDefault = fields.filter((p) => p.node.default !== undefined);
    expect(withDefault.length).toBeGreaterThan(20);
    for (const { path, node } of withDefault) {
      const parent = path.slice(0, -1);
      const empty = podWith(parent, {});
      expect(at(podFromJSON(empty), path), path.join('.')).toEqual(node.default);
    }
  });

  it('lists the words that validation takes', () => {
    let checked = 0;
    for (const { path, node } of fields) {
      if (!node.enum || path.length < 2 || node.unsupported) continue;
      const pod = podFromJSON(podWith(path, 'Bogus')) as Pod;
      const written = path.reduce((s, k) => (k === '[]' ? `${s}[0]` : s === '' ? k : `${s}.${k}`), '');
      const error = validatePod(pod).find((e) => e.startsWith(`${written}: Unsupported value`));
      if (!error) continue;
      checked++;
      const supported = JSON.parse(`[${/supported values: (.*)$/.exec(error)?.[1]}]`) as string[];
      expect([...node.enum].sort(), written).toEqual(supported.sort());
    }
    expect(checked).toBeGreaterThanOrEqual(15);
  });

  it('requires what validation requires', () => {
    const errors = (value: unknown) => validatePod(podFromJSON(value) as Pod);
    for (const [path, field] of [
      [['spec', 'containers', '[]'], 'name'],
      [['spec', 'containers', '[]'], 'image'],
      [['spec', 'containers', '[]', 'ports', '[]'], 'containerPort'],
      [['spec', 'containers', '[]', 'env', '[]'], 'name'],
      [['spec', 'containers', '[]', 'volumeMounts', '[]'], 'mountPath'],
      [['spec', 'volumes', '[]'], 'name'],
      [['spec', 'containers', '[]', 'livenessProbe', 'httpGet'], 'port'],
    ] as const) {
      const written = [...path, field].reduce((s, k) => (k === '[]' ? `${s}[0]` : s === '' ? k : `${s}.${k}`), '');
      const pod = podWith(path, path.at(-1) === 'httpGet' ? { path: '/' } : {});
      expect(
        errors(pod).some((e) => e.startsWith(`${written}: Required value`)),
        written,
      ).toBe(true);
      expect(itemOf(schemaAt(path.filter((k) => k !== '[]')) as SchemaNode).required, written).toContain(field);
    }
  });

  it('is found by path, through lists, with or without their indices', () => {
    expect(schemaAt(['spec', 'containers', 'livenessProbe', 'periodSeconds'])?.default).toBe(10);
    expect(schemaAt(['spec', 'containers', '0', 'image'])?.type).toBe('string');
    expect(schemaAt(['metadata', 'labels', 'app'])?.type).toBe('string');
    expect(schemaAt(['spec', 'containers', 'resources', 'limits', 'memory'])?.type).toBe('quantity');
    expect(schemaAt(['spec', 'nothing', 'x'])).toBeUndefined();
    expect(schemaAt(['spec', '__proto__'])).toBeUndefined();
    expect(schemaAt([])).toBe(podSchema);
    expect(childOf(podSchema, 'status')?.readOnly).toBe(true);
  });

  it('knows every field of every manifest that comes with the product', () => {
    const texts: { name: string; text: string; api: boolean }[] = [];
    for (const entry of library)
      for (const { action } of parseScenario(entry.text, entry.name).steps)
        if (action.verb === 'apply')
          texts.push({ name: `${entry.name} ${action.file}`, text: action.text, api: action.api ?? false });
    const steps = fileURLToPath(new URL('../../testdata/steps/', import.meta.url));
    for (const file of readdirSync(steps))
      for (const text of manifestsIn(JSON.parse(readFileSync(`${steps}${file}`, 'utf8'))))
        texts.push({ name: file, text, api: false });
    expect(texts.length).toBeGreaterThan(100);
    for (const { name, text, api } of texts) {
      try {
        decodePod(text);
      } catch {
        continue;
      }
      const problems = checkManifest(text, { file: 'a.yaml', nodeName: 'node1' });
      const odd = problems.filter((p) => ['unknown', 'unknownNear', 'type', 'oneOf'].includes(p.code));
      // A file that is there for its field that nobody knows.
      if (text.includes('"extra": 1')) expect(odd.map((p) => p.path)).toEqual(['extra']);
      else expect(odd, `${name}\n${text}`).toEqual([]);
      if (!api) continue;
      expect(
        problems.filter((p) => p.severity === 'error' && p.code !== 'reference'),
        name,
      ).toEqual([]);
    }
  });
});

/** Every string in a JSON value that has the looks of a manifest. */
function* manifestsIn(value: unknown): Generator<string> {
  if (typeof value === 'string') {
    if (/kind["']?:\s*["']?Pod\b/.test(value)) yield value;
  } else if (typeof value === 'object' && value !== null) for (const v of Object.values(value)) yield* manifestsIn(v);
}
