import { describe, expect, it } from 'vitest';
import { background } from '../kernel/index.js';
import type { EnvVar } from './api/types.js';
import { defaulted, makePod, TestManager, testNode } from './kuberuntime/testing/harness.js';
import { type EnvObjects, makeEnvironmentVariables } from './pod-env.js';
import { base64Encode } from './util/base64.js';

class Missing extends Error {}
const objects: EnvObjects = {
  *getConfigMap(_namespace, name) {
    if (name !== 'cm') throw new Missing(`configmap "${name}" not found`);
    return { data: { a: '1', b: '2' } };
  },
  *getSecret(_namespace, name) {
    if (name !== 's') throw new Missing(`secret "${name}" not found`);
    return { data: { pw: base64Encode('geheim ü') } };
  },
  isNotFound: (err) => err instanceof Missing,
  getServiceEnvVarMap: () => new Map([['SVC_HOST', '10.0.0.1']]),
};

function envOf(env: EnvVar[], more: object = {}, source: EnvObjects | null = objects): Record<string, string> {
  const t = new TestManager();
  const container = defaulted({ env, ...more });
  const pod = makePod(
    { containers: [container], nodeName: 'node1', serviceAccountName: 'sa' },
    { labels: { 'app.kubernetes.io/name': 'web', b: 'x' }, annotations: { note: 'n' } },
  );
  const list = t.run(
    makeEnvironmentVariables({
      pod,
      container,
      podIP: '10.1.1.1',
      podIPs: ['10.1.1.1', 'fd00::1'],
      objects: source,
      nodeInfo: testNode,
    }),
  );
  return Object.fromEntries(list.map((e) => [e.name, e.value]));
}
const field = (fieldPath: string): EnvVar[] => [{ name: 'X', valueFrom: { fieldRef: { fieldPath } } }];
const resource = (r: string, divisor?: string, resources?: object): Record<string, string> =>
  envOf([{ name: 'X', valueFrom: { resourceFieldRef: { resource: r, ...(divisor ? { divisor } : {}) } } }], {
    resources,
  });

describe('container environment', () => {
  it('[2:G-07] expands what came before, from envFrom and services too', () => {
    expect(
      envOf(
        [
          { name: 'A', value: 'x$(P_a)$(SVC_HOST)$(LATER)' },
          { name: 'LATER', value: '$(A)' },
          { name: 'EMPTY', value: '' },
        ],
        { envFrom: [{ prefix: 'P_', configMapRef: { name: 'cm' } }, { secretRef: { name: 's' } }] },
      ),
    ).toEqual({
      P_a: '1',
      P_b: '2',
      pw: 'geheim ü',
      A: 'x110.0.0.1$(LATER)',
      LATER: 'x110.0.0.1$(LATER)',
      EMPTY: '',
      SVC_HOST: '10.0.0.1',
    });
  });

  it.each([
    ['metadata.name', 'web-node1'],
    ['metadata.namespace', 'default'],
    ['metadata.uid', 'uid1'],
    ["metadata.labels['app.kubernetes.io/name']", 'web'],
    ["metadata.labels['absent']", ''],
    ["metadata.annotations['note']", 'n'],
    ['metadata.labels', 'app.kubernetes.io/name="web"\nb="x"'],
    ['spec.nodeName', 'node1'],
    ['spec.serviceAccountName', 'sa'],
    ['status.hostIP', '192.168.1.5'],
    ['status.hostIPs', '192.168.1.5'],
    ['status.podIP', '10.1.1.1'],
    ['status.podIPs', '10.1.1.1,fd00::1'],
  ])('field %s', (path, want) => {
    expect(envOf(field(path)).X).toBe(want);
  });

  it('refuses other fields', () => {
    expect(() => envOf(field('spec.nothing'))).toThrow('field label not supported: spec.nothing');
  });

  it('gives requests and limits in units of the divisor, rounded up; the node for a missing limit', () => {
    const resources = { requests: { cpu: '250m', memory: '100Mi' }, limits: { memory: '200Mi' } };
    expect(resource('requests.cpu', undefined, resources).X).toBe('1');
    expect(resource('requests.cpu', '1m', resources).X).toBe('250');
    expect(resource('limits.memory', '1Mi', resources).X).toBe('200');
    expect(resource('limits.cpu', undefined, resources).X).toBe('4');
    expect(() => resource('nonsense')).toThrow('unsupported container resource : nonsense');
  });

  it('[2:T-05] keys and objects that are missing', () => {
    const cm = (name: string, key: string, optional = false): EnvVar[] => [
      { name: 'X', valueFrom: { configMapKeyRef: { name, key, optional } } },
    ];
    expect(envOf(cm('cm', 'b')).X).toBe('2');
    expect(envOf(cm('cm', 'zzz', true)).X).toBeUndefined();
    expect(envOf(cm('late', 'k', true)).X).toBeUndefined();
    expect(() => envOf(cm('cm', 'zzz'))).toThrow("couldn't find key zzz in ConfigMap default/cm");
    expect(() => envOf(cm('late', 'k'))).toThrow('configmap "late" not found');
    expect(() => envOf([{ name: 'X', valueFrom: { secretKeyRef: { name: 's', key: 'zzz' } } }])).toThrow(
      "couldn't find key zzz in Secret default/s",
    );
    expect(() => envOf([], { envFrom: [{ secretRef: { name: 's' } }] }, null)).toThrow(
      "couldn't get secret default/s, no kubeClient defined",
    );
  });
});

describe('KubeletRuntimeHelper', () => {
  const helper = (config: object) => new TestManager({ config }).helper;

  it('[2:S-12] names the cgroup of a pod', () => {
    const pod = makePod({}, { uid: 'a-b' });
    expect(helper({}).getPodCgroupParent(pod)).toBe('');
    expect(helper({ cgroupsPerQOS: true }).getPodCgroupParent(pod)).toBe('/kubepods/besteffort/poda-b');
    expect(helper({ cgroupsPerQOS: true, cgroupDriver: 'systemd' }).getPodCgroupParent(pod)).toBe(
      '/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-poda_b.slice',
    );
    const guaranteed = makePod({
      containers: [
        defaulted({ resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } } }),
      ],
    });
    expect(helper({ cgroupsPerQOS: true }).getPodCgroupParent(guaranteed)).toBe('/kubepods/poduid1');
  });

  it('[2:S-10] cuts a host name at 63 characters, and not at a dash', () => {
    const h = helper({ clusterDomain: 'cluster.local' });
    expect(h.generatePodHostNameAndDomain(makePod({}, { name: `${'a'.repeat(62)}-b` })).hostname).toBe('a'.repeat(62));
    expect(h.generatePodHostNameAndDomain(makePod({ hostname: 'web', subdomain: 'sub' }))).toEqual({
      hostname: 'web',
      domain: 'sub.default.svc.cluster.local',
    });
    expect(() => h.generatePodHostNameAndDomain(makePod({ hostname: 'Web!' }))).toThrow(
      'pod Hostname "Web!" is not a valid DNS label',
    );
  });

  it('[2:G-08] mounts volumes in order, and /etc/hosts unless the user does', () => {
    const t = new TestManager();
    const pod = makePod({
      volumes: [
        { name: 'tmp', emptyDir: {} },
        { name: 'etc', hostPath: { path: '/srv/hosts' } },
      ],
      containers: [
        defaulted({
          env: [{ name: 'D', value: 'sub' }],
          volumeMounts: [
            { name: 'tmp', mountPath: '/tmp', subPathExpr: '$(D)', readOnly: true },
            { name: 'etc', mountPath: '/etc/hosts', mountPropagation: 'HostToContainer' },
          ],
        }),
      ],
    });
    const container = pod.spec.containers[0] ?? defaulted({});
    const options = t.run(
      t.helper.generateRunContainerOptions(background, pod, container, '10.1.1.1', ['10.1.1.1'], null),
    );
    expect(options.mounts.map((m) => [m.containerPath, m.hostPath, m.readOnly, m.propagation])).toEqual([
      ['/tmp', '/var/lib/kubelet/pods/uid1/volume-subpaths/tmp/app/0', true, 'PROPAGATION_PRIVATE'],
      ['/etc/hosts', '/srv/hosts', false, 'PROPAGATION_HOST_TO_CONTAINER'],
    ]);
    const missing = { ...container, volumeMounts: [{ name: 'nope', mountPath: '/x' }] };
    expect(() => t.run(t.helper.generateRunContainerOptions(background, pod, missing, '', [], null))).toThrow(
      'cannot find volume "nope" to mount into container "app"',
    );
  });
});
