import { useStore, ViewportPortal } from '@xyflow/react';
import { type RefObject, useLayoutEffect } from 'react';
import { useT } from '../../i18n/index.js';
import { LAYOUTS, nearFrom } from './geometry/geometry-levels.js';
import { useGraph } from './graph-store.js';
import { useArrangement } from './graph-view.js';
import './styles/far.css';

/** The boxes whose names stand above them as headings, when they are near. */
const HEADED = ['channels', 'select', 'handlers', 'lanes'] as const;
const HEADING = { channels: 'channels', select: 'select', handlers: 'handlers', lanes: 'workers' } as const;

/**
 * Summarises the map when it is far away: each box shows its name, in letters that keep their size on the screen, and
 * nothing that would be too small to read.
 */
export function Far({ stage }: { readonly stage: RefObject<HTMLElement | null> }) {
  const t = useT();
  const zoom = useStore((s) => s.transform[2]);
  const { boxes } = LAYOUTS[useArrangement()];
  const presenting = useGraph((s) => s.presenting);
  const far = zoom < nearFrom(presenting) - 0.01;
  useLayoutEffect(() => {
    const { current } = stage;
    if (!current) return;
    if (far) {
      current.dataset.far = '';
      current.style.setProperty('--sl-out', String(1 / zoom));
    } else delete current.dataset.far;
  }, [stage, far, zoom]);
  if (!far) return null;
  return (
    <ViewportPortal>
      {HEADED.map((id) => {
        const rect = boxes.find((b) => b.id === id)?.rect;
        return (
          rect && (
            <span
              key={id}
              className="sl-far-name u-absolute u-grid u-no-pointer u-text-center"
              data-upright={rect.w * 2.2 < rect.h || undefined}
              style={{ left: rect.x, top: rect.y, width: rect.w, height: rect.h }}
            >
              {t(`graph.${HEADING[id]}`)}
            </span>
          )
        );
      })}
    </ViewportPortal>
  );
}
