/** A line of the outline. */
import type { Selection } from '../../page/ui-store.js';

export interface OutlineLine {
  /** The same id for the same part, as long as it is there. */
  readonly id: string;
  readonly text: string;
  /** Its note; '' for none. */
  readonly note: string;
  readonly bad: boolean;
  readonly selection: Selection | null;
  /** Unfolded unless the user folds it. */
  readonly open: boolean;
  /** True if it has lines below it; they are left out while nobody looks (see `deep`). */
  readonly parent: boolean;
  readonly children: readonly OutlineLine[];
}

interface Extra {
  readonly note?: string | false | readonly (string | false)[];
  readonly bad?: boolean;
  readonly selection?: Selection | null;
  readonly open?: boolean;
  readonly children?: readonly OutlineLine[];
  readonly parent?: boolean;
}
export function line(id: string, text: string, extra: Extra = {}): OutlineLine {
  const { note = '', bad = false, selection = null, open = true, children = [] } = extra;
  const notes = typeof note === 'object' ? note.filter(Boolean).join(' · ') : note || '';
  return { id, text, note: notes, bad, selection, open, parent: extra.parent ?? children.length > 0, children };
}
