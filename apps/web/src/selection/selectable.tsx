import type { ReactNode } from 'react';
import { runCommand } from '../commands/index.js';
import { type Selection, useUI } from '../page/ui-store.js';

export const sameSelection = (a: Selection | null, b: Selection | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

interface SelectableProps {
  readonly selection: Selection;
  readonly className?: string;
  readonly title?: string;
  readonly label?: string;
  /** Called on a click, besides selecting. */
  readonly also?: () => void;
  /** It is small and one of many: for pointers alone. The keyboard comes to the same in another place. */
  readonly pointerOnly?: boolean;
  readonly children: ReactNode;
}

/** A name or an item that makes its selection. */
export function Selectable({ selection, className = '', title, label, also, pointerOnly, children }: SelectableProps) {
  const selected = useUI((s) => sameSelection(s.selection, selection));
  return (
    <button
      type="button"
      className={`sl-selectable ${className}`}
      aria-pressed={selected}
      aria-hidden={pointerOnly}
      tabIndex={pointerOnly ? -1 : undefined}
      aria-label={label}
      title={title}
      onMouseDown={(e) => e.preventDefault()}
      onClick={() => {
        runCommand('view.select', selected ? null : selection);
        also?.();
      }}
    >
      {children}
    </button>
  );
}
