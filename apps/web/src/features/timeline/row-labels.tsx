import { type RefObject, useEffect, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { EVIDENCE, OUTSIDE, RUNTIME, TIMERS } from './logic/timeline-kinds.js';
import { type Layout, laneTitle, type Row, rowsBetween } from './logic/timeline-layout.js';
import { fold } from './timeline-store.js';

interface Props {
  readonly layout: Layout;
  readonly scroller: RefObject<HTMLDivElement | null>;
}

/** Names of the rows in sight, each with a button that folds it. */
export function RowLabels({ layout, scroller }: Props) {
  const [seen, setSeen] = useState({ top: 0, bottom: 600 });
  useEffect(() => {
    const box = scroller.current;
    if (!box) return;
    const look = () => setSeen({ top: box.scrollTop - 60, bottom: box.scrollTop + box.clientHeight + 60 });
    look();
    box.addEventListener('scroll', look);
    const sized = new ResizeObserver(look);
    sized.observe(box);
    return () => {
      box.removeEventListener('scroll', look);
      sized.disconnect();
    };
  }, [scroller]);
  return rowsBetween(layout, seen.top, seen.bottom).map((row) => <Label key={row.id} row={row} />);
}

function Label({ row }: { readonly row: Row }) {
  const t = useT();
  const lane = row.lanes[0];
  if (!lane) return null;
  const special: Readonly<Record<string, string>> = {
    [RUNTIME]: t('timeline.lane.runtime'),
    [OUTSIDE]: t('timeline.lane.outside'),
    [TIMERS]: t('timeline.lane.timers'),
    [EVIDENCE]: t('timeline.lane.evidence'),
  };
  const name = row.kind === 'group' ? t(`timeline.group.${row.group}`) : (special[lane.name] ?? laneTitle(lane));
  const goroutine = lane.tenants[lane.tenants.length - 1]?.id;
  return (
    <div
      className="sl-timeline-label u-flex u-start u-gap-2 u-absolute u-hidden-overflow u-border-bottom u-fs-1"
      data-kind={row.kind}
      style={{ top: row.y, height: row.height }}
    >
      <button
        type="button"
        className="sl-timeline-fold u-flex-none u-pad-0 u-bare u-pointer u-fs-1 u-dim"
        aria-expanded={!row.folded}
        aria-label={t(row.folded ? 'timeline.unfold' : 'timeline.fold', { name })}
        title={t(row.folded ? 'timeline.unfold' : 'timeline.fold', { name })}
        onClick={() => fold(row.id, !row.folded)}
      >
        <span aria-hidden="true">{row.folded ? '▸' : '▾'}</span>
      </button>
      {row.kind === 'group' || goroutine === undefined ? (
        <span className="sl-timeline-name u-clip" title={name}>
          {name}
          {row.kind === 'group' && <span className="sl-small"> {row.lanes.length}</span>}
        </span>
      ) : (
        <button
          type="button"
          className="sl-selectable sl-timeline-name u-clip"
          title={name}
          onClick={() => runCommand('view.select', { kind: 'goroutine', id: goroutine })}
        >
          {name}
        </button>
      )}
    </div>
  );
}
