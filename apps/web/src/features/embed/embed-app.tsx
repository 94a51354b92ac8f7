import './embed.css';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { inLang } from '../../i18n/in-lang.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { Notice } from '../../shell/notice.js';
import { CommandButton } from '../../ui/command-button.js';
import { ErrorBoundary } from '../../ui/error-boundary.js';
import { Icon } from '../../ui/icons.js';
import { seconds } from '../../units/text.js';
import { SessionBanner } from '../connection/session-banner.js';
import { Graph } from '../graph/index.js';
import { useLessons } from '../lessons/lessons-store.js';
import { LongWorkBar } from '../long-work/long-work-bar.js';
import { Narrator } from '../narrator/narrator.js';
import { encodeMoment } from '../share/share.js';
import { momentNow } from '../share/share-now.js';
import { ChoicePopover, StoppedBar } from '../transport/transport.js';
import { useTransport } from '../transport/transport-store.js';
import { embedOptions, pageUrl } from './embed-options.js';
import { keepFocusOut, passBy, startFrameKeys, startMessages } from './frame.js';
import { ParametersBar } from './parameters-bar.js';

const LessonsPanel = lazy(async () => ({ default: (await import('../lessons/lessons-panel.js')).LessonsPanel }));

/** The page as a frame in an article: the graph, the narrator, the transport, and the way to the whole page. */
export function EmbedApp() {
  const t = useT();
  const { controls } = embedOptions(location.search);
  const main = useRef<HTMLElement>(null);
  const lesson = useLessons((s) => s.lesson !== null || s.opening !== null);
  useEffect(() => {
    const ends = [keepFocusOut(), startFrameKeys(), startMessages(), main.current ? passBy(main.current) : () => {}];
    return () => {
      for (const end of ends) end();
    };
  }, []);
  return (
    <div
      className="sl-embed u-grid u-relative u-hidden-overflow"
      data-controls={controls}
      data-lesson={lesson || undefined}
    >
      <header className="sl-embed-head u-row u-gap-12 u-absolute u-no-pointer">
        <Title />
        <OpenLink />
      </header>
      {lesson && (
        <aside
          className="sl-embed-lesson u-column u-min-height-0 u-scroll u-border-right u-panel"
          aria-label={t('panel.lessons')}
        >
          <Suspense fallback={null}>
            <LessonsPanel />
          </Suspense>
        </aside>
      )}
      <main ref={main} className="sl-main u-min-width-0 u-min-height-0 u-relative" tabIndex={-1}>
        <ErrorBoundary where="region.graph">
          <Graph />
        </ErrorBoundary>
        <SessionBanner />
        <ChoicePopover />
        <StoppedBar />
        <LongWorkBar />
        <Notice />
      </main>
      <footer className="sl-embed-below u-min-width-0 u-panel">
        <Narrator />
        <ParametersBar />
        {controls !== 'none' && <Controls />}
      </footer>
    </div>
  );
}

function Title() {
  const lang = useUI((s) => s.lang);
  const title = useSession(({ info, scenarios }) => {
    const scenario = scenarios.find((x) => x.name === info?.scenario);
    return scenario ? inLang(scenario.title, lang) : (info?.title ?? 'syncloop');
  });
  return <h1 className="sl-embed-title u-clip u-fs-2 u-weight-600">{title}</h1>;
}

/** Opens the whole page at the moment in view, whose link is made when somebody is about to follow it. */
function OpenLink() {
  const t = useT();
  const [href, setHref] = useState(() => pageUrl(location.href, location.hash));
  const now = () => {
    if (useSession.getState().run.running) return;
    momentNow()
      .then(encodeMoment)
      .then((moment) => setHref(pageUrl(location.href, `run=${moment}`)))
      .catch(() => {});
  };
  return (
    <a
      className="sl-embed-open u-flex-none u-push u-fs-1 u-desired"
      href={href}
      target="_blank"
      rel="noopener"
      onPointerEnter={now}
      onFocus={now}
      data-testid="embed-open"
    >
      {t('embed.open')} <span aria-hidden="true">↗</span>
    </a>
  );
}

function Controls() {
  const t = useT();
  const going = useTransport((s) => s.going);
  const running = useSession((s) => s.run.running) || going;
  const steps = useSession((s) => s.run.steps);
  const time = useTrace((_, c) => c.time);
  return (
    <div
      className="u-row u-gap-12 u-pad-4 u-border-top"
      role="toolbar"
      aria-label={t('transport.title')}
      data-testid="transport"
    >
      <div className="sl-group">
        <CommandButton id="transport.backIteration" className="sl-icon-button sl-mirrored">
          <Icon name="iteration" />
        </CommandButton>
        <CommandButton id="transport.backMilestone" className="sl-icon-button sl-mirrored" testId="back">
          <Icon name="step" />
        </CommandButton>
        <CommandButton
          id="transport.toggle"
          className="sl-icon-button sl-primary"
          label={t(running ? 'command.pause' : 'command.run')}
          testId="toggle"
        >
          <Icon name={running ? 'pause' : 'run'} />
        </CommandButton>
        <CommandButton id="transport.stepMilestone" className="sl-icon-button" testId="step">
          <Icon name="step" />
        </CommandButton>
        <CommandButton id="transport.stepIteration" className="sl-icon-button">
          <Icon name="iteration" />
        </CommandButton>
      </div>
      <span className="sl-tabular u-nowrap u-push u-fs-1 u-dim" data-testid="clock">
        <span className="sl-embed-time u-weight-600 u-time">{t('time.s', { n: seconds(time) })}</span>{' '}
        {t('transport.decision')} {steps}
      </span>
    </div>
  );
}
