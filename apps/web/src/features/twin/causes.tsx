import type { TwinText } from '@syncloop/observe/twin';
import type { TwinAnswer } from '@syncloop/observe/twin/session';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { CommandButton } from '../../ui/command-button.js';

/** The search for what no source reports and would explain the differences, and what it has found. */
export function Causes({ answer, text }: { readonly answer: TwinAnswer; readonly text: (text: TwinText) => string }) {
  const t = useT();
  const busy = useSession((s) => s.run.twin?.doing !== undefined);
  const { causes, cause, verdict } = answer;
  if (verdict.differences.length === 0 && !causes) return null;
  return (
    <section className="sl-twin-causes" data-testid="twin-causes">
      <div className="sl-group">
        <CommandButton id="twin.causes" testId="twin-causes-search">
          {t('twin.causesSearch')}
        </CommandButton>
        <span className="sl-small">{t('twin.causesWhat')}</span>
      </div>
      {causes && (
        <>
          {causes.found.length === 0 && <p data-testid="twin-causes-none">{text(causes.summary)}</p>}
          <ol aria-label={t('twin.causesFound', { n: causes.found.length, tried: causes.tried })}>
            {causes.found.map((one, place) => (
              <li key={one.nth} aria-current={cause === place || undefined} data-testid="twin-cause">
                {text(one.text)}{' '}
                <span className="sl-small sl-tabular">{t('twin.causeTry', { n: one.nth, of: causes.tried })}</span>{' '}
                {cause === place ? (
                  <strong className="sl-small">{t('twin.causeHere')}</strong>
                ) : (
                  <button
                    type="button"
                    className="sl-link u-target"
                    disabled={busy}
                    onClick={() => runCommand('twin.cause', place)}
                  >
                    {t('twin.causeOpen')}
                  </button>
                )}
              </li>
            ))}
          </ol>
          {cause !== null && (
            <CommandButton id="twin.again" testId="twin-cause-leave">
              {t('twin.causeLeave')}
            </CommandButton>
          )}
          <p className="sl-small">{text(causes.order)}</p>
        </>
      )}
    </section>
  );
}
