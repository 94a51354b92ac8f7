import { describe, expect, it } from 'vitest';
import type { Container, EnvVar, Pod, PodSpec, VolumeMount } from '../api/types.js';
import { background, Kernel } from '../kernel/index.js';
import { MemFS } from '../mock/fs/memfs.js';
import type { TraceRecord } from '../trace/index.js';
import { defaultKubeletConfig } from './config.js';
import { EventRecorder } from './events.js';
import { KubeletRuntimeHelper, managedHostsFileContent } from './kubelet-pods-run.js';
import { defaulted, makePod, TestManager, testNode } from './kuberuntime/testing/harness.js';
import { makeEnvironmentVariables } from './pod-env.js';
import { manifest, setup } from './testing/fake-node.js';
import { FakeObjects } from './volume/testing/fake-volumes.js';
import type { MountedVolume } from './volumemanager/volume-manager.js';

const podDir = '/var/lib/kubelet/pods/uid1';

/** A helper over a file system in memory, with a volume `v` at /vol. */
function helperOn(options: { volumes?: [string, MountedVolume][]; mounts?: boolean } = {}) {
  const kernel = new Kernel();
  const records: TraceRecord[] = [];
  kernel.addSink((r) => records.push(r));
  const fs = new MemFS(kernel);
  if (options.mounts === false) Object.defineProperty(fs, 'mounter', { value: undefined });
  fs.mkdirAllSync(podDir);
  fs.mkdirAllSync('/vol', 0o2775);
  fs.writeFileSync('/etc/hosts', '127.0.0.1\tnode\n');
  const volumes = options.volumes ?? [['v', { hostPath: '/vol', readOnly: false }]];
  const helper = new KubeletRuntimeHelper({
    kernel,
    config: { ...defaultKubeletConfig(), clusterDomain: 'cluster.local' },
    os: fs,
    nodeInfo: testNode,
    recorder: new EventRecorder(kernel),
    *onPodSandboxReady() {},
    getMountedVolumesForPod: () => new Map(volumes),
  });
  const options_ = (container: Container, pod: Pod, ips: string[]) => {
    let out: { value: Awaited<ReturnType<typeof value>> } | { error: unknown } | null = null;
    const value = () => helper.generateRunContainerOptions(background, pod, container, ips[0] ?? '', ips, null);
    kernel.go('test', function* () {
      try {
        out = { value: (yield* value()) as never };
      } catch (error) {
        out = { error };
      }
    });
    kernel.run({ until: kernel.now() + 1_000_000 });
    const result = out as
      | {
          value: {
            mounts: {
              name: string;
              containerPath: string;
              hostPath: string;
              readOnly: boolean;
              propagation: string;
              selinuxRelabel: boolean;
            }[];
            envs: { name: string; value: string }[];
          };
        }
      | { error: unknown }
      | null;
    if (!result) throw new Error('did not end');
    if ('error' in result) throw result.error;
    return result.value;
  };
  const generate = (
    volumeMounts: VolumeMount[],
    more: { spec?: Partial<PodSpec>; container?: Partial<Container>; ips?: string[] } = {},
  ) => {
    const container = defaulted({ volumeMounts, ...more.container });
    return options_(container, makePod({ containers: [container], ...more.spec }), more.ips ?? ['10.1.1.1']);
  };
  return { fs, generate, helper, records };
}

describe('mounts', () => {
  it('[3:POD-11] as declared, then /etc/hosts', () => {
    const { generate } = helperOn({
      volumes: [
        ['b', { hostPath: '/b', readOnly: false }],
        ['a', { hostPath: '/a', readOnly: true, seLinuxRelabel: true }],
      ],
    });
    const { mounts } = generate([
      { name: 'b', mountPath: './c//../b/' },
      { name: 'a', mountPath: '/a' },
    ]);
    expect(mounts.map((m) => [m.containerPath, m.hostPath, m.readOnly, m.selinuxRelabel])).toEqual([
      ['/b', '/b', false, false],
      ['/a', '/a', true, true],
      ['/etc/hosts', `${podDir}/etc-hosts`, false, true],
    ]);
  });

  it('[3:POD-15] a volume that is not there is an error; propagation and read-only are the mount’s', () => {
    const { generate } = helperOn();
    expect(() => generate([{ name: 'v2', mountPath: '/x' }])).toThrow(
      'cannot find volume "v2" to mount into container "app"',
    );
    const propagation = (mountPropagation?: VolumeMount['mountPropagation']) =>
      generate([{ name: 'v', mountPath: '/x', ...(mountPropagation && { mountPropagation }) }]).mounts[0]?.propagation;
    expect(([undefined, 'None', 'HostToContainer', 'Bidirectional'] as const).map(propagation)).toEqual([
      'PROPAGATION_PRIVATE',
      'PROPAGATION_PRIVATE',
      'PROPAGATION_HOST_TO_CONTAINER',
      'PROPAGATION_BIDIRECTIONAL',
    ]);
    expect(() => propagation('Odd' as 'None')).toThrow('invalid MountPropagation mode: "Odd"');
    expect(generate([{ name: 'v', mountPath: '/x', readOnly: true }]).mounts[0]?.readOnly).toBe(true);
    expect(() => generate([], { container: { volumeDevices: [{ name: 'v', devicePath: '/dev/x' }] } })).toThrow(
      'cannot find volume "v" to pass into container "app"',
    );
  });
});

describe('a part of a volume', () => {
  const at = (index: number) => `${podDir}/volume-subpaths/v/app/${index}`;

  it('[3:POD-14] [3:POD-01] is made with the mode of the volume’s root, and mounted under the pod’s folder', () => {
    const { fs, generate } = helperOn();
    const { mounts } = generate([
      { name: 'v', mountPath: '/whole' },
      { name: 'v', mountPath: '/part', subPath: 'a/b' },
    ]);
    expect(mounts[1]?.hostPath).toBe(at(1));
    expect(fs.statSync('/vol/a/b')).toMatchObject({ type: 'dir', mode: 0o2775 });
    expect(fs.mounter.list()).toMatchObject([{ type: 'bind', source: '/vol/a/b', target: at(1) }]);
    // Whoever exchanges the folder in the volume does not move what is mounted.
    fs.writeFileSync('/vol/a/b/mine', 'x');
    fs.renameSync('/vol/a', '/vol/gone');
    fs.symlinkSync('/etc', '/vol/a');
    expect(fs.readFileSync(`${at(1)}/mine`)).toBe('x');
    // The next container has what is there then.
    expect(() =>
      generate([
        { name: 'v', mountPath: '/whole' },
        { name: 'v', mountPath: '/part', subPath: 'a/b' },
      ]),
    ).toThrow('failed to create subPath directory for volumeMount "v" of container "app"');
  });

  it('[3:POD-14] may be a file', () => {
    const { fs, generate } = helperOn();
    fs.writeFileSync('/vol/f', 'text');
    expect(generate([{ name: 'v', mountPath: '/f', subPath: 'f' }]).mounts[0]?.hostPath).toBe(at(0));
    expect(fs.readFileSync(at(0))).toBe('text');
  });

  it.each([true, false])(
    '[3:POD-14] is not reached through a link that leaves the volume (host may mount: %s)',
    (mounts) => {
      const { fs, generate, records } = helperOn({ mounts });
      fs.symlinkSync('/etc', '/vol/out');
      fs.symlinkSync('in', '/vol/link');
      fs.mkdirAllSync('/vol/in');
      expect(() => generate([{ name: 'v', mountPath: '/x', subPath: 'out' }])).toThrow(
        /^failed to prepare subPath for volumeMount "v" of container "app"$/,
      );
      expect(() => generate([{ name: 'v', mountPath: '/x', subPath: 'out/new' }])).toThrow(
        /^failed to create subPath directory for volumeMount "v" of container "app"$/,
      );
      expect(fs.existsSync('/etc/new')).toBe(false);
      expect(JSON.stringify(records)).not.toContain('not within volume path');
      expect(generate([{ name: 'v', mountPath: '/x', subPath: 'link' }]).mounts[0]?.hostPath).toBe(at(0));
      fs.writeFileSync('/vol/in/f', 'inside');
      expect(fs.readFileSync(`${at(0)}/f`)).toBe('inside');
    },
  );

  it('[3:POD-14] is relative and goes nowhere back; its variables must all have a value', () => {
    const { generate } = helperOn();
    const of = (mount: Partial<VolumeMount>, env: EnvVar[] = []) =>
      generate([{ name: 'v', mountPath: '/x', ...mount }], { container: { env } });
    expect(() => of({ subPath: '/a' })).toThrow('error SubPath `/a` must not be an absolute path');
    expect(() => of({ subPath: 'a/../b' })).toThrow("unable to provision SubPath `a/../b`: must not contain '..'");
    expect(() => of({ subPathExpr: '$(N)/$(M)' }, [{ name: 'N', value: 'n' }])).toThrow('missing value for M');
    expect(() => of({ subPathExpr: '$(N)' }, [{ name: 'N', value: '../x' }])).toThrow("must not contain '..'");
    expect(of({ subPathExpr: '$(N)/x' }, [{ name: 'N', value: 'n' }]).mounts[0]?.hostPath).toBe(at(0));
  });
});

describe('/etc/hosts', () => {
  const hosts = (mounts: VolumeMount[], spec: Partial<PodSpec>, ips: string[]) => {
    const { fs, generate } = helperOn();
    const found = generate(mounts, { spec, ips }).mounts.some((m) => m.name === 'k8s-managed-etc-hosts');
    return found ? fs.statSync(`${podDir}/etc-hosts`)?.mode : null;
  };
  it('[3:POD-12] is managed unless a mount is there, or the pod has no address yet and is not the host’s', () => {
    expect(hosts([], {}, ['10.1.1.1'])).toBe(0o644);
    expect(hosts([], {}, [])).toBeNull();
    expect(hosts([], { hostNetwork: true }, [])).toBe(0o644);
    expect(hosts([{ name: 'v', mountPath: '/etc/hosts' }], {}, ['10.1.1.1'])).toBeNull();
    expect(hosts([{ name: 'v', mountPath: '/etc/hosts/' }], {}, ['10.1.1.1'])).toBe(0o644);
  });
  it('[3:POD-12] is written at each start of a container', () => {
    const { fs, generate } = helperOn();
    generate([]);
    fs.writeFileSync(`${podDir}/etc-hosts`, 'the container’s own', 0o600);
    generate([], { ips: ['10.1.1.2'] });
    expect(fs.readFileSync(`${podDir}/etc-hosts`)).toContain('10.1.1.2\tweb-node1\n');
    expect(fs.statSync(`${podDir}/etc-hosts`)?.mode).toBe(0o644);
  });
  it('[3:POD-13] holds what every pod has, its addresses and its aliases; on the host’s network the host’s own', () => {
    const aliases = [{ ip: '1.2.3.4', hostnames: ['a', 'b'] }];
    expect(managedHostsFileContent(['10.1.1.1', 'fd00::1'], 'web', 'sub.default.svc.cluster.local', aliases)).toBe(
      [
        '# Kubernetes-managed hosts file.',
        '127.0.0.1\tlocalhost',
        '::1\tlocalhost ip6-localhost ip6-loopback',
        'fe00::0\tip6-localnet',
        'fe00::0\tip6-mcastprefix',
        'fe00::1\tip6-allnodes',
        'fe00::2\tip6-allrouters',
        '10.1.1.1\tweb.sub.default.svc.cluster.local\tweb',
        'fd00::1\tweb.sub.default.svc.cluster.local\tweb',
        '',
        '# Entries added by HostAliases.',
        '1.2.3.4\ta\tb',
        '',
      ].join('\n'),
    );
    const { fs, generate } = helperOn();
    generate([], { spec: { hostNetwork: true, hostAliases: aliases } });
    expect(fs.readFileSync(`${podDir}/etc-hosts`)).toBe(
      '# Kubernetes-managed hosts file (host network).\n127.0.0.1\tnode\n\n# Entries added by HostAliases.\n1.2.3.4\ta\tb\n',
    );
  });
});

it('[3:POD-17] the host name is the given one or the pod’s, cut to 63, with a domain only where there is a subdomain', () => {
  const { helper } = helperOn();
  const of = (spec: Partial<PodSpec>, name = 'web') => helper.generatePodHostNameAndDomain(makePod(spec, { name }));
  expect(of({})).toEqual({ hostname: 'web', domain: '' });
  expect(of({ hostname: 'h', subdomain: 's' })).toEqual({ hostname: 'h', domain: 's.default.svc.cluster.local' });
  expect(of({}, `${'a'.repeat(61)}.-b`).hostname).toBe('a'.repeat(61));
  expect(of({ hostname: 'h', subdomain: 's', hostnameOverride: 'o.example' })).toEqual({
    hostname: 'o.example',
    domain: '',
  });
});

describe('environment', () => {
  const env = (
    list: EnvVar[],
    more: { container?: object; pod?: Pod; objects?: FakeObjects | null; podIPs?: string[]; nodeIPs?: string[] } = {},
  ) => {
    const t = new TestManager();
    const container = defaulted({ env: list, ...more.container });
    const out = t.run(
      makeEnvironmentVariables({
        pod: more.pod ?? makePod({ containers: [container] }),
        container,
        podIP: '',
        podIPs: more.podIPs ?? [],
        objects: more.objects === undefined ? new FakeObjects() : more.objects,
        nodeInfo: { ...testNode, addresses: more.nodeIPs ?? testNode.addresses },
        files: null,
      }),
    );
    return Object.fromEntries(out.map((e) => [e.name, e.value]));
  };
  const withServices = (entries: [string, string][]) =>
    Object.assign(new FakeObjects(), { getServiceEnvVarMap: () => new Map(entries) });

  it('[3:POD-04] cannot be made before services were read, but for static pods; nor where it is not said whether', () => {
    const objects = new FakeObjects();
    objects.synced = false;
    const text = 'services have not yet been read at least once, cannot construct envvars';
    expect(() => env([], { objects })).toThrow(text);
    const annotations = { 'kubernetes.io/config.source': 'file' };
    expect(env([], { objects, pod: makePod({}, { annotations }) })).toEqual({});
    expect(env([], { objects: null })).toEqual({});
    const pod = makePod();
    pod.spec.enableServiceLinks = undefined as never;
    expect(() => env([], { pod })).toThrow('nil pod.spec.enableServiceLinks encountered, cannot construct envvars');
  });

  it('[3:POD-05] [3:POD-06] envFrom in order, env over it, services where a name is free; tests compare them as a set', () => {
    const objects = withServices([
      ['A', 'service'],
      ['S', 'service'],
    ]);
    objects.configMaps.set('one', { data: { A: 'one', B: 'one' } });
    objects.configMaps.set('two', { data: { B: 'two', C: 'two' } });
    const envFrom = [
      { configMapRef: { name: 'one' } },
      { configMapRef: { name: 'two' } },
      { prefix: 'P_', configMapRef: { name: 'two' } },
    ];
    expect(env([{ name: 'C', value: 'own' }], { container: { envFrom }, objects })).toEqual({
      A: 'one',
      B: 'two',
      C: 'own',
      P_B: 'two',
      P_C: 'two',
      S: 'service',
    });
  });

  it('[3:POD-07] $(NAME) is what was before it; $$ is one $; all else stays', () => {
    const objects = withServices([
      ['S', 'svc'],
      ['X', 'svc'],
    ]);
    objects.configMaps.set('c', { data: { F: 'from', R: '$(S)' } });
    const got = env(
      [
        { name: 'X', value: '1' },
        { name: 'Y', value: '$(X)-$(S)-$(F)-$(LATER)-$(none)-$$(X)-$(open' },
        { name: 'LATER', value: 'late' },
        { name: 'REF', valueFrom: { configMapKeyRef: { name: 'c', key: 'R' } } },
      ],
      { container: { envFrom: [{ configMapRef: { name: 'c' } }] }, objects },
    );
    expect(got.Y).toBe('1-svc-from-$(LATER)-$(none)-$(X)-$(open');
    expect(got.REF).toBe('$(S)');
  });

  it('[3:POD-08] addresses are those of now, of the node’s family first; a limit that is missing is what the node has', () => {
    const field = (fieldPath: string): EnvVar => ({ name: fieldPath, valueFrom: { fieldRef: { fieldPath } } });
    const fields = [field('status.podIP'), field('status.podIPs'), field('status.hostIP'), field('status.hostIPs')];
    const podIPs = ['10.1.1.1', 'fd00::1'];
    expect(env(fields, { podIPs, nodeIPs: ['fd00::99', '192.0.2.1'] })).toEqual({
      'status.podIP': 'fd00::1',
      'status.podIPs': 'fd00::1,10.1.1.1',
      'status.hostIP': 'fd00::99',
      'status.hostIPs': 'fd00::99,192.0.2.1',
    });
    const limit = (resource: string, divisor: string): EnvVar => ({
      name: resource,
      valueFrom: { resourceFieldRef: { resource, divisor } },
    });
    expect(env([limit('limits.cpu', '1m'), limit('limits.memory', '1Mi'), limit('requests.cpu', '1m')])).toEqual({
      'limits.cpu': '4000',
      'limits.memory': '8192',
      'requests.cpu': '0',
    });
  });

  it('[3:POD-09] what may be missing is left out; what may not is an error that names it', () => {
    const objects = new FakeObjects();
    objects.configMaps.set('c', { data: { k: 'v' } });
    const ref = (name: string, key: string, optional = false): EnvVar => ({
      name: 'X',
      valueFrom: { configMapKeyRef: { name, key, optional } },
    });
    expect(env([ref('c', 'none', true)], { objects })).toEqual({});
    expect(env([ref('none', 'k', true)], { objects })).toEqual({});
    expect(env([], { objects, container: { envFrom: [{ configMapRef: { name: 'none', optional: true } }] } })).toEqual(
      {},
    );
    expect(() => env([ref('c', 'none')], { objects })).toThrow("couldn't find key none in ConfigMap default/c");
    expect(() => env([ref('none', 'k')], { objects })).toThrow('configmap "none" not found');
    const alone = "couldn't get configMap default/c, no kubeClient defined";
    expect(() => env([ref('c', 'k', true)], { objects: null })).toThrow(alone);
  });

  it('[3:POD-09] the container waits for it, and says for what', () => {
    const t = setup({
      config: { featureGates: { PreventStaticPodAPIReferences: false } },
      manifests: {
        'web.yaml': manifest('web', '    env: [{name: X, valueFrom: {configMapKeyRef: {name: c, key: k}}}]\n'),
      },
    });
    t.run(3);
    const uid = t.podOf('web-node1')?.metadata.uid ?? '';
    expect(t.kl.statusManager.getPodStatus(uid)?.containerStatuses?.[0]?.state).toMatchObject({
      waiting: {
        reason: 'CreateContainerConfigError',
        message: "couldn't get configMap default/c, no kubeClient defined",
      },
    });
  });
});

describe('on the node', () => {
  it('[3:POD-01] [3:POD-02] the pod’s folders are made after its cgroup and before its volumes', () => {
    const t = setup({
      manifests: {
        'web.yaml': manifest(
          'web',
          '    volumeMounts: [{name: d, mountPath: /d}]\n  volumes:\n  - name: d\n    emptyDir: {}\n',
        ),
      },
    });
    t.run(5);
    const uid = t.podOf('web-node1')?.metadata.uid;
    const dir = `/var/lib/kubelet/pods/${uid}`;
    for (const path of ['volumes/kubernetes.io~empty-dir/d', 'plugins/kubernetes.io~empty-dir/d', 'containers/app'])
      expect(t.os.dirs.has(`${dir}/${path}`), path).toBe(true);
    expect(t.os.files.has(`${dir}/etc-hosts`)).toBe(true);
    expect([...t.os.files.keys()].some((f) => /containers\/app\/[0-9a-f]{8}$/.test(f))).toBe(true);
    const steps = t
      .of('step')
      .filter((s) => s.fn === 'SyncPod')
      .map((s) => s.name);
    const order = ['pod cgroup', 'mirror pod', 'data directories', 'volumes'].map((name) => steps.indexOf(name));
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(order).not.toContain(-1);
  });

  it('[3:POD-02] that they cannot be made is an event, and no container starts', () => {
    const t = setup({ manifests: { 'web.yaml': manifest('web') } });
    const { mkdirAll } = t.os;
    t.os.mkdirAll = function* (path: string) {
      if (/\/pods\/[^/]+\/volumes$/.test(path)) throw new Error('no room');
      yield* mkdirAll.call(t.os, path);
    };
    t.run(3);
    expect(
      t
        .of('kube-event')
        .filter((e) => e.object.kind === 'Pod')
        .map((e) => `${e.reason}: ${e.message}`)[0],
    ).toBe('Failed: error making pod data directories: no room');
    expect(t.cri.calls).not.toContain('RunPodSandbox');
  });

  it('[3:VOL-06] that a volume is late is no event of the pod’s; that there is no plug-in for it is', () => {
    const wants = (source: string) =>
      manifest('web', `    volumeMounts: [{name: d, mountPath: /d}]\n  volumes:\n  - name: d\n    ${source}\n`);
    const events = (source: string, seconds: number) => {
      const t = setup({ manifests: { 'web.yaml': wants(source) } });
      t.run(seconds);
      return t
        .of('kube-event')
        .filter((e) => e.object.kind === 'Pod')
        .map((e) => e.message);
    };
    expect(new Set(events('hostPath: {path: /x, type: Directory}', 130))).toEqual(
      new Set(['MountVolume.SetUp failed for volume "d" : hostPath type check failed: /x is not a directory']),
    );
    expect(events('nfs: {server: s, path: /p}', 3)[0]).toBe(
      'Unable to attach or mount volumes: unmounted volumes=[d], unattached volumes=[], failed to process volumes=[d]: failed to get Plugin from volumeSpec for volume "d" err=no volume plugin matched',
    );
  });

  it('[3:VOL-08] a pod that ends takes its volumes with it, and then its folder', () => {
    const t = setup({
      manifests: {
        'web.yaml': manifest(
          'web',
          '    volumeMounts: [{name: d, mountPath: /d}]\n  volumes:\n  - name: d\n    emptyDir: {}\n',
        ),
      },
    });
    t.run(5);
    const uid = t.podOf('web-node1')?.metadata.uid;
    t.os.rm('/m/web.yaml');
    t.run(20);
    const logs = t.of('log').map((l) => l.msg);
    expect(logs.indexOf('Pod termination unmounted volumes')).toBeGreaterThan(
      logs.indexOf('Waiting for volumes to unmount for pod'),
    );
    expect(logs).toContain('Pod termination cleaned up volume paths');
    expect([...t.os.dirs].filter((d) => d.includes(`/pods/${uid}`))).toEqual([]);
  });
});
