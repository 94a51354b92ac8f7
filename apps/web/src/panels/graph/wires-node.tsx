import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { useTrace } from '../../trace/use-trace.js';
import { HEADINGS, pathOf, WIRES, WORLD } from '../../view-logic/geometry.js';
import { sourcePart } from '../../view-logic/parts.js';

/** All wires and the headings over the columns: drawn once, below the parts. */
export const WiresNode = memo(function WiresNode() {
  const t = useT();
  const configured = useTrace((s) => ({
    http: sourcePart(s, 'http').configured,
    api: sourcePart(s, 'api').configured,
  }));
  const dim = (id: string) =>
    id.startsWith('http') ? !configured.http : id.startsWith('api') || id === 'status-api' ? !configured.api : false;
  return (
    <div className="sl-wires">
      <svg width={WORLD.w} height={WORLD.h} aria-hidden="true">
        <defs>
          <marker
            id="sl-arrow"
            viewBox="0 0 6 6"
            refX="5"
            refY="3"
            markerWidth="6"
            markerHeight="6"
            orient="auto-start-reverse"
          >
            <path d="M0 0.5 5.5 3 0 5.5z" className="sl-arrow" />
          </marker>
        </defs>
        {WIRES.map((w) => (
          <path
            key={w.id}
            className="sl-wire"
            data-kind={w.kind}
            data-dim={dim(w.id) || undefined}
            d={pathOf(w.points)}
            markerEnd={w.plain ? undefined : 'url(#sl-arrow)'}
          />
        ))}
      </svg>
      {WIRES.map(
        (w) =>
          w.label && (
            <span key={w.id} className="sl-wire-label" data-kind={w.kind} style={{ left: w.label.x, top: w.label.y }}>
              {w.label.text}
            </span>
          ),
      )}
      {HEADINGS.map((h) => (
        <span key={h.key} className="sl-heading" style={{ left: h.x }}>
          {t(`graph.${h.key}`)}
        </span>
      ))}
    </div>
  );
});
