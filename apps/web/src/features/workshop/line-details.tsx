import type { RecordOf } from '@syncloop/core/trace';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { Variables } from './variables.js';

/** A line of a learner's code in the inspector: its variables, and a way to the code. */
export function LineDetails({ line }: { readonly line: RecordOf<'part-line'> }) {
  const t = useT();
  return (
    <section className="sl-pad" data-testid="line-details">
      <Variables line={{ function: line.fn, variables: line.variables }} before={undefined} />
      <button type="button" className="sl-button" onClick={() => useUI.setState({ bottom: 'code' })}>
        {t('workshop.openCode')}
      </button>
    </section>
  );
}
