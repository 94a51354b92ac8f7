import { memo, useEffect } from 'react';
import { useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { useTrace } from '../../../run/use-trace.js';
import { LANES } from '../geometry/geometry.js';
import { Lane, type LaneDensity } from './lane.js';
import { lanes } from './lane-scroll.js';
import { useLanes } from './lanes-store.js';
import { LaneStrip } from './lanes-strip.js';
import { lanesLayout } from './logic/lanes-layout.js';

/** A pod that is selected, wherever that was, unfolds; when nothing is selected any more, it folds. */
function useUnfolding(): void {
  useEffect(() => {
    const follow = (selection: ReturnType<typeof useUI.getState>['selection']) => {
      if (selection === null) useLanes.setState({ unfolded: null });
      else if (selection.kind === 'pod') useLanes.setState({ unfolded: selection.uid });
    };
    follow(useUI.getState().selection);
    return useUI.subscribe((s, before) => {
      if (s.selection !== before.selection) follow(s.selection);
    });
  }, []);
}

/** The pods, from their workers to what runs on the node: a lane for each, or a strip of cells where there are many. */
export const LanesNode = memo(function LanesNode() {
  const t = useT();
  const order = useTrace(() => lanes.shown());
  useUnfolding();
  if (order.length === 0) {
    return (
      <div className="sl-lanes" data-testid="lanes">
        <p className="sl-empty">{t('graph.noPods')}</p>
      </div>
    );
  }
  const layout = lanesLayout(order.length);
  return (
    <div className="sl-lanes" data-density={layout.density} data-testid="lanes">
      {layout.folded ? (
        <LaneStrip layout={layout} height={LANES.h} />
      ) : (
        order.map((uid) => (
          <div key={uid} className="sl-lane-place" style={{ height: layout.height }}>
            <Lane uid={uid} density={layout.density as LaneDensity} />
          </div>
        ))
      )}
    </div>
  );
});
