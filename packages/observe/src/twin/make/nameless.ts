/**
 * Concludes which containers a log is about that names none: below -v=4 the PLEG's events have ids alone, and other
 * lines name only containers that are killed or that back off.
 */
import type { Micros } from '@syncloop/core/trace';

/** The facts about an id that stands in events of the PLEG. */
export interface Nameless {
  readonly id: string;
  /** Undefined: no line says so. */
  readonly ran?: Micros | undefined;
  readonly ended?: Micros | undefined;
  readonly exitCode?: number | undefined;
  /** The name, if some line has it; '' if none does. */
  readonly name: string;
  /** True if it can be no sandbox. */
  readonly isContainer: boolean;
}
/** A report that a container waits for the end of a back-off. */
export interface Wait {
  readonly container: string;
  readonly time: Micros;
}
/** A container of a pod: the ids that it had, one after the other. */
export interface Concluded {
  readonly name: string;
  readonly init: boolean;
  readonly ids: readonly string[];
}

/** Reports of one relist come within this time. */
export const TOGETHER: Micros = 20_000;
/** A container that has no back-off is started again within this time. */
const AT_ONCE: Micros = 4_000_000;
/** From the end of the last container of a sandbox that died to the report that another one runs, at most. */
const LONG: Micros = 3_000_000;
/** From the end of a container to the report that it waits. */
const REPORTED: Micros = 1_500_000;

interface Slot {
  name: string;
  init: boolean;
  readonly ids: Nameless[];
}

/** `gone`: when the pod was asked to end. `sandboxes`: when the sandboxes after its first one were seen to run. */
export function concludeContainers(
  all: readonly Nameless[],
  waits: readonly Wait[],
  gone: Micros,
  sandboxes: readonly Micros[] = [],
): Concluded[] {
  const starts = [...all]
    .filter(({ ran, ended }) => ran !== undefined || ended !== undefined)
    .sort((a, b) => startOf(a) - startOf(b));
  const slots: Slot[] = [];
  const batches = batchesOf(starts);
  /** The sandbox that the batch runs in, and how many init containers have begun in it. */
  let sandbox = 0;
  let begun = 0;
  for (const [i, batch] of batches.entries()) {
    const at = startOf(batch[0] as Nameless);
    const free = () =>
      slots.filter((slot) => !slot.init && last(slot).ended !== undefined && (last(slot).ended as Micros) <= at);
    const next = batches[i + 1]?.[0];
    if (sandbox === 0 && areInits(slots, free(), batch, { next, waits, gone }))
      for (const slot of slots) slot.init = true;
    for (const one of batch) {
      if ((one.ran ?? (one.ended as Micros)) >= (sandboxes[sandbox] ?? Number.POSITIVE_INFINITY) - TOGETHER) {
        sandbox++;
        begun = 0;
      }
      const inits = sandbox === 0 ? [] : slots.filter((slot) => slot.init);
      const now = inits.find((slot) => one.name !== '' && slot.name === one.name) ?? inits[begun];
      if (now && (one.name === '' || now.name === '' || now.name === one.name)) {
        // All init containers run again in a new sandbox, in their order; one that failed does before the next.
        now.ids.push(one);
        now.name ||= one.name;
        if (one.exitCode === undefined || one.exitCode === 0) begun = inits.indexOf(now) + 1;
        continue;
      }
      const name = one.name || nameFromWait(one, waits, slots);
      const known = name === '' ? undefined : slots.find((slot) => slot.name === name);
      const ready = free().filter((slot) => slot.name === '' || name === '' || slot.name === name);
      // A container that failed is started again by more policies than one that succeeded.
      const failed = (slot: Slot) => Number(last(slot).exitCode !== 0);
      const likely = ready
        .filter((slot) => !isDone(slot, sandboxes[sandbox - 1]))
        .sort((a, b) => failed(b) - failed(a));
      const again = known ?? likely.find((slot) => !isWaiting(slot, at, waits)) ?? likely[0] ?? ready[0];
      if (again && (known || !batch.some((other) => last(again) === other))) {
        again.ids.push(one);
        again.name ||= name;
      } else if (at < gone) slots.push({ name, init: false, ids: [one] });
    }
  }
  const counts = { init: 0, container: 0 };
  return slots.map(({ name, init, ids }) => ({
    name: name || (init ? `init-${++counts.init}` : `container-${++counts.container}`),
    init,
    ids: ids.map(({ id }) => id),
  }));
}

const startOf = ({ ran, ended }: Nameless): Micros => ran ?? (ended as Micros) - 1_000_000;
const last = ({ ids }: Slot): Nameless => ids.at(-1) as Nameless;

/** True if a sync has just reported that it waits for its back-off. */
const isWaiting = ({ name }: Slot, at: Micros, waits: readonly Wait[]): boolean =>
  waits.some((wait) => wait.container === name && wait.time <= at && at - wait.time <= REPORTED);

/** True if its container had succeeded, and was left at that, long before the sandbox that runs now. */
const isDone = (slot: Slot, sandbox: Micros | undefined): boolean =>
  sandbox !== undefined && last(slot).exitCode === 0 && sandbox - (last(slot).ended as Micros) > LONG;

function batchesOf(starts: readonly Nameless[]): Nameless[][] {
  const out: Nameless[][] = [];
  for (const one of starts) {
    const batch = out.at(-1);
    if (batch && startOf(one) - startOf(batch[0] as Nameless) <= TOGETHER) batch.push(one);
    else out.push([one]);
  }
  return out;
}

/**
 * True if the pod is initialized with this batch, so that all containers before it are init containers or sidecars: one
 * of them has just succeeded, and what starts now are more than have ended, or what starts now is not that one again.
 */
function areInits(
  slots: readonly Slot[],
  free: readonly Slot[],
  batch: readonly Nameless[],
  { next, waits, gone }: { next: Nameless | undefined; waits: readonly Wait[]; gone: Micros },
): boolean {
  const [one] = batch as readonly [Nameless];
  const at = startOf(one);
  const ends = free.map(last);
  if (ends.length === 0 || !ends.every(({ exitCode }) => exitCode === 0)) return false;
  if (!ends.some(({ ended }) => at - (ended as Micros) <= AT_ONCE)) return false;
  if (batch.length > free.length) return true;
  const [slot] = free as readonly [Slot];
  if (batch.length > 1 || free.length > 1 || (one.name !== '' && one.name === slot.name)) return false;
  const { ended } = one;
  // A container that is started again after it has succeeded is always started again.
  if (ended !== undefined && one.exitCode === 0 && next === undefined && gone - ended > AT_ONCE)
    return !waits.some(({ time }) => time >= ended && time <= ended + REPORTED);
  // The second restart of a container waits for its back-off.
  const onTime = next === undefined || ended === undefined || startOf(next) - ended <= AT_ONCE;
  return onTime && slots.every((other) => other === slot || other.init);
}

/** The name of the only container that is reported to wait after this one's end. */
function nameFromWait({ ran, ended }: Nameless, waits: readonly Wait[], slots: readonly Slot[]): string {
  if (ended === undefined) return '';
  // A container that waits while this one runs is another one.
  const others = new Set(
    waits.filter(({ time }) => time > (ran ?? ended) && time < ended).map(({ container }) => container),
  );
  const names = new Set(
    waits.filter(({ time }) => time >= ended && time <= ended + REPORTED).map(({ container }) => container),
  );
  const alive = (name: string) =>
    slots.some(
      (slot) => slot.name === name && (last(slot).ended === undefined || (last(slot).ended as Micros) > ended),
    );
  const [name, other] = [...names].filter((one) => !alive(one) && !others.has(one));
  return other === undefined ? (name ?? '') : '';
}
