import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createTwoWayMergePatch } from '../../api/client/strategic-patch.js';
import { list, listMap, map, set, str, struct } from '../../api/objects/field.js';
import { pod } from '../../api/objects/pod.js';
import { PatchMalformed } from './json-patch.js';
import { applyStrategicMergePatch } from './strategic.js';

const item: ReturnType<typeof struct> = struct('Item', { name: str, value: str, other: str, simple: map(str) });
const type = struct('T', {
  name: str,
  merging: listMap(item, ['name']),
  plain: list(item),
  names: set(str),
  words: list(str),
  simple: map(str),
  choice: struct('Choice', { a: str, b: str }),
});
const apply = (original: object, patch: object) => applyStrategicMergePatch(type, original, patch);

describe('applyStrategicMergePatch', () => {
  it.each<[string, object, object, object]>([
    [
      'adds and removes fields',
      { name: '1', simple: { a: '1', b: '2' } },
      { name: null, simple: { b: null, c: '3' } },
      { simple: { a: '1', c: '3' } },
    ],
    [
      'merges lists by key',
      { merging: [{ name: '1' }, { name: '2', value: '2' }] },
      { merging: [{ name: '2', other: 'b' }, { name: '3' }] },
      { merging: [{ name: '1' }, { name: '2', value: '2', other: 'b' }, { name: '3' }] },
    ],
    [
      'replaces lists without a key',
      { plain: [{ name: '1' }], words: ['a', 'b'] },
      { plain: [{ name: '2' }], words: ['c'] },
      { plain: [{ name: '2' }], words: ['c'] },
    ],
    [
      'deletes items',
      { merging: [{ name: '1' }, { name: '2' }] },
      { merging: [{ name: '1', $patch: 'delete' }] },
      { merging: [{ name: '2' }] },
    ],
    [
      'ignores the deletion of what is not there',
      { merging: [{ name: '2' }] },
      { merging: [{ name: '1', $patch: 'delete' }] },
      { merging: [{ name: '2' }] },
    ],
    [
      'replaces a merging list',
      { merging: [{ name: '1' }, { name: '2' }] },
      { merging: [{ name: '3' }, { $patch: 'replace' }] },
      { merging: [{ name: '3' }] },
    ],
    ['empties a merging list', { merging: [{ name: '1' }] }, { merging: [{ $patch: 'replace' }] }, { merging: [] }],
    ['replaces a map', { simple: { a: '1' } }, { simple: { b: '2', $patch: 'replace' } }, { simple: { b: '2' } }],
    ['deletes a map’s content', { simple: { a: '1' } }, { simple: { $patch: 'delete' } }, { simple: {} }],
    ['merges scalars', { names: ['a', 'b'] }, { names: ['b', 'c'] }, { names: ['a', 'b', 'c'] }],
    [
      'deletes from scalars',
      { names: ['a', 'b', 'c'] },
      { '$deleteFromPrimitiveList/names': ['b'] },
      { names: ['a', 'c'] },
    ],
    [
      'deletes and adds scalars in an order',
      { names: ['a', 'b', 'c'] },
      { '$deleteFromPrimitiveList/names': ['a'], '$setElementOrder/names': ['d', 'c', 'b'], names: ['d'] },
      { names: ['d', 'c', 'b'] },
    ],
    [
      'puts items into order',
      { merging: [{ name: '1' }, { name: '2' }, { name: '3' }] },
      {
        '$setElementOrder/merging': [{ name: '3' }, { name: '1' }, { name: '2' }],
        merging: [{ name: '2', value: 'x' }],
      },
      { merging: [{ name: '3' }, { name: '1' }, { name: '2', value: 'x' }] },
    ],
    [
      'keeps the server’s items at their places',
      { merging: [{ name: '1' }, { name: 'server' }, { name: '2' }] },
      { '$setElementOrder/merging': [{ name: '1' }, { name: '2' }, { name: '3' }], merging: [{ name: '3' }] },
      { merging: [{ name: '1' }, { name: 'server' }, { name: '2' }, { name: '3' }] },
    ],
    [
      'keeps only named keys',
      { choice: { a: '1' } },
      { choice: { $retainKeys: ['b'], b: '2' } },
      { choice: { b: '2' } },
    ],
    [
      'leaves no directives in what is new',
      {},
      {
        merging: [
          { name: '1', simple: { $patch: 'replace', a: 'b' } },
          { name: '2', $patch: 'delete' },
        ],
      },
      { merging: [{ name: '1', simple: { a: 'b' } }] },
    ],
  ])('%s', (_, original, patch, wanted) => {
    const before = JSON.stringify(original);
    expect(apply(original, patch)).toEqual(wanted);
    expect(JSON.stringify(original)).toBe(before);
  });

  it.each<[string, object, RegExp]>([
    ['an item without its key', { merging: [{ value: 'x' }] }, /does not contain declared merge key: name/],
    ['an unknown directive', { simple: { $patch: 'explode' } }, /unknown patch type: explode/],
    ['keys that are kept but not named', { choice: { $retainKeys: ['a'], b: '2' } }, /retainKeys/],
    ['an order that is no list', { '$setElementOrder/merging': 'x' }, /setElementOrder/],
  ])('refuses %s', (_, patch, text) => {
    expect(() => apply({ merging: [], choice: {} }, patch)).toThrow(text);
    expect(() => apply({ merging: [], choice: {} }, patch)).toThrow(PatchMalformed);
  });

  it('knows the keys of a pod’s lists: ports by containerPort, mounts by mountPath, tolerations as a whole', () => {
    const original = {
      spec: {
        containers: [
          { name: 'a', image: 'x', ports: [{ containerPort: 80 }], volumeMounts: [{ mountPath: '/a', name: 'v' }] },
        ],
        tolerations: [{ key: 'k' }],
        volumes: [{ name: 'v', emptyDir: {} }],
      },
    };
    const patch = {
      spec: {
        containers: [
          { name: 'a', ports: [{ containerPort: 81 }], volumeMounts: [{ mountPath: '/a', readOnly: true }] },
        ],
        tolerations: [{ key: 'l' }],
        volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x' } }],
      },
    };
    expect(applyStrategicMergePatch(pod, original, patch)).toEqual({
      spec: {
        containers: [
          {
            name: 'a',
            image: 'x',
            ports: [{ containerPort: 80 }, { containerPort: 81 }],
            volumeMounts: [{ mountPath: '/a', name: 'v', readOnly: true }],
          },
        ],
        tolerations: [{ key: 'l' }],
        volumes: [{ name: 'v', hostPath: { path: '/x' } }],
      },
    });
  });

  it('makes of what was what a two-way patch was made for', () => {
    const condition = fc.record(
      {
        type: fc.constantFrom('Ready', 'Initialized', 'PodScheduled'),
        status: fc.constantFrom('True', 'False'),
        reason: fc.constantFrom('A', 'B'),
      },
      { requiredKeys: ['type', 'status'] },
    );
    const status = fc.record(
      {
        phase: fc.constantFrom('Pending', 'Running'),
        message: fc.constantFrom('x', 'y'),
        conditions: fc.uniqueArray(condition, { selector: (c) => c.type }),
        podIPs: fc.uniqueArray(fc.record({ ip: fc.constantFrom('1.1.1.1', '1.1.1.2') }), { selector: (p) => p.ip }),
        containerStatuses: fc.array(fc.record({ name: fc.constantFrom('a', 'b'), ready: fc.boolean() }), {
          maxLength: 3,
        }),
      },
      { requiredKeys: ['phase'] },
    );
    fc.assert(
      fc.property(status, status, (a, b) => {
        const patch = createTwoWayMergePatch({ status: a }, { status: b }, pod);
        const got = applyStrategicMergePatch(pod, { status: a }, patch) as { status: Record<string, unknown> };
        // A list that was taken out whole may be there, empty.
        for (const k of Object.keys(got.status))
          if (Array.isArray(got.status[k]) && (got.status[k] as unknown[]).length === 0 && !(k in b))
            delete got.status[k];
        expect(got).toEqual({ status: b });
      }),
      { numRuns: 200 },
    );
  });
});
