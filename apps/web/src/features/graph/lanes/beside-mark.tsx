import { useT } from '../../../i18n/index.js';
import { type Fact, factPairs, onlyThere, useBeside } from '../../../run/beside.js';
import { useSession } from '../../../run/session-store.js';
import { useTrace } from '../../../run/use-trace.js';

/**
 * What the run beside this one has here where that is something else, laid over the graph: an observed run over its
 * twin, or the reverse. Nothing where both are the same, and where nothing is laid over.
 */
export function BesideMark({
  uid,
  what,
  container = '',
}: {
  readonly uid: string;
  readonly what: readonly Fact['what'][];
  readonly container?: string;
}) {
  const t = useT();
  const { beside, over } = useBeside();
  const side = useSession((s) => s.run.twin?.side);
  const other = useTrace((state) => {
    if (!over || !beside || beside.side === side) return '';
    const pairs = factPairs(state, uid, beside.facts);
    if (pairs === null) return what.includes('phase') ? '–' : '';
    return pairs
      .filter((f) => f.container === container && what.includes(f.what) && f.here !== f.there)
      .map((f) => (f.what === 'restarts' ? `×${f.there}` : f.there))
      .join(' ');
  });
  if (other === '' || !beside) return null;
  const label = t('twin.over', { side: t(`twin.show.${beside.side}`), value: other });
  return (
    <span className="sl-beside" title={label} data-testid="beside">
      <span aria-hidden="true">≠</span> <span className="sl-visually-hidden">{t(`twin.show.${beside.side}`)}: </span>
      {other}
    </span>
  );
}

/** Containers that the observed run tells of and its twin does not have; what it does not tell is no difference. */
export function BesideOnly({ uid }: { readonly uid: string }) {
  const t = useT();
  const { beside, over } = useBeside();
  const side = useSession((s) => s.run.twin?.side);
  const only = useTrace((state) =>
    over && beside && beside.side === 'seen' && side === 'twin' ? onlyThere(state, uid, beside.facts) : [],
  );
  return only.map(({ container, value }) => (
    <span
      key={container}
      className="sl-beside"
      title={t('twin.over', { side: t('twin.show.seen'), value: `${container} ${value}` })}
      data-testid="beside"
    >
      <span aria-hidden="true">≠</span> <span className="sl-visually-hidden">{t('twin.show.seen')}: </span>
      {container} {value}
    </span>
  ));
}
