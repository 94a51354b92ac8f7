import type { ReactNode } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import type { Kind } from './geometry/geometry-paths.js';
import { useGraph } from './graph-store.js';

interface PartProps {
  readonly kind: Kind;
  /** The id by which it is folded; without one it does not fold. */
  readonly id?: string;
  /** Its first line, which stays when it is folded. */
  readonly head: ReactNode;
  readonly active?: boolean;
  readonly dim?: boolean;
  readonly className?: string;
  readonly testId?: string;
  readonly children?: ReactNode;
}

/** A box of the graph. `active`: something happens in it now; `dim`: it is not there, or not configured. */
export function PartBox({ kind, id, head, active, dim, className = '', testId, children }: PartProps) {
  const folded = useGraph((s) => id !== undefined && s.folded[id] === true);
  return (
    <div
      className={`sl-part u-width-full u-height-full u-relative u-hidden-overflow u-panel ${className}`}
      data-kind={kind}
      data-active={active || undefined}
      data-dim={dim || undefined}
      data-folded={folded || undefined}
      data-testid={testId}
    >
      <div className="sl-part-head u-row u-gap-6">
        {head}
        {id !== undefined && <FoldButton id={id} folded={folded} />}
      </div>
      {!folded && children}
    </div>
  );
}

function FoldButton({ id, folded }: { readonly id: string; readonly folded: boolean }) {
  const t = useT();
  const name = t(folded ? 'graphTools.unfold' : 'graphTools.fold');
  return (
    <button
      type="button"
      className="sl-fold u-grid u-flex-none u-relative u-pad-0 u-bare u-round u-pointer u-faint"
      aria-expanded={!folded}
      aria-label={name}
      title={name}
      data-testid={`fold-${id}`}
      onMouseDown={(e) => e.preventDefault()}
      onClick={() => runCommand('view.fold', id)}
    >
      <svg viewBox="0 0 10 10" width="10" height="10" aria-hidden="true">
        <path d={folded ? 'M3 1.5 7 5 3 8.5' : 'M1.5 3 5 7 8.5 3'} />
      </svg>
    </button>
  );
}

/** Shows how much of a length of time has gone by, as a small clock that fills. */
export function Clock({ fill, label }: { readonly fill: number | null; readonly label: string }) {
  const angle = (fill ?? 0) * 2 * Math.PI;
  const x = 7 + 5 * Math.sin(angle);
  const y = 7 - 5 * Math.cos(angle);
  return (
    <svg
      className="sl-clock u-flex-none"
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

interface CallsProps {
  readonly calls: number;
  readonly errors: number;
}
/** How many calls there were, and how many of them failed, in few words; nothing of what is 0. */
export function Calls({ calls, errors }: CallsProps) {
  const t = useT();
  if (calls === 0) return errors > 0 ? t('cri.failed', { n: errors }) : null;
  return errors > 0 ? t('cri.failedOf', { n: errors, calls }) : t('cri.calls', { n: calls });
}
