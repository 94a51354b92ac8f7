import type { Outcome } from '@syncloop/core/manifest';
import { useT } from '../../i18n/index.js';
import { trace } from '../../run/trace-store.js';
import { outcomeText } from './logic/manifests-problems.js';

const short = (uid: string): string => uid.slice(0, 8);

/** Shows what the kubelet will make of the text, and with `all` which fields differ. */
export function OutcomeView({ outcome, all }: { readonly outcome: Outcome; readonly all: boolean }) {
  const t = useT();
  const changes = 'changes' in outcome ? outcome.changes : [];
  // Predicted UIDs depend on the folder too; they are shown only if the present pod has the predicted one.
  const known = 'oldUID' in outcome && trace.state.pods[outcome.oldUID] !== undefined;
  return (
    <section
      className="sl-foresight"
      data-kind={outcome.kind}
      aria-label={t('manifests.outcome')}
      data-testid="outcome"
    >
      <p>
        <span className="sl-small">{t('manifests.outcome')}: </span>
        {outcomeText(t, outcome)}
        {known && 'oldUID' in outcome && (
          <span className="sl-small sl-code u-nowrap">
            {' '}
            {t('manifests.uids', { old: short(outcome.oldUID), new: short(outcome.uid) })}
          </span>
        )}
      </p>
      {all && changes.length > 0 && (
        <details className="sl-outcome-changes" open>
          <summary className="u-target u-pointer">{t('manifests.changes', { n: changes.length })}</summary>
          <ul className="u-scroll">
            {changes.map((c) => (
              <li className="u-break" key={c.path}>
                <code>{c.path}</code> <span className="sl-small">{t(`manifests.change.${c.kind}`)}</span>{' '}
                <span className="sl-small" data-place={c.inPlace}>
                  {t(`manifests.change.${c.inPlace}`)}
                </span>
              </li>
            ))}
          </ul>
          {changes.some((c) => c.inPlace !== 'yes') && <p className="sl-small">{t('manifests.changes.api')}</p>}
        </details>
      )}
    </section>
  );
}
