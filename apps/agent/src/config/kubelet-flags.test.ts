import { describe, expect, it } from 'vitest';
import { parseArgs } from '../cli/args.js';
import { defaultAgentConfig } from './kubelet-configuration.js';
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
      clusterDNS: ['10.0.0.10', '10.0.0.11'],
      fileCheckFrequency: 1_000_000,
    });
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

  it('refuse an API server in words', () => {
    expect(() => apply('--kubeconfig=/x')).toThrow(/--kubeconfig is not supported yet.*staticPodPath/);
    expect(() => apply('--cgroup-driver=x')).toThrow('--cgroup-driver is x, but must be cgroupfs or systemd');
  });
});
