import type { NodeState, Place, TraceRecord } from '@syncloop/core/trace';
import type { Selection } from '../../../page/ui-store.js';

/** Parts of the page, and the places of their records, if these have other names. */
const PLACES: Readonly<Record<string, readonly string[]>> = {
  loop: ['select'],
  'source-file': ['file'],
  'source-http': ['http'],
  'source-api': ['api'],
};

/** Returns true if a record is about the selection. */
export function aboutSelection(
  record: TraceRecord,
  selection: Selection,
  state: Pick<NodeState, 'channels'>,
  placeOf: (record: TraceRecord) => Place | null,
): boolean {
  const r = record as TraceRecord & { readonly [field: string]: unknown };
  switch (selection.kind) {
    case 'record':
      return record.seq === selection.seq;
    case 'pod':
      return (
        r.uid === selection.uid || (record.kind === 'pod-config' && record.pods.some((p) => p.uid === selection.uid))
      );
    case 'container':
      return r.id === selection.id || r.data === selection.id || r.container === selection.id;
    case 'sandbox':
      return r.id === selection.id || r.data === selection.id || r.sandbox === selection.id;
    case 'goroutine':
      return record.g === selection.id;
    case 'channel':
      return (
        (record.kind === 'receive' || record.kind === 'send') && state.channels[record.chan]?.name === selection.name
      );
    case 'part': {
      const place = placeOf(record);
      return place !== null && (PLACES[selection.part] ?? [selection.part]).includes(place);
    }
  }
}
