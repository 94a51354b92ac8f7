import type { Path } from '@syncloop/core/debug/inspect';
import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import { type Selection, useUI } from '../../page/ui-store.js';
import type { Ask } from './logic/asks.js';

export type Detail = 'brief' | 'full';
export type Since = 'step' | 'iteration';

/** The state of the inspector besides the selection. */
export interface InspectorState {
  /** The part of an answer to "why" that is shown: the important links, or all of them. */
  readonly detail: Detail;
  /** The moment that Changed compares with. */
  readonly since: Since;
  /** Changed shows counters and times too. */
  readonly bookkeeping: boolean;
  /** Question that was picked; null: the first one. */
  readonly asked: Ask | null;
  /** The values below the card are open. */
  readonly raw: boolean;
  /** The field whose history is shown; null: the records about the selection. */
  readonly field: Path | null;
  /** The selections before, the newest last. */
  readonly trail: readonly Selection[];
}

const MOST_BACK = 30;

export const useInspector = create<InspectorState>(() => ({
  detail: recall('why') === 'full' ? 'full' : 'brief',
  since: recall('since') === 'iteration' ? 'iteration' : 'step',
  bookkeeping: false,
  raw: recall('values') === 'open',
  asked: null,
  field: null,
  trail: [],
}));

export function setDetail(detail: Detail): void {
  remember('why', detail);
  useInspector.setState({ detail });
}
export function setRaw(raw: boolean): void {
  remember('values', raw ? 'open' : 'closed');
  useInspector.setState({ raw });
}
export function setSince(since: Since): void {
  remember('since', since);
  useInspector.setState({ since });
}

let goingBack = false;

/** Goes back to the selection before. */
export function selectBefore(): void {
  const { trail } = useInspector.getState();
  const selection = trail.at(-1);
  if (!selection) return;
  goingBack = true;
  useInspector.setState({ trail: trail.slice(0, -1) });
  useUI.setState({ selection, inspectorOpen: true });
  goingBack = false;
}

// A question and a field belong to the selection of their time.
useUI.subscribe((s, before) => {
  if (s.selection === before.selection) return;
  const same = JSON.stringify(s.selection) === JSON.stringify(before.selection);
  if (same) return;
  const { trail } = useInspector.getState();
  const next = !s.selection
    ? []
    : goingBack || !before.selection
      ? trail
      : [...trail.slice(1 - MOST_BACK), before.selection];
  useInspector.setState({ asked: null, field: null, trail: next });
});
