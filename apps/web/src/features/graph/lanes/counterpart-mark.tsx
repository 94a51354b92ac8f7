import { useT } from '../../../i18n/index.js';
import { type Fact, factPairs, onlyThere, useCounterpart } from '../../../run/counterpart.js';
import { useSession } from '../../../run/session-store.js';
import { useTrace } from '../../../run/use-trace.js';

/**
 * Shows the counterpart's value if it differs, laid over the graph: an observed run over its twin, or the reverse.
 * Renders nothing if both are the same, or if no counterpart is laid over.
 */
export function CounterpartMark({
  uid,
  what,
  container = '',
}: {
  readonly uid: string;
  readonly what: readonly Fact['what'][];
  readonly container?: string;
}) {
  const t = useT();
  const { counterpart, over } = useCounterpart();
  const side = useSession((s) => s.run.twin?.side);
  const other = useTrace((state) => {
    if (!over || !counterpart || counterpart.side === side) return '';
    const pairs = factPairs(state, uid, counterpart.facts);
    if (pairs === null) return what.includes('phase') ? '–' : '';
    return pairs
      .filter((f) => f.container === container && what.includes(f.what) && f.here !== f.there)
      .map((f) => (f.what === 'restarts' ? `×${f.there}` : f.there))
      .join(' ');
  });
  if (other === '' || !counterpart) return null;
  const label = t('twin.over', { side: t(`twin.show.${counterpart.side}`), value: other });
  return (
    <span className="sl-counterpart u-flex-none u-clip u-round u-fs-1 u-text" title={label} data-testid="counterpart">
      <span aria-hidden="true">≠</span>{' '}
      <span className="sl-visually-hidden">{t(`twin.show.${counterpart.side}`)}: </span>
      {other}
    </span>
  );
}

/** Shows containers that the observed run reports and its twin does not have; unreported ones are not a difference. */
export function CounterpartOnly({ uid }: { readonly uid: string }) {
  const t = useT();
  const { counterpart, over } = useCounterpart();
  const side = useSession((s) => s.run.twin?.side);
  const only = useTrace((state) =>
    over && counterpart && counterpart.side === 'seen' && side === 'twin'
      ? onlyThere(state, uid, counterpart.facts)
      : [],
  );
  return only.map(({ container, value }) => (
    <span
      key={container}
      className="sl-counterpart u-flex-none u-clip u-round u-fs-1 u-text"
      title={t('twin.over', { side: t('twin.show.seen'), value: `${container} ${value}` })}
      data-testid="counterpart"
    >
      <span aria-hidden="true">≠</span> <span className="sl-visually-hidden">{t('twin.show.seen')}: </span>
      {container} {value}
    </span>
  ));
}
