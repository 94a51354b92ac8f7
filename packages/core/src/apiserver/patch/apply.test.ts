import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pod } from '../../api/objects/pod.js';
import { StatusError } from '../status.js';
import type { ApiObject } from '../types.js';
import { applyConfiguration } from './apply.js';
import { compare, fieldsOf } from './compare.js';
import { fieldSetOf, pathText } from './field-set.js';
import { updateManagedFields } from './managed-fields.js';

const writer = (manager: string) => ({ manager, apiVersion: 'v1', subresource: '', time: '2026-01-01T00:00:00Z' });
const target = { force: false, resource: { group: '', resource: 'pods' }, name: 'web' };
const web = (rest: object, metadata: object = {}): ApiObject => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...metadata },
  ...rest,
});
const apply = (live: ApiObject | null, config: ApiObject, manager: string, force = false): ApiObject => {
  const { object, managed } = applyConfiguration(pod, live, config, writer(manager), { ...target, force });
  return { ...object, metadata: { ...object.metadata, managedFields: managed } };
};
const owners = (o: ApiObject, ...path: string[]) =>
  (o.metadata.managedFields ?? []).filter((e) => fieldSetOf(e.fieldsV1).has(path)).map((e) => e.manager);
const image = ['f:spec', 'f:containers', 'k:{"name":"a"}', 'f:image'];
const container = (more: object) => ({ spec: { containers: [{ name: 'a', ...more }] } });

describe('applyConfiguration', () => {
  it('owns what it says, and takes away what it says no more', () => {
    const one = apply(null, web(container({ image: 'x', workingDir: '/w' })), 'me');
    expect(owners(one, ...image)).toEqual(['me']);
    const two = apply(one, web(container({ image: 'y' })), 'me');
    expect(two.spec).toEqual({ containers: [{ name: 'a', image: 'y' }] });
  });
  it('leaves to others what they own too', () => {
    let o = apply(null, web(container({ image: 'x' }), { labels: { a: '1' } }), 'me');
    o = apply(o, web(container({ image: 'x' })), 'you');
    o = apply(o, web({ spec: {} }), 'me');
    expect(o.spec).toEqual({ containers: [{ name: 'a', image: 'x' }] });
    expect(o.metadata.labels).toEqual({});
    expect(owners(o, ...image)).toEqual(['you']);
  });
  it('refuses to change what another owns, and does it when forced', () => {
    const o = apply(null, web(container({ image: 'x' })), 'kubectl');
    let error: unknown;
    try {
      apply(o, web(container({ image: 'y' })), 'you');
    } catch (e) {
      error = e;
    }
    expect(error).toBeInstanceOf(StatusError);
    const { status } = error as StatusError;
    expect(status).toMatchObject({
      code: 409,
      reason: 'Conflict',
      message: 'Apply failed with 1 conflict: conflict with "kubectl" using v1: .spec.containers[name="a"].image',
      details: {
        causes: [
          {
            reason: 'FieldManagerConflict',
            message: 'conflict with "kubectl" using v1',
            field: '.spec.containers[name="a"].image',
          },
        ],
      },
    });
    const forced = apply(o, web(container({ image: 'y' })), 'you', true);
    expect(forced.spec).toEqual({ containers: [{ name: 'a', image: 'y' }] });
    expect(owners(forced, ...image)).toEqual(['you']);
  });
  it('lists several conflicts by owner', () => {
    const o = apply(null, web(container({ image: 'x', workingDir: '/a' })), 'kubectl');
    expect(() => apply(o, web(container({ image: 'y', workingDir: '/b' })), 'you')).toThrow(
      'Apply failed with 2 conflicts: conflicts with "kubectl" using v1:\n- .spec.containers[name="a"].image\n- .spec.containers[name="a"].workingDir',
    );
  });
  it('shares a field whose value is the same', () => {
    const o = apply(apply(null, web(container({ image: 'x' })), 'a'), web(container({ image: 'x' })), 'b');
    expect(owners(o, ...image)).toEqual(['a', 'b']);
  });
  it('keeps the items of others, and the order', () => {
    const live = web({
      spec: {
        containers: [
          { name: 'side', image: 's' },
          { name: 'a', image: 'x' },
        ],
      },
    });
    const o = apply(
      live,
      web({
        spec: {
          containers: [
            { name: 'a', image: 'x' },
            { name: 'b', image: 'b' },
          ],
        },
      }),
      'me',
    );
    expect((o.spec as { containers: { name: string }[] }).containers.map((c) => c.name)).toEqual(['side', 'a', 'b']);
  });
  it('said twice changes nothing more', () => {
    const config = fc.record({
      labels: fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.constantFrom('1', '2')),
      containers: fc.uniqueArray(fc.record({ name: fc.constantFrom('a', 'b'), image: fc.constantFrom('x', 'y') }), {
        selector: (c) => c.name,
      }),
      tolerations: fc.array(fc.record({ key: fc.constantFrom('k', 'l') }), { maxLength: 2 }),
    });
    fc.assert(
      fc.property(config, config, (a, b) => {
        const of = ({ labels, ...spec }: typeof a) => web({ spec }, { labels });
        const first = apply(apply(null, of(a), 'me'), of(b), 'you', true);
        expect(apply(first, of(b), 'you', true)).toEqual(first);
      }),
    );
  });
});

describe('updateManagedFields', () => {
  it('takes what an update changes from who had it', () => {
    const made = web(container({ image: 'x', workingDir: '/w' }));
    made.metadata.managedFields = updateManagedFields(pod, null, made, writer('kubectl-create'));
    const next = web(container({ image: 'y' }));
    next.metadata.managedFields = updateManagedFields(pod, made, next, {
      ...writer('kubectl-edit'),
      time: '2026-01-01T00:00:05Z',
    });
    expect(owners(next, ...image)).toEqual(['kubectl-edit']);
    expect(owners(next, 'f:spec', 'f:containers', 'k:{"name":"a"}', 'f:workingDir')).toEqual([]);
    expect(next.metadata.managedFields.map((e) => e.manager)).toEqual(['kubectl-create', 'kubectl-edit']);
  });
  it('puts old ones together when they are many', () => {
    let o = web(container({ image: 'x' }), { labels: {} });
    for (let i = 0; i < 15; i++) {
      const next = web(container({ image: 'x' }), { labels: { ...o.metadata.labels, [`l${i}`]: 'v' } });
      next.metadata.managedFields = updateManagedFields(pod, o, next, {
        ...writer(`m${i}`),
        time: `2026-01-01T00:00:${String(i).padStart(2, '0')}Z`,
      });
      o = next;
    }
    expect(o.metadata.managedFields).toHaveLength(10);
    expect(owners(o, 'f:metadata', 'f:labels', 'f:l0')).toEqual(['ancient-changes']);
  });
});

describe('field sets', () => {
  it('go through FieldsV1 and back', () => {
    const set = fieldsOf(
      pod,
      web(
        { spec: { containers: [{ name: 'a', ports: [{ containerPort: 80 }] }], tolerations: [{}] } },
        { finalizers: ['f/g'], labels: { x: 'y' } },
      ),
    );
    expect(fieldSetOf(set.toJSON()).toJSON()).toEqual(set.toJSON());
    expect([...set.paths()].map(pathText)).toContain(
      '.spec.containers[name="a"].ports[containerPort=80,protocol="TCP"].containerPort',
    );
    expect([...set.paths()].map(pathText)).toContain('.metadata.finalizers[="f/g"]');
  });
  it('of what is added and what is removed are the same, the other way round', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('a', 'b'), fc.string()),
        fc.dictionary(fc.constantFrom('b', 'c'), fc.string()),
        (a, b) => {
          const there = compare(pod, web({}, { labels: a }), web({}, { labels: b }));
          const back = compare(pod, web({}, { labels: b }), web({}, { labels: a }));
          expect(there.added.toJSON()).toEqual(back.removed.toJSON());
          expect(there.modified.toJSON()).toEqual(back.modified.toJSON());
        },
      ),
    );
  });
});
