import { eraVersions } from '@syncloop/core/kubelet/era';
import { isOfEra, versionSentence } from '@syncloop/core/version';
import type { TwinScenario } from '@syncloop/observe/twin';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';

/** Shows which version of the kubelet re-enacts the observed run, and why; another one can be chosen. */
export function TwinEra({ scenario, busy }: { readonly scenario: TwinScenario; readonly busy: boolean }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const { era, kubelet } = scenario;
  const { en, zh } = versionSentence(kubelet, era);
  const sentence = lang === 'zh-CN' ? zh : en;
  return (
    <div className="sl-group sl-twin-era">
      <label>
        {t('twin.era')}{' '}
        <select
          className="sl-input"
          value={era}
          disabled={busy}
          data-testid="twin-era"
          onChange={(e) => runCommand('twin.era', e.currentTarget.value as (typeof eraVersions)[number])}
        >
          {eraVersions.map((one) => (
            <option key={one} value={one}>
              {one === kubelet.era && kubelet.how !== 'unknown' ? t('twin.eraNearest', { era: one }) : one}
            </option>
          ))}
        </select>
      </label>
      {!isOfEra(kubelet, era) && (
        <span className="sl-small" data-testid="twin-era-why">
          {sentence.charAt(0).toUpperCase() + sentence.slice(1)}
        </span>
      )}
    </div>
  );
}
