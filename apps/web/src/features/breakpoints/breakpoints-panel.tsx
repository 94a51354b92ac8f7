import './breakpoints.css';
import { useEffect } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { CommandButton } from '../../ui/command-button.js';
import { BreakpointForm } from './breakpoint-form.js';
import { BreakpointRow } from './breakpoint-row.js';
import { canBreak, refreshCounts } from './breakpoints.js';
import { useBreakpoints } from './breakpoints-store.js';
import { inWords, isSet, targets } from './commands.js';
import { Output } from './output.js';

/** The wait before counts are asked for when the run stands still, and between two questions while it runs. */
const STOPPED_MILLIS = 120;
const RUNNING_MILLIS = 1_000;

function useCounts(): void {
  const place = useSession(({ info, run }) => (run.running ? '' : `${info?.id} ${run.branch} ${run.seq}`));
  useEffect(() => {
    const ask = () => void refreshCounts().catch(() => {});
    if (place === '') {
      const timer = setInterval(ask, RUNNING_MILLIS);
      return () => clearInterval(timer);
    }
    const timer = setTimeout(ask, STOPPED_MILLIS);
    return () => clearTimeout(timer);
  }, [place]);
}

/** Shows breakpoints and logpoints, the lines that they wrote, and where they were met. */
export function BreakpointsPanel() {
  const t = useT();
  useCounts();
  const can = useSession(canBreak);
  const editing = useBreakpoints((s) => s.editing);
  if (!can) return <p className="sl-empty">{t('breakpoints.cannot')}</p>;
  return (
    <div className="sl-breakpoints u-flex u-height-full" data-testid="breakpoints">
      <div className="sl-breakpoints-list u-min-width-0 u-scroll u-border-right">
        {editing ? <BreakpointForm key={editing.spec?.id ?? ''} spec={editing.spec} /> : <List />}
      </div>
      <Output />
    </div>
  );
}

function List() {
  const t = useT();
  const specs = useBreakpoints((s) => s.specs);
  const allOff = specs.length > 0 && specs.every((s) => s.enabled === false);
  return (
    <>
      <div className="sl-group sl-breakpoints-head u-wrap u-flex-none u-pad-4 u-height-36">
        <CommandButton id="breakpoint.new" testId="breakpoint-new">
          {t('breakpoints.new')}
        </CommandButton>
        {specs.length > 0 && (
          <>
            <CommandButton id="breakpoint.switchAll" className="sl-quiet">
              {t(allOff ? 'breakpoints.allOn' : 'breakpoints.allOff')}
            </CommandButton>
            <CommandButton id="breakpoint.removeAll" className="sl-quiet sl-danger">
              {t('breakpoints.removeAll')}
            </CommandButton>
          </>
        )}
      </div>
      <ForSelected />
      {specs.length === 0 && <p className="sl-empty">{t('breakpoints.none')}</p>}
      <ul>
        {specs.map((spec) => (
          <BreakpointRow key={spec.id} spec={spec} />
        ))}
      </ul>
    </>
  );
}

/** Offers breakpoints for the selection, one press each. */
function ForSelected() {
  const t = useT();
  useUI((s) => s.selection);
  useBreakpoints((s) => s.specs);
  const offered = useTrace(() => targets().map((target) => ({ target, what: inWords(target), on: isSet(target) })));
  if (offered.length === 0) return null;
  return (
    <fieldset className="sl-offered sl-small-buttons u-flex u-wrap u-gap-4 u-border-0 u-margin-0">
      <legend className="u-fs-1 u-faint">{t('breakpoints.forSelected')}</legend>
      {offered.map(({ target, what, on }) => (
        <button
          key={what}
          type="button"
          className="sl-button u-text-left"
          aria-pressed={on}
          onClick={() => runCommand('breakpoint.toggleAt', target)}
        >
          <span className="sl-dot u-flex-none" data-off={!on || undefined} aria-hidden="true" /> {what}
        </button>
      ))}
    </fieldset>
  );
}
