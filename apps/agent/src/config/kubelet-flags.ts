/** Flags of `syncloop kubelet`: the kubelet's own as far as they mean something here, and ours. */
import { isAbsolute, resolve } from 'node:path';
import type { FlagSpec, FlagSpecs, Flags } from '../cli/args.js';
import { UsageError } from '../cli/errors.js';
import type { AgentConfig } from './kubelet-configuration.js';

const port = (help: string): FlagSpec & { type: 'int' } => ({ type: 'int', value: 'PORT', min: 0, max: 65535, help });

export const kubeletFlags = {
  config: { type: 'string', value: 'FILE', help: 'KubeletConfiguration file' },
  'container-runtime-endpoint': { type: 'string', value: 'unix:///PATH', help: 'socket of the container runtime' },
  'image-service-endpoint': {
    type: 'string',
    value: 'unix:///PATH',
    help: "socket for images, where it is not the runtime's",
  },
  'root-dir': { type: 'string', value: 'DIR', help: "the kubelet's own files (default /var/lib/kubelet)" },
  'hostname-override': { type: 'string', value: 'NAME', help: "the node's name (default: this machine's)" },
  'node-ip': { type: 'string', value: 'IP', help: "the node's address" },
  'pod-manifest-path': { type: 'string', value: 'PATH', help: 'manifest file or folder; staticPodPath of the file' },
  v: { type: 'int', value: 'LEVEL', min: 0, max: 10, help: 'verbosity of the log on stderr' },
  'ui-port': port('port of the debugger on loopback, 0 for any (default 7330)'),
  'no-ui': { type: 'bool', help: 'do not serve the debugger' },
  'allow-control': { type: 'bool', help: 'let the debugger pause and step the loop (default: look only)' },
  record: { type: 'string', value: 'FILE', help: 'write a recording as things happen' },
  'adopt-pods': { type: 'bool', help: "take over the runtime's pods that --root-dir does not know" },
  'runtime-concurrency': {
    type: 'int',
    value: 'N',
    min: 0,
    max: 1000,
    help: 'paced mode: at most N calls at a time that make the runtime work, such as 4; 0 for no bound, as upstream (default)',
  },
  'cgroup-driver': { type: 'string', value: 'NAME', help: 'cgroupfs or systemd' },
  'cluster-dns': { type: 'string', value: 'IPS', help: 'addresses for pods, with commas between' },
  'cluster-domain': { type: 'string', value: 'NAME', help: 'DNS domain for pods' },
  'file-check-frequency': { type: 'duration', help: 'how often manifests are listed' },
  'sync-frequency': { type: 'duration', help: 'longest time between two syncs of a pod' },
  'max-pods': { type: 'int', min: 0, help: 'most pods on this node' },
  'healthz-port': port('port of /healthz, 0 for none'),
  'healthz-bind-address': { type: 'string', value: 'IP', help: 'address of /healthz' },
  'read-only-port': port('port of /pods, /metrics and so on, 0 for none'),
  address: { type: 'string', value: 'IP', help: 'address of the read-only port' },
  'resolv-conf': { type: 'string', value: 'FILE', help: 'resolv.conf for pods' },
} as const satisfies FlagSpecs;

/** Flags of the kubelet that are taken, and said to have no effect. */
const withoutEffect: Readonly<Record<string, FlagSpec['type']>> = {
  alsologtostderr: 'bool',
  'anonymous-auth': 'bool',
  'authentication-token-webhook': 'bool',
  'authorization-mode': 'string',
  'bootstrap-kubeconfig': 'string',
  'cert-dir': 'string',
  'cgroup-root': 'string',
  'cgroups-per-qos': 'bool',
  'client-ca-file': 'string',
  'cloud-config': 'string',
  'cloud-provider': 'string',
  'config-dir': 'string',
  'container-runtime': 'string',
  'cpu-manager-policy': 'string',
  'enable-server': 'bool',
  'enforce-node-allocatable': 'string',
  'event-qps': 'int',
  'eviction-hard': 'string',
  'exit-on-lock-contention': 'bool',
  'fail-swap-on': 'bool',
  'feature-gates': 'string',
  'image-credential-provider-bin-dir': 'string',
  'image-credential-provider-config': 'string',
  'kube-reserved': 'string',
  'kubelet-cgroups': 'string',
  'lock-file': 'string',
  logtostderr: 'bool',
  'logging-format': 'string',
  'node-labels': 'string',
  'pod-cidr': 'string',
  'pod-infra-container-image': 'string',
  port: 'int',
  'protect-kernel-defaults': 'bool',
  'register-node': 'bool',
  'register-with-taints': 'string',
  'rotate-certificates': 'bool',
  'runtime-cgroups': 'string',
  'runtime-request-timeout': 'string',
  'seccomp-default': 'bool',
  'serialize-image-pulls': 'bool',
  'streaming-connection-idle-timeout': 'string',
  'system-reserved': 'string',
  'tls-cert-file': 'string',
  'tls-private-key-file': 'string',
  'topology-manager-policy': 'string',
  vmodule: 'string',
  'volume-plugin-dir': 'string',
};

/** All flags that a command line may hold. `--kubeconfig` is there to be refused in words. */
export const acceptedFlags: FlagSpecs = {
  ...Object.fromEntries(
    Object.entries(withoutEffect).map(([name, type]) => [
      name,
      { type, help: 'no effect here', hidden: true } as FlagSpec,
    ]),
  ),
  kubeconfig: { type: 'string', help: 'not supported yet', hidden: true },
  ...kubeletFlags,
};

export type KubeletFlags = Flags<typeof kubeletFlags>;

/** The given flags that do something, after a word on the others. Throws a UsageError for what cannot be. */
export function supportedFlags(given: Readonly<Record<string, unknown>>, warn: (text: string) => void): KubeletFlags {
  if (given.kubeconfig !== undefined) {
    throw new UsageError(
      '--kubeconfig is not supported yet: this kubelet runs stand-alone; leave the flag out and give manifests by staticPodPath in --config',
    );
  }
  const known = Object.entries(given).filter(([name]) => Object.hasOwn(kubeletFlags, name));
  for (const name of Object.keys(given)) {
    if (!Object.hasOwn(kubeletFlags, name)) warn(`flag --${name} has no effect here`);
  }
  return Object.fromEntries(known) as KubeletFlags;
}

/** Lays flags over a configuration: a flag comes before the file. */
export function applyFlags(config: AgentConfig, flags: KubeletFlags, hostname: string): void {
  const { kubelet } = config;
  const path = (text: string) => (isAbsolute(text) ? text : resolve(text));
  const set = <T>(value: T | undefined, put: (value: T) => void) => {
    if (value !== undefined) put(value);
  };
  kubelet.hostnameOverride = flags['hostname-override'] ?? '';
  kubelet.nodeName = nodeName(flags['hostname-override'] ?? hostname);
  set(flags['container-runtime-endpoint'], (v) => {
    config.containerRuntimeEndpoint = v;
  });
  set(flags['image-service-endpoint'], (v) => {
    config.imageServiceEndpoint = v;
  });
  set(flags['root-dir'], (v) => {
    kubelet.rootDirectory = path(v);
  });
  set(flags['pod-manifest-path'], (v) => {
    kubelet.staticPodPath = path(v);
  });
  set(flags['cgroup-driver'], (v) => {
    if (v !== 'cgroupfs' && v !== 'systemd')
      throw new UsageError(`--cgroup-driver is ${v}, but must be cgroupfs or systemd`);
    kubelet.cgroupDriver = v;
  });
  set(flags['runtime-concurrency'], (v) => {
    kubelet.runtimeConcurrency = v;
  });
  set(flags['cluster-dns'], (v) => {
    kubelet.clusterDNS = v.split(',').filter(Boolean);
  });
  set(flags['cluster-domain'], (v) => {
    kubelet.clusterDomain = v;
  });
  set(flags['file-check-frequency'], (v) => {
    kubelet.fileCheckFrequency = v;
  });
  set(flags['sync-frequency'], (v) => {
    kubelet.syncFrequency = v;
  });
  set(flags['max-pods'], (v) => {
    kubelet.maxPods = v;
  });
  set(flags['healthz-port'], (v) => {
    config.healthzPort = v;
  });
  set(flags['healthz-bind-address'], (v) => {
    config.healthzBindAddress = v;
  });
  set(flags['read-only-port'], (v) => {
    config.readOnlyPort = v;
  });
  set(flags.address, (v) => {
    config.address = v;
  });
  set(flags['resolv-conf'], (v) => {
    config.resolvConf = v;
  });
  set(flags.v, (v) => {
    config.verbosity = v;
  });
}

/** upstream: pkg/util/node GetHostname */
function nodeName(name: string): string {
  const trimmed = name.trim().toLowerCase();
  if (/^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/.test(trimmed)) return trimmed;
  throw new UsageError(
    `the node's name is ${JSON.stringify(name)}, but must be a DNS name (a-z, 0-9, "-" and "."): give one with --hostname-override`,
  );
}
