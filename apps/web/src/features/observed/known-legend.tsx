import { useT } from '../../i18n/index.js';

export const KNOWN = ['seen', 'concluded', 'unknown'] as const;

/** Shows the signs of observed, concluded and unknown: solid, outlined, hatched with a question mark. */
export function KnownLegend() {
  const t = useT();
  return (
    <ul className="sl-basis-legend u-grid u-gap-4" aria-label={t('evidence.legend')} data-testid="known-legend">
      {KNOWN.map((known) => (
        <li key={known}>
          <span className="sl-basis" data-known={known}>
            {t(`evidence.${known}`)}
          </span>{' '}
          {t(`evidence.${known}How`)}
        </li>
      ))}
    </ul>
  );
}
