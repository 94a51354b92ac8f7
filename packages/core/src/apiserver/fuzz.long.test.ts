import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { groupVersion } from './registry/resource.js';
import { resources } from './resources/index.js';
import { patchType, podOf, podPath, setup } from './testing/setup.js';

const leaf = fc.oneof(
  fc.constant(null),
  fc.boolean(),
  fc.integer(),
  fc.double(),
  fc.string(),
  fc.constantFrom('1Gi', '', 'web', '__proto__', '2026-01-01T00:00:00Z'),
);
const anything = fc.oneof(
  leaf,
  fc.array(leaf, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom('name', 'key', 'image', 'constructor', '$patch', '__proto__', 'x'), leaf, {
    maxKeys: 3,
  }),
);
const full = podOf(
  'web',
  {
    volumes: [
      { name: 'v', hostPath: { path: '/x' } },
      { name: 'c', configMap: { name: 'c', items: [{ key: 'a', path: 'b' }] } },
    ],
    containers: [
      {
        name: 'a',
        image: 'b',
        env: [{ name: 'x', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
        ports: [{ containerPort: 80 }],
        resources: { limits: { cpu: '1' } },
        livenessProbe: { httpGet: { port: 80 } },
        volumeMounts: [{ name: 'v', mountPath: '/v' }],
      },
    ],
    tolerations: [{ key: 'k' }],
  },
  { labels: { a: 'b' }, ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u' }] },
);

/** All places in a value. */
function places(value: unknown, path: readonly (string | number)[] = []): (readonly (string | number)[])[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [
    path,
    ...Object.entries(value).flatMap(([k, v]) => places(v, [...path, Array.isArray(value) ? Number(k) : k])),
  ];
}
function replaced(value: unknown, [head, ...rest]: readonly (string | number)[], by: unknown): unknown {
  if (head === undefined) return by;
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string | number, unknown>;
  copy[head] = replaced(copy[head], rest, by);
  return copy;
}

describe('whatever comes', () => {
  const spoiled = fc
    .tuple(fc.constantFrom(...places(full).slice(1)), anything)
    .map(([path, by]) => replaced(full, path, by));
  it('is taken or refused with a reason, never an error of the server itself', () => {
    const { call, server } = setup();
    fc.assert(
      fc.property(spoiled, (json) => {
        for (const [method, path, more] of [
          ['POST', podPath, {}],
          ['PUT', `${podPath}/web`, {}],
          ['PATCH', `${podPath}/web`, patchType('strategic-merge')],
          ['PATCH', `${podPath}/web`, patchType('merge')],
          ['PATCH', `${podPath}/web/status`, patchType('strategic-merge')],
          ['PATCH', `${podPath}/web/resize`, patchType('strategic-merge')],
          ['PATCH', `${podPath}/web/ephemeralcontainers`, patchType('merge')],
          [
            'PATCH',
            `${podPath}/web?fieldManager=me&force=true`,
            { headers: { 'content-type': 'application/apply-patch+yaml' } },
          ],
          ['DELETE', `${podPath}/web`, {}],
        ] as const) {
          const { code, body } = call(method, path, { ...more, json });
          expect([200, 201, 400, 403, 404, 409, 422], `${method} ${path} ${JSON.stringify(body)}`).toContain(code);
        }
      }),
      { numRuns: 400 },
    );
    expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    for (const o of server.peek('pods')) expect(typeof o.metadata.name).toBe('string');
  });
  it('so for every other resource', () => {
    const { call } = setup();
    fc.assert(
      fc.property(
        fc.constantFrom(...resources),
        fc.dictionary(
          fc.constantFrom('spec', 'data', 'metadata', 'status', 'type', 'subsets', 'target', 'handler', 'value'),
          anything,
          { maxKeys: 4 },
        ),
        (r, json) => {
          const top = r.group ? `/apis/${groupVersion(r)}` : '/api/v1';
          const path = `${top}${r.namespaced ? '/namespaces/default' : ''}/${r.resource}`;
          for (const [method, at, more] of [
            ['POST', path, {}],
            ['PUT', `${path}/web`, {}],
            ['PATCH', `${path}/default`, patchType('merge')],
          ] as const) {
            const { code, body } = call(method, at, { ...more, json });
            expect(
              [200, 201, 400, 403, 404, 409, 422],
              `${method} ${at} ${JSON.stringify(json)} ${JSON.stringify(body)}`,
            ).toContain(code);
          }
          expect(call('GET', path, { headers: { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' } }).code).toBe(
            200,
          );
        },
      ),
      { numRuns: 400 },
    );
  });
  it('JSON patches too', () => {
    const { call } = setup();
    call('POST', podPath, { json: podOf('web') });
    const operation = fc.record({
      op: fc.constantFrom('add', 'remove', 'replace', 'move', 'copy', 'test'),
      path: fc.constantFrom(
        '',
        '/spec',
        '/spec/containers/0',
        '/metadata/labels',
        '/metadata',
        '/x/y',
        '/spec/containers/-',
      ),
      from: fc.constantFrom('/spec', '/metadata/name', '/q'),
      value: anything,
    });
    fc.assert(
      fc.property(fc.array(operation, { maxLength: 4 }), (json) => {
        expect([200, 400, 409, 422]).toContain(call('PATCH', `${podPath}/web`, { ...patchType('json'), json }).code);
      }),
    );
  });
});
