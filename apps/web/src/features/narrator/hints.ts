/** Hints for newcomers, shown one at a time: each until the user has done it once in this browser. */
import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';

/** The hints in the order in which they are shown. */
export const HINTS = ['step', 'back', 'select', 'why'] as const;
export type Hint = (typeof HINTS)[number];

const KEY = 'hints';
const isHint = (value: string): value is Hint => HINTS.includes(value as Hint);

export function hintsFrom(stored: string | null): readonly Hint[] {
  return (stored ?? '').split(' ').filter(isHint);
}

/** The hints that were followed, or put away. */
export const useHints = create<{ readonly done: readonly Hint[] }>(() => ({ done: hintsFrom(recall(KEY)) }));

function finish(...hints: readonly Hint[]): void {
  const { done } = useHints.getState();
  const next = HINTS.filter((hint) => done.includes(hint) || hints.includes(hint));
  if (next.length === done.length) return;
  remember(KEY, next.join(' '));
  useHints.setState({ done: next });
}

/** Puts all of them away. */
export function endHints(): void {
  finish(...HINTS);
}

/**
 * The hint to show now; null for none. Stepping is suggested only if the session can step, stepping back only if it can
 * go back.
 */
export function nextHint(
  done: readonly Hint[],
  can: { readonly control: boolean; readonly back: boolean },
): Hint | null {
  return (
    HINTS.find(
      (hint) =>
        !done.includes(hint) && (hint === 'step' ? can.control : hint === 'back' ? can.control && can.back : true),
    ) ?? null
  );
}

/** Follows what people do. Returns a function that ends it. */
export function followHints(): () => void {
  const ends = [
    useSession.subscribe(({ info, run }, before) => {
      if (!info || info.id !== before.info?.id) return;
      if (run.seq > before.run.seq) finish('step');
      if (run.seq < before.run.seq) finish('back');
    }),
    useUI.subscribe(({ selection, inspectorOpen, inspectorTab }, before) => {
      if (selection && selection !== before.selection) finish('select');
      if (inspectorOpen && inspectorTab === 'why' && before.inspectorTab !== 'why') finish('why');
    }),
  ];
  return () => {
    for (const end of ends) end();
  };
}
