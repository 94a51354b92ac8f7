import { isAvailable, runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import type { Selection } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { readyCases } from './logic/branches.js';
import { WhoGoesNext } from './who-goes-next.js';

/**
 * Shows in the inspector, at a select that had a choice, the cases that were not taken; at the loop, who could go next.
 */
export function WaysNotTaken({ selection }: { readonly selection: Selection }) {
  if (selection.kind === 'record') return <OtherCases seq={selection.seq} />;
  if (selection.kind === 'part' && selection.part === 'loop')
    return (
      <>
        <LastSelect />
        <WhoGoesNext />
      </>
    );
  return null;
}

/** The select that the loop came from last. */
function LastSelect() {
  const seq = useTrace((state) => state.loop.chosenSeq);
  return seq > 0 ? <OtherCases seq={seq} /> : null;
}

function OtherCases({ seq }: { readonly seq: number }) {
  const t = useT();
  const can = useSession(() => isAvailable('branch.take'));
  const cases = useTrace((state, _, store) => readyCases(store.records.get(seq), state));
  if (!can || cases.length === 0) return null;
  return (
    <section className="sl-ways sl-small-buttons sl-pad u-border-bottom" data-testid="other-cases">
      <p className="sl-small">{t('branches.ready', { n: cases.length })}</p>
      <ul>
        {cases.map(({ case: index, name, taken }) => (
          <li key={index} className="sl-row">
            <span className="sl-code">{name}</span>
            {taken ? (
              <span className="sl-small">✓ {t('branches.takenCase')}</span>
            ) : (
              <button
                type="button"
                className="sl-button"
                aria-label={t('branches.takeOf', { name })}
                onClick={() => runCommand('branch.take', { seq, case: index })}
              >
                {t('branches.take')}
              </button>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
