import { useRef } from 'react';
import { useT } from '../i18n/index.js';
import { BOUNDS, resize, type Side, useLayout } from '../page/layout-store.js';

/** A step of the arrow keys, px. */
const STEP = 24;

/**
 * The edge of a panel, to make it larger or smaller: with the pointer, or with arrows, Home, End; a double click or
 * Enter gives it its usual size.
 */
export function Separator({ side, controls }: { readonly side: Side; readonly controls: string }) {
  const t = useT();
  const size = useLayout((s) => s[side]);
  const drag = useRef<{ at: number; size: number } | null>(null);
  const { least, most, usual } = BOUNDS[side];
  const upright = side !== 'bottom';
  /** Away from the panel makes it larger. */
  const sign = side === 'left' ? 1 : -1;
  const place = (e: { clientX: number; clientY: number }) => (upright ? e.clientX : e.clientY);
  const grow = { left: 'ArrowRight', inspector: 'ArrowLeft', bottom: 'ArrowUp' }[side];
  const shrink = { left: 'ArrowLeft', inspector: 'ArrowRight', bottom: 'ArrowDown' }[side];
  return (
    // biome-ignore lint/a11y/useSemanticElements: an hr cannot be moved
    <div
      role="separator"
      className="sl-separator u-relative"
      data-side={side}
      aria-orientation={upright ? 'vertical' : 'horizontal'}
      aria-label={t(`size.${side}`)}
      aria-controls={controls}
      aria-valuenow={size}
      aria-valuemin={least}
      aria-valuemax={most}
      aria-valuetext={t('size.px', { n: size })}
      title={t('size.how')}
      tabIndex={0}
      onPointerDown={(e) => {
        if (e.button !== 0) return;
        e.preventDefault();
        e.currentTarget.setPointerCapture(e.pointerId);
        // The visible size may be less than the one that was asked for.
        const panel = document.getElementById(controls)?.getBoundingClientRect();
        drag.current = { at: place(e), size: panel ? (upright ? panel.width : panel.height) : size };
      }}
      onPointerMove={(e) => {
        if (drag.current) resize(side, drag.current.size + sign * (place(e) - drag.current.at));
      }}
      onLostPointerCapture={() => {
        drag.current = null;
      }}
      onDoubleClick={() => resize(side, usual)}
      onKeyDown={(e) => {
        const to = {
          [grow]: size + STEP,
          [shrink]: size - STEP,
          Home: least,
          End: most,
          Enter: usual,
        }[e.key];
        if (to === undefined || e.altKey || e.ctrlKey || e.metaKey) return;
        e.preventDefault();
        e.stopPropagation();
        resize(side, to);
      }}
    />
  );
}
