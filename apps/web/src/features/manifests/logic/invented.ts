/** Which part of what a record says was invented by the simulation. */
import type { TraceRecord } from '@syncloop/core/trace';
import type { Assumption } from '../assumptions.js';

/** `missing`: that there is no such image; `size`: an image's size; `end`: how a program ends; `answer`: its answer. */
export type Invention = 'missing' | 'size' | 'end' | 'answer';

interface Invented {
  /** The container's key in the assumptions. */
  readonly id: string;
  readonly what: Invention;
}

/** Returns what was invented of a record, and for which container; null if nothing was. */
export function inventedIn(record: TraceRecord, by: Readonly<Record<string, Assumption>>): Invented | null {
  const find = (uid: string, container: string | undefined, what: Invention): Invented | null => {
    const id = Object.keys(by).find(
      (key) =>
        key.startsWith(`${uid}/`) &&
        (container === undefined || by[key]?.container === container) &&
        (what === 'missing') === (by[key]?.does === null),
    );
    return id === undefined ? null : { id, what };
  };
  switch (record.kind) {
    case 'cri-return':
      return record.method === 'PullImage' && record.error
        ? find(record.uid ?? '', record.container || undefined, 'missing')
        : null;
    case 'actual-container':
      return record.state === 'exited' ? find(record.uid, record.name, 'end') : null;
    case 'probe-result':
      return find(record.uid, record.container, 'answer');
    case 'kube-event': {
      const container = /\{(.+)\}$/.exec(record.object.fieldPath)?.[1];
      if (record.reason === 'Pulled' && record.message.includes('Image size'))
        return find(record.object.uid, container, 'size');
      const pull =
        /^(Failed|BackOff|ErrImagePull|ImagePullBackOff)$/.test(record.reason) && /image/i.test(record.message);
      return pull ? find(record.object.uid, container, 'missing') : null;
    }
    default:
      return null;
  }
}
