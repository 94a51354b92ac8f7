import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';

/** Opens the dialog of the faults, if the session can make them. */
export function FaultsButton({ tab }: { readonly tab: boolean }) {
  const t = useT();
  const can = useSession((s) => s.info?.capabilities);
  if (!can?.intervene || !can.rewind) return null;
  if (tab)
    return (
      <CommandButton id="faults.open" className="sl-quiet sl-tab" testId="open-faults">
        {t('faults.open')}
      </CommandButton>
    );
  return (
    <CommandButton
      id="faults.open"
      className="sl-quiet sl-rail-button"
      label={`${t('faults.open')}: ${t('command.faults')}`}
      testId="open-faults"
    >
      <Icon name="faults" />
      <span>{t('faults.open')}</span>
    </CommandButton>
  );
}
