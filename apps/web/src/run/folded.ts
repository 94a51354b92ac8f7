/** The run's events, counted up as they come. */
import { EventFolder, type FoldedEvent } from '@syncloop/core/kubectl';
import type { RecordOf } from '@syncloop/core/trace';

let last: { readonly events: readonly RecordOf<'kube-event'>[]; count: number; readonly folder: EventFolder } | null =
  null;
/** Folds on from the last call, while the list only grew. */
export function folded(events: readonly RecordOf<'kube-event'>[]): readonly FoldedEvent[] {
  if (last?.events !== events || last.count > events.length) last = { events, count: 0, folder: new EventFolder() };
  for (; last.count < events.length; last.count++) last.folder.add(events[last.count] as RecordOf<'kube-event'>);
  return last.folder.list();
}
