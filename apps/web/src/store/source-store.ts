import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';
import { recall, remember } from '../app-logic/storage.js';
import type { Standing } from '../view-logic/source-position.js';

export interface SourceState {
  /** The place where the view was told to stay; null: it goes where the session or the selection is. */
  readonly held: Standing | null;
  /** The call that somebody picked, by its `enter` record, while the view stands at record `at`. */
  readonly picked: { readonly at: Seq; readonly call: Seq } | null;
  readonly wide: boolean;
}

/** What the Source tab shows. */
export const useSource = create<SourceState>(() => ({
  held: null,
  picked: null,
  wide: recall('source-wide') === 'yes',
}));

export function setWide(wide: boolean): void {
  remember('source-wide', wide ? 'yes' : 'no');
  useSource.setState({ wide });
}
