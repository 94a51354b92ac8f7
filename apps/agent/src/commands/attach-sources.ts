/** The sources of `syncloop attach`, and the flags that name them. */
import { UsageError } from '../base/errors.js';
import type { FlagSpecs, Flags } from '../cli/args.js';
import { readFlagFile } from '../cli/flag-file.js';
import { JournalSource } from '../observe/journal.js';
import type { KubeletAccess } from '../observe/kubelet-client.js';
import { LogFileSource } from '../observe/log-file.js';
import type { EvidenceSource } from '../observe/source.js';
import { TapSource } from '../observe/tap-source.js';

const LINES = 20_000;

export const sourceFlags = {
  log: {
    type: 'file',
    value: 'FILE',
    help: "the kubelet's log file, which is followed across rotation (default: the journal)",
  },
  unit: { type: 'string', value: 'NAME', help: "the kubelet's systemd unit, such as k3s (default kubelet)" },
  'journal-directory': {
    type: 'string',
    value: 'DIR',
    help: "folder of the journal (default: this machine's own)",
  },
  lines: {
    type: 'int',
    value: 'N',
    min: 0,
    help: `begin with this many of the log's last lines (default ${LINES})`,
  },
  'no-log': { type: 'bool', help: 'read no log; another source must be named' },
  'runtime-endpoint': {
    type: 'string',
    value: 'unix:///PATH',
    help: 'also query the container runtime, by calls that only read; access to its socket amounts to root',
  },
  tap: {
    type: 'string',
    value: 'unix:///PATH',
    help: 'also read what a syncloop tap on this node has decoded, at its --evidence: unix:///run/syncloop/evidence.sock',
  },
  'spans-grpc': {
    type: 'string',
    value: 'HOST:PORT',
    help: "also receive the kubelet's spans over gRPC; set its tracing.endpoint to this address: 127.0.0.1:4317",
  },
  'spans-http': {
    type: 'string',
    value: 'HOST:PORT',
    help: 'also receive spans over HTTP, from a Collector: 127.0.0.1:4318',
  },
  'spans-token-file': {
    type: 'file',
    value: 'FILE',
    help: 'file with the token that senders of spans must give; needed beyond loopback',
  },
  kubelet: {
    type: 'string',
    value: 'URL',
    help: 'also query /pods and /metrics of the kubelet: https://127.0.0.1:10250',
  },
  'kubelet-token-file': {
    type: 'file',
    value: 'FILE',
    help: 'file with a bearer token for the kubelet; read for each request',
  },
  'kubelet-cert-file': { type: 'file', value: 'FILE', help: 'file with a client certificate for the kubelet (PEM)' },
  'kubelet-key-file': { type: 'file', value: 'FILE', help: "file with that certificate's key (PEM)" },
  'kubelet-ca-file': {
    type: 'file',
    value: 'FILE',
    help: "file with the CA of the kubelet's certificate (PEM); no other CA is trusted",
  },
  'kubelet-server-name': {
    type: 'string',
    value: 'NAME',
    help: "name in the kubelet's certificate, such as the node's name",
  },
} as const satisfies FlagSpecs;
export type SourceFlags = Flags<typeof sourceFlags>;

/** Passes on a request with spans, as it came. */
export type Forward = (request: Uint8Array) => void;

/**
 * Returns the sources that the flags name; without any, the journal. Large modules are loaded only when they are
 * needed. Throws a UsageError for flags that contradict each other.
 */
export async function sourcesOf(flags: SourceFlags, forward?: Forward): Promise<EvidenceSource[]> {
  const sources = [...logOf(flags)];
  const endpoint = flags['runtime-endpoint'];
  if (endpoint !== undefined) {
    const [{ RuntimePollSource }, { socketPath }] = await Promise.all([
      import('../observe/runtime-poll-source.js'),
      import('../cri/endpoint.js'),
    ]);
    socketPath(endpoint);
    sources.push(new RuntimePollSource('events', endpoint));
  }
  if (flags.tap !== undefined) sources.push(new TapSource('cri', pathOf('--tap', flags.tap)));
  const [grpc, http] = [addressOf(flags, 'spans-grpc'), addressOf(flags, 'spans-http')];
  const tokenFile = flags['spans-token-file'];
  if (grpc || http) {
    const { SpansSource } = await import('../observe/spans-source.js');
    sources.push(
      new SpansSource({
        id: 'spans',
        ...(grpc && { grpc }),
        ...(http && { http }),
        ...(tokenFile !== undefined && { token: readFlagFile('--spans-token-file', tokenFile).trim() }),
        ...(forward && { forward }),
      }),
    );
  } else if (tokenFile !== undefined)
    throw new UsageError('--spans-token-file has an effect only with --spans-grpc or --spans-http: give one as well');
  const access = kubeletOf(flags);
  if (access) {
    const [{ KubeletClient }, { scrapeMetrics, watchPods }] = await Promise.all([
      import('../observe/kubelet-client.js'),
      import('../observe/polled-source.js'),
    ]);
    const client = new KubeletClient(access);
    sources.push(watchPods({ id: 'pods', client }), scrapeMetrics({ id: 'metrics', client }));
  }
  if (sources.length === 0)
    throw new UsageError('--no-log leaves no source: remove it, or name another source, such as --kubelet');
  return sources;
}

function logOf(flags: SourceFlags): readonly EvidenceSource[] {
  const lines = flags.lines ?? LINES;
  const { log, unit, 'journal-directory': directory } = flags;
  if (log !== undefined && (unit !== undefined || directory !== undefined))
    throw new UsageError('--log FILE reads a file and --unit the journal: give one of them');
  if (flags['no-log']) {
    if (log !== undefined || unit !== undefined)
      throw new UsageError('--no-log contradicts --log and --unit: remove one of them');
    return [];
  }
  if (log !== undefined)
    return [new LogFileSource({ id: 'log', path: log, lines, zoneMinutes: -new Date().getTimezoneOffset() })];
  return [
    new JournalSource({ id: 'log', unit: unit ?? 'kubelet', lines, ...(directory !== undefined && { directory }) }),
  ];
}

/** Returns the access to the kubelet's own server that the flags name; null if it is not asked. */
export function kubeletOf(flags: SourceFlags): KubeletAccess | null {
  const given = {
    tokenFile: flags['kubelet-token-file'],
    certFile: flags['kubelet-cert-file'],
    keyFile: flags['kubelet-key-file'],
    caFile: flags['kubelet-ca-file'],
    serverName: flags['kubelet-server-name'],
  };
  if (flags.kubelet === undefined) {
    if (Object.values(given).some((value) => value !== undefined))
      throw new UsageError('the --kubelet-... flags have an effect only with --kubelet: give that as well');
    return null;
  }
  const access: { -readonly [K in keyof KubeletAccess]: KubeletAccess[K] } = { url: flags.kubelet };
  for (const [name, value] of Object.entries(given))
    if (value !== undefined) access[name as keyof KubeletAccess] = value;
  return access;
}

function addressOf(flags: SourceFlags, name: 'spans-grpc' | 'spans-http'): { host: string; port: number } | undefined {
  const text = flags[name];
  if (text === undefined) return undefined;
  const [, host, port] = /^(?:\[?([\w.:-]*?)\]?:)?(\d{1,5})$/.exec(text) ?? [];
  if (port === undefined || Number(port) > 65535)
    throw new UsageError(`--${name} is ${JSON.stringify(text)}, but must be HOST:PORT, such as 127.0.0.1:4317`);
  return { host: host || '127.0.0.1', port: Number(port) };
}

export function pathOf(flag: string, endpoint: string): string {
  const path = endpoint.replace(/^unix:(\/\/)?/, '');
  if (!path.startsWith('/'))
    throw new UsageError(`${flag} is ${JSON.stringify(endpoint)}, but must be a socket, such as unix:///run/a.sock`);
  return path;
}
