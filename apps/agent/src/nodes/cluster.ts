/** Asks a cluster, with the kubectl and the rights of whoever looks. */
import type { ChildProcess } from 'node:child_process';
import { SetupError } from '../base/errors.js';
import { ignoreChildErrors } from '../base/ignore-errors.js';
import { Kubectl, type KubectlOptions } from './kubectl.js';

export interface ClusterOptions extends KubectlOptions {
  readonly namespace: string;
  /** Labels of the pods, as kubectl's --selector takes them. */
  readonly selector: string;
}

/** A node where attach runs. */
export interface AttachedNode {
  readonly node: string;
  readonly pod: string;
  readonly ready: boolean;
  readonly restarts: number;
  /** When the pod began, as Kubernetes writes times; '' if it has not. */
  readonly since: string;
  /** The reason why it is not ready, in Kubernetes' words; '' if unknown. */
  readonly problem: string;
}

/** A way to a node's page that stays open until it is closed, or the pod goes. */
export interface Forward {
  readonly port: number;
  readonly ended: Promise<void>;
  close(): void;
}

/** The port of attach in its pod, and the place of its token. */
const PORT = 7330;
const TOKEN_FILE = '/run/syncloop/token';
const ASK_MILLIS = 20_000;
/** Names of pods and nodes: nothing that could be a flag or markup. */
export const NAME = /^[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?$/;

export class Cluster {
  private readonly kubectl: Kubectl;

  constructor(private readonly options: ClusterOptions) {
    this.kubectl = new Kubectl(options);
  }

  /** The nodes, by name. Throws a SetupError with kubectl's own words. */
  async nodes(): Promise<AttachedNode[]> {
    const text = await this.kubectl.text(['get', 'pods', '--selector', this.options.selector, '--output', 'json']);
    const { items = [] } = JSON.parse(text) as { readonly items?: readonly PodJson[] };
    return items
      .flatMap((pod) => nodeOf(pod) ?? [])
      .sort((a, b) => a.node.localeCompare(b.node, 'en', { numeric: true }));
  }

  /** The token of the page in a pod. */
  async token(pod: string): Promise<string> {
    mustBeName(pod);
    const token = (await this.kubectl.text(['exec', pod, '--', 'cat', TOKEN_FILE])).trim();
    if (!/^[\w-]{32,512}$/.test(token))
      throw new SetupError(`the pod ${pod} has no token in ${TOKEN_FILE}: does syncloop attach run in it?`);
    return token;
  }

  /** Forwards a free port of loopback to the page in a pod. */
  forward(pod: string): Promise<Forward> {
    mustBeName(pod);
    const args = ['port-forward', '--address', '127.0.0.1', `pod/${pod}`, `:${PORT}`];
    return forwarded(ignoreChildErrors(this.kubectl.start(args)), pod);
  }
}

function mustBeName(pod: string): void {
  if (!NAME.test(pod)) throw new SetupError(`${JSON.stringify(pod)} is not the name of a pod`);
}

interface PodJson {
  readonly metadata?: { readonly name?: string };
  readonly spec?: { readonly nodeName?: string };
  readonly status?: {
    readonly phase?: string;
    readonly reason?: string;
    readonly startTime?: string;
    readonly conditions?: readonly { readonly type?: string; readonly status?: string; readonly message?: string }[];
    readonly containerStatuses?: readonly {
      readonly restartCount?: number;
      readonly state?: { readonly waiting?: { readonly reason?: string; readonly message?: string } };
    }[];
  };
}

function nodeOf({ metadata, spec, status }: PodJson): AttachedNode | null {
  const pod = metadata?.name ?? '';
  const node = spec?.nodeName ?? '';
  if (!NAME.test(pod) || !NAME.test(node)) return null;
  const containers = status?.containerStatuses ?? [];
  const ready = status?.conditions?.some((c) => c.type === 'Ready' && c.status === 'True') ?? false;
  const waiting = containers.find((c) => c.state?.waiting)?.state?.waiting;
  return {
    node,
    pod,
    ready,
    restarts: containers.reduce((sum, c) => sum + (c.restartCount ?? 0), 0),
    since: status?.startTime ?? '',
    problem: ready
      ? ''
      : [status?.reason ?? status?.phase, waiting?.reason, waiting?.message].filter(Boolean).join(': '),
  };
}

function forwarded(child: ChildProcess, pod: string): Promise<Forward> {
  return new Promise((resolve, reject) => {
    let words = '';
    let said = '';
    const ended = new Promise<void>((over) => {
      child.once('close', () => over());
      child.once('error', () => over());
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), ASK_MILLIS);
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      words = (words + text).slice(-2000);
    });
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (said.length > 4096) return;
      said += text;
      const port = Number(/Forwarding from 127\.0\.0\.1:(\d+) ->/.exec(said)?.[1] ?? 0);
      if (port === 0) return;
      clearTimeout(timer);
      resolve({ port, ended, close: () => void child.kill('SIGTERM') });
    });
    void ended.then(() => {
      clearTimeout(timer);
      const why = words.trim().split('\n').at(-1) || 'it ended without a message';
      reject(new SetupError(`kubectl port-forward to ${pod}: ${why}`));
    });
  });
}
