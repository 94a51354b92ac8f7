/** Sandboxes and containers of an observed run, by id, with all that any source reports them. */
import type { Micros } from '@syncloop/core/trace';
import { bareId, type JsonObject, nanosAsMicros, numberOf, objectOf, objectsOf, textOf } from '../base/json.js';
import { type Nameless, TOGETHER } from './nameless.js';
import type { SeenContainer } from './seen.js';

const UID_LABEL = 'io.kubernetes.pod.uid';

export class Units {
  readonly sandboxes = new Map<string, SeenContainer>();
  readonly containers = new Map<string, SeenContainer>();
  /** The known facts about a pod's containers and sandboxes whose name no line reports, by id. */
  private readonly nameless = new Map<
    string,
    { uid: string; isContainer: boolean; ran?: Micros; ended?: Micros; exitCode?: number }
  >();
  private order = 0;

  sandbox(id: string, uid: string): SeenContainer {
    return this.entry(this.sandboxes, id, uid, '');
  }
  container(id: string, uid: string, name: string): SeenContainer {
    return this.entry(this.containers, id, uid, name);
  }
  private entry(map: Map<string, SeenContainer>, id: string, uid: string, name: string): SeenContainer {
    let one = map.get(id);
    if (!one) {
      one = { id, uid, name, sandbox: '', attempt: null, image: '', imageRef: '', order: this.order++ };
      map.set(id, one);
    }
    one.uid ||= uid;
    one.name ||= name;
    return one;
  }

  sandboxStatus(status: JsonObject): SeenContainer | null {
    const id = textOf(status.id);
    if (id === '') return null;
    const metadata = objectOf(status.metadata);
    const one = this.sandbox(id, textOf(metadata.uid) || textOf(objectOf(status.labels)[UID_LABEL]));
    one.attempt ??= numberOf(metadata.attempt) ?? 0;
    const created = nanosAsMicros(status.createdAt);
    if (created !== undefined) one.createdAt ??= created;
    return one;
  }

  containerStatus(status: JsonObject, time: Micros): void {
    const id = textOf(status.id);
    const metadata = objectOf(status.metadata);
    const labels = objectOf(status.labels);
    if (id === '') return;
    const one = this.container(
      id,
      textOf(labels[UID_LABEL]),
      textOf(metadata.name) || textOf(labels['io.kubernetes.container.name']),
    );
    one.attempt ??= numberOf(metadata.attempt) ?? 0;
    one.image ||= textOf(objectOf(status.image).image);
    one.imageRef ||= textOf(status.imageRef);
    const created = nanosAsMicros(status.createdAt);
    const started = nanosAsMicros(status.startedAt);
    const finished = nanosAsMicros(status.finishedAt);
    if (created !== undefined) one.createdAt = created;
    if (started !== undefined) {
      one.startedAt = started;
      one.ran ??= time;
    }
    if (finished === undefined) return;
    one.finishedAt = finished;
    one.ended ??= time;
    one.exitCode = numberOf(status.exitCode) ?? 0;
    const reason = textOf(status.reason);
    if (reason) one.reason = reason;
    const message = textOf(status.message);
    if (message) one.message = message;
  }

  /** Learns about containers from the status of a Pod: whole seconds, and not the runtime's clock. */
  podStatus(uid: string, object: JsonObject): void {
    const status = objectOf(object.status);
    for (const list of ['initContainerStatuses', 'containerStatuses', 'ephemeralContainerStatuses'])
      for (const c of objectsOf(status[list])) {
        const name = textOf(c.name);
        const restarts = numberOf(c.restartCount) ?? 0;
        const state = objectOf(c.state);
        for (const [when, attempt] of [
          [state, restarts],
          [objectOf(c.lastState), restarts - 1],
        ] as const) {
          const terminated = objectOf(when.terminated);
          const running = objectOf(when.running);
          const id = bareId(textOf(terminated.containerID) || (running.startedAt ? textOf(c.containerID) : ''));
          if (id === '') continue;
          const one = this.container(id, uid, name);
          // The restartCount of a container that waits for its next start may be of either one.
          if (when === state && attempt >= 0) one.attempt ??= attempt;
          one.image ||= textOf(c.image);
          if (when.terminated !== undefined) {
            const code = numberOf(terminated.exitCode);
            if (code !== undefined) one.exitCode ??= code;
            const reason = textOf(terminated.reason);
            if (reason) one.reason ??= reason;
            const message = textOf(terminated.message);
            if (message) one.message ??= message;
          }
        }
      }
  }

  unnamed(id: string, uid: string, time: Micros, died: boolean, isContainer: boolean, exitCode?: number): void {
    const one = this.nameless.get(id) ?? { uid, isContainer };
    this.nameless.set(id, one);
    if (isContainer) one.isContainer = true;
    if (died) one.ended ??= time;
    else one.ran ??= time;
    if (exitCode !== undefined) one.exitCode ??= exitCode;
  }

  /**
   * The ids of a pod's containers in the PLEG's events, if any of them has no name, and when the sandboxes after its
   * first one were seen to run.
   */
  namelessOf(uid: string): { readonly ids: readonly Nameless[]; readonly sandboxes: readonly Micros[] } {
    const found = new Map<string, Nameless>();
    for (const { id, uid: of, name, ran, ended, exitCode } of this.containers.values())
      if (of === uid) found.set(id, { id, name, isContainer: true, ran, ended, exitCode });
    const named = found.size;
    for (const [id, one] of this.nameless) {
      if (one.uid !== uid || found.has(id) || this.sandboxes.has(id)) continue;
      const { ran, ended, exitCode } = one;
      found.set(id, { id, name: '', isContainer: one.isContainer || exitCode !== undefined, ran, ended, exitCode });
    }
    const all = [...found.values()];
    if (all.length === named) return { ids: [], sandboxes: [] };
    const ids = all.filter((one) => !isSandbox(one, all));
    const runs = all.flatMap((one) => (ids.includes(one) || one.ran === undefined ? [] : [one.ran]));
    return { ids, sandboxes: runs.sort((a, b) => a - b).slice(1) };
  }

  /** Gives the ids that have a name by now the facts known under them; so it does for a pod with one container only. */
  nameThem(names: ReadonlyMap<string, ReadonlySet<string>>): void {
    for (const [id, { uid, isContainer, ran, ended, exitCode }] of this.nameless) {
      const only = names.get(uid);
      let one = this.containers.get(id);
      if (!one && isContainer && !this.sandboxes.has(id) && only?.size === 1)
        one = this.container(id, uid, [...only][0] as string);
      if (!one) continue;
      one.ran = least(one.ran, ran);
      one.ended = least(one.ended, ended);
      one.exitCode ??= exitCode;
    }
  }
}

/**
 * True if it is a sandbox: no line has an exit code of it, and no sandbox ran when it started. A relist reports the
 * sandbox after the containers in it.
 */
function isSandbox(one: Nameless, all: readonly Nameless[]): boolean {
  if (one.isContainer) return false;
  if (one.ended !== undefined) return true;
  if (one.ran === undefined) return true;
  const { ran } = one;
  // A pod that runs to the end has one sandbox that no line shows ended, and maybe containers.
  const unended = all.filter((o) => !o.isContainer && o.ended === undefined && o.ran !== undefined);
  const first = Math.min(...unended.map((o) => o.ran as Micros));
  return ran - first <= TOGETHER && unended.filter((o) => (o.ran as Micros) - first <= TOGETHER).at(-1) === one;
}
/** Returns the earlier of two times, either of which may be unknown. */
const least = (a: Micros | undefined, b: Micros | undefined): Micros | undefined =>
  a === undefined ? b : b === undefined ? a : Math.min(a, b);
