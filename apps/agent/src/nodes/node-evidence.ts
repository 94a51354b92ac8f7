/** The evidence of one node out of its cluster: the kubelet's log, and its pods as the API server has them. */
import { open, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { SetupError } from '../base/errors.js';
import { ClusterEvents, writeApiLines } from './api-evidence.js';
import { NAME } from './cluster.js';
import { type Kubectl, KubectlError } from './kubectl.js';

export interface Wanted {
  readonly node: string;
  /** Lines since then, ms since 1970. */
  readonly sinceMillis: number;
  /** The last lines alone, of a log that is long. */
  readonly lines?: number;
}

export interface FetchOptions {
  /** The folder for the files. */
  readonly folder: string;
  /** Takes sentences about what is missing or worth knowing. */
  readonly say: (sentence: string) => void;
  /** The wait before another attempt, ms. Default: real time. */
  readonly pause?: (millis: number) => Promise<unknown>;
  /** The events of the cluster, if several nodes share them. */
  readonly events?: ClusterEvents;
}

/** Returns the events of a cluster, which are asked for when the first node needs them. */
export const clusterEvents = (kubectl: Kubectl, pause?: FetchOptions['pause']): ClusterEvents =>
  new ClusterEvents((path) => again(() => kubectl.raw(path), pause));

/** The waits before attempts, ms: a server that is busy, or a connection that was cut, may answer the next time. */
const WAITS = [500, 1000, 2000];
const LATER = /^(TooManyRequests|ServiceUnavailable|InternalError|ServerTimeout|Timeout)$/;
const CUT = /EOF|connection (reset|refused)|timed? ?out|TLS handshake/i;
const HEAD = 4096;
/** upstream: pkg/kubelet/kubelet_server_journal.go (*nodeLogQuery).copyForBoot */
const RESOLVED_TO_FILE = 'options present and query resolved to log files';

/**
 * Writes the log of a node's kubelet since a time, the node's pods, its conditions and the events about it and them,
 * into files that `syncloop open` and `explain` read. Throws a SetupError that says what is missing and the other ways
 * to the log.
 * upstream: pkg/kubelet/kubelet_server_journal.go
 */
export async function fetchEvidence(kubectl: Kubectl, wanted: Wanted, options: FetchOptions): Promise<void> {
  const { node } = wanted;
  if (!NAME.test(node)) throw new SetupError(`${JSON.stringify(node)} is not the name of a node`);
  const conditions = await describeNode(kubectl, node, options);
  await fetchLog(kubectl, wanted, options);
  const pods = await fetchPods(kubectl, node, options);
  await fetchEvents(kubectl, wanted, { pods, conditions }, options);
}

/** Says what the node is; one that the user may not get may still give its log. */
async function describeNode(kubectl: Kubectl, node: string, { say, pause }: FetchOptions): Promise<Conditions> {
  const text = await again(() => kubectl.raw(`/api/v1/nodes/${node}`), pause).catch((err: KubectlError) => {
    if (err.reason === 'NotFound') throw new SetupError(`the cluster has no node ${node}: see kubectl get nodes`);
    if (err.reason === 'Forbidden') {
      say(`the node ${node} is not shown, nor its conditions: ${err.message}`);
      return null;
    }
    throw err;
  });
  const status = text === null ? undefined : parsed<NodeJson>(text).status;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const { kubeletVersion = 'of unknown version', containerRuntimeVersion } = status?.nodeInfo ?? {};
  if (status)
    say(
      `${node}: kubelet ${kubeletVersion}${containerRuntimeVersion ? `, ${containerRuntimeVersion}` : ''}, ${
        ready?.status === 'True' ? 'Ready' : `not Ready${ready?.message ? `: ${ready.message}` : ''}`
      }`,
    );
  return status?.conditions ?? [];
}

async function fetchLog(kubectl: Kubectl, { node, sinceMillis, lines }: Wanted, options: FetchOptions): Promise<void> {
  const file = join(options.folder, 'kubelet.log');
  const since = new Date(sinceMillis).toISOString().replace(/\.\d+Z$/, 'Z');
  const query = new URLSearchParams({ query: 'kubelet', sinceTime: since });
  if (lines !== undefined) query.set('tailLines', String(lines));
  const logs = `/api/v1/nodes/${node}/proxy/logs/`;
  const read = async (path: string) => {
    try {
      await again(() => kubectl.rawToFile(path, file), options.pause);
    } catch (err) {
      // A log is worth reading as far as it came.
      if (!(err instanceof KubectlError) || err.reason !== '' || (await sizeOf(file)) === 0) throw err;
      options.say(`the log was cut, so its last lines may be missing (${err.message})`);
    }
    return await headOf(file);
  };
  let head: string;
  try {
    head = await read(`${logs}?${query}`);
    if (isListing(head)) {
      // Without queries, the files below /var/log may be served all the same.
      if (!head.includes('href="kubelet.log"'))
        throw new SetupError('the setting enableSystemLogQuery or the feature gate NodeLogQuery of its kubelet is off');
      head = await read(`${logs}kubelet.log`);
    }
    // A kubelet cuts no part out of a file.
    if (head.includes(RESOLVED_TO_FILE)) {
      options.say(`the kubelet of ${node} logs into a file, which is read whole`);
      head = await read(`${logs}?query=kubelet`);
    }
  } catch (err) {
    if (!(err instanceof SetupError)) throw err;
    throw new SetupError(refusal(node, since, err));
  }
  if (/^\s*(-- No entries --\s*)?$/.test(head)) {
    await rm(file, { force: true });
    throw new SetupError(
      `the log of ${node} has no lines of the unit kubelet since ${since}: give --since a longer time; on k3s, RKE2 and MicroK8s the kubelet is part of another unit\n${otherWays(node, since)}`,
    );
  }
}

/** Resolves with the names of the node's pods; with none if they may not be listed. */
async function fetchPods(
  kubectl: Kubectl,
  node: string,
  { folder, say, pause }: FetchOptions,
): Promise<ReadonlySet<string>> {
  try {
    const list = await again(() => kubectl.raw(`/api/v1/pods?fieldSelector=spec.nodeName%3D${node}`), pause);
    const { items = [] } = parsed<{ readonly items?: readonly PodJson[] }>(list);
    await writeFile(join(folder, 'pods.ndjson'), `${JSON.stringify({ at: Date.now(), pods: items })}\n`, {
      mode: 0o600,
    });
    return new Set(items.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`));
  } catch (err) {
    if (!(err instanceof SetupError)) throw err;
    say(`the pods of ${node} are not shown: ${err.message}`);
    return new Set();
  }
}

/** Events of an API server are kept for an hour by default, and may be forbidden: the rest is as good without them. */
async function fetchEvents(
  kubectl: Kubectl,
  { node, sinceMillis }: Wanted,
  { pods, conditions }: { readonly pods: ReadonlySet<string>; readonly conditions: Conditions },
  { folder, say, pause, events = clusterEvents(kubectl, pause) }: FetchOptions,
): Promise<void> {
  let found: Awaited<ReturnType<ClusterEvents['of']>> = { events: [], cut: false };
  try {
    found = await events.of(node, pods);
    if (found.cut) say(`the API server has more events than are looked through, so some of ${node} may be missing`);
  } catch (err) {
    if (!(err instanceof SetupError)) throw err;
    say(`the events of ${node} are not read: ${err.message}`);
  }
  await writeApiLines(join(folder, 'api.ndjson'), sinceMillis, found.events, conditions);
}

/** Resolves with the node of a pod and the time of its creation, ms since 1970. Throws a SetupError. */
export async function placeOfPod(
  kubectl: Kubectl,
  namespace: string,
  pod: string,
): Promise<{ readonly node: string; readonly sinceMillis: number }> {
  for (const name of [namespace, pod])
    if (!NAME.test(name)) throw new SetupError(`${JSON.stringify(name)} is not the name of a pod or a namespace`);
  const text = await again(() => kubectl.raw(`/api/v1/namespaces/${namespace}/pods/${pod}`)).catch(
    (err: KubectlError) => {
      if (err.reason !== 'NotFound') throw err;
      throw new SetupError(
        `there is no pod ${pod} in the namespace ${namespace}: see kubectl get pods, or give --namespace; a pod that is gone is still in the log of its node`,
      );
    },
  );
  const { spec, metadata } = parsed<PodJson>(text);
  if (!spec?.nodeName)
    throw new SetupError(
      `the pod ${pod} is on no node yet: no kubelet has it; kubectl describe pod ${pod} says what the scheduler waits for`,
    );
  const created = Date.parse(metadata?.creationTimestamp ?? '');
  return { node: spec.nodeName, sinceMillis: Number.isNaN(created) ? Date.now() : created };
}

function parsed<T extends object>(text: string): T {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as T;
  } catch {
    // It is reported below.
  }
  throw new SetupError(`the API server answers with something else than an object: ${text.slice(0, 100)}`);
}

/** The namespace of kubectl's configuration; `default` if it has none. */
export const ownNamespace = async (kubectl: Kubectl): Promise<string> =>
  (await kubectl.text(['config', 'view', '--minify', '--output', 'jsonpath={..namespace}'])).trim() || 'default';

/** Runs an attempt until it succeeds, or fails with what another attempt would not change. */
async function again<T>(once: () => Promise<T>, pause: (millis: number) => Promise<unknown> = wait): Promise<T> {
  for (const millis of WAITS) {
    try {
      return await once();
    } catch (err) {
      if (!(err instanceof KubectlError) || !(LATER.test(err.reason) || (err.reason === '' && CUT.test(err.message))))
        throw err;
      await pause(millis);
    }
  }
  return await once();
}

/** The page that a server of files makes of a folder, rather than lines of a log. */
const isListing = (head: string): boolean => /^\s*<(!doctype|html|pre)/i.test(head);

function refusal(node: string, since: string, err: SetupError): string {
  const reason = err instanceof KubectlError ? err.reason : '';
  const why =
    reason === 'Forbidden' || reason === 'Unauthorized'
      ? `you may not read it: ${err.message}. It takes the verb get on nodes/proxy`
      : /^(NotFound|MethodNotAllowed|BadRequest)$/.test(reason)
        ? `its kubelet does not serve it (${err.message}): that takes enableSystemLogHandler, enableSystemLogQuery and the feature gate NodeLogQuery`
        : err.message;
  return `the log of ${node} cannot be read through the API server: ${why}\n${otherWays(node, since)}`;
}

/** Ways to a node's log that take other rights, the one that changes least first. */
const otherWays = (node: string, since: string): string =>
  [
    'Other ways to it:',
    '- a debugging pod, which takes the rights to create pods there and to attach to them:',
    `    kubectl debug node/${node} --quiet --attach --profile=sysadmin --image=busybox -- chroot /host journalctl -u kubelet --utc -o short-precise --since ${JSON.stringify(since.replace('T', ' ').replace('Z', ' UTC'))} | kubectl syncloop explain -`,
    '- on the node itself, as root: journalctl -u kubelet | syncloop explain -',
    '- syncloop attach on each node, from then on (a DaemonSet): docs/operators/attach-live.md',
  ].join('\n');

const sizeOf = (file: string): Promise<number> =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  );
async function headOf(path: string): Promise<string> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(HEAD), 0, HEAD, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}

interface NodeJson {
  readonly status?: {
    readonly nodeInfo?: { readonly kubeletVersion?: string; readonly containerRuntimeVersion?: string };
    readonly conditions?: Conditions;
  };
}
type Conditions = readonly {
  readonly type?: string;
  readonly status?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
}[];
interface PodJson {
  readonly metadata?: { readonly namespace?: string; readonly name?: string; readonly creationTimestamp?: string };
  readonly spec?: { readonly nodeName?: string };
}
