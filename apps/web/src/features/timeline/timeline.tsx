import { useCounterpart } from '../../run/counterpart.js';
import { useMarks } from '../../run/marks.js';
import './timeline.css';
import { useEffect, useRef, useState } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { TimelineController } from './controller.js';
import { press } from './keyboard.js';
import type { Layout } from './logic/timeline-layout.js';
import { PairedRows } from './paired.js';
import { listen } from './pointer.js';
import { RowLabels } from './row-labels.js';
import { TimelineBar } from './timeline-bar.js';
import { useTimeline } from './timeline-store.js';
import { timelineView } from './timeline-view.js';
import { Spoken, Tooltip } from './tooltip.js';

/** The run as lanes on a canvas: calls, waits and messages of each goroutine, by time or by records. */
export function Timeline({ filter }: { readonly filter: string }) {
  const t = useT();
  const canvas = useRef<HTMLCanvasElement>(null);
  const scroller = useRef<HTMLDivElement>(null);
  const [controller, setController] = useState<TimelineController | null>(null);
  const [layout, setLayout] = useState<Layout>({ rows: [], height: 0, key: '' });

  useEffect(() => {
    const area = canvas.current;
    const box = scroller.current;
    if (!area || !box) return;
    const made = new TimelineController(area, box, setLayout);
    setController(made);
    timelineView.mount({
      zoom: (by) => made.zoomBy(by),
      fit: () => made.fit(),
      fitRange: () => made.fitRange(),
      hit: (by) => made.hit(by),
    });
    const sized = new ResizeObserver(() => made.resize({ width: area.clientWidth, height: area.clientHeight }));
    sized.observe(area);
    const scheme = window.matchMedia('(prefers-color-scheme: dark)');
    const recolour = () => made.recolour();
    scheme.addEventListener('change', recolour);
    const stops = [
      trace.subscribe(made.ask),
      useTimeline.subscribe(made.ask),
      useMarks.subscribe(made.ask),
      useCounterpart.subscribe(made.ask),
      useSession.subscribe(made.ask),
      useUI.subscribe((s, before) => (s.theme === before.theme ? made.ask() : made.recolour())),
      listen(area, made),
      () => scheme.removeEventListener('change', recolour),
      () => sized.disconnect(),
      () => timelineView.mount(null),
      () => made.stop(),
    ];
    made.resize({ width: area.clientWidth, height: area.clientHeight });
    return () => {
      for (const stop of stops) stop();
    };
  }, []);
  useEffect(() => controller?.searchFor(filter), [controller, filter]);

  return (
    <div className="sl-timeline u-column u-min-height-0 u-height-full" data-testid="timeline">
      <TimelineBar />
      <PairedRows controller={controller} />
      <div className="u-grow u-min-height-0 u-relative u-hidden-overflow">
        <div className="sl-timeline-corner u-absolute" aria-hidden="true" />
        <div ref={scroller} className="sl-timeline-rows u-absolute" onScroll={() => controller?.ask()}>
          <div className="sl-timeline-tall u-relative" style={{ height: layout.height }}>
            <RowLabels layout={layout} scroller={scroller} />
          </div>
        </div>
        {/* A picture with keys of its own; what it shows is spoken below, and listed in the tab Records. */}
        <div
          className="sl-timeline-canvas u-height-full u-absolute u-border-left"
          role="application"
          aria-label={t('panel.timeline')}
          aria-describedby="sl-timeline-keys"
          // biome-ignore lint/a11y/noNoninteractiveTabindex: an application takes the keyboard
          tabIndex={0}
          data-testid="timeline-canvas"
          onKeyDown={(e) => {
            if (controller && press(controller, e)) e.preventDefault();
          }}
          onFocus={() => controller?.focus(true)}
          onBlur={() => controller?.focus(false)}
        >
          <canvas className="u-block u-width-full u-height-full" ref={canvas} />
        </div>
        <Tooltip />
      </div>
      <p id="sl-timeline-keys" className="sl-visually-hidden">
        {t('timeline.keys')}
      </p>
      <Spoken />
    </div>
  );
}
