import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';

/** Something of the user's at a record, which a picture of the run shows there. */
export interface Mark {
  readonly kind: 'breakpoint' | 'logpoint' | 'note' | 'branch' | 'difference';
  readonly seq: Seq;
  readonly text: string;
}

/** Marks by the feature that set them: `breakpoints`, `notes`, `branches`, `twin`. */
export const useMarks = create<{ readonly marks: Readonly<Record<string, readonly Mark[]>> }>(() => ({ marks: {} }));

/** Replaces the marks of one owner. */
export function setMarks(owner: string, marks: readonly Mark[]): void {
  useMarks.setState((s) => ({ marks: { ...s.marks, [owner]: marks } }));
}
