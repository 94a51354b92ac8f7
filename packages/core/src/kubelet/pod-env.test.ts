import { describe, expect, it } from 'vitest';
import type { EnvVar } from '../api/types.js';
import { base64Encode } from '../base/index.js';
import { background } from '../kernel/index.js';
import type { ObjectManagers } from './client/objects.js';
import { KubeletRuntimeHelper } from './kubelet-pods-run.js';
import { defaulted, makePod, TestManager, testNode } from './kuberuntime/testing/harness.js';
import { containerResourceRuntimeValue, makeEnvironmentVariables } from './pod-env.js';
import { parseEnv } from './util/env.js';

class Missing extends Error {}
const objects: ObjectManagers = {
  registerPod() {},
  unregisterPod() {},
  servicesHaveSynced: () => true,
  *getServiceAccountToken() {
    throw new Error('not here');
  },
  *getConfigMap(_namespace, name) {
    if (name !== 'cm') throw new Missing(`configmap "${name}" not found`);
    return { metadata: { name, namespace: 'default' }, data: { a: '1', b: '2' } };
  },
  *getSecret(_namespace, name) {
    if (name !== 's') throw new Missing(`secret "${name}" not found`);
    return { metadata: { name, namespace: 'default' }, data: { pw: base64Encode('geheim ü') } };
  },
  isNotFound: (err) => err instanceof Missing,
  getServiceEnvVarMap: () => new Map([['SVC_HOST', '10.0.0.1']]),
};

const files = `# a comment
  A='one'  # of two
B='two
lines'
C= 'x'
`;

function envOf(env: EnvVar[], more: object = {}, source: ObjectManagers | null = objects): Record<string, string> {
  const t = new TestManager();
  const container = defaulted({ env, ...more });
  const pod = makePod(
    { containers: [container], nodeName: 'node1', serviceAccountName: 'sa' },
    { labels: { 'app.kubernetes.io/name': 'web', b: 'x' }, annotations: { note: 'n' } },
  );
  t.os.files.set('/v/env', files);
  const list = t.run(
    makeEnvironmentVariables({
      pod,
      container,
      podIP: '10.1.1.1',
      podIPs: ['10.1.1.1', 'fd00::1'],
      objects: source,
      nodeInfo: testNode,
      files: {
        os: t.os,
        volumes: new Map([['v', { hostPath: '/v' }]]),
      },
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

  it('[3:POD-10] waits for the services to be known, unless the pod is static', () => {
    const unsynced: ObjectManagers = { ...objects, servicesHaveSynced: () => false };
    expect(() => envOf([{ name: 'X', value: '1' }], {}, unsynced)).toThrow(
      'services have not yet been read at least once, cannot construct envvars',
    );
    const container = defaulted({ env: [{ name: 'X', value: '1' }] });
    const pod = makePod({ containers: [container] }, { annotations: { 'kubernetes.io/config.source': 'file' } });
    const input = { pod, container, podIP: '', podIPs: [], objects: unsynced, nodeInfo: testNode, files: null };
    expect(new TestManager().run(makeEnvironmentVariables(input))).toContainEqual({ name: 'X', value: '1' });
  });

  it('[2:T-05] [3:POD-09] keys and objects that are missing', () => {
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

  it('a pod with limits of its own stands in for the node; what init containers lack is not filled in', () => {
    const init = defaulted({ name: 'i' });
    const pod = makePod({
      containers: [defaulted({})],
      initContainers: [init],
      resources: { limits: { memory: '1Gi' } },
    });
    const of = (containerName: string, container = pod.spec.containers[0]) =>
      containerResourceRuntimeValue(
        { pod, ...(container && { container }), nodeInfo: testNode },
        { containerName, resource: 'limits.memory', divisor: '1Mi' },
      );
    expect(of('app')).toBe('1024');
    expect(of('i')).toBe('0');
    expect(of('', init)).toBe('1024');
  });

  it('reads a variable out of a file of a volume', () => {
    const from = (key: string, optional = false, volumeName = 'v'): EnvVar[] => [
      { name: 'X', valueFrom: { fileKeyRef: { volumeName, path: 'env', key, optional } } },
    ];
    expect(envOf(from('A')).X).toBe('one');
    expect(envOf(from('B')).X).toBe('two\nlines');
    expect(envOf(from('C', true)).X).toBeUndefined();
    expect(() => envOf(from('D'))).toThrow('environment variable key "D" not found in file "/v/env"');
    expect(() => envOf(from('A', false, 'w'))).toThrow('cannot find the volume "w" referenced by FileKeyRef');
  });

  it.each([
    ["A = 'x'", "line 1: whitespace before '=' is not allowed"],
    ['\n\nA', "line 3: missing '='"],
    ['A=x', 'line 1: value must be enclosed in single quotes'],
    ["A='x' y", 'line 1: unexpected content after closing quote'],
    ["\nA='x", 'starting at line 2: unclosed single quote'],
    ["='x'", 'line 1: empty variable name'],
  ])('an env file with %j is none', (text, why) => {
    expect(() => parseEnv(text, 'Z')).toThrow(why);
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
    const override = makePod({ hostname: 'web', subdomain: 'sub', hostnameOverride: 'a.example.com' });
    expect(h.generatePodHostNameAndDomain(override)).toEqual({ hostname: 'a.example.com', domain: '' });
    expect(helper({ featureGates: { HostnameOverride: false } }).generatePodHostNameAndDomain(override).hostname).toBe(
      'web',
    );
    expect(() => h.generatePodHostNameAndDomain(makePod({ hostnameOverride: 'a..b' }))).toThrow(
      'pod HostnameOverride "a..b" is not a valid DNS subdomain',
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
    const helper = new KubeletRuntimeHelper({
      ...t.helper.deps,
      getMountedVolumesForPod: () =>
        new Map([
          ['tmp', { hostPath: '/tmpdir', readOnly: false }],
          ['etc', { hostPath: '/srv/hosts', readOnly: false }],
        ]),
    });
    t.run(t.os.mkdirAll('/tmpdir', 0o777));
    const options = t.run(
      helper.generateRunContainerOptions(background, pod, container, '10.1.1.1', ['10.1.1.1'], null),
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

  it('[2:G-08] read-only all the way down only where the runtime can', () => {
    const t = new TestManager();
    const of = (mount: object, supported: boolean) => {
      const volumeMounts = [{ name: 'tmp', mountPath: '/tmp', readOnly: true, ...mount }];
      const pod = makePod({ volumes: [{ name: 'tmp', emptyDir: {} }], containers: [defaulted({ volumeMounts })] });
      const helper = new KubeletRuntimeHelper({
        ...t.helper.deps,
        supportsRecursiveReadOnly: () => supported,
        getMountedVolumesForPod: () => new Map([['tmp', { hostPath: '/tmpdir', readOnly: false }]]),
      });
      const container = pod.spec.containers[0] ?? defaulted({});
      const options = t.run(helper.generateRunContainerOptions(background, pod, container, '', [], null));
      return options.mounts[0]?.recursiveReadOnly;
    };
    expect(of({}, true)).toBe(false);
    expect(of({ recursiveReadOnly: 'IfPossible' }, true)).toBe(true);
    expect(of({ recursiveReadOnly: 'IfPossible' }, false)).toBe(false);
    expect(of({ recursiveReadOnly: 'Enabled' }, true)).toBe(true);
    expect(() => of({ recursiveReadOnly: 'Enabled' }, false)).toThrow(
      'failed to resolve recursive read-only mode: volume "tmp" requested recursive read-only mode, but it is not supported by the runtime',
    );
    expect(() => of({ recursiveReadOnly: 'Enabled', readOnly: false }, true)).toThrow('but it is not read-only');
    expect(() => of({ recursiveReadOnly: 'IfPossible', mountPropagation: 'HostToContainer' }, true)).toThrow(
      'but it is not compatible with propagation "HostToContainer"',
    );
  });
});
