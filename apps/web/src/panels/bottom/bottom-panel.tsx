import { lazy, Suspense } from 'react';
import { runCommand } from '../../app-logic/commands/index.js';
import { useT } from '../../i18n/index.js';
import { type BottomPanel as Tab, useUI } from '../../store/ui-store.js';
import { CommandButton } from '../../widgets/command-button.js';
import { Icon } from '../../widgets/icons.js';
import { BranchesPanel } from '../branches/branches-panel.js';
import { EventsList } from './events-list.js';
import { LogList } from './log-list.js';
import { RecordsList } from './records-list.js';

/** Loaded when it is opened. */
const Timeline = lazy(async () => ({ default: (await import('../timeline/timeline.js')).Timeline }));

const Breakpoints = lazy(async () => ({
  default: (await import('../breakpoints/breakpoints-panel.js')).BreakpointsPanel,
}));

const TABS: readonly Tab[] = ['timeline', 'records', 'log', 'events', 'branches', 'breakpoints'];

/** Records, log and events: a strip of tabs that opens upwards. */
export function BottomPanel() {
  const t = useT();
  const open = useUI((s) => s.bottom);
  const filter = useUI((s) => s.filter);
  const follow = useUI((s) => s.follow);
  return (
    <section className="sl-bottom" data-open={open !== null || undefined} aria-label={t('region.bottom')}>
      <div className="sl-tabs">
        {TABS.map((tab) => (
          <button
            key={tab}
            type="button"
            className="sl-tab"
            aria-expanded={open === tab}
            aria-controls="sl-bottom-body"
            onClick={() => runCommand(`view.${tab}`)}
            data-testid={`tab-${tab}`}
          >
            {t(`panel.${tab}`)}
          </button>
        ))}
        {(open === 'timeline' || open === 'records' || open === 'log') && (
          <label className="sl-filter">
            <Icon name="search" />
            <span className="sl-visually-hidden">{t('records.filter')}</span>
            <input
              id="sl-filter"
              className="sl-input"
              type="search"
              placeholder={t('records.filter')}
              value={filter}
              onChange={(e) => useUI.setState({ filter: e.currentTarget.value })}
            />
          </label>
        )}
        <CommandButton
          id="view.follow"
          pressed={follow}
          className="sl-quiet sl-follow sl-push"
          label={t('command.follow')}
        >
          {follow ? '◉' : '○'} {t('graph.follow')}
        </CommandButton>
        {open !== null && (
          <button
            type="button"
            className="sl-button sl-quiet sl-icon-button"
            aria-label={t('panel.close', { name: t(`panel.${open}`) })}
            onClick={() => useUI.setState({ bottom: null })}
          >
            <Icon name="close" />
          </button>
        )}
      </div>
      {open !== null && (
        <div id="sl-bottom-body" className="sl-bottom-body">
          {open === 'timeline' && (
            <Suspense fallback={null}>
              <Timeline filter={filter} />
            </Suspense>
          )}
          {open === 'records' && <RecordsList filter={filter} />}
          {open === 'log' && <LogList filter={filter} />}
          {open === 'events' && <EventsList />}
          {open === 'branches' && <BranchesPanel />}
          {open === 'breakpoints' && (
            <Suspense fallback={null}>
              <Breakpoints />
            </Suspense>
          )}
        </div>
      )}
    </section>
  );
}
