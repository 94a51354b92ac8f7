/** Plain sentences about records: the line under the graph, the log of steps, and what screen readers say. */
import type { TraceRecord } from '../records.js';
import type { NodeState } from '../state/state.js';
import { type InputAction, type Language, type NameLookup, Names, type Narration, type Sentence } from './parts.js';

/** Says `record` as a sentence; `lookup` names what the record has only by number. */
export function narrateIn({ lang, sentences, why }: Language, record: TraceRecord, lookup: NameLookup): Narration {
  const make = (Object.hasOwn(sentences, record.kind) ? sentences[record.kind] : undefined) as
    | ((record: TraceRecord, names: Names) => Sentence)
    | undefined;
  const parts = make
    ? make(record, new Names(lookup, lang))
    : [lang === 'en' ? `A record of kind ${record.kind}.` : `一条 ${record.kind} 记录。`];
  const text = parts.map((p) => (typeof p === 'string' ? p : p.text)).join('');
  const because = (why[record.kind] as ((record: TraceRecord) => string | undefined) | undefined)?.(record);
  return because === undefined ? { text, parts } : { text, parts, why: because };
}

/** Names an action in a few words: the name of a branch that it began. */
export function actionName(
  { lang, action }: Pick<Language, 'lang' | 'action'>,
  what: InputAction,
  lookup: NameLookup,
): string {
  return action(what, new Names(lookup, lang))
    .map((p) => (typeof p === 'string' ? p : p.text))
    .join('');
}

/** Names out of the state that the records made. It looks at the state as it is when asked. */
export function lookupOf(state: NodeState): NameLookup {
  return {
    channel: (id) => state.channels[id]?.name ?? '',
    goroutine: (id) => state.goroutines[id]?.name ?? '',
    container(id) {
      const container = state.containers[id];
      if (container) return { name: container.name, pod: state.pods[container.uid]?.pod ?? '', uid: container.uid };
      const sandbox = state.sandboxes[id];
      return sandbox ? { name: '', pod: sandbox.pod, uid: sandbox.uid } : null;
    },
    containerId(uid, name) {
      let newest: { id: string; attempt: number; since: number } | null = null;
      for (const key of Object.keys(state.containers)) {
        const c = state.containers[key];
        if (c?.uid !== uid || c.name !== name) continue;
        if (!newest || c.attempt > newest.attempt || (c.attempt === newest.attempt && c.since >= newest.since))
          newest = c;
      }
      return newest?.id ?? '';
    },
    pod: (uid) => state.pods[uid]?.pod ?? '',
  };
}
