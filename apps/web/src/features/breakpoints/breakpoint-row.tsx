import { type BreakpointSpec, describeBreakpoint } from '@syncloop/core/debug/breakpoints';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useBreakpoints } from './breakpoints-store.js';

/** Shows a breakpoint: whether it is on, its place, its hits, and its commands. */
export function BreakpointRow({ spec }: { readonly spec: BreakpointSpec }) {
  const t = useT();
  const lang = useUI((s) => (s.lang === 'en' ? 'en' : 'zh'));
  const { id, condition, log } = spec;
  const on = spec.enabled !== false;
  const here = useSession((s) => !s.run.running && (s.run.hits?.some((h) => h.id === id) ?? false));
  const finding = useBreakpoints((s) => s.finding);
  const what = describeBreakpoint(spec, lang);
  const { enabled: _enabled, condition: _condition, log: _log, ...place } = spec;
  const named = describeBreakpoint(place as BreakpointSpec, lang);
  return (
    <li
      className="sl-breakpoint u-flex u-start u-gap-8 u-pad-4"
      data-here={here || undefined}
      data-off={!on || undefined}
      data-testid={`breakpoint-${id}`}
    >
      <label className="sl-breakpoint-switch u-row u-flex-none u-pointer">
        <input
          className="u-margin-0"
          type="checkbox"
          aria-label={t('breakpoints.on', { what })}
          checked={on}
          onChange={() => runCommand('breakpoint.switch', { id, on: !on })}
        />
        <span
          className="sl-dot u-flex-none"
          data-off={!on || undefined}
          data-log={log !== undefined || undefined}
          aria-hidden="true"
        />
      </label>
      <div className="sl-breakpoint-body u-grow u-min-width-0 u-break">
        <p>
          {named}{' '}
          {here && <span className="sl-breakpoint-here u-fs-1 u-weight-600 u-failure">{t('breakpoints.here')}</span>}
        </p>
        {condition !== undefined && (
          <p className="sl-small">
            {t('breakpoints.if')} <code>{condition}</code>
          </p>
        )}
        {log !== undefined && (
          <p className="sl-small">
            {t('breakpoints.writes')}: <code>{log}</code>
          </p>
        )}
        <Count id={id} what={what} />
      </div>
      <div className="sl-group sl-breakpoint-tools sl-small-buttons u-flex-none">
        <button
          type="button"
          className="sl-button sl-quiet"
          aria-label={t('breakpoints.findOf', { what })}
          disabled={finding !== ''}
          data-testid={`find-${id}`}
          onClick={() => runCommand('breakpoint.find', id)}
        >
          {t(finding === id ? 'breakpoints.finding' : 'breakpoints.find')}
        </button>
        <button
          type="button"
          className="sl-button sl-quiet"
          aria-label={t('breakpoints.editOf', { what })}
          onClick={() => runCommand('breakpoint.edit', id)}
        >
          {t('breakpoints.edit')}
        </button>
        <button
          type="button"
          className="sl-button sl-quiet sl-danger"
          aria-label={t('breakpoints.removeOf', { what })}
          onClick={() => runCommand('breakpoint.remove', id)}
        >
          {t('breakpoints.remove')}
        </button>
      </div>
    </li>
  );
}

function Count({ id, what }: { readonly id: string; readonly what: string }) {
  const t = useT();
  const hits = useBreakpoints((s) => s.status[id]?.hits ?? 0);
  const done = useBreakpoints((s) => s.status[id]?.done ?? false);
  const exhausted = useBreakpoints((s) => s.status[id]?.exhausted ?? 0);
  return (
    <p className="sl-small">
      {hits === 0 ? t('breakpoints.hits0') : hits === 1 ? t('breakpoints.hits1') : t('breakpoints.hits', { n: hits })}
      {done && (
        <>
          {' · '}
          {t('breakpoints.done')}{' '}
          <button
            type="button"
            className="sl-link"
            aria-label={t('breakpoints.rearmOf', { what })}
            onClick={() => runCommand('breakpoint.countAnew', id)}
          >
            {t('breakpoints.rearm')}
          </button>
        </>
      )}
      {exhausted > 0 && <span className="sl-bad"> · {t('breakpoints.exhausted', { n: exhausted })}</span>}
    </p>
  );
}
