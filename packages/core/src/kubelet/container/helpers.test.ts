import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { computePodQOS } from '../../api/pod/qos.js';
import { base64Decode, base64Encode, parseQuantity, quantityMilliValue, quantityValue } from '../../base/index.js';
import { Kernel, Second } from '../../kernel/index.js';
import { defaultKubeletConfig } from '../config.js';
import { getBackoffKey } from '../kuberuntime/helpers.js';
import { getContainerInfoFromAnnotations, newContainerAnnotations } from '../kuberuntime/labels.js';
import { getContainerIDFromLegacyLogSymlink, legacyLogSymlink } from '../kuberuntime/legacy.js';
import { defaulted, makePod } from '../kuberuntime/testing/harness.js';
import { newCrashLoopBackOff } from '../util/backoff.js';
import { goJSON } from '../util/go-format.js';
import { expand } from './expansion.js';
import { hashContainer } from './helpers.js';
import type { RunContainerOptions } from './types.js';

const options: RunContainerOptions = {
  envs: [],
  mounts: [],
  devices: [],
  annotations: [],
  portMappings: [],
  podContainerDir: '',
  hostname: '',
};

describe('container helpers', () => {
  it.each([
    ['app', 'localhost/busybox:dev', 'ef611fe5'],
    ['app', 'localhost/busybox:next', 'cee70357'],
    ['first', 'localhost/busybox:dev', 'ebbd1839'],
    ['second', 'localhost/busybox:dev', '206cd82c'],
    ['helper', 'localhost/busybox:dev', '82832e41'],
    ['ok', 'localhost/busybox:dev', '7919dbc4'],
  ])('[2:G-05] hashes %s of %s as a real kubelet does', (name, image, want) => {
    expect(hashContainer({ name, image, env: [{ name: 'IGNORED', value: '1' }] }).toString(16)).toBe(want);
  });

  it('[2:G-04] writes JSON as Go does, and reads back what it wrote', () => {
    const container = defaulted({
      ports: [{ protocol: 'TCP', containerPort: 80, name: 'web' }],
      lifecycle: { preStop: { exec: { command: ['sh', '-c', 'a && b > c'] } } },
    });
    const a = newContainerAnnotations(container, makePod({}, { deletionGracePeriodSeconds: 0 }), 3, options);
    expect(a['io.kubernetes.container.ports']).toBe('[{"name":"web","containerPort":80,"protocol":"TCP"}]');
    expect(a['io.kubernetes.container.preStopHandler']).toBe(
      '{"exec":{"command":["sh","-c","a \\u0026\\u0026 b \\u003e c"]}}',
    );
    expect(a['io.kubernetes.pod.deletionGracePeriod']).toBe('0');
    expect(getContainerInfoFromAnnotations(a)).toEqual({
      hash: hashContainer(container),
      restartCount: 3,
      podDeletionGracePeriod: 0,
      podTerminationGracePeriod: 30,
      terminationMessagePath: '/dev/termination-log',
      terminationMessagePolicy: 'File',
      preStopHandler: container.lifecycle?.preStop,
      containerPorts: container.ports,
    });
  });

  it('[2:B-06] keys the back-off by what restarts it', () => {
    const pod = makePod();
    const key = (more: object) => getBackoffKey(pod, defaulted(more));
    expect(key({})).toBe(key({ env: [{ name: 'A', value: '1' }] }));
    expect(key({})).not.toBe(key({ image: 'other' }));
    expect(key({})).not.toBe(key({ resources: { limits: { cpu: '1' } } }));
    expect(key({})).not.toBe(getBackoffKey(makePod({}, { uid: 'uid2' }), defaulted({})));
  });

  it('[2:B-01] starts at the cap where the cap is below 10 s', () => {
    const kernel = new Kernel();
    const of = (maxContainerRestartPeriod: number, featureGates = {}) => {
      const b = newCrashLoopBackOff(kernel, { ...defaultKubeletConfig(), maxContainerRestartPeriod, featureGates });
      b.next('k', 0);
      return b.get('k');
    };
    expect(of(300 * Second)).toBe(10 * Second);
    expect(of(4 * Second)).toBe(4 * Second);
    expect(of(300 * Second, { ReduceDefaultCrashLoopBackOffDecay: true })).toBe(Second);
  });

  it('[2:T-11] [3:POD-03] cuts the name of a log link to what a file system takes', () => {
    const link = legacyLogSymlink('abcdef123456', 'app', 'web', 'default');
    expect(link).toBe('/var/log/containers/web_default_app-abcdef123456.log');
    expect(getContainerIDFromLegacyLogSymlink(link)).toBe('abcdef123456');
    const long = legacyLogSymlink('x'.repeat(64), 'c'.repeat(63), 'p'.repeat(253), 'n'.repeat(63));
    expect(long.length - '/var/log/containers/'.length).toBe(255);
  });

  it.each([
    ['BestEffort', {}],
    ['Burstable', { requests: { cpu: '1' } }],
    ['Burstable', { limits: { cpu: '1' } }],
    ['Guaranteed', { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1024Mi' } }],
    ['Burstable', { requests: { cpu: '500m', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } }],
  ])('QoS class %s of %j', (want, resources) => {
    expect(computePodQOS(makePod({ containers: [defaulted({ resources })] }))).toBe(want);
  });
});

describe('texts and amounts', () => {
  it.each([
    ['100m', 1, 100],
    ['1', 1, 1000],
    ['1.5', 2, 1500],
    ['.5', 1, 500],
    ['1Ki', 1024, 1024000],
    ['1.5Gi', 1.5 * 1024 ** 3, 1500 * 1024 ** 3],
    ['2k', 2000, 2000000],
    ['1e3', 1000, 1000000],
    ['12E', 12e18, 12e21],
    ['1n', 1, 1],
    ['-1', -1, -1000],
  ])('%s is %d whole, %d thousandths, rounded up', (text, whole, milli) => {
    expect(quantityValue(parseQuantity(text))).toBe(whole);
    expect(quantityMilliValue(parseQuantity(text))).toBe(milli);
  });

  it.each(['', 'Mi', '1 Mi', '1MiB', 'x'])('%j is no quantity', (text) => {
    expect(() => parseQuantity(text)).toThrow('quantities must match');
  });

  it('base64 gives back every text', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), (s) => base64Decode(base64Encode(s)) === s),
      { numRuns: 200 },
    );
    expect(base64Encode('v')).toBe('dg==');
    expect(base64Decode('/w==')).toBe('\ufffd');
  });

  it('expands references as the API says', () => {
    const vars: Record<string, string> = { A: '1', EMPTY: '' };
    const of = (s: string) => expand(s, (n) => vars[n]);
    expect(of('$(A)$(A)')).toBe('11');
    expect(of('$$(A)')).toBe('$(A)');
    expect(of('$$$(A)')).toBe('$1');
    expect(of('$(EMPTY)x$(NONE)')).toBe('x$(NONE)');
    expect(of('$A $ $(A')).toBe('$A $ $(A');
    expect(of('tail$')).toBe('tail$');
    expect(goJSON('<&>')).toBe('"\\u003c\\u0026\\u003e"');
  });
});
