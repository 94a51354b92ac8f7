import { describe, expect, it } from 'vitest';
import { background, Kernel, Second } from '../../kernel/index.js';
import { ScenarioError } from '../document/errors.js';
import { running, sleeper, start } from '../testing/run-steps.js';
import { ApiServer } from './api-server.js';

const manifest = (spec: object = {}, metadata: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: 'web', ...metadata },
  spec: { containers: [{ name: 'app', image: 'busybox:1', resources: { requests: { cpu: '1' } } }], ...spec },
});
const make = () => {
  const kernel = new Kernel();
  return { kernel, api: new ApiServer(kernel, 'n1', 7) };
};
const message = (f: () => void): string => {
  try {
    f();
  } catch (error) {
    expect(error).toBeInstanceOf(ScenarioError);
    return (error as Error).message;
  }
  return 'nothing was said';
};

describe('the API server of a scenario', () => {
  it('binds pods to its node, changes them through the right doors, and lets them end', () => {
    const { api } = make();
    api.apply(manifest());
    expect(api.find('web').spec.nodeName).toBe('n1');
    const resources = { requests: { cpu: '2' } };
    api.apply(manifest({ containers: [{ name: 'app', image: 'busybox:2', resources }] }, { labels: { a: 'b' } }));
    const pod = api.find('default/web');
    expect(pod.spec.containers[0]).toMatchObject({ image: 'busybox:2', resources });
    // One change of the image, one of the size.
    expect(pod.metadata).toMatchObject({ generation: 3, labels: { a: 'b' } });
    const ephemeralContainers = [{ name: 'debug', image: 'busybox:1' }];
    api.apply(manifest({ containers: [{ name: 'app', image: 'busybox:2', resources }], ephemeralContainers }));
    expect(api.find('web').spec.ephemeralContainers?.[0]?.name).toBe('debug');
    api.delete('web', 5);
    expect(api.find('web').metadata.deletionGracePeriodSeconds).toBe(5);
    expect(message(() => api.apply(manifest()))).toBe('pod "web" is being deleted; wait until it is gone');
    api.delete('web', 0);
    expect(message(() => api.find('web'))).toBe('there is no pod "web" in the API server; there are: none');
  });
  it('keeps what a manifest says of who its pod is, once', () => {
    const { api } = make();
    const identity = { uid: '5b3f1c1e-0000-4000-8000-000000000001', creationTimestamp: '2025-12-31T23:59:00Z' };
    api.apply(manifest({}, { ...identity, resourceVersion: '7041' }));
    expect(api.find('web').metadata).toMatchObject({ ...identity, resourceVersion: '7041' });
    api.apply(manifest({}, { labels: { a: 'b' } }));
    expect(api.find('web').metadata).toMatchObject({ ...identity, resourceVersion: '7042' });
    api.delete('web', 0);
    api.apply(manifest({}, identity));
    const again = api.find('web').metadata;
    expect(again.uid).not.toBe(identity.uid);
    expect(again.creationTimestamp).toBe('2026-01-01T00:00:00Z');
  });
  it('refuses in the words of the server, with what to do', () => {
    const { api } = make();
    expect(message(() => api.apply(manifest({ containers: [] })))).toBe(
      'the API server refuses the pod: spec.containers: Required value; correct the manifest',
    );
    expect(message(() => api.apply({ ...manifest(), metadata: {} }))).toContain('name is needed');
    api.apply(manifest());
    expect(message(() => api.apply(manifest({ hostNetwork: true })))).toMatch(
      /may not change fields .*delete the pod first$/,
    );
  });
  it('is away for as long as anybody wants it to be', () => {
    const { kernel, api } = make();
    const get = () => {
      let out = '';
      kernel.go('get', function* () {
        try {
          out = String((yield* api.transport.request(background, { method: 'GET', path: '/version' })).code);
        } catch (error) {
          out = (error as Error).message;
        }
      });
      kernel.run({ until: kernel.now() + Second });
      return out;
    };
    expect(get()).toBe('200');
    api.disconnect();
    api.disconnect();
    api.connect();
    expect(get()).toBe('dial tcp 10.96.0.1:443: connect: connection refused');
    api.connect();
    expect(get()).toBe('200');
  });
});

it('has a condition of a readiness gate set by a step, as by a controller', () => {
  const gate = sleeper('web', '', (pod) => `{to: api, manifest: ${pod}}`).replace(
    'spec: {',
    'spec: {readinessGates: [{conditionType: example.com/ok}], ',
  );
  const ok = '{conditions: [{type: example.com/ok, status: "True"}]}';
  const node = 'apiServer: true, clusterDNS: ["10.96.0.10"]';
  const { problems } = start(
    `${gate}${running('web')}  - wait: 3s\n  - assert: {pod: web, ready: false}\n  - edit: {pod: web, to: api, subresource: status, patch: ${ok}}\n  - waitFor: {pod: web, ready: true, timeout: 5s}\n`,
    { node },
  );
  expect(problems()).toEqual([]);
});
