/** Flags of `syncloop kubelet`: the kubelet's own as far as they mean something here, and ours. */
import { isAbsolute, resolve } from 'node:path';
import { UsageError } from '../base/errors.js';
import type { FlagSpec, FlagSpecs, Flags } from '../cli/args.js';
import type { AgentConfig } from './agent-config.js';
import { parseNodeIPs, parseNodeLabels, parseTaints } from './node-words.js';
import { telemetryFlags } from './telemetry-flags.js';

const port = (help: string): FlagSpec & { type: 'int' } => ({ type: 'int', value: 'PORT', min: 0, max: 65535, help });

export const kubeletFlags = {
  config: { type: 'file', value: 'FILE', help: 'KubeletConfiguration file' },
  'container-runtime-endpoint': { type: 'string', value: 'unix:///PATH', help: 'socket of the container runtime' },
  'image-service-endpoint': {
    type: 'string',
    value: 'unix:///PATH',
    help: "socket of the image service, if it is not the runtime's",
  },
  'root-dir': { type: 'string', value: 'DIR', help: "folder for the kubelet's own files (default /var/lib/kubelet)" },
  'hostname-override': { type: 'string', value: 'NAME', help: "name of the node (default: the machine's host name)" },
  'node-ip': {
    type: 'string',
    value: 'IP',
    help: 'IP address of the node, or an IPv4 and an IPv6 address separated by a comma',
  },
  kubeconfig: {
    type: 'file',
    value: 'FILE',
    help: 'join the cluster of this kubeconfig as a node (default: run stand-alone)',
  },
  'bootstrap-kubeconfig': {
    type: 'file',
    value: 'FILE',
    help: 'kubeconfig with a token to ask for a client certificate; where --kubeconfig is missing or has expired it is written with that certificate',
  },
  'rotate-certificates': {
    type: 'bool',
    help: 'renew the client certificate with the API server before it expires (default: rotateCertificates in --config)',
  },
  'rotate-server-certificates': {
    type: 'bool',
    help: "let the API server sign the certificate of the kubelet's server, and renew it (default: serverTLSBootstrap in --config)",
  },
  'serve-api': {
    type: 'int',
    value: 'PORT',
    alone: '6443',
    min: 0,
    max: 65535,
    help: "serve syncloop's own API server on loopback, for kubectl; 0 picks any free port (default 6443); see docs/operators/real-node.md",
  },
  'serve-api-data': {
    type: 'string',
    value: 'DIR',
    help: 'folder in which that API server keeps its objects, keys and tokens, secrets among them, over restarts (default: api/data in --root-dir; empty: nothing is kept)',
  },
  'serve-api-encryption-provider-config': {
    type: 'file',
    value: 'FILE',
    help: 'EncryptionConfiguration that says which of these objects are encrypted on the disk, and with which keys (aesgcm, aescbc, identity); mode 0600',
  },
  'serve-api-kubeconfig': {
    type: 'file',
    value: 'FILE',
    help: 'where to write the kubeconfig of that API server (default: api/kubeconfig in --root-dir)',
  },
  'register-node': { type: 'bool', help: 'register the node with the API server, if there is one (default true)' },
  'register-with-taints': {
    type: 'string',
    value: 'TAINTS',
    help: 'taints to register the node with: KEY=VALUE:EFFECT, separated by commas',
  },
  'node-labels': {
    type: 'string',
    value: 'LABELS',
    help: 'labels to register the node with: KEY=VALUE, separated by commas',
  },
  'kube-api-qps': { type: 'int', value: 'N', min: 0, help: 'requests per second to the API server (default 50)' },
  'kube-api-burst': {
    type: 'int',
    value: 'N',
    min: 0,
    help: 'requests to the API server in one burst beyond --kube-api-qps (default 100)',
  },
  'event-qps': { type: 'int', value: 'N', min: 0, help: 'events per second; 0 for no limit (default 50)' },
  'event-burst': { type: 'int', value: 'N', min: 0, help: 'events in one burst beyond --event-qps (default 100)' },
  'image-credential-provider-config': {
    type: 'string',
    value: 'PATH',
    help: 'CredentialProviderConfig of the image credential plug-ins, or a folder of such files',
  },
  'image-credential-provider-bin-dir': {
    type: 'string',
    value: 'DIR',
    help: "folder of the credential plug-ins' programs",
  },
  'pod-manifest-path': {
    type: 'string',
    value: 'PATH',
    help: 'manifest file, or folder of manifests, of static pods; overrides staticPodPath',
  },
  v: { type: 'int', value: 'LEVEL', min: 0, max: 10, help: 'verbosity of the log on stderr, 0 to 10' },
  'ui-port': port('port of the debugger on loopback; 0 picks any free port (default 7330)'),
  'no-ui': { type: 'bool', help: 'do not serve the debugger' },
  'allow-control': { type: 'bool', help: 'let the debugger pause and step the kubelet (default: read-only)' },
  record: {
    type: 'file',
    value: 'FILE',
    help: 'write a recording while the kubelet runs; recordings of earlier runs are kept as NAME.1, NAME.2 and so on',
  },
  ...telemetryFlags,
  'adopt-pods': { type: 'bool', help: 'take over pods of the runtime that --root-dir does not know' },
  'share-node': {
    type: 'bool',
    help: 'start even if another kubelet or its pods are on this machine, and leave those alone',
  },
  'remove-any-image': {
    type: 'bool',
    help: 'let image garbage collection remove images that this kubelet did not pull',
  },
  'reveal-secrets': {
    type: 'bool',
    help: 'show secrets in the debugger that are otherwise removed from records; recordings and the log never have them',
  },
  'show-output': {
    type: 'bool',
    help: 'leave what probes, hooks and commands print in the debugger and in recordings, without the values of Secrets, tokens and pull credentials that the kubelet knows',
  },
  'workshop-code': {
    type: 'file',
    value: 'FILE',
    help: "code of a stage of the workshop, which decides in place of this kubelet's own: only for a node that nobody needs",
  },
  'runtime-concurrency': {
    type: 'int',
    value: 'N',
    min: 0,
    max: 1000,
    help: 'paced mode: at most N calls at a time that make the runtime work, such as 4; 0 (default) for no limit, as upstream',
  },
  'cgroup-driver': { type: 'string', value: 'NAME', help: 'cgroupfs or systemd' },
  'fail-cgroupv1': {
    type: 'bool',
    help: 'refuse to start on a machine with cgroup v1 (default true); =false for an older machine',
  },
  'cluster-dns': {
    type: 'string',
    value: 'IPS',
    help: 'IP addresses of the DNS servers for pods, separated by commas',
  },
  'cluster-domain': { type: 'string', value: 'NAME', help: 'DNS domain of the cluster, for pods' },
  'file-check-frequency': { type: 'duration', help: 'how often the manifest folder is listed' },
  'sync-frequency': { type: 'duration', help: 'longest time between two syncs of a pod' },
  'max-pods': { type: 'int', min: 0, help: 'largest number of pods on this node' },
  'healthz-port': port('port of /healthz; 0 for none'),
  'healthz-bind-address': { type: 'string', value: 'IP', help: 'IP address of /healthz' },
  'read-only-port': port('read-only port without authentication for /pods, /metrics and so on; 0 for none'),
  port: port("port of the kubelet's own server (default 10250)"),
  'enable-server': { type: 'bool', help: "serve the kubelet's own server (default true)" },
  address: { type: 'string', value: 'IP', help: "IP address of the kubelet's own server and of the read-only port" },
  'tls-cert-file': {
    type: 'file',
    value: 'FILE',
    help: "certificate of the kubelet's server, read again when it changes (default: a self-signed one)",
  },
  'tls-private-key-file': { type: 'file', value: 'FILE', help: 'private key of that certificate' },
  'cert-dir': {
    type: 'string',
    value: 'DIR',
    help: 'folder for certificates that the kubelet asks for, or signs itself (default: pki in --root-dir)',
  },
  'client-ca-file': {
    type: 'file',
    value: 'FILE',
    help: "CA whose client certificates the kubelet's server accepts",
  },
  'anonymous-auth': { type: 'bool', help: "accept anonymous requests to the kubelet's server (default false)" },
  'authentication-token-webhook': {
    type: 'bool',
    help: "authenticate bearer tokens with the API server's TokenReview (default: if there is an API server)",
  },
  'authorization-mode': {
    type: 'string',
    value: 'MODE',
    help: 'AlwaysAllow, or Webhook to ask the API server (default: Webhook if there is an API server)',
  },
  'server-token-file': {
    type: 'file',
    value: 'FILE',
    help: "file with tokens that the kubelet's server accepts if there is no API server; created if missing (default: server-token in --root-dir)",
  },
  'resolv-conf': { type: 'file', value: 'FILE', help: 'resolv.conf for pods' },
} as const satisfies FlagSpecs;

/** Flags of the kubelet that are accepted, with a warning that they have no effect. */
const withoutEffect: Readonly<Record<string, FlagSpec['type']>> = {
  alsologtostderr: 'bool',
  'cgroup-root': 'string',
  'cgroups-per-qos': 'bool',
  'cloud-config': 'string',
  'cloud-provider': 'string',
  'config-dir': 'string',
  'container-runtime': 'string',
  'cpu-manager-policy': 'string',
  'enforce-node-allocatable': 'string',
  'eviction-hard': 'string',
  'exit-on-lock-contention': 'bool',
  'fail-swap-on': 'bool',
  'feature-gates': 'string',
  'kube-reserved': 'string',
  'kubelet-cgroups': 'string',
  'lock-file': 'string',
  logtostderr: 'bool',
  'logging-format': 'string',
  'pod-cidr': 'string',
  'pod-infra-container-image': 'string',
  'protect-kernel-defaults': 'bool',
  'runtime-cgroups': 'string',
  'runtime-request-timeout': 'string',
  'seccomp-default': 'bool',
  'serialize-image-pulls': 'bool',
  'streaming-connection-idle-timeout': 'string',
  'system-reserved': 'string',
  'topology-manager-policy': 'string',
  vmodule: 'string',
  'volume-plugin-dir': 'string',
};

/** All flags that a command line may hold. */
export const acceptedFlags: FlagSpecs = {
  ...Object.fromEntries(
    Object.entries(withoutEffect).map(([name, type]) => [
      name,
      { type, help: 'no effect here', hidden: true } as FlagSpec,
    ]),
  ),
  ...kubeletFlags,
};

export type KubeletFlags = Flags<typeof kubeletFlags>;

/**
 * Returns the given flags that do something, after a warning about the others. Throws a UsageError for invalid ones.
 */
export function supportedFlags(given: Readonly<Record<string, unknown>>, warn: (text: string) => void): KubeletFlags {
  if (given['bootstrap-kubeconfig'] !== undefined && given.kubeconfig === undefined)
    throw new UsageError(
      '--bootstrap-kubeconfig needs --kubeconfig FILE: that is where the kubeconfig of the node is written',
    );
  if (given.kubeconfig !== undefined && given['serve-api'] !== undefined)
    throw new UsageError(
      '--kubeconfig and --serve-api are for two different API servers: leave one of them out (the first is for a cluster that there is, the second brings its own)',
    );
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
  const parsed = <T>(flag: 'node-labels' | 'register-with-taints' | 'node-ip', parse: (text: string) => T) => {
    const text = flags[flag];
    if (text === undefined) return undefined;
    try {
      return parse(text);
    } catch (err) {
      throw new UsageError(`--${flag} is ${JSON.stringify(text)}: ${(err as Error).message}`);
    }
  };
  set(parsed('node-labels', parseNodeLabels), (v) => {
    kubelet.nodeLabels = v;
  });
  set(parsed('register-with-taints', parseTaints), (v) => {
    kubelet.registerWithTaints = v;
  });
  set(parsed('node-ip', parseNodeIPs), (v) => {
    kubelet.nodeIPs = v;
  });
  set(flags['register-node'], (v) => {
    kubelet.registerNode = v;
  });
  set(flags['kube-api-qps'], (v) => {
    kubelet.kubeAPIQPS = v;
  });
  set(flags['kube-api-burst'], (v) => {
    kubelet.kubeAPIBurst = v;
  });
  set(flags['event-qps'], (v) => {
    kubelet.eventRecordQPS = v;
  });
  set(flags['event-burst'], (v) => {
    kubelet.eventBurst = v;
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
  const [credentials, programs] = [
    flags['image-credential-provider-config'],
    flags['image-credential-provider-bin-dir'],
  ];
  if ((credentials === undefined) !== (programs === undefined))
    throw new UsageError(
      '--image-credential-provider-config and --image-credential-provider-bin-dir belong together: give both',
    );
  if (credentials !== undefined && programs !== undefined)
    config.imageCredentialProvider = { config: path(credentials), binDir: path(programs) };
  set(flags['cgroup-driver'], (v) => {
    if (v !== 'cgroupfs' && v !== 'systemd')
      throw new UsageError(`--cgroup-driver is ${v}, but must be cgroupfs or systemd`);
    kubelet.cgroupDriver = v;
  });
  set(flags['fail-cgroupv1'], (v) => {
    kubelet.failCgroupV1 = v;
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
  applyServerFlags(config, flags, path);
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

function applyServerFlags(config: AgentConfig, flags: KubeletFlags, path: (text: string) => string): void {
  const { server } = config;
  config.port = flags.port ?? config.port;
  config.enableServer = flags['enable-server'] ?? config.enableServer;
  const file = (
    name: 'tls-cert-file' | 'tls-private-key-file' | 'cert-dir' | 'client-ca-file' | 'server-token-file',
  ) => {
    const given = flags[name];
    return given ? path(given) : given;
  };
  server.tlsCertFile = file('tls-cert-file') ?? server.tlsCertFile;
  server.tlsPrivateKeyFile = file('tls-private-key-file') ?? server.tlsPrivateKeyFile;
  server.certDir = file('cert-dir') ?? server.certDir;
  server.tokenFile = file('server-token-file') ?? server.tokenFile;
  server.serverTLSBootstrap = flags['rotate-server-certificates'] ?? server.serverTLSBootstrap;
  config.rotateCertificates = flags['rotate-certificates'] ?? config.rotateCertificates;
  server.authentication.clientCAFile = file('client-ca-file') ?? server.authentication.clientCAFile;
  server.authentication.anonymous = flags['anonymous-auth'] ?? server.authentication.anonymous;
  server.authentication.webhook = flags['authentication-token-webhook'] ?? server.authentication.webhook;
  const mode = flags['authorization-mode'];
  if (mode === undefined) return;
  if (mode !== 'AlwaysAllow' && mode !== 'Webhook')
    throw new UsageError(`--authorization-mode is ${mode}, but must be AlwaysAllow or Webhook`);
  server.authorization.mode = mode;
}
