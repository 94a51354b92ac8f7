import {
  type Chan,
  type Context,
  frame,
  type Go,
  type Kernel,
  Millisecond,
  messageOf,
  type Process,
  receive,
  Second,
  send,
  sleep,
} from '../../kernel/index.js';
import type { Pod } from '../api/types.js';
import type { KubeClient } from '../client/kube-client.js';
import { Logger } from '../klog.js';
import type { SourceUpdate } from './mux.js';

/** upstream: pkg/kubelet/config/apiserver.go WaitForAPIServerSyncPeriod */
export const WaitForAPIServerSyncPeriod = Second;
/** Between two tries to list: doubling, jittered. upstream: client-go tools/cache/reflector.go defaultBackoffInit, defaultBackoffMax */
const backoffInit = 800 * Millisecond;
const backoffMax = 30 * Second;

export interface SourceApiserverDeps {
  readonly kernel: Kernel;
  readonly ctx: Context;
  readonly client: Pick<KubeClient, 'nodeHasSynced' | 'listPods' | 'watchPods'>;
  readonly nodeName: string;
  readonly updates: Chan<SourceUpdate>;
  readonly process?: Process;
}

/** The pods that the API server has for this node (row E20). upstream: pkg/kubelet/config/apiserver.go NewSourceApiserver */
export function newSourceApiserver(deps: SourceApiserverDeps): void {
  const { kernel, client } = deps;
  const log = new Logger(kernel, 'apiserver.go');
  log.info(0, 'Waiting for node sync before watching apiserver pods');
  kernel.go(
    'sourceApiserver',
    function* () {
      // Admission asks for the node: without it every pod would be measured against nothing.
      while (!client.nodeHasSynced()) {
        yield* sleep(WaitForAPIServerSyncPeriod);
        log.info(4, 'node sync has not completed yet');
      }
      log.info(4, 'node sync completed');
      log.info(0, 'Watching apiserver');
      yield* new Reflector(deps).run();
    },
    { daemon: true, ...(deps.process && { process: deps.process }) },
  );
}

/** Lists, then watches, and lists again when that breaks. upstream: cache.Reflector over cache.UndeltaStore */
class Reflector {
  private readonly log: Logger;
  private store = new Map<string, Pod>();
  private backoff = backoffInit;
  constructor(private readonly deps: SourceApiserverDeps) {
    this.log = new Logger(deps.kernel, 'reflector.go');
  }

  *run(): Go<void> {
    const { kernel, ctx } = this.deps;
    while (!ctx.err()) {
      try {
        yield* frame('ListAndWatch', undefined, () => this.listAndWatch());
        this.backoff = backoffInit;
      } catch (err) {
        this.log.error(err, 'Failed to watch', { type: '*v1.Pod', err: messageOf(err) });
      }
      yield* sleep(this.backoff + Math.trunc(this.backoff * kernel.random.float()));
      this.backoff = Math.min(backoffMax, this.backoff * 2);
    }
  }

  /** One list and the watch that follows it. upstream: staging/src/k8s.io/client-go/tools/cache/reflector.go (*Reflector).ListAndWatch */
  private *listAndWatch(): Go<void> {
    const { client, ctx, nodeName } = this.deps;
    const { pods, resourceVersion } = yield* client.listPods(ctx, nodeName);
    this.store = new Map(pods.map((p) => [key(p), p]));
    yield* this.push('list');
    const events = yield* client.watchPods(ctx, nodeName, resourceVersion);
    for (;;) {
      const [event, ok] = yield* receive(events);
      if (!ok) return;
      if (event.type === 'DELETED') this.store.delete(key(event.pod));
      else this.store.set(key(event.pod), event.pod);
      // The whole store each time: the source has no other message.
      yield* this.push('watch');
    }
  }

  private *push(origin: 'list' | 'watch'): Go<void> {
    yield* send(this.deps.updates, { pods: [...this.store.values()], origin });
  }
}

/** upstream: cache.MetaNamespaceKeyFunc */
const key = ({ metadata }: Pod): string => `${metadata.namespace}/${metadata.name}`;
