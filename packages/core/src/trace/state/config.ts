/** The state of the sources that pods come from. */
import type { config as configKinds } from '../kinds/config.js';
import type { RecordOf } from '../records.js';
import { podOf } from './pods.js';
import type { NodeState } from './state.js';

export interface SourceState {
  source: string;
  pods: { pod: string; uid: string }[];
  seen: boolean;
  ready: boolean;
  errors: readonly string[];
}

export function reduceConfig(state: NodeState, record: RecordOf<keyof typeof configKinds>): void {
  switch (record.kind) {
    case 'source': {
      const source = sourceOf(state, record.source);
      source.pods = record.pods.map((p) => ({ pod: p.pod, uid: p.uid }));
      source.seen = true;
      source.errors = record.errors ?? [];
      break;
    }
    case 'sources-ready':
      sourceOf(state, record.source).ready = true;
      break;
    case 'pod-config':
      sourceOf(state, record.source);
      for (const ref of record.pods) {
        const pod = podOf(state, ref, record);
        pod.desired = record.op !== 'REMOVE';
        pod.source = record.source;
      }
      break;
    default:
      record satisfies never;
  }
}

/** The name of a channel to which a source sends its snapshots, with the name of that source. */
const SOURCE_CHANNEL = /^source (.+)$/;

/** A source that is configured has a channel from the beginning, before it has read anything. */
export function noteSourceChannel(state: NodeState, channel: string): void {
  const source = SOURCE_CHANNEL.exec(channel)?.[1];
  if (source !== undefined) sourceOf(state, source);
}

function sourceOf(state: NodeState, name: string) {
  state.sources[name] ??= { source: name, pods: [], seen: false, ready: false, errors: [] };
  return state.sources[name];
}
