import type { RecordStore } from '@syncloop/core/debug';
import type { Json, NodeState, TraceRecord } from '@syncloop/core/trace';
import { memo } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useCounterpart } from '../../run/counterpart.js';
import { here, useHere } from '../../run/here.js';
import { newest } from '../../run/queries.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { useFollowing } from './following.js';
import type { Heading } from './geometry/geometry.js';
import { LAYOUTS, type Layout } from './geometry/geometry-levels.js';
import { labelRect, overlap, pathOf, type Rect, type Wire } from './geometry/geometry-paths.js';
import { useArrangement } from './graph-view.js';
import { useMoment } from './moment.js';
import { spotsOfDecision } from './moves/moves-difference.js';
import { nextSpots } from './moves/moves-next.js';
import { wiresOf } from './moves/moves-now.js';
import { spotOf, spotOfGoroutine } from './moves/moves-spots.js';
import { placeOfSpot } from './place-of.js';

/** The height of a mark's word, and the width of both above a box. */
const WORD = 20;
const WORDS = 112;

/**
 * Returns where the words of a box's marks stand if not above it. `edge`: on its lower edge, for above is a heading, a
 * wire's label or the end of the map, where the graph's tools may lie; `narrow`: the same without room for both side by
 * side; `slim`: across it.
 */
export function wordPlace(
  r: Rect,
  { world, headings, wires }: Pick<Layout, 'world' | 'headings' | 'wires'>,
): 'slim' | 'narrow' | 'edge' | undefined {
  if (r.w < 70) return 'slim';
  if (r.w < 120) return 'narrow';
  const below = (h: Heading) => h.x < r.x + r.w && h.x > r.x - WORD && h.y < r.y && h.y + 2 * WORD > r.y;
  const words = { x: r.x, y: r.y - WORD, w: WORDS, h: WORD };
  const hides = ({ label }: Wire) => label !== undefined && overlap(labelRect(label), words);
  return r.y - world.y < WORD || headings.some(below) || wires.some(hides) ? 'edge' : undefined;
}

/** Shows over the parts the run's position, the next event, the changes, and the record that is followed. */
export const MarksNode = memo(function MarksNode() {
  const t = useT();
  const arrangement = useArrangement();
  const layout = LAYOUTS[arrangement];
  const { world } = layout;
  const next = useSession((s) => (s.run.running ? '' : s.run.next));
  const rects = useTrace((state, _, { records }) => {
    const taken = next === '' ? null : takenLast(records, state.loop.g);
    return unique(nextSpots(state, next, taken).map((spot) => placeOfSpot(spot, arrangement)));
  });
  const still = useHere((s) => s.still);
  const last = useTrace((state) => {
    const record = still ? here() : undefined;
    const at = record && hereSpot(state, record);
    if (!record) return null;
    const wires = wiresOf(record, arrangement).map((move) => ({ key: move.key, d: pathOf(move.points, 6) }));
    return { rect: at ? placeOfSpot(at, arrangement) : null, wires };
  });
  const changed = useMoment((s) => s.changed);
  const dots = useTrace(() => unique(changed.map((spot) => placeOfSpot(spot, arrangement))));
  const lang = useUI((s) => s.lang);
  const difference = useCounterpart((s) => s.difference);
  const apart = useTrace((state) =>
    difference ? unique(spotsOfDecision(state, difference.decision).map((at) => placeOfSpot(at, arrangement))) : [],
  );
  const spot = useFollowing((s) => s.spot);
  const at = useTrace(() => spot && placeOfSpot(spot, arrangement));
  const style = (r: Rect) => ({ left: r.x - world.x, top: r.y - world.y, width: r.w, height: r.h });
  return (
    <div className="u-width-full u-height-full u-relative u-no-pointer">
      {last && last.wires.length > 0 && (
        <svg
          className="sl-here-wires u-absolute"
          width={world.w}
          height={world.h}
          viewBox={`${world.x} ${world.y} ${world.w} ${world.h}`}
          aria-hidden="true"
          data-testid="here-wire"
        >
          {last.wires.map(({ key, d }) => (
            <g key={key}>
              <path className="sl-here-wire-rim" d={d} />
              <path className="sl-here-wire" d={d} />
            </g>
          ))}
        </svg>
      )}
      {last?.rect && (
        <span
          className="sl-here-mark u-absolute u-round-6"
          data-words={wordPlace(last.rect, layout)}
          style={style(last.rect)}
          data-testid="here-mark"
        >
          <span className="sl-here-word u-absolute u-nowrap u-fs-1">{t('graphTools.here')}</span>
        </span>
      )}
      {dots.map((r) => (
        <span
          key={`${r.x},${r.y}`}
          className="sl-changed-mark u-absolute"
          style={{ left: r.x - world.x + r.w, top: r.y - world.y }}
          data-testid="changed-mark"
        />
      ))}
      {rects.map((r, i) => (
        <span
          key={`${r.x},${r.y}`}
          className="sl-next-mark u-absolute u-round-6"
          data-words={wordPlace(r, layout)}
          style={style(r)}
          data-testid="next-mark"
        >
          {i === 0 && <span className="sl-next-word u-absolute u-nowrap u-fs-1">{t('graphTools.next')}</span>}
        </span>
      ))}
      {difference &&
        apart.map((r) => (
          <span
            key={`${r.x},${r.y}`}
            className="sl-apart-mark u-absolute u-round-6"
            style={style(r)}
            title={lang === 'zh-CN' ? difference.text.zh : difference.text.en}
            data-testid="apart-mark"
          >
            <span className="sl-apart-word u-absolute u-fs-1">≠</span>
          </span>
        ))}
      {at && <span className="sl-follow-mark u-absolute u-round-6" style={style(at)} data-testid="follow-mark" />}
    </div>
  );
});

/** Returns the place of a record; if it has none, the place at which its goroutine works. */
const hereSpot = (state: NodeState, record: TraceRecord) =>
  spotOf(state, record) ?? spotOfGoroutine(state.goroutines[record.g]);

/** Returns the item that the loop received last, if that was just now. */
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
