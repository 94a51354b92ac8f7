import { type Chan, type Go, type Kernel, receive } from '../../kernel/index.js';
import type { EventRecorder } from '../events.js';
import { Logger } from '../klog.js';

/** A process that the kernel killed for lack of memory. upstream: cadvisor utils/oomparser OomInstance */
export interface OOMInstance {
  readonly pid: number;
  readonly processName: string;
  /** Cgroup that the process was in. */
  readonly containerName: string;
  /** Cgroup whose limit was reached; `/`: the machine itself had no memory left. */
  readonly victimContainerName: string;
}

/** The source of out-of-memory kills: the kernel's log, or a simulation. */
export interface OOMStreamer {
  /** Throws if the log cannot be read. The channel is closed when the log ends. */
  streamOoms(): Go<Chan<OOMInstance>>;
}

/** The whole machine. upstream: recordEventContainerName */
const root = '/';

/**
 * Records an event for each process that was killed because the machine had no memory left. Kills by a container's own
 * limit are reported by the runtime. Throws if the log cannot be read.
 * upstream: pkg/kubelet/oom/oom_watcher_linux.go (*realWatcher).Start
 */
export function* startOOMWatcher(
  kernel: Kernel,
  streamer: OOMStreamer,
  recorder: EventRecorder,
  nodeRef: { readonly metadata: { readonly name: string; readonly namespace: string; readonly uid: string } },
): Go<void> {
  const log = new Logger(kernel, 'oom_watcher_linux.go');
  const ooms = yield* streamer.streamOoms();
  kernel.go(
    'oomWatcher',
    function* () {
      for (;;) {
        const [oom, ok] = yield* receive(ooms);
        if (!ok || !oom) break;
        if (oom.victimContainerName !== root) continue;
        log.info(1, 'Got sys oom event', { event: { ...oom } });
        const victim =
          oom.processName !== '' && oom.pid !== 0 ? `, victim process: ${oom.processName}, pid: ${oom.pid}` : '';
        recorder.event(nodeRef, 'Warning', 'SystemOOM', `System OOM encountered${victim}`, '', 'Node');
      }
      log.error(null, 'Unexpectedly stopped receiving OOM notifications');
    },
    { place: 'oom', daemon: true },
  );
}
