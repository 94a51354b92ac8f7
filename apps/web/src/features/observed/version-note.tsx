import type { Change } from '@syncloop/core/changes';
import { isOfEra, type ObservedVersion, versionSentence } from '@syncloop/core/version';
import { useEffect, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';

/** Shows which kubelet stands for the observed one here, and what changed between both. */
export function VersionNote({ kubelet }: { readonly kubelet: ObservedVersion }) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const changes = useChangesFor(kubelet);
  const inLang = ({ en, zh }: { readonly en: string; readonly zh: string }) => (lang === 'zh-CN' ? zh : en);
  const sentence = inLang(versionSentence(kubelet));
  return (
    <div data-testid="observed-era">
      <p>
        {sentence.charAt(0).toUpperCase() + sentence.slice(1)}
        {t('observed.stop')} {t('observed.eraShows')}
      </p>
      {changes.length > 0 && (
        <details data-testid="observed-may-differ">
          <summary>{t('observed.mayDiffer', { n: changes.length })}</summary>
          <ul>
            {changes.map(({ id, since, title }) => (
              <li key={id}>
                <span className="sl-tabular">{since}</span>{' '}
                <button type="button" className="sl-link" onClick={() => runCommand('change.show', { change: id })}>
                  {inLang(title)}
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

/** The table of changes is large: it is loaded only if there are some to show. */
function useChangesFor(kubelet: ObservedVersion): readonly Change[] {
  const [changes, setChanges] = useState<readonly Change[]>([]);
  const { span, era } = kubelet;
  const exact = isOfEra(kubelet, era);
  const [since, until] = [span?.since, span?.until];
  useEffect(() => {
    let gone = false;
    setChanges([]);
    if (!exact && since !== undefined && until !== undefined)
      void import('@syncloop/core/changes').then(({ changesBetween }) => {
        if (!gone) setChanges(changesBetween({ since, until }, era));
      });
    return () => {
      gone = true;
    };
  }, [exact, since, until, era]);
  return changes;
}
