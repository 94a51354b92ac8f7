import type { Pod } from '../../api/types.js';
import {
  type Chan,
  type Context,
  type Go,
  type Kernel,
  type Process,
  Second,
  send,
  sleep,
} from '../../kernel/index.js';
import type { ListerWatcher } from '../client/kube-client.js';
import { keyOf, Reflector } from '../client/reflector.js';
import { podOf } from '../client/rest-kube-client.js';
import { Logger } from '../klog.js';
import type { OnDecoded } from './common.js';
import type { SourceUpdate } from './mux.js';

/** upstream: pkg/kubelet/config/apiserver.go WaitForAPIServerSyncPeriod */
export const WaitForAPIServerSyncPeriod = Second;

export interface SourceApiserverDeps {
  readonly kernel: Kernel;
  readonly ctx: Context;
  /** Pods of all namespaces that are bound to this node. */
  readonly listerWatcher: ListerWatcher<Pod>;
  /** Takes out of a pod what this version does not know. */
  readonly onDecoded?: OnDecoded;
  readonly nodeHasSynced: () => boolean;
  readonly updates: Chan<SourceUpdate>;
  readonly process?: Process;
}

/**
 * Starts the source of the pods that the API server has for this node (fidelity 1:E20).
 * upstream: pkg/kubelet/config/apiserver.go NewSourceApiserver
 */
export function newSourceApiserver(deps: SourceApiserverDeps): void {
  const { kernel, ctx, nodeHasSynced, updates, listerWatcher } = deps;
  const log = new Logger(kernel, 'apiserver.go');
  log.info(0, 'Waiting for node sync before watching apiserver pods');
  kernel.go(
    'sourceApiserver',
    function* () {
      // Admission asks for the node: without it every pod would be measured against nothing.
      while (!nodeHasSynced()) {
        yield* sleep(WaitForAPIServerSyncPeriod);
        log.info(4, 'node sync has not completed yet');
      }
      log.info(4, 'node sync completed');
      log.info(0, 'Watching apiserver');
      const reflector = new Reflector<Pod>({
        kernel,
        listerWatcher,
        name: 'pkg/kubelet/config/apiserver.go:66',
        type: '*v1.Pod',
        decode: (value) => {
          const pod = podOf(value);
          deps.onDecoded?.(pod)();
          return pod;
        },
        store: new UndeltaStore(updates),
      });
      yield* reflector.run(ctx);
    },
    { place: 'api', daemon: true, ...(deps.process && { process: deps.process }) },
  );
}

/** Sends all it has with every change: the source has no other message. upstream: cache.UndeltaStore */
class UndeltaStore {
  private items = new Map<string, Pod>();
  constructor(private readonly updates: Chan<SourceUpdate>) {}

  *replace(pods: readonly Pod[]): Go<void> {
    this.items = new Map(pods.map((pod) => [keyOf(pod), pod]));
    yield* this.push('list');
  }
  *set(pod: Pod): Go<void> {
    this.items.set(keyOf(pod), pod);
    yield* this.push('watch');
  }
  *delete(pod: Pod): Go<void> {
    this.items.delete(keyOf(pod));
    yield* this.push('watch');
  }
  private *push(origin: 'list' | 'watch'): Go<void> {
    yield* send(this.updates, { pods: [...this.items.values()], origin });
  }
}
