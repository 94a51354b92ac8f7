import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { CHANNELS, inputAbsent } from '../../run/loop.js';
import { useTrace } from '../../run/use-trace.js';
import { pathOf } from './geometry/geometry.js';
import { LAYOUTS } from './geometry/geometry-levels.js';
import { useArrangement } from './graph-view.js';
import { sourcePart } from './parts/parts.js';

const ARROWS = ['desired', 'actual', 'message', 'decision', 'time'] as const;

/** All wires and the headings over the columns: drawn once, below the parts. */
export const WiresNode = memo(function WiresNode() {
  const t = useT();
  const arrangement = useArrangement();
  const { world, wires, headings } = LAYOUTS[arrangement];
  const configured = useTrace((s) => ({
    http: sourcePart(s, 'http').configured,
    api: sourcePart(s, 'api').configured,
  }));
  const absent = useTrace((s) => CHANNELS.filter((key) => inputAbsent(s, key)).join(' '));
  const drawn = absent ? wires.filter(({ id }) => !absent.split(' ').some((key) => id.includes(key))) : wires;
  const dim = (id: string) =>
    id.startsWith('http')
      ? !configured.http
      : id.startsWith('api') || id.endsWith('-apiServer') || id === 'status-api' || id === 'status-desired'
        ? !configured.api
        : false;
  return (
    <div className="sl-wires u-relative u-no-pointer">
      <svg
        width={world.w}
        height={world.h}
        viewBox={`${world.x} ${world.y} ${world.w} ${world.h}`}
        style={{ left: 0, top: 0 }}
        aria-hidden="true"
      >
        <defs>
          {ARROWS.map((kind) => (
            <marker
              key={kind}
              id={`sl-arrow-${kind}`}
              viewBox="0 0 6 6"
              refX="5"
              refY="3"
              markerUnits="userSpaceOnUse"
              markerWidth="9"
              markerHeight="9"
              orient="auto-start-reverse"
            >
              <path d="M0 0.3 5.7 3 0 5.7z" className="sl-arrow" data-kind={kind} />
            </marker>
          ))}
        </defs>
        {drawn.map((w) => (
          <path
            key={w.id}
            className="sl-wire"
            data-wire={w.id}
            data-kind={w.kind}
            data-dim={dim(w.id) || undefined}
            d={pathOf(w.points, world.w < 500 ? 5 : 8)}
            markerEnd={w.plain ? undefined : `url(#sl-arrow-${w.kind})`}
          />
        ))}
      </svg>
      {drawn.map(
        (w) =>
          w.label && (
            <span
              key={w.id}
              className="sl-wire-label u-absolute u-nowrap u-fs-1 u-mono u-faint"
              data-kind={w.kind}
              style={{ left: w.label.x - world.x, top: w.label.y - world.y }}
            >
              {w.label.text}
            </span>
          ),
      )}
      {headings.map((h) => (
        <span
          key={h.key}
          className="sl-heading u-absolute u-nowrap u-fs-1 u-dim"
          style={{ left: h.x - world.x, top: h.y - world.y }}
        >
          {t(`graph.${h.key}`)}
        </span>
      ))}
    </div>
  );
});
