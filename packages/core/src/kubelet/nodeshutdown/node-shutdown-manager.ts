import { updatePodCondition } from '../../api/pod/podutil.js';
import { toTime, toTimeNano } from '../../api/time.js';
import { kObj, type Pod } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { OSInterface } from '../../host/os.js';
import {
  background,
  type Chan,
  formatDuration,
  frame,
  type Go,
  type Kernel,
  makeChan,
  receive,
  recv,
  Second,
  select,
  Timer,
  WaitGroup,
  withTimeout,
} from '../../kernel/index.js';
import { no, type PodAdmitHandler } from '../admission/types.js';
import type { EventRecorder } from '../events.js';
import { Logger } from '../klog.js';
import type { KillPodFunc } from '../podworkers/kill-pod-now.js';
import {
  groupByPriority,
  type PodShutdownGroup,
  type ShutdownConfig,
  type ShutdownGracePeriod,
  shutdownPeriods,
} from './groups.js';

/** upstream: NodeShutdownNotAdmittedReason and its siblings */
const notAdmittedReason = 'NodeShutdown';
const notAdmittedMessage = 'Pod was rejected as the node is shutting down.';
const shutdownReason = 'Terminated';
const shutdownMessage = 'Pod was terminated in response to imminent node shutdown.';
const localStorageStateFile = 'graceful_node_shutdown_state';

/**
 * The source that knows when the machine goes down: systemd's logind, or a simulation.
 * upstream: nodeshutdown dbusInhibiter, as far as the kubelet's own acts follow from it
 */
export interface ShutdownSignal {
  /**
   * Holds the machine up from now on, for at most `delay` Micros once it is to go down. On the channel comes true when
   * it is to, false when that was called off; it is closed when nobody listens any more. Throws if there is nobody
   * to ask.
   */
  onShutdown(delay: number): Go<Chan<boolean>>;
  /** Releases the inhibitor, so that the machine may go down. */
  release(): Go<void>;
}

export interface NodeShutdownManagerDeps {
  readonly kernel: Kernel;
  readonly config: ShutdownConfig;
  readonly signal: ShutdownSignal;
  readonly recorder: EventRecorder;
  readonly nodeRef: { readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string } };
  readonly getPods: () => readonly Pod[];
  readonly killPod: KillPodFunc;
  /** Writes the node's status now. */
  readonly syncNodeStatus: () => Go<void>;
  /** Waits until no volume of theirs is mounted; throws if the context ends before. */
  readonly waitForAllPodsUnmount: (ctx: ReturnType<typeof withTimeout>[0], pods: readonly Pod[]) => Go<void>;
  readonly os: Pick<OSInterface, 'writeFile' | 'rename' | 'readFile'>;
  readonly stateDirectory: string;
}

/** The part of the manager that the rest of the kubelet uses. upstream: nodeshutdown.Manager */
export interface NodeShutdownManager {
  /**
   * Starts the manager; returns false if shutdowns are not configured. Throws if there is no source of shutdown
   * signals.
   */
  start(): Go<boolean>;
  shutdownStatus(): Error | null;
  readonly admitHandler: PodAdmitHandler;
}

/** For a node without graceful shutdown. upstream: managerStub */
const stub: NodeShutdownManager = {
  *start() {
    return false;
  },
  shutdownStatus: () => null,
  admitHandler: {
    name: 'node shutdown',
    *admit() {
      return { admit: true };
    },
  },
};

/**
 * Builds the manager; with `signal` null, or no grace period in the configuration, it does nothing.
 * upstream: nodeshutdown.NewManager
 */
export function newNodeShutdownManager(
  deps: Omit<NodeShutdownManagerDeps, 'signal'> & { readonly signal: ShutdownSignal | null },
): NodeShutdownManager {
  const { kernel, config, signal } = deps;
  const periods = shutdownPeriods(config);
  if (periods.length === 0 || !signal) return stub;
  new Logger(kernel, 'nodeshutdown_manager_linux.go').info(0, 'Creating node shutdown manager', {
    shutdownGracePeriodRequested: formatDuration(config.shutdownGracePeriod ?? 0),
    shutdownGracePeriodCriticalPods: formatDuration(config.shutdownGracePeriodCriticalPods ?? 0),
    shutdownGracePeriodByPodPriority: periods.map((p) => ({ ...p })),
  });
  return new ManagerImpl({ ...deps, signal }, periods);
}

/**
 * Ends the pods, group by group, before the machine goes down.
 * upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go managerImpl
 */
class ManagerImpl implements NodeShutdownManager {
  private readonly log: Logger;
  private readonly podLog: Logger;
  private shuttingDown = false;
  readonly admitHandler: PodAdmitHandler;

  constructor(
    private readonly deps: NodeShutdownManagerDeps,
    private readonly periods: readonly ShutdownGracePeriod[],
  ) {
    this.log = new Logger(deps.kernel, 'nodeshutdown_manager_linux.go');
    this.podLog = new Logger(deps.kernel, 'nodeshutdown_manager.go');
    const self = this;
    this.admitHandler = {
      name: 'node shutdown',
      *admit() {
        return self.shuttingDown ? no(notAdmittedReason, notAdmittedMessage) : { admit: true };
      },
    };
  }

  shutdownStatus(): Error | null {
    return this.shuttingDown ? new Error('node is shutting down') : null;
  }

  /** upstream: (*managerImpl).Start */
  *start(): Go<boolean> {
    const { kernel, signal } = this.deps;
    const delay = this.periods.reduce((n, p) => n + p.shutdownGracePeriodSeconds, 0) * Second;
    let events: Chan<boolean> = yield* signal.onShutdown(delay);
    const self = this;
    kernel.go(
      'nodeShutdownManager',
      function* () {
        for (;;) {
          yield* self.listen(events, delay);
          // The source of signals closed: reconnect after a second.
          for (;;) {
            yield* receive(new Timer(kernel, Second, { name: 'dbusReconnect' }).c);
            self.log.info(1, 'Restarting watch for node shutdown events');
            try {
              events = yield* signal.onShutdown(delay);
              break;
            } catch (err) {
              self.log.error(err, 'Unable to watch the node for shutdown events');
            }
          }
        }
      },
      { place: 'shutdown', daemon: true },
    );
    return true;
  }

  private *listen(events: Chan<boolean>, delay: number): Go<void> {
    const { kernel, recorder, nodeRef, syncNodeStatus, signal } = this.deps;
    for (;;) {
      const [down, ok] = yield* receive(events);
      if (!ok) {
        this.log.error(null, 'Ended to watching the node for shutdown events');
        return;
      }
      this.log.info(1, 'Shutdown manager detected new shutdown event, isNodeShuttingDownNow', {
        event: down as boolean,
      });
      this.log.info(1, 'Shutdown manager detected new shutdown event', { event: down ? 'shutdown' : 'cancelled' });
      recorder.event(
        nodeRef,
        'Normal',
        'NodeShutdown',
        `Shutdown manager detected shutdown ${down ? 'event' : 'cancellation'}`,
        '',
        'Node',
      );
      this.shuttingDown = down as boolean;
      if (down) {
        kernel.go('syncNodeStatus', () => syncNodeStatus(), { place: 'node' });
        yield* frame('processShutdownEvent', undefined, () => this.processShutdownEvent());
      } else {
        // Take the inhibitor again.
        yield* signal.onShutdown(delay);
      }
    }
  }

  /** upstream: pkg/kubelet/nodeshutdown/nodeshutdown_manager_linux.go (*managerImpl).processShutdownEvent */
  private *processShutdownEvent(): Go<void> {
    const { kernel, getPods, signal } = this.deps;
    this.log.info(1, 'Shutdown manager processing shutdown event');
    const pods = getPods();
    const startTime = toTimeNano(kernel, kernel.now());
    yield* this.store({ startTime, endTime: '0001-01-01T00:00:00Z' });
    try {
      yield* this.killPods(pods);
    } finally {
      yield* this.store({ startTime, endTime: toTimeNano(kernel, kernel.now()) });
      yield* signal.release();
      this.log.info(1, 'Shutdown manager completed processing shutdown event, node will shutdown shortly');
    }
  }

  /** upstream: localStorage.Store */
  private *store(state: { readonly startTime: string; readonly endTime: string }): Go<void> {
    const { os, stateDirectory } = this.deps;
    const path = `${stateDirectory}/${localStorageStateFile}`;
    try {
      yield* os.writeFile(`${stateDirectory}/.tmp-${localStorageStateFile}`, JSON.stringify(state), 0o644);
      yield* os.rename(`${stateDirectory}/.tmp-${localStorageStateFile}`, path);
    } catch (err) {
      this.log.error(err, 'Failed to store graceful shutdown state');
    }
  }

  /** Kills pods, the lowest priority first; each group has its time, and no more. upstream: (*podManager).killPods */
  private *killPods(active: readonly Pod[]): Go<void> {
    for (const group of groupByPriority(this.periods, active)) if (group.pods.length > 0) yield* this.killGroup(group);
  }

  private *killGroup(group: PodShutdownGroup): Go<void> {
    const { kernel, waitForAllPodsUnmount } = this.deps;
    const { shutdownGracePeriodSeconds: gracePeriod, priority, pods } = group;
    kernel.emit({
      kind: 'decision',
      rule: 'nodeshutdown.killPods',
      verdict: 'kill group',
      values: { priority, gracePeriodSeconds: gracePeriod, pods: pods.map(kObj) },
    });
    const wg = new WaitGroup(kernel, 'shutdownGroup');
    wg.add(pods.length);
    for (const pod of pods) kernel.go('shutdownPod', () => this.killPod(pod, gracePeriod, wg), { place: 'shutdown' });
    const done = makeChan<never>(kernel, 'shutdownGroupDone', 0);
    const timer = new Timer(kernel, gracePeriod * Second, { name: 'shutdownGroupTimer' });
    const [ctx, cancel] = withTimeout(kernel, background, gracePeriod * Second);
    const { podLog } = this;
    kernel.go(
      'shutdownGroup',
      function* () {
        try {
          yield* wg.wait();
          // Drivers in higher groups may be needed to unmount.
          yield* waitForAllPodsUnmount(ctx, pods);
        } catch (err) {
          podLog.error(err, 'Failed while waiting for all the volumes belonging to Pods in this group to unmount', {
            pods: pods.map(kObj),
          });
        } finally {
          done.close();
          cancel();
        }
      },
      { place: 'shutdown' },
    );
    const r = yield* select({ done: recv(done), timeout: recv(timer.c) });
    timer.stop();
    if (r.case === 'timeout') cancel();
    this.podLog.info(
      1,
      r.case === 'done' ? 'Done waiting for all pods in group to terminate' : 'Shutdown manager pod killing time out',
      { gracePeriod, priority },
    );
  }

  private *killPod(pod: Pod, groupGracePeriod: number, wg: WaitGroup): Go<void> {
    const { kernel, killPod } = this.deps;
    const gracePeriod = Math.min(groupGracePeriod, pod.spec.terminationGracePeriodSeconds ?? groupGracePeriod);
    this.podLog.info(1, 'Shutdown manager killing pod with gracePeriod', { pod: kObj(pod), gracePeriod });
    try {
      yield* killPod(pod, false, gracePeriod, (status) => {
        if (status.phase !== 'Succeeded') status.phase = 'Failed';
        status.message = shutdownMessage;
        status.reason = shutdownReason;
        updatePodCondition(
          status,
          {
            type: 'DisruptionTarget',
            status: 'True',
            reason: 'TerminationByKubelet',
            message: shutdownMessage,
            ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
          },
          toTime(kernel, kernel.now()),
        );
      });
      this.podLog.info(1, 'Shutdown manager finished killing pod', { pod: kObj(pod) });
    } catch (err) {
      this.podLog.info(1, 'Shutdown manager failed killing pod', { pod: kObj(pod), err: messageOf(err) });
    } finally {
      wg.done();
    }
  }
}
