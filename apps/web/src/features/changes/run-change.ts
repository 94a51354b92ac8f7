import { type Change, eraBefore } from '@syncloop/core/changes';
import { textAt } from '@syncloop/core/changes/run';
import type { EraVersion } from '@syncloop/core/kubelet';
import { focusStage } from '../../commands/focus.js';
import { inLang } from '../../i18n/in-lang.js';
import { t } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { libraryText } from '../../session/library-text.js';
import { session } from '../../session/session.js';

/** Opens the change's scenario with the kubelet of that version, at the moment that shows the change. */
export async function runChange(change: Change, era: EraVersion): Promise<void> {
  const { shown } = change;
  if ('not' in shown) return;
  const text = textAt(await libraryText(shown.scenario), change, shown, era);
  await session.command({ do: 'load', scenario: shown.scenario, text, era });
  useUI.setState({ dialog: null, selection: null, inspectorOpen: false, tryDismissed: true });
  focusStage();
  const { lang } = useUI.getState();
  notify(
    t(era === eraBefore(change) ? 'changes.atBefore' : 'changes.atSince', {
      title: inLang({ ...change.title }, lang),
      version: era,
    }),
    false,
    {
      label: t('changes.back'),
      run: () => useUI.setState({ dialog: 'changes' }),
    },
  );
}
