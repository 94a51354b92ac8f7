import type { RecordStore } from '@syncloop/core/debug';
import type { Json } from '@syncloop/core/trace';
import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { newest } from '../../run/queries.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { useFollowing } from './following.js';
import { LAYOUTS } from './geometry/geometry-levels.js';
import type { Rect } from './geometry/geometry-paths.js';
import { useArrangement } from './graph-view.js';
import { nextSpots } from './moves/moves-next.js';
import { placeOfSpot } from './place-of.js';

/** Over the parts: what is about to happen, and where the followed thing is. */
export const MarksNode = memo(function MarksNode() {
  const t = useT();
  const arrangement = useArrangement();
  const { world } = LAYOUTS[arrangement];
  const next = useSession((s) => (s.run.running ? '' : s.run.next));
  const rects = useTrace((state, _, { records }) => {
    const taken = next === '' ? null : takenLast(records, state.loop.g);
    return unique(nextSpots(state, next, taken).map((spot) => placeOfSpot(spot, arrangement)));
  });
  const spot = useFollowing((s) => s.spot);
  const at = useTrace(() => spot && placeOfSpot(spot, arrangement));
  const style = (r: Rect) => ({ left: r.x - world.x, top: r.y - world.y, width: r.w, height: r.h });
  return (
    <div className="sl-marks">
      {rects.map((r, i) => (
        <span
          key={`${r.x},${r.y}`}
          className="sl-next-mark"
          data-narrow={(r.w >= 70 && r.w < 120) || undefined}
          style={style(r)}
          data-testid="next-mark"
        >
          {i === 0 && <span className="sl-next-word">{t('graphTools.next')}</span>}
        </span>
      ))}
      {at && <span className="sl-follow-mark" style={style(at)} data-testid="follow-mark" />}
    </div>
  );
});

/** What the loop received last, if that was just now. */
function takenLast(records: RecordStore, g: number): Json {
  const [record] = newest(records, 1, (r) => r.kind === 'receive' && r.g === g, LOOK_BACK);
  return record?.kind === 'receive' ? record.item : null;
}
const LOOK_BACK = 20;

function unique(rects: readonly (Rect | null)[]): Rect[] {
  const seen = new Set<string>();
  return rects.filter((r): r is Rect => {
    const key = r && `${r.x},${r.y}`;
    if (!key || seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
