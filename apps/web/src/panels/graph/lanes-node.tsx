import { memo, useLayoutEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { useTrace } from '../../trace/use-trace.js';
import { LANES, laneLayout } from '../../view-logic/geometry.js';
import { lanePart } from '../../view-logic/lanes.js';
import { Lane } from './lane.js';
import { lanes } from './lane-scroll.js';
import { Selectable } from './part.js';

const Heat = memo(function Heat({ uid }: { readonly uid: string }) {
  const part = useTrace((s) => {
    const p = lanePart(s, uid);
    return p && { heat: p.heat, pod: p.pod };
  });
  if (!part) return null;
  return (
    <Selectable selection={{ kind: 'pod', uid }} className="sl-heat" title={part.pod} label={part.pod}>
      <span data-heat={part.heat} />
    </Selectable>
  );
});

/** One lane for each pod, from its worker to what runs on the node. Many pods scroll, with a strip that shows all of them. */
export const LanesNode = memo(function LanesNode() {
  const t = useT();
  const order = useTrace(() => lanes.order());
  const [scrolled, setScrolled] = useState(0);
  const area = useRef<HTMLDivElement>(null);
  const { height, compact, scrolls } = laneLayout(order.length);
  const strip = scrolls ? 22 : 0;

  useLayoutEffect(() => {
    // The scroller keeps its place by itself; what flies over the lanes must know it.
    lanes.scrolled = scrolls ? scrolled - strip : 0;
  }, [scrolls, scrolled, strip]);

  if (order.length === 0) {
    return (
      <div className="sl-lanes" data-testid="lanes">
        <p className="sl-empty">{t('graph.noPods')}</p>
      </div>
    );
  }
  const first = scrolls ? Math.max(0, Math.floor(scrolled / height) - 1) : 0;
  const visible = scrolls ? order.slice(first, first + Math.ceil(LANES.h / height) + 3) : order;
  return (
    <div className="sl-lanes" data-compact={compact || undefined} data-testid="lanes">
      {scrolls && (
        <div className="sl-heatstrip" title={t('graph.morePods', { n: order.length })}>
          {order.slice(0, 200).map((uid) => (
            <Heat key={uid} uid={uid} />
          ))}
        </div>
      )}
      <div
        ref={area}
        className={`sl-lane-area ${scrolls ? 'nowheel nopan' : ''}`}
        style={{ height: LANES.h - strip }}
        onScroll={(e) => setScrolled(e.currentTarget.scrollTop)}
      >
        <div style={{ height: order.length * height, position: 'relative' }}>
          {visible.map((uid, i) => (
            <div key={uid} className="sl-lane-place" style={{ top: (first + i) * height, height }}>
              <Lane uid={uid} compact={compact} />
            </div>
          ))}
        </div>
      </div>
    </div>
  );
});
