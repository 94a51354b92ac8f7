import { type MouseEvent, useEffect, useRef } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useCounterpart } from '../../run/counterpart.js';
import type { TimelineController } from './controller.js';
import { PAIRED, PAIRED_ROW } from './draw-paired.js';

/** Shows the decisions of an observed run and its twin as lanes on the timeline's axis; nothing without a twin. */
export function PairedRows({ controller }: { readonly controller: TimelineController | null }) {
  const differences = useCounterpart((s) => s.paired?.differences.length ?? -1);
  return controller && differences >= 0 ? <Rows controller={controller} differences={differences} /> : null;
}

function Rows({ controller, differences }: { readonly controller: TimelineController; readonly differences: number }) {
  const t = useT();
  const canvas = useRef<HTMLCanvasElement>(null);
  useEffect(() => {
    controller.pairInto(canvas.current);
    return () => controller.pairInto(null);
  }, [controller]);
  const onClick = ({ currentTarget, clientX, clientY }: MouseEvent<HTMLCanvasElement>) => {
    const { left, top } = currentTarget.getBoundingClientRect();
    const side = clientY - top < PAIRED_ROW ? 'seen' : 'twin';
    const tick = controller.pairedAt(side, clientX - left);
    if (tick) runCommand('twin.moment', { [side]: tick.seq });
  };
  return (
    <div className="sl-timeline-paired u-relative u-flex-none u-border-bottom" style={{ height: PAIRED }}>
      <ul className="u-absolute u-pad-0 u-margin-0 u-fs-1" aria-hidden="true">
        <li style={{ height: PAIRED_ROW }}>{t('twin.show.seen')}</li>
        <li style={{ height: PAIRED_ROW }}>{t('twin.show.twin')}</li>
      </ul>
      {/* Commands go to the next difference and decision by key. */}
      <canvas
        ref={canvas}
        className="sl-timeline-canvas u-block u-absolute u-border-left u-pointer"
        role="img"
        aria-label={t('timeline.paired', { n: differences })}
        onClick={onClick}
        style={{ height: PAIRED }}
        data-testid="timeline-paired"
      />
    </div>
  );
}
