import { useSyncExternalStore } from 'react';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { narration } from '../../run/narration.js';
import { useAssumptions } from './assumptions.js';
import { inventedIn } from './logic/invented.js';

/** Says next to the headline that a part of it was invented, and asks what the program does. */
export function InventedLine() {
  const t = useT();
  const record = useSyncExternalStore(
    (then) => narration.subscribe(then),
    () => narration.record,
  );
  const by = useAssumptions((s) => s.by);
  const invented = record && inventedIn(record, by);
  if (!invented) return null;
  const { container, question } = by[invented.id] as (typeof by)[string];
  return (
    <span className="sl-invented u-inline-flex u-center u-wrap u-gap-4" data-testid="invented">
      {t(`invented.${invented.what}`, { container, image: question.ref })}{' '}
      <button
        type="button"
        className="sl-link u-target"
        onClick={() => {
          useAssumptions.setState({ asked: invented.id });
          useUI.setState({ dialog: 'program' });
        }}
      >
        {t('invented.ask')}
      </button>
    </span>
  );
}
