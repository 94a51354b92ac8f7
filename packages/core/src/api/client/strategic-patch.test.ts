import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deepCopy, deepEqual } from '../../base/deep.js';
import { event as eventType } from '../objects/event.js';
import { type ApiType, fieldOf } from '../objects/field.js';
import { node as nodeType } from '../objects/node.js';
import { pod as podType } from '../objects/pod.js';
import { createTwoWayMergePatch } from './strategic-patch.js';

const pod = (before: object, after: object) =>
  createTwoWayMergePatch({ status: before }, { status: after }, podType).status;

describe('createTwoWayMergePatch', () => {
  it('has only what differs, and nothing for nothing', () => {
    const node = { metadata: { labels: { a: '1', b: '2' } }, spec: {}, status: { capacity: { cpu: '2' } } };
    expect(createTwoWayMergePatch(node, deepCopy(node), nodeType)).toEqual({});
    const after = { ...node, metadata: { labels: { a: '1', c: '3' } } };
    expect(createTwoWayMergePatch(node, after, nodeType)).toEqual({ metadata: { labels: { b: null, c: '3' } } });
  });

  it('says conditions by their type, and the order that they are to have', () => {
    const ready = { type: 'Ready', status: 'False', reason: 'ContainersNotReady', message: 'm', lastProbeTime: null };
    const init = { type: 'Initialized', status: 'True', lastProbeTime: null };
    expect(
      pod(
        { conditions: [init, ready] },
        { conditions: [init, { type: 'Ready', status: 'True', lastProbeTime: null }] },
      ),
    ).toEqual({
      '$setElementOrder/conditions': [{ type: 'Initialized' }, { type: 'Ready' }],
      conditions: [{ message: null, reason: null, status: 'True', type: 'Ready' }],
    });
  });

  it('gives a list whole where there was none, and where its members are not told apart', () => {
    const conditions = [{ type: 'Ready', status: 'True' }];
    expect(pod({}, { conditions })).toEqual({ conditions });
    expect(pod({ conditions: [] }, { conditions })).toEqual({ conditions });
    expect(
      pod(
        { containerStatuses: [{ name: 'a', ready: false }, { name: 'b' }] },
        { containerStatuses: [{ name: 'a', ready: true }, { name: 'b' }] },
      ),
    ).toEqual({ containerStatuses: [{ name: 'a', ready: true }, { name: 'b' }] });
  });

  it('deletes members by their key, after the changes', () => {
    expect(pod({ podIPs: [{ ip: '10.0.0.2' }, { ip: 'fd00::2' }] }, { podIPs: [{ ip: '10.0.0.3' }] })).toEqual({
      '$setElementOrder/podIPs': [{ ip: '10.0.0.3' }],
      podIPs: [{ ip: '10.0.0.3' }, { $patch: 'delete', ip: '10.0.0.2' }, { $patch: 'delete', ip: 'fd00::2' }],
    });
  });

  it('says a mere change of order', () => {
    const [a, b] = [{ type: 'a' }, { type: 'b' }];
    expect(pod({ conditions: [a, b] }, { conditions: [b, a] })).toEqual({ '$setElementOrder/conditions': [b, a] });
  });

  it('treats lists of texts that are sets as such', () => {
    const finalizers = (before: string[], after: string[]) =>
      createTwoWayMergePatch({ metadata: { finalizers: before } }, { metadata: { finalizers: after } }, podType)
        .metadata;
    expect(finalizers(['a', 'b'], ['b', 'c'])).toEqual({
      '$deleteFromPrimitiveList/finalizers': ['a'],
      '$setElementOrder/finalizers': ['b', 'c'],
      finalizers: ['c'],
    });
  });

  it('keeps keys where the schema says so', () => {
    const claims = (x: object) => ({ status: { resourceClaimStatuses: [{ name: 'c', ...x }] } });
    expect(createTwoWayMergePatch(claims({ a: 1, b: 2 }), claims({ a: 3 }), podType).status).toEqual({
      '$setElementOrder/resourceClaimStatuses': [{ name: 'c' }],
      resourceClaimStatuses: [{ $retainKeys: ['a', 'name'], a: 3, b: null, name: 'c' }],
    });
  });

  it('prints keys in the order of the alphabet', () => {
    const patch = createTwoWayMergePatch(
      { count: 0 },
      { message: 'm', lastTimestamp: 't', count: 2, metadata: { z: 1, a: 2 } },
      eventType,
    );
    expect(JSON.stringify(patch)).toBe('{"count":2,"lastTimestamp":"t","message":"m","metadata":{"a":2,"z":1}}');
  });

  it('refuses members without their key, and names them', () => {
    expect(() => pod({ conditions: [{ type: 'a' }] }, { conditions: [{ status: 'x' }] })).toThrow(
      'conditions: {"status":"x"} does not contain the merge key type',
    );
  });

  it('does not fall for names that objects have anyway', () => {
    const labels = JSON.parse('{"__proto__":"x","constructor":"y"}') as object;
    const patch = createTwoWayMergePatch({ metadata: {} }, { metadata: { labels } }, nodeType);
    expect(JSON.stringify(patch)).toBe('{"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}');
    expect(createTwoWayMergePatch({ metadata: { labels } }, { metadata: { labels } }, nodeType)).toEqual({});
    expect(({} as { x?: string }).x).toBeUndefined();
  });

  const condition = fc.record(
    {
      type: fc.constantFrom('a', 'b', 'c', 'd'),
      status: fc.constantFrom('True', 'False'),
      reason: fc.constantFrom('x', 'y'),
    },
    { requiredKeys: ['type', 'status'] },
  );
  const status = fc.record(
    {
      phase: fc.constantFrom('Pending', 'Running'),
      conditions: fc.uniqueArray(condition, { selector: (c) => c.type, maxLength: 4 }),
      podIPs: fc.uniqueArray(fc.record({ ip: fc.constantFrom('1', '2', '3') }), { selector: (p) => p.ip }),
      containerStatuses: fc.array(fc.record({ name: fc.constantFrom('a', 'b') }), { maxLength: 2 }),
    },
    { requiredKeys: [] },
  );
  it('makes the one out of the other, whatever they are', () => {
    fc.assert(
      fc.property(status, status, (before, after) => {
        const patch = createTwoWayMergePatch({ status: before }, { status: after }, podType);
        const result = apply({ status: before }, patch, podType) as { status: Record<string, unknown> };
        // An empty list and none are the same to an API.
        const full = (s: Record<string, unknown>) =>
          Object.fromEntries(Object.entries(s).filter(([, v]) => !Array.isArray(v) || v.length > 0));
        return deepEqual(full(result.status), full(after));
      }),
    );
  });
});

const mergeKeyOf = (type: ApiType | undefined): string => (type?.t === 'list' && type.patchKey) || '';
/** Applies a patch as a server does, in the simplest way. */
function apply(before: unknown, patch: unknown, schema: ApiType | undefined): unknown {
  const out: Record<string, unknown> = { ...(before as object) };
  const orders: [string, unknown[]][] = [];
  for (const [key, value] of Object.entries(patch as object)) {
    const [, list] = /^\$setElementOrder\/(.*)$/.exec(key) ?? [];
    const field = fieldOf(schema, key);
    const id = mergeKeyOf(field);
    if (list) orders.push([list, value as unknown[]]);
    else if (value === null) delete out[key];
    else if (Array.isArray(value) && id !== '') {
      const merged = [...((out[key] as Record<string, unknown>[] | undefined) ?? [])];
      for (const item of value as Record<string, unknown>[]) {
        const i = merged.findIndex((m) => m[id] === item[id]);
        if (item.$patch === 'delete') merged.splice(i, 1);
        else if (i < 0) merged.push(item);
        else merged[i] = apply(merged[i], item, undefined) as Record<string, unknown>;
      }
      out[key] = merged;
    } else if (typeof value === 'object' && !Array.isArray(value)) out[key] = apply(out[key] ?? {}, value, field);
    else out[key] = value;
  }
  for (const [key, order] of orders) {
    const id = mergeKeyOf(fieldOf(schema, key));
    const rank = (m: Record<string, unknown>) => (order as Record<string, unknown>[]).findIndex((o) => o[id] === m[id]);
    (out[key] as Record<string, unknown>[] | undefined)?.sort((a, b) => rank(a) - rank(b));
  }
  return out;
}
