import { useT } from '../../i18n/index.js';
import { useSession } from '../../run/session-store.js';
import { KINDS, type Kind } from './geometry/geometry-paths.js';

/** The shape of each kind, so that it can be recognized without its colour. */
const SHAPES: Readonly<Record<Kind, string>> = {
  desired: 'M3 3h8v8H3z',
  actual: 'M7 2.500a4.500 4.500 0 1 1 0 9 4.500 4.500 0 0 1 0-9z',
  message: 'M7 1.500 12.500 7 7 12.500 1.500 7z',
  decision: 'M7 2l5.500 9.500h-11z',
  time: 'M7 2a5 5 0 1 1 0 10A5 5 0 0 1 7 2zm0 1.400a3.600 3.600 0 1 0 0 7.200 3.600 3.600 0 0 0 0-7.200zM6.400 4.500h1.200v2.300l1.800 1.800-.8.8-2.200-2.200z',
  failure:
    'M3.300 2 7 5.700 10.700 2 12 3.300 8.300 7l3.700 3.700-1.300 1.300L7 8.300 3.300 12 2 10.700 5.700 7 2 3.300z',
};

export function KindSign({ kind }: { readonly kind: Kind }) {
  return (
    <svg
      className="sl-kind-sign u-flex-none"
      data-kind={kind}
      viewBox="0 0 14 14"
      width="14"
      height="14"
      aria-hidden="true"
    >
      <path d={SHAPES[kind]} fillRule="evenodd" />
    </svg>
  );
}

/** Explains colours and signs. */
export function Legend() {
  const t = useT();
  const observed = useSession((s) => s.info?.capabilities.observed === true);
  return (
    <section
      className="sl-legend u-pad-8 u-border u-round-6 u-panel u-shadow"
      aria-label={t('legend.title')}
      data-testid="legend"
    >
      <ul className="u-grid">
        {KINDS.map((kind) => (
          <li key={kind}>
            <KindSign kind={kind} />
            {kind === 'failure' ? (
              <span className="sl-legend-wire u-flex-none" />
            ) : (
              <svg className="sl-legend-wire u-flex-none" viewBox="0 0 34 10" width="34" height="10" aria-hidden="true">
                <path className="sl-wire" data-kind={kind} d="M0 5H34" />
              </svg>
            )}
            {t(`legend.${kind}`)}
          </li>
        ))}
        <li>
          <span className="sl-legend-here u-flex-none" aria-hidden="true" />
          {t('legend.here')}
        </li>
        <li>
          <span className="sl-legend-changed u-flex-none u-relative" aria-hidden="true">
            <span className="sl-changed-mark u-absolute" />
          </span>
          {t('legend.changed')}
        </li>
        <li>
          <span className="sl-legend-next u-flex-none" aria-hidden="true" />
          {t('legend.next')}
        </li>
        <li>
          <span className="sl-legend-quiet u-flex-none" aria-hidden="true" />
          {t('legend.quiet')}
        </li>
        {observed && (
          <>
            <li>
              <span className="sl-basis" data-known="seen">
                {t('legend.seen')}
              </span>
              {t('legend.seenHow')}
            </li>
            <li>
              <span className="sl-basis" data-known="concluded">
                {t('legend.concluded')}
              </span>
              {t('legend.concludedHow')}
            </li>
            <li>
              <span className="sl-basis" data-known="unknown">
                {t('legend.unknown')}
              </span>
              {t('legend.unknownHow')}
            </li>
          </>
        )}
      </ul>
    </section>
  );
}
