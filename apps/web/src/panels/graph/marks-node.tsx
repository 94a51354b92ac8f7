import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../store/session-store.js';
import { useTrace } from '../../trace/use-trace.js';
import { LAYOUTS } from '../../view-logic/geometry-levels.js';
import type { Rect } from '../../view-logic/geometry-paths.js';
import { nextSpots } from '../../view-logic/moves-next.js';
import { useFollowing } from './following.js';
import { useArrangement } from './graph-view.js';
import { placeOfSpot } from './place-of.js';

/** Over the parts: what is about to happen, and where the followed thing is. */
export const MarksNode = memo(function MarksNode() {
  const t = useT();
  const arrangement = useArrangement();
  const { world } = LAYOUTS[arrangement];
  const next = useSession((s) => (s.run.running ? '' : s.run.next));
  const rects = useTrace((state) => unique(nextSpots(state, next).map((spot) => placeOfSpot(spot, arrangement))));
  const spot = useFollowing((s) => s.spot);
  const at = useTrace(() => spot && placeOfSpot(spot, arrangement));
  const style = (r: Rect) => ({ left: r.x - world.x, top: r.y - world.y, width: r.w, height: r.h });
  return (
    <div className="sl-marks">
      {rects.map((r, i) => (
        <span key={`${r.x},${r.y}`} className="sl-next-mark" style={style(r)} data-testid="next-mark">
          {i === 0 && <span className="sl-next-word">{t('graphTools.next')}</span>}
        </span>
      ))}
      {at && <span className="sl-follow-mark" style={style(at)} data-testid="follow-mark" />}
    </div>
  );
});

function unique(rects: readonly (Rect | null)[]): Rect[] {
  const seen = new Set<string>();
  return rects.filter((r): r is Rect => {
    const key = r && `${r.x},${r.y}`;
    if (!key || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
