import { useReactFlow, useStore } from '@xyflow/react';
import { type PointerEvent, useRef } from 'react';
import { useT } from '../../i18n/index.js';
import { LAYOUTS } from './geometry/geometry-levels.js';
import { centredOn, shown } from './geometry/viewport.js';
import { useArrangement } from './graph-view.js';

/** Shows the whole level in small, with the part in view. Dragging moves the view. */
export function Minimap({ onMove }: { readonly onMove: () => void }) {
  const t = useT();
  const flow = useReactFlow();
  const { world, boxes } = LAYOUTS[useArrangement()];
  const [x, y, zoom] = useStore((s) => s.transform);
  const w = useStore((s) => s.width);
  const h = useStore((s) => s.height);
  const svg = useRef<SVGSVGElement>(null);
  const view = shown({ x, y, zoom }, { w, h });
  const go = (event: PointerEvent) => {
    const box = svg.current?.getBoundingClientRect();
    if (!box || event.buttons === 0) return;
    const at = {
      x: world.x + ((event.clientX - box.left) / box.width) * world.w,
      y: world.y + ((event.clientY - box.top) / box.height) * world.h,
    };
    onMove();
    void flow.setViewport(centredOn(flow.getViewport(), { w, h }, at));
  };
  return (
    <div className="sl-minimap u-absolute u-border u-round-6 u-panel u-shadow" data-testid="minimap">
      <svg
        className="u-block u-width-full u-hidden-overflow"
        ref={svg}
        role="img"
        aria-label={t('minimap.name')}
        viewBox={`${world.x} ${world.y} ${world.w} ${world.h}`}
        preserveAspectRatio="none"
        style={{ aspectRatio: `${world.w} / ${world.h}` }}
        onPointerDown={(e) => {
          e.currentTarget.setPointerCapture(e.pointerId);
          go(e);
        }}
        onPointerMove={go}
      >
        <title>{t('minimap.name')}</title>
        {boxes.map((b) => (
          <rect
            key={b.id}
            className="sl-minimap-box"
            data-kind={b.kind}
            x={b.rect.x}
            y={b.rect.y}
            width={b.rect.w}
            height={b.rect.h}
          />
        ))}
        <rect className="sl-minimap-view" x={view.x} y={view.y} width={view.w} height={view.h} />
      </svg>
    </div>
  );
}
