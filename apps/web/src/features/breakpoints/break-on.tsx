import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { CommandButton } from '../../ui/command-button.js';
import { useBreakpoints } from './breakpoints-store.js';
import { inWords, isSet, targets } from './commands.js';

/**
 * Sets or removes the breakpoint for the selection. Renders nothing if there is none for it, or the session knows none.
 */
export function BreakOn() {
  const t = useT();
  const can = useSession((s) => s.info?.capabilities.breakpoints ?? false);
  useUI((s) => s.selection);
  useBreakpoints((s) => s.specs);
  const { what, on } = useTrace(() => {
    const target = targets()[0];
    return target ? { what: inWords(target), on: isSet(target) } : { what: '', on: false };
  });
  if (!can || what === '') return null;
  return (
    <CommandButton
      id="breakpoint.toggle"
      pressed={on}
      className="sl-quiet sl-icon-button sl-break-on"
      label={t('breakpoints.stopAt', { what })}
      testId="break-on"
    >
      <span className="sl-dot u-flex-none" data-off={!on || undefined} aria-hidden="true" />
    </CommandButton>
  );
}
