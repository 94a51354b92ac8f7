/** Fields of the state: the place of a value that the inspector shows, and the way to its history. Pure. */
import type { Blocks, FieldValue, Path, Segment } from '@syncloop/core/debug/inspect';
import type { WhyQuestion } from '@syncloop/core/debug/why';
import type { Json, NodeState, Seq } from '@syncloop/core/trace';
import type { Selection } from '../../../page/ui-store.js';
import { podKillerGoroutine, podKillingChannel } from '../../../run/pod-killer.js';
import { containerIn } from './asks.js';
import { channelId } from './changed.js';

/** Keys and places from a shown value inwards. */
export type Trail = readonly (string | number)[];

/**
 * The path in the state to a part of a shown value; null if it is not in the state, as for a record. `shown` is the
 * value at which the trail begins: elements of lists are identified by their key fields, so that they stay the same
 * when the list changes.
 */
export function pathOf(state: NodeState, selection: Selection, shown: Json, trail: Trail): Path | null {
  const at = rootOf(state, selection, shown, trail);
  if (!at) return null;
  const out: Segment[] = [...at.path];
  let value = trail.slice(0, at.used).reduce<Json | undefined>(step, shown);
  for (const key of trail.slice(at.used)) {
    if (Array.isArray(value)) {
      const segment = elementOf(value, Number(key));
      if (segment === null) return null;
      out.push(segment);
    } else out.push(String(key));
    value = step(value, key);
  }
  return out;
}

const step = (value: Json | undefined, key: string | number): Json | undefined =>
  typeof value === 'object' && value !== null ? (value as { readonly [k: string]: Json | undefined })[key] : undefined;

const KEYS = ['seq', 'uid', 'id', 'type', 'name', 'g'] as const;
/** Lists that are shown newest first have elements with a key; one without is named by its place. */
function elementOf(list: readonly Json[], index: number): Segment | null {
  const item = list[index];
  if (item === undefined) return null;
  for (const key of KEYS) {
    const value = step(item, key);
    if (typeof value !== 'string' && typeof value !== 'number') continue;
    if (list.filter((other) => step(other, key) === value).length === 1) return { key, value };
  }
  return index;
}

/** The path in the state to the shown value; the first `used` keys of the trail are in that path already. */
function rootOf(
  state: NodeState,
  selection: Selection,
  shown: Json,
  trail: Trail,
): { path: Path; used: number } | null {
  const whole = (...path: string[]) => ({ path, used: 0 });
  switch (selection.kind) {
    case 'pod':
      return whole('pods', selection.uid);
    case 'container':
      return whole('containers', containerIn(state, selection.id)?.id ?? selection.id);
    case 'goroutine':
      return whole('goroutines', String(selection.id));
    case 'channel': {
      const id = channelId(state, selection.name);
      return id === '' ? null : whole('channels', id);
    }
    case 'sandbox': {
      if (trail[0] !== 'containers') return whole('sandboxes', selection.id);
      const id = step(step(step(shown, 'containers'), trail[1] ?? ''), 'id');
      return typeof id === 'string' ? { path: ['containers', id], used: 2 } : null;
    }
    case 'record':
      return null;
    case 'part':
      return partRoot(state, selection.part, shown, trail);
  }
}

function partRoot(
  state: NodeState,
  part: Extract<Selection, { kind: 'part' }>['part'],
  shown: Json,
  trail: Trail,
): { path: Path; used: number } | null {
  const [first, second] = trail;
  const whole = (...path: string[]) => ({ path, used: 0 });
  switch (part) {
    case 'loop':
      return first === 'goroutine' ? { path: ['goroutines', String(state.loop.g)], used: 1 } : whole('loop');
    case 'pleg':
      return whole('pleg');
    case 'cri': {
      if (first === 'runtime') return { path: ['runtime'], used: 1 };
      if (first !== 'inFlight' || second === undefined) return whole('cri');
      const seq = step(step(step(shown, 'inFlight'), second), 'seq');
      return typeof seq === 'number' ? { path: ['cri', 'inFlight', String(seq)], used: 2 } : null;
    }
    case 'status':
    case 'probes': {
      const pod = Object.values(state.pods).find((p) => p.pod === first);
      if (!pod) return null;
      if (part === 'probes') return { path: ['pods', pod.uid, 'probes'], used: 1 };
      if (second === 'version') return { path: ['pods', pod.uid, 'statusVersion'], used: 2 };
      return { path: ['pods', pod.uid], used: 1 };
    }
    case 'podKiller': {
      if (first === 'channel') return { path: ['channels', String(podKillingChannel(state)?.id)], used: 1 };
      if (first === 'goroutine') return { path: ['goroutines', String(podKillerGoroutine(state))], used: 1 };
      if (first !== 'kills' || second === undefined) return null;
      const id = step(step(step(shown, 'kills'), second), 'id');
      return typeof id === 'number' ? { path: ['goroutines', String(id)], used: 2 } : null;
    }
    case 'podConfig':
      return whole('sources');
    case 'images':
      return whole('images');
    default:
      return whole('sources', part.slice('source-'.length));
  }
}

/** Fields of a selection that people look at first, as paths below its root. */
export function fieldsOf(state: NodeState, selection: Selection | null): Path[] {
  if (!selection)
    return [
      ['loop', 'handler'],
      ['loop', 'iteration'],
      ['runtime', 'errors'],
    ];
  const under = (trails: readonly Trail[]): Path[] =>
    trails.flatMap((trail) => {
      const path = pathOf(state, selection, null, trail);
      return path ? [path] : [];
    });
  switch (selection.kind) {
    case 'pod': {
      const backoffs = Object.keys(state.pods[selection.uid]?.backoffs ?? {}).map((k) => ['backoffs', k, 'delay']);
      return under([
        ['phase'],
        ['worker', 'state'],
        ['worker', 'pending'],
        ['worker', 'due'],
        ['statusVersion'],
        ...backoffs.slice(0, 3),
      ]);
    }
    case 'container':
      return under([['state'], ['exitCode'], ['reason']]);
    case 'sandbox':
      return under([['state'], ['ip']]);
    case 'goroutine':
      return under([['state'], ['wait'], ['stack']]);
    case 'channel':
      return under([['items'], ['receivers'], ['sent']]);
    case 'record':
      return [];
    case 'part':
      switch (selection.part) {
        case 'loop':
          return under([['phase'], ['handler'], ['chosen'], ['iteration']]);
        case 'pleg':
          return under([['relists'], ['transitions']]);
        case 'cri':
          return under([['errors'], ['calls'], ['runtime', 'errors']]);
        default:
          return [];
      }
  }
}

/** Returns the question why a field is as it is, if there is one: for fields of a pod's status. */
export function whyOfPath(path: Path): WhyQuestion | null {
  const [top, uid, field, ...rest] = path;
  if (top !== 'pods' || typeof uid !== 'string') return null;
  if (field === 'phase') return { about: 'field', uid, path: 'phase' };
  if (field !== 'status' || rest.length === 0) return null;
  let text = '';
  for (const segment of rest) {
    if (typeof segment === 'object') text += `[${segment.key}=${segment.value}]`;
    else if (typeof segment === 'number') text += `[${segment}]`;
    // Names that its paths cannot write are not asked about.
    else if (/[.[\]=]/.test(segment)) return null;
    else text += text === '' ? segment : `.${segment}`;
  }
  return { about: 'field', uid, path: text };
}

type History = (store: Blocks, path: Path, options: { from?: Seq; to?: Seq; limit?: number }) => FieldValue[];

/** The newest values of a field. `more`: there are older ones among the records in memory. */
export interface NewestValues {
  /** Newest first. */
  readonly values: readonly FieldValue[];
  readonly more: boolean;
}

/** The newest `count` values of a field, looking from the end backwards, a block of records at a time. */
export function newestValues(store: Blocks, path: Path, count: number, history: History): NewestValues {
  const out: FieldValue[] = [];
  const { blocks } = store;
  for (let i = blocks.length - 1; i >= 0 && out.length <= count; i--) {
    const block = blocks[i] as Blocks['blocks'][number];
    const from = block.first;
    const to = (blocks[i + 1]?.first ?? store.last + 1) - 1;
    if (to < from) continue;
    const part = history(store, path, { from, to, limit: to - from + 2 });
    // The value that it had before the block is the last one of the block before, unless there is none.
    if (part[0] && part[0].seq < from && i > 0) part.shift();
    for (let k = part.length - 1; k >= 0; k--) out.push(part[k] as FieldValue);
  }
  return { values: out.slice(0, count), more: out.length > count };
}
