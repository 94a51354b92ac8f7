import { describe, expect, it } from 'vitest';
import type { PodSpec } from '../../api/types.js';
import type { ContainerConfig, CreateContainerRequest, RunPodSandboxRequest } from '../../cri/index.js';
import { background } from '../../kernel/index.js';
import { generateContainerConfig } from './kuberuntime-container-config.js';
import { generatePodSandboxConfig } from './kuberuntime-sandbox.js';
import golden from './testdata/golden-requests.json' with { type: 'json' };
import { defaulted, makePod, TestManager, type TestManagerOptions, testNode } from './testing/harness.js';

interface Golden {
  readonly recording: string;
  readonly spec: PodSpec;
  readonly ip: string;
  readonly sandbox: RunPodSandboxRequest;
  readonly containers: readonly CreateContainerRequest[];
}

/** Stands in the excerpts for the recorder's own folder. */
const work = '/node';
const configMap: TestManagerOptions['helper'] = {
  objects: {
    registerPod() {},
    unregisterPod() {},
    servicesHaveSynced: () => true,
    *getServiceAccountToken() {
      throw new Error('not here');
    },
    *getConfigMap(namespace, name) {
      if (name !== 'late') throw new Error(`configmap "${name}" not found`);
      return { metadata: { name, namespace }, data: { k: 'v' } };
    },
    *getSecret(namespace, name) {
      return { metadata: { name, namespace }, data: {} };
    },
    isNotFound: () => true,
    getServiceEnvVarMap: () => new Map(),
  },
};

function managerFor(g: Golden): TestManager {
  const api = g.recording.startsWith('api-');
  return new TestManager({
    config: {
      rootDirectory: `${work}/k-root`,
      podLogsDir: `${work}/podlogs`,
      ...(api ? { clusterDNS: ['10.0.0.10'], clusterDomain: 'cluster.local' } : {}),
    },
    ...(api ? { helper: configMap } : {}),
  });
}

function podFor(g: Golden) {
  const { metadata, labels = {}, annotations = {} } = g.sandbox.config ?? {};
  const own = Object.fromEntries(Object.entries(labels).filter(([k]) => !k.startsWith('io.kubernetes.')));
  const { name = '', namespace = '', uid = '' } = metadata ?? {};
  return makePod(g.spec, {
    name,
    namespace,
    uid,
    annotations,
    ...(Object.keys(own).length > 0 ? { labels: own } : {}),
  });
}

/** Lists without an order, and the one random name. */
function comparable(config: ContainerConfig | undefined): object {
  const mounts = config?.mounts?.map((m) => ({ ...m, hostPath: m.hostPath?.replace(/[0-9a-f]{8}$/, 'RANDOM') }));
  return { ...config, mounts };
}

describe('requests to the runtime, as a real kubelet made them', () => {
  for (const g of golden as unknown as Golden[]) {
    it(`[2:S-08] [2:S-09] [2:S-10] [2:S-12] [2:S-13] RunPodSandbox of ${g.recording}`, () => {
      const t = managerFor(g);
      const pod = podFor(g);
      const want = g.sandbox.config;
      const got = t.run(
        (function* () {
          return generatePodSandboxConfig(t.manager, pod, 0);
        })(),
      );
      expect(got).toEqual(want);
    });

    for (const request of g.containers) {
      const { name = '', attempt = 0 } = request.config?.metadata ?? {};
      it(`[2:G-02] [2:G-03] [2:G-04] [2:G-05] [2:G-06] [2:G-08] [2:G-09] [2:G-11] CreateContainer ${name}#${attempt} of ${g.recording}`, () => {
        const t = managerFor(g);
        const pod = podFor(g);
        const container = [...(pod.spec.initContainers ?? []), ...pod.spec.containers].find((c) => c.name === name);
        if (!container) throw new Error(`no container ${name}`);
        t.run(t.os.mkdirAll(t.helper.getPodDir(pod.metadata.uid), 0o750));
        const imageRef = request.config?.image?.image ?? '';
        const got = t.run(
          generateContainerConfig(t.manager, background, {
            pod,
            container,
            restartCount: attempt,
            podIP: g.ip,
            podIPs: [g.ip],
            imageRef,
            target: null,
            imageVolumes: null,
          }),
        );
        expect(comparable(got)).toEqual(comparable(request.config));
      });
    }
  }
});

describe('generateContainerConfig', () => {
  const build = (t: TestManager, pod = makePod()) => {
    t.run(t.os.mkdirAll(t.helper.getPodDir('uid1'), 0o750));
    const container = pod.spec.containers[0];
    if (!container) throw new Error('no container');
    return t.run(
      generateContainerConfig(t.manager, background, {
        pod,
        container,
        restartCount: 0,
        podIP: '10.1.1.1',
        podIPs: ['10.1.1.1'],
        imageRef: 'sha256:1',
        target: null,
        imageVolumes: null,
      }),
    );
  };

  it('[2:G-08] [3:POD-16] [3:POD-11] makes a termination-log file of its own for each attempt, and the hosts file', () => {
    const t = new TestManager();
    const paths = [build(t), build(t)].map(
      (c) => c.mounts?.find((m) => m.containerPath === '/dev/termination-log')?.hostPath ?? '',
    );
    expect(paths[0]).toMatch(/^\/var\/lib\/kubelet\/pods\/uid1\/containers\/app\/[0-9a-f]{8}$/);
    expect(paths[0]).not.toBe(paths[1]);
    expect(t.os.modes.get(paths[0] ?? '')).toBe(0o666);
    expect(t.os.files.get('/var/lib/kubelet/pods/uid1/etc-hosts')).toBe(
      '# Kubernetes-managed hosts file.\n127.0.0.1\tlocalhost\n::1\tlocalhost ip6-localhost ip6-loopback\nfe00::0\tip6-localnet\nfe00::0\tip6-mcastprefix\nfe00::1\tip6-allnodes\nfe00::2\tip6-allrouters\n10.1.1.1\tweb-node1\n',
    );
  });

  it('[2:G-01] asks for the image as written to learn its user', () => {
    const t = new TestManager();
    t.runtime.addImage('localhost/busybox:dev', 'sha256:1', { uid: { value: '65534' } });
    expect(build(t).linux?.securityContext?.runAsUser).toEqual({ value: '65534' });
    expect(t.runtime.log()).toEqual(['imageStatus localhost/busybox:dev']);
  });

  it('[2:G-11] takes the user of the spec before the image, and the name of the image else', () => {
    const t = new TestManager();
    t.runtime.addImage('localhost/busybox:dev', 'sha256:1', { username: 'nobody' });
    const sc = build(t).linux?.securityContext;
    expect(sc?.runAsUsername).toBe('nobody');
    expect(sc?.runAsUser).toBeUndefined();
    const own = build(
      t,
      makePod({
        containers: [defaulted({ securityContext: { runAsUser: 7, seccompProfile: { type: 'RuntimeDefault' } } })],
      }),
    ).linux?.securityContext;
    expect(own?.runAsUser).toEqual({ value: '7' });
    expect(own?.runAsUsername).toBeUndefined();
    expect(own?.seccomp).toEqual({});
  });

  it.each([
    ['runAsUser 0', { runAsNonRoot: true, runAsUser: 0 }, {}, "container's runAsUser breaks non-root policy"],
    ['a root image', { runAsNonRoot: true }, {}, 'container has runAsNonRoot and image will run as root'],
    [
      'a named user',
      { runAsNonRoot: true },
      { username: 'web' },
      'container has runAsNonRoot and image has non-numeric user (web)',
    ],
  ])('[2:G-10] refuses runAsNonRoot with %s', (_, securityContext, image, text) => {
    const t = new TestManager();
    t.runtime.addImage('localhost/busybox:dev', 'sha256:1', image);
    expect(() => build(t, makePod({ containers: [defaulted({ securityContext })] }))).toThrow(text);
  });

  it('[2:G-09] derives shares, quota, limits and the OOM score from requests and limits', () => {
    const t = new TestManager();
    const of = (resources: object) => build(t, makePod({ containers: [defaulted({ resources })] })).linux?.resources;
    expect(of({ requests: { cpu: '250m', memory: '1Gi' }, limits: { cpu: '500m', memory: '2Gi' } })).toEqual({
      cpuPeriod: '100000',
      cpuShares: '256',
      cpuQuota: '50000',
      memoryLimitInBytes: String(2 * 1024 ** 3),
      memorySwapLimitInBytes: String(2 * 1024 ** 3),
      oomScoreAdj: '875',
    });
    expect(of({ requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '1', memory: '1Gi' } })?.oomScoreAdj).toBe(
      '-997',
    );
    expect(of({ limits: { cpu: '1m' } })).toMatchObject({ cpuShares: '2', cpuQuota: '1000', oomScoreAdj: '999' });
  });

  it('[2:G-09] on cgroup v2 says what happens without memory, and forbids swap', () => {
    const node = { ...testNode, cgroupVersion: 2 as const };
    const t = new TestManager({ deps: { nodeInfo: node } });
    expect(build(t).linux?.resources?.unified).toEqual({ 'memory.oom.group': '1', 'memory.swap.max': '0' });
    const without = new TestManager({ deps: { nodeInfo: { ...node, swapControllerAvailable: false } } });
    expect(build(without).linux?.resources?.unified).toEqual({ 'memory.oom.group': '1' });
  });

  it('[2:G-07] expands command and arguments from the environment', () => {
    const t = new TestManager();
    const env = [
      { name: 'A', value: 'one' },
      { name: 'B', value: '$(A)-$(C)-$$(A)' },
      { name: 'NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'IP', valueFrom: { fieldRef: { fieldPath: 'status.podIP' } } },
    ];
    const c = build(
      t,
      makePod({ containers: [defaulted({ env, command: ['$(B)', '$(MISSING)'], args: ['$(NAME) $(IP)'] })] }),
    );
    expect(c.command).toEqual(['one-$(C)-$(A)', '$(MISSING)']);
    expect(c.args).toEqual(['web-node1 10.1.1.1']);
  });

  it('[2:S-11] maps ports of regular containers only, each name once', () => {
    const t = new TestManager();
    const pod = makePod({
      initContainers: [defaulted({ name: 'init', ports: [{ containerPort: 1 }] })],
      containers: [
        defaulted({
          ports: [
            { name: 'http', containerPort: 80 },
            { name: 'http', containerPort: 81 },
            { containerPort: 53, protocol: 'UDP', hostPort: 5353, hostIP: '127.0.0.1' },
            { containerPort: 53, protocol: 'UDP', hostPort: 5353, hostIP: '127.0.0.1' },
          ],
        }),
      ],
    });
    const config = t.run(
      (function* () {
        return generatePodSandboxConfig(t.manager, pod, 3);
      })(),
    );
    expect(config.portMappings).toEqual([
      { containerPort: 80 },
      { containerPort: 53, protocol: 'UDP', hostPort: 5353, hostIp: '127.0.0.1' },
    ]);
    expect(config.metadata?.attempt).toBe(3);
  });
});
