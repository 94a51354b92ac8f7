import { toTimeNano } from '../../api/time.js';
import { formatPod, getPodFullName, kObj, type Pod, podRef } from '../../api/types.js';
import { deepCopy, deepEqual } from '../../base/deep.js';
import {
  type Chan,
  type Context,
  frame,
  type Go,
  type Kernel,
  Mutex,
  makeChan,
  type Process,
  send,
} from '../../kernel/index.js';
import { EventReason, type EventRecorder } from '../events.js';
import { Logger } from '../klog.js';
import { metricsOf } from '../metrics/kubelet-metrics.js';
import {
  ConfigFirstSeenAnnotationKey,
  ConfigMirrorAnnotationKey,
  ConfigSourceAnnotationKey,
  isStaticPod,
  type PodOperation,
  type PodUpdate,
} from '../types/pod-update.js';
import { Mux, type SourceUpdate } from './mux.js';

/** upstream: pkg/kubelet/config/config.go NewPodConfig */
const configChCapacity = 50;

/**
 * Turns each source's snapshots into what changed, one operation per message, on one channel.
 * upstream: pkg/kubelet/config/config.go PodConfig
 */
export class PodConfig {
  private readonly pods: PodStorage;
  private readonly mux: Mux;
  private readonly configCh: Chan<PodUpdate>;
  private readonly sources = new Set<string>();

  constructor(kernel: Kernel, recorder: EventRecorder, process?: Process) {
    this.configCh = makeChan<PodUpdate>(kernel, 'configCh', configChCapacity, {
      describe: (u) => ({ op: u.op, source: u.source, pods: u.pods.map(kObj) }),
    });
    const pods = new PodStorage(kernel, this.configCh, recorder);
    this.pods = pods;
    this.mux = new Mux(kernel, (ctx, source, update) => pods.merge(ctx, source, update), process);
  }

  /**
   * The channel to which a source sends its snapshots. The same name gives the same channel; an empty name throws.
   * upstream: (*PodConfig).Channel
   */
  channel(ctx: Context, source: string): Chan<SourceUpdate> {
    const channel = this.mux.channelWithContext(ctx, source);
    this.sources.add(source);
    return channel;
  }

  /**
   * Returns true if the loop has seen each source, and each has sent a snapshot.
   * upstream: (*PodConfig).SeenAllSources
   */
  seenAllSources(seen: ReadonlySet<string>): boolean {
    for (const source of this.sources) if (!seen.has(source) || !this.pods.sourcesSeen.has(source)) return false;
    return true;
  }

  /** upstream: (*PodConfig).Updates */
  updates(): Chan<PodUpdate> {
    return this.configCh;
  }
}

/** The pods that each source last reported. upstream: config.go podStorage */
class PodStorage {
  readonly sourcesSeen = new Set<string>();
  /** By source, then uid. */
  private readonly pods = new Map<string, Map<string, Pod>>();
  /**
   * The object that a source last gave for each of them: the same object again says nothing new. By source, then uid.
   */
  private readonly given = new Map<string, Map<string, Pod>>();
  private readonly updateLock: Mutex;
  private readonly log: Logger;
  constructor(
    private readonly kernel: Kernel,
    private readonly updates: Chan<PodUpdate>,
    private readonly recorder: EventRecorder,
  ) {
    this.updateLock = new Mutex(kernel, 'podStorage.updateLock');
    this.log = new Logger(kernel, 'config.go');
  }

  /** upstream: pkg/kubelet/config/config.go (*podStorage).Merge */
  *merge(_ctx: Context, source: string, update: SourceUpdate): Go<void> {
    yield* this.updateLock.lock();
    try {
      yield* frame('Merge', { source, pods: update.pods.length }, () => this.mergeAndSend(source, update));
    } finally {
      this.updateLock.unlock();
    }
  }

  private *mergeAndSend(source: string, update: SourceUpdate): Go<void> {
    const first = !this.sourcesSeen.has(source);
    const { adds, updates, deletes, removes, reconciles } = this.diff(source, update);
    // The order is upstream's: removals come before additions of the same name.
    yield* this.emit(source, 'REMOVE', removes);
    yield* this.emit(source, 'ADD', adds);
    yield* this.emit(source, 'UPDATE', updates);
    yield* this.emit(source, 'DELETE', deletes);
    // The loop must learn that a source is ready even if it has no pods.
    if (first && adds.length + updates.length + deletes.length === 0) yield* this.emit(source, 'ADD', adds, true);
    yield* this.emit(source, 'RECONCILE', reconciles);
  }

  private *emit(source: string, op: PodOperation, pods: readonly Pod[], evenEmpty = false): Go<void> {
    if (pods.length === 0 && !evenEmpty) return;
    this.kernel.emitCause({ kind: 'pod-config', source, op, pods: pods.map(podRef) });
    yield* send(this.updates, { op, source, pods: pods.map(deepCopy) });
  }

  /** upstream: (*podStorage).merge */
  private diff(source: string, update: SourceUpdate) {
    const adds: Pod[] = [];
    const updates: Pod[] = [];
    const deletes: Pod[] = [];
    const reconciles: Pod[] = [];
    this.log.info(4, 'Setting pods for source', { source });
    this.sourcesSeen.add(source);
    const oldPods = this.pods.get(source) ?? new Map<string, Pod>();
    const pods = new Map<string, Pod>();
    const before = this.given.get(source);
    const said = new Map<string, Pod>();
    this.given.set(source, said);
    for (const given of this.filterInvalidPods(update.pods, source)) {
      const known = oldPods.get(given.metadata.uid);
      said.set(given.metadata.uid, given);
      if (known && before?.get(given.metadata.uid) === given) {
        pods.set(given.metadata.uid, known);
        if (!isStaticPod(known)) metricsOf(this.kernel).podStartup.observedPodOnWatch(given);
        continue;
      }
      const ref = deepCopy(given);
      const uid = ref.metadata.uid;
      const annotations: Record<string, string> = { ...ref.metadata.annotations, [ConfigSourceAnnotationKey]: source };
      ref.metadata.annotations = annotations;
      if (!isStaticPod(ref)) metricsOf(this.kernel).podStartup.observedPodOnWatch(ref);
      const existing = oldPods.get(uid);
      if (existing) {
        pods.set(uid, existing);
        const need = this.checkAndUpdatePod(existing, ref);
        if (need === 'UPDATE') updates.push(existing);
        else if (need === 'RECONCILE') reconciles.push(existing);
        else if (need === 'DELETE') deletes.push(existing);
        continue;
      }
      this.log.info(4, 'Receiving a new pod', { pod: kObj(ref) }, { podUID: ref.metadata.uid });
      annotations[ConfigFirstSeenAnnotationKey] = toTimeNano(this.kernel, this.kernel.now());
      pods.set(uid, ref);
      adds.push(ref);
    }
    const removes = [...oldPods].filter(([uid]) => !pods.has(uid)).map(([, pod]) => pod);
    this.pods.set(source, pods);
    return { adds, updates, deletes, removes, reconciles };
  }

  /** upstream: config.go filterInvalidPods */
  private filterInvalidPods(pods: readonly Pod[], source: string): Pod[] {
    const names = new Set<string>();
    return pods.filter((pod, index) => {
      const name = getPodFullName(pod);
      if (!names.has(name)) {
        names.add(name);
        return true;
      }
      this.log.info(0, 'Pod failed validation due to duplicate pod name, ignoring', { index, pod: kObj(pod), source });
      this.recorder.event(
        pod,
        'Warning',
        EventReason.FailedValidation,
        `Error validating pod ${formatPod(pod)} from ${source} due to duplicate pod name ${JSON.stringify(pod.metadata.name)}, ignoring`,
      );
      return false;
    });
  }

  /** Takes what is new in `ref` into `existing` and says what that amounts to. upstream: config.go checkAndUpdatePod */
  private checkAndUpdatePod(existing: Pod, ref: Pod): PodOperation | null {
    const differs = podsDifferSemantically(existing, ref);
    const statusDiffers = !deepEqual(existing.status, ref.status);
    let verdict: PodOperation | null = null;
    if (differs) verdict = ref.metadata.deletionTimestamp ? 'DELETE' : 'UPDATE';
    else if (statusDiffers) verdict = 'RECONCILE';
    if (verdict)
      this.kernel.emit({
        kind: 'decision',
        rule: 'checkAndUpdatePod',
        verdict,
        values: {
          specDiffers: !deepEqual(existing.spec, ref.spec),
          labelsDiffer: !deepEqual(existing.metadata.labels ?? {}, ref.metadata.labels ?? {}),
          deletionTimestamp: ref.metadata.deletionTimestamp ?? null,
          statusDiffers,
        },
        ...podRef(existing),
      });
    if (verdict === null) return null;
    existing.status = ref.status;
    if (verdict === 'RECONCILE') return verdict;
    existing.spec = ref.spec;
    const to = existing.metadata;
    const from = ref.metadata;
    assign(to, 'labels', from.labels);
    assign(to, 'deletionTimestamp', from.deletionTimestamp);
    assign(to, 'deletionGracePeriodSeconds', from.deletionGracePeriodSeconds);
    assign(to, 'generation', from.generation);
    const annotations = { ...from.annotations };
    for (const key of localAnnotations) {
      const value = to.annotations?.[key];
      if (value !== undefined) annotations[key] = value;
    }
    to.annotations = annotations;
    return verdict;
  }
}

/** upstream: config.go localAnnotations */
const localAnnotations = [ConfigSourceAnnotationKey, ConfigMirrorAnnotationKey, ConfigFirstSeenAnnotationKey];

/** upstream: config.go podsDifferSemantically */
function podsDifferSemantically(existing: Pod, ref: Pod): boolean {
  const a = existing.metadata;
  const b = ref.metadata;
  return !(
    deepEqual(existing.spec, ref.spec) &&
    deepEqual(a.labels ?? {}, b.labels ?? {}) &&
    (a.deletionTimestamp ?? null) === (b.deletionTimestamp ?? null) &&
    (a.deletionGracePeriodSeconds ?? null) === (b.deletionGracePeriodSeconds ?? null) &&
    deepEqual(shared(a.annotations), shared(b.annotations))
  );
}

const shared = (annotations: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(annotations).filter(([key]) => !localAnnotations.includes(key)));

function assign<T extends object, K extends keyof T>(to: T, key: K, value: T[K] | undefined): void {
  if (value === undefined) delete to[key];
  else to[key] = value;
}
