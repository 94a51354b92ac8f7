import { type CSSProperties, memo, useEffect } from 'react';
import { useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { useTrace } from '../../../run/use-trace.js';
import { laneArea, useLoop } from '../graph-view.js';
import { Lane } from './lane.js';
import { lanes } from './lane-scroll.js';
import { useLanes } from './lanes-store.js';
import { LaneStrip } from './lanes-strip.js';
import { type LaneDensity, lanesLayout } from './logic/lanes-layout.js';

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

/**
 * Shows the pods, from their workers to their containers on the node: a lane for each, or a strip of cells for many.
 */
export const LanesNode = memo(function LanesNode() {
  const t = useT();
  const loop = useLoop();
  const order = useTrace(() => lanes.shown());
  useUnfolding();
  if (order.length === 0) {
    return (
      <div className="sl-lanes u-height-full u-hidden-overflow u-border u-round u-panel" data-testid="lanes">
        <p className="sl-empty">{t('graph.noPods')}</p>
      </div>
    );
  }
  const layout = lanesLayout(order.length, laneArea(loop));
  const { worker, kuberuntime, cri } = loop.columns;
  const stacked = loop.workerAbove > 0;
  const columns = [...(stacked ? [] : [worker]), kuberuntime, cri].map((c) => `${c.w}px`).join(' ');
  const style = {
    '--sl-lane-columns': `${columns} minmax(0, 1fr)`,
    '--sl-lane-rows': stacked ? `${loop.workerAbove * 100}% minmax(0, 1fr)` : 'minmax(0, 1fr)',
  } as CSSProperties;
  return (
    <div
      className="sl-lanes u-height-full u-hidden-overflow u-border u-round u-panel"
      data-density={layout.density}
      data-stacked={stacked || undefined}
      style={style}
      data-testid="lanes"
    >
      {layout.folded ? (
        <LaneStrip layout={layout} area={loop.nodes.lanes} />
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
