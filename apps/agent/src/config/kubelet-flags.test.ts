import { describe, expect, it } from 'vitest';
import { parseArgs } from '../cli/args.js';
import { defaultAgentConfig } from './agent-config.js';
import { acceptedFlags, applyFlags, supportedFlags } from './kubelet-flags.js';

function apply(...argv: string[]) {
  const warnings: string[] = [];
  const { flags } = parseArgs('kubelet', argv, acceptedFlags);
  const config = defaultAgentConfig();
  applyFlags(
    config,
    supportedFlags(flags, (text) => warnings.push(text)),
    'Machine.local',
  );
  return { config, warnings };
}

describe('flags of the kubelet', () => {
  it('come before the file', () => {
    const { config, warnings } = apply(
      '--container-runtime-endpoint=unix:///run/x.sock',
      '--root-dir',
      '/r',
      '--hostname-override=node1',
      '--pod-manifest-path=/m',
      '--cgroup-driver=systemd',
      '--cluster-dns=10.0.0.10,10.0.0.11',
      '--fail-cgroupv1=false',
      '--file-check-frequency=1s',
      '--healthz-port=0',
      '-v=4',
    );
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({ containerRuntimeEndpoint: 'unix:///run/x.sock', healthzPort: 0, verbosity: 4 });
    expect(config.kubelet).toMatchObject({
      rootDirectory: '/r',
      nodeName: 'node1',
      staticPodPath: '/m',
      cgroupDriver: 'systemd',
      failCgroupV1: false,
      clusterDNS: ['10.0.0.10', '10.0.0.11'],
      fileCheckFrequency: 1_000_000,
    });
  });

  it('refuse cgroup v1 unless told otherwise, as upstream', () => {
    expect(apply().config.kubelet.failCgroupV1).toBe(true);
    expect(apply('--fail-cgroupv1').config.kubelet.failCgroupV1).toBe(true);
  });

  it('name the node after the machine otherwise', () => {
    expect(apply().config.kubelet.nodeName).toBe('machine.local');
    expect(() => apply('--hostname-override=a b')).toThrow(/the node's name is "a b".*--hostname-override/);
  });

  it('pace the runtime only where they are told to', () => {
    expect(apply().config.kubelet.runtimeConcurrency ?? 0).toBe(0);
    expect(apply('--runtime-concurrency=0').config.kubelet.runtimeConcurrency).toBe(0);
    expect(apply('--runtime-concurrency', '4').config.kubelet.runtimeConcurrency).toBe(4);
    for (const wrong of ['-1', '1.5', 'four', '1001', ''])
      expect(() => apply(`--runtime-concurrency=${wrong}`)).toThrow(
        `--runtime-concurrency is ${JSON.stringify(wrong)}, but must be a whole number from 0 to 1000`,
      );
    expect(() => apply('--runtime-concurrency')).toThrow(
      '--runtime-concurrency needs a value: --runtime-concurrency=N',
    );
    expect(() => apply('--runtime-concurency=4')).toThrow(/did you mean --runtime-concurrency/);
  });

  it('of the real kubelet that mean nothing here are taken with a word', () => {
    const { warnings } = apply('--fail-swap-on=false', '--cloud-provider', 'external', '--runtime-cgroups=/x');
    expect(warnings).toEqual(
      ['fail-swap-on', 'cloud-provider', 'runtime-cgroups'].map((name) => `flag --${name} has no effect here`),
    );
  });

  it('choose an API server: of a cluster, or our own', () => {
    expect(() => apply('--kubeconfig=/x')).not.toThrow();
    expect(() => apply('--serve-api')).not.toThrow();
    expect(() => apply('--kubeconfig=/x', '--serve-api')).toThrow(/two different API servers: leave one of them out/);
    const given = (...argv: string[]) => parseArgs('kubelet', argv, acceptedFlags).flags['serve-api'];
    expect([given('--serve-api'), given('--serve-api=0'), given('--serve-api', '-v=4'), given()]).toEqual([
      6443,
      0,
      6443,
      undefined,
    ]);
    const data = (...argv: string[]) => parseArgs('kubelet', argv, acceptedFlags).flags['serve-api-data'];
    expect([data('--serve-api-data', '/d'), data('--serve-api-data='), data()]).toEqual(['/d', '', undefined]);
    expect(() => given('--serve-api=x')).toThrow('--serve-api is "x", but must be a whole number from 0 to 65535');
  });

  it('choose how the node gets its certificates', () => {
    expect(() => apply('--bootstrap-kubeconfig=/b')).toThrow(/--bootstrap-kubeconfig needs --kubeconfig FILE/);
    expect(apply('--bootstrap-kubeconfig=/b', '--kubeconfig=/no/where').warnings).toEqual([]);
    const of = (...argv: string[]) => {
      const { config } = apply(...argv);
      return [config.rotateCertificates, config.server.serverTLSBootstrap];
    };
    expect(of()).toEqual([false, false]);
    expect(of('--rotate-certificates', '--rotate-server-certificates')).toEqual([true, true]);
  });

  it('say how the node registers and how often it asks', () => {
    const { config } = apply(
      '--register-node=false',
      '--node-labels=disk=ssd, node.kubernetes.io/x=,topology.kubernetes.io/zone=a',
      '--register-with-taints=dedicated=db:NoSchedule,only:NoExecute',
      '--node-ip=10.0.0.1,fd00::1',
      '--kube-api-qps=1',
      '--kube-api-burst=2',
      '--event-qps=3',
      '--event-burst=4',
    );
    expect(config.kubelet).toMatchObject({
      registerNode: false,
      nodeLabels: { disk: 'ssd', 'node.kubernetes.io/x': '', 'topology.kubernetes.io/zone': 'a' },
      registerWithTaints: [
        { key: 'dedicated', value: 'db', effect: 'NoSchedule' },
        { key: 'only', effect: 'NoExecute' },
      ],
      nodeIPs: ['10.0.0.1', 'fd00::1'],
      kubeAPIQPS: 1,
      kubeAPIBurst: 2,
      eventRecordQPS: 3,
      eventBurst: 4,
    });
  });

  it.each([
    ['--cgroup-driver=x', '--cgroup-driver is x, but must be cgroupfs or systemd'],
    ['--node-labels=a', '--node-labels is "a": "a" must be KEY=VALUE'],
    ['--node-labels=a/b/c=d', 'the key "a/b/c" has more than one slash'],
    ['--node-labels=a=b c', 'the value "b c" of a must have up to 63 letters'],
    [
      '--node-labels=node-role.kubernetes.io/worker=',
      "unknown 'kubernetes.io' or 'k8s.io' labels: node-role.kubernetes.io/worker; labels in the 'kubernetes.io' namespace must begin with an allowed prefix (kubelet.kubernetes.io, node.kubernetes.io)",
    ],
    ['--node-labels=x.k8s.io/a=b', "unknown 'kubernetes.io' or 'k8s.io' labels: x.k8s.io/a"],
    ['--register-with-taints=a', '"a" must be KEY=VALUE:EFFECT or KEY:EFFECT'],
    [
      '--register-with-taints=a:Never',
      'the effect of a is "Never", but must be NoSchedule, PreferNoSchedule, NoExecute',
    ],
    ['--register-with-taints=a=1:NoExecute,a=2:NoExecute', 'there are two taints with key a and effect NoExecute'],
    ['--node-ip=x', '"x" is not an IP address'],
    ['--node-ip=10.0.0.1,10.0.0.2', 'two addresses must be of different families'],
  ])('%s is refused', (flag, why) => {
    expect(() => apply(flag)).toThrow(why);
  });

  it('labels of the prototype are labels like any other', () => {
    const { nodeLabels } = apply('--node-labels=constructor=x,a=b').config.kubelet;
    expect(Object.entries(nodeLabels)).toEqual([
      ['constructor', 'x'],
      ['a', 'b'],
    ]);
    expect(() => apply('--node-labels=__proto__=x')).toThrow('the key "__proto__" must be a name');
  });
});
