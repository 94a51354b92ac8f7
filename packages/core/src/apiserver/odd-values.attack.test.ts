import { expect, it } from 'vitest';
import { setup } from './testing/setup.js';

/**
 * Values that a field may have instead of its own; the maps have names that JavaScript looks for to make a text of
 * them.
 */
const odd: readonly unknown[] = [
  {},
  { a: 1 },
  { toString: 1 },
  { toString: 1, valueOf: {} },
  [{}],
  [null],
  { a: {} },
  'x',
  5,
  true,
  null,
];
const metadata = [
  ...['name', 'generateName', 'namespace', 'uid', 'generation', 'selfLink', 'creationTimestamp', 'deletionTimestamp'],
  ...['labels', 'annotations', 'ownerReferences', 'finalizers', 'managedFields'],
];
const fields = ['apiVersion', 'kind', 'metadata', 'type', 'immutable', 'data', 'stringData', 'status', 'spec'];
const namespaced = '/api/v1/namespaces/default';
const lists = [
  ...['secrets', 'configmaps', 'pods', 'events', 'serviceaccounts', 'services'].map((name) => `${namespaced}/${name}`),
  ...['/api/v1/nodes', '/api/v1/namespaces', '/apis/coordination.k8s.io/v1/namespaces/default/leases'],
];

it.each(lists)('a value of any kind in any field is no error of the server: %s', (path) => {
  const { call } = setup();
  const bodies = [
    ...fields.flatMap((field) => odd.map((value) => ({ metadata: { name: 'n' }, [field]: value }))),
    ...metadata.flatMap((field) => odd.map((value) => ({ metadata: { name: 'n', [field]: value } }))),
  ];
  for (const body of bodies)
    for (const query of ['', '?dryRun=All', '?fieldValidation=Strict']) {
      const { code, body: said } = call('POST', `${path}${query}`, { body: JSON.stringify(body) });
      expect(code, `${JSON.stringify(body)}: ${said.message}`).toBeLessThan(500);
    }
});
