import { parseScenario } from '../../../scenario/document/parse.js';
import { findScenario } from '../../../scenario/library/index.js';
import { startScenario } from '../../../scenario/run/start.js';
import type { RecordKind, RecordOf, Seq, TraceRecord } from '../../../trace/index.js';
import { RecordStore } from '../../base/record-store.js';
import type { Answer, Role, WhyLink } from '../types.js';

const stores = new Map<string, RecordStore>();

/** The records of a library scenario that ran to its end. */
export function runOf(name: string): RecordStore {
  let store = stores.get(name);
  if (!store) {
    store = new RecordStore();
    const run = startScenario(findScenario(name), { sink: (r) => store?.push(r) });
    run.run();
    stores.set(name, store);
  }
  return store;
}

/** The records of a scenario's text, up to `until` Micros. */
export function runText(text: string, until: number): RecordStore {
  const store = new RecordStore();
  const run = startScenario(parseScenario(text), { sink: (r) => store.push(r) });
  run.run({ until });
  return store;
}

/** A store of these records as `change` makes them. */
export function storeOf(records: Iterable<TraceRecord>, change = (r: TraceRecord): TraceRecord => r): RecordStore {
  const store = new RecordStore();
  for (const r of records) store.push(change(r));
  return store;
}

/** Returns the nth record (from 0) of a kind that passes; the last for -1. Throws if there is none. */
export function find<K extends RecordKind>(
  store: RecordStore,
  kind: K,
  test: (r: RecordOf<K>) => boolean = () => true,
  nth = 0,
): RecordOf<K> {
  const all: RecordOf<K>[] = [];
  for (const r of store.from(store.first)) if (r.kind === kind && test(r as RecordOf<K>)) all.push(r as RecordOf<K>);
  const found = all.at(nth);
  if (!found) throw new Error(`no ${kind} record number ${nth} passes; there are ${all.length}`);
  return found;
}

/** The last record not after `seconds`. */
export function seqAt(store: RecordStore, seconds: number): Seq {
  let found = store.first;
  for (const r of store.from(store.first)) {
    if (r.time > seconds * 1e6) break;
    found = r.seq;
  }
  return found;
}

/** Lists what is wrong with the shape of an answer; nothing for a good one. */
export function flaws(store: RecordStore, a: Answer): string[] {
  const out: string[] = [];
  let before: WhyLink | undefined;
  const shown = new Set(a.links.map((l) => l.seq));
  for (const link of a.links) {
    const record = store.get(link.seq);
    if (!record) out.push(`link ${link.seq} is not held`);
    else if (record.kind !== link.kind || record.time !== link.time) out.push(`link ${link.seq} is not its record`);
    if (before && (link.seq <= before.seq || link.time < before.time)) out.push(`time goes back at link ${link.seq}`);
    for (const cause of link.causes) {
      if (!shown.has(cause)) out.push(`link ${link.seq} follows from ${cause}, which is not shown`);
      if (cause >= link.seq) out.push(`link ${link.seq} follows from ${cause}, which is later`);
    }
    if (link.causes.length === 0 && link.main && !link.root && link.missing === undefined)
      out.push(`link ${link.seq} of the main line follows from nothing`);
    for (const text of [link.text.en, link.text.zh])
      if (text === '' || /undefined|NaN|\[object/.test(text)) out.push(`link ${link.seq}: bad text "${text}"`);
    before = link;
  }
  if (a.subject > 0 && a.links.at(-1)?.seq !== a.subject) out.push('the last link is not the subject');
  if (a.subject > 0 && a.roots.length === 0 && a.cutOff === undefined) out.push('it ends nowhere');
  for (const text of [a.summary.en, a.summary.zh])
    if (text === '' || /undefined|NaN|\[object/.test(text)) out.push(`bad summary "${text}"`);
  return out;
}

/** The link of the main root. Throws if it is not shown. */
export function rootOf(a: Answer): WhyLink {
  const root = a.links.find((l) => l.seq === a.roots[0]);
  if (!root?.root || !root.main) throw new Error('the main root is not among the links');
  return root;
}
export const rootRoles = (a: Answer): Role[] => a.links.filter((l) => l.root).map((l) => l.role);

export const linkWith = (a: Answer, test: (l: WhyLink) => boolean): WhyLink | undefined => a.links.find(test);
export const ruleLink = (a: Answer, rule: string): WhyLink | undefined => a.links.findLast((l) => l.rule === rule);
