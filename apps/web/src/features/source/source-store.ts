import type { Seq } from '@syncloop/core/trace';
import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import { type Selection, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import type { SourcePosition } from './logic/source-position.js';

export interface SourceState {
  /** The place that the user pinned; null: the view follows the session or the selection. */
  readonly held: SourcePosition | null;
  /** The call that somebody picked, by its `enter` record, while the view is at record `at`. */
  readonly picked: { readonly at: Seq; readonly call: Seq } | null;
  readonly wide: boolean;
  /** The session's position when the selection was made. */
  readonly since: Seq;
}

/** The state of the Source tab. */
export const useSource = create<SourceState>(() => ({
  held: null,
  picked: null,
  wide: recall('source-wide') === 'yes',
  since: 0,
}));

export function setWide(wide: boolean): void {
  remember('source-wide', wide ? 'yes' : 'no');
  useSource.setState({ wide });
}

/** The function that was asked for by its name, as a position that no run is at. */
let shown: SourcePosition | null = null;
/** Shows a function until something else is selected. */
export function showFunction(fn: string): void {
  shown = { seq: 0, earlier: false, goroutine: '', calls: [{ seq: 0, fn, args: null }], cut: false };
  useSource.setState({ held: shown, picked: null });
}

/** Returns the selection to show: a record only until the session moves on, others for as long as they are selected. */
export function selectionInSight(selection: Selection | null): Selection | null {
  if (selection?.kind !== 'record') return selection;
  return useSession.getState().run.seq === useSource.getState().since ? selection : null;
}

useUI.subscribe((s, before) => {
  if (s.selection === before.selection) return;
  useSource.setState((source) => ({
    since: useSession.getState().run.seq,
    ...(shown && source.held === shown && { held: null }),
  }));
});
// Another run has other calls.
useSession.subscribe((s, before) => {
  if (s.info?.id !== before.info?.id || s.info?.scenario !== before.info?.scenario)
    useSource.setState({ held: null, picked: null });
});
