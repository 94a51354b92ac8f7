import { useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';

/** Shows the twin's scenario: to read, change and run again, save, share. */
export function ScenarioView({ text }: { readonly text: string }) {
  const t = useT();
  const [draft, setDraft] = useState(text);
  const busy = useSession((s) => s.run.twin?.doing !== undefined);
  const changed = draft !== text;
  return (
    <div className="sl-twin-scenario">
      <p className="sl-small">{t('twin.scenarioWhat')}</p>
      <div className="sl-group">
        <button
          type="button"
          className="sl-button"
          disabled={!changed || busy}
          data-testid="twin-remake"
          onClick={() => runCommand('twin.remake', draft)}
        >
          {t('twin.remake')}
        </button>
        <button type="button" className="sl-button sl-quiet" disabled={!changed} onClick={() => setDraft(text)}>
          {t('twin.undo')}
        </button>
        <CommandButton id="twin.save">{t('twin.save')}</CommandButton>
        <CommandButton id="twin.share">{t('twin.share')}</CommandButton>
      </div>
      <textarea
        className="sl-input sl-code u-width-full u-above-6"
        aria-label={t('twin.scenario')}
        spellCheck={false}
        rows={18}
        value={draft}
        data-testid="twin-scenario-text"
        onChange={(e) => setDraft(e.currentTarget.value)}
      />
    </div>
  );
}
