import type { Kernel } from '../../kernel/index.js';
import type { Json, WorkerState } from '../../trace/index.js';
import type { KubeletParts, PartWorkerState, PodWorkerEvent } from '../parts/types.js';
import type { PodSyncStatus } from './pod-sync-status.js';
import type { UpdatePodOptions } from './types.js';

type Part = NonNullable<KubeletParts['podWorker']>;
type Answer = Omit<ReturnType<Part>, 'state'>;

/** A pod worker whose decisions a replaced part makes: its memory, and the updates that the part knows by number. */
class Machine {
  state: Json = null;
  /** The number of the last update. */
  last = 0;
  /** The number of the update that was begun last. */
  active = 0;
  /** Works that go on. A part that is right has one at most. */
  atWork = 0;
  readonly updates = new Map<number, UpdatePodOptions>();
}

/** Asks a replaced part what becomes of each pod's worker, and keeps what it answered in the worker's record. */
export class WorkersByPart {
  private readonly machines = new WeakMap<PodSyncStatus, Machine>();

  constructor(
    private readonly kernel: Kernel,
    private readonly part: Part,
    private readonly moved: (status: PodSyncStatus, to: WorkerState, why: string, from: WorkerState) => void,
  ) {}

  /** Reports an update, and returns the answer; the update itself follows with {@link keep}. */
  update(
    status: PodSyncStatus,
    event: Omit<Extract<PodWorkerEvent, { type: 'UpdatePod' }>, 'type' | 'update'>,
  ): Answer {
    const machine = this.of(status);
    machine.last++;
    return this.ask(status, { type: 'UpdatePod', update: machine.last, ...event });
  }
  /** Keeps the last update until the part takes it. */
  keep(status: PodSyncStatus, options: UpdatePodOptions): void {
    const machine = this.of(status);
    machine.updates.set(machine.last, options);
  }

  /** Returns the update that the part takes; null if it takes none. */
  take(status: PodSyncStatus): UpdatePodOptions | null {
    const machine = this.of(status);
    const { take, podState } = this.ask(status, { type: 'startPodSync' });
    this.apply(status, podState);
    const options = take === null ? undefined : machine.updates.get(take);
    if (take === null || !options) return null;
    // Begun once more: with what was merged into it meanwhile.
    const again = take === machine.active && status.activeUpdate;
    machine.active = take;
    for (const number of machine.updates.keys()) if (number < take) machine.updates.delete(number);
    return again ? { ...status.activeUpdate, updateType: 'sync' } : options;
  }

  begins(status: PodSyncStatus): void {
    this.of(status).atWork++;
  }
  isAtWork(status: PodSyncStatus): boolean {
    return this.of(status).atWork > 0;
  }
  /** Reports the end of the work. */
  done(status: PodSyncStatus, failed: boolean, terminal: boolean): Answer {
    const machine = this.of(status);
    machine.atWork = Math.max(0, machine.atWork - 1);
    return this.ask(status, { type: 'done', failed, terminal });
  }

  /** Takes the worker to a state, wherever it is. */
  apply(status: PodSyncStatus, to: PartWorkerState): void {
    const from = status.finished ? 'finished' : status.workType();
    if (to === from) return;
    const now = this.kernel.now();
    status.terminatingAt = to === 'sync' ? null : (status.terminatingAt ?? now);
    status.terminatedAt = to === 'terminated' || to === 'finished' ? (status.terminatedAt ?? now) : null;
    status.finished = to === 'finished';
    this.moved(status, to, 'the replaced pod worker says so', from);
  }

  private of(status: PodSyncStatus): Machine {
    let machine = this.machines.get(status);
    if (!machine) {
      machine = new Machine();
      this.machines.set(status, machine);
    }
    return machine;
  }
  private ask(status: PodSyncStatus, event: PodWorkerEvent): Answer {
    const machine = this.of(status);
    const { state, ...answer } = this.part(machine.state, event, status.ref);
    machine.state = state;
    return answer;
  }
}
