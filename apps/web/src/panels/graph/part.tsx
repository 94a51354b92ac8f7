import type { ReactNode } from 'react';
import { runCommand } from '../../app-logic/commands/index.js';
import { type Selection, useUI } from '../../store/ui-store.js';

export const sameSelection = (a: Selection | null, b: Selection | null): boolean =>
  JSON.stringify(a) === JSON.stringify(b);

interface SelectableProps {
  readonly selection: Selection;
  readonly className?: string;
  readonly title?: string;
  readonly label?: string;
  readonly children: ReactNode;
}

/** A name or an item that selects what it stands for. */
export function Selectable({ selection, className = '', title, label, children }: SelectableProps) {
  const selected = useUI((s) => sameSelection(s.selection, selection));
  return (
    <button
      type="button"
      className={`sl-selectable ${className}`}
      aria-pressed={selected}
      aria-label={label}
      title={title}
      onMouseDown={(e) => e.preventDefault()}
      onClick={() => runCommand('view.select', selected ? null : selection)}
    >
      {children}
    </button>
  );
}

interface PartProps {
  readonly kind: 'desired' | 'actual' | 'message' | 'decision' | 'time' | 'failure';
  readonly active?: boolean;
  readonly dim?: boolean;
  readonly next?: boolean;
  readonly className?: string;
  readonly testId?: string;
  readonly children: ReactNode;
}

/** A box of the graph. `active`: something happens in it now; `next`: something is about to. */
export function PartBox({ kind, active, dim, next, className = '', testId, children }: PartProps) {
  return (
    <div
      className={`sl-part ${className}`}
      data-kind={kind}
      data-active={active || undefined}
      data-dim={dim || undefined}
      data-next={next || undefined}
      data-testid={testId}
    >
      {children}
    </div>
  );
}

/** How much of a length of time has gone by, as a small clock that fills. */
export function Clock({ fill, label }: { readonly fill: number | null; readonly label: string }) {
  const angle = (fill ?? 0) * 2 * Math.PI;
  const x = 7 + 5 * Math.sin(angle);
  const y = 7 - 5 * Math.cos(angle);
  return (
    <svg
      className="sl-clock"
      viewBox="0 0 14 14"
      width="14"
      height="14"
      role="img"
      aria-label={label}
      data-full={fill === 1 || undefined}
    >
      <title>{label}</title>
      <circle cx="7" cy="7" r="6" />
      {fill === 1 ? (
        <circle cx="7" cy="7" r="5" className="sl-clock-fill" />
      ) : fill ? (
        <path className="sl-clock-fill" d={`M7 7V2A5 5 0 ${fill > 0.5 ? 1 : 0} 1 ${x.toFixed(2)} ${y.toFixed(2)}Z`} />
      ) : null}
    </svg>
  );
}
