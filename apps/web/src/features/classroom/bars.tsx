import { inLanguage, type LocalText } from '@syncloop/core/classroom';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';

interface Props {
  readonly options: readonly LocalText[];
  readonly counts: readonly number[];
  readonly right?: number | undefined;
  readonly own?: number | null;
}

/** Shows how many gave which answer. */
export function Bars({ options, counts, right, own = null }: Props) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const all = counts.reduce((sum, n) => sum + n, 0);
  return (
    <ol className="sl-class-bars" data-testid="class-counts">
      {options.map((option, i) => {
        const n = counts[i] ?? 0;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: an answer is its place
          <li className="u-grid" key={i} data-right={right === i || undefined}>
            <span className="sl-class-option u-break">
              {inLanguage(option, lang)}
              {right === i && <strong className="sl-class-tag u-nowrap u-fs-1 u-dim">✓ {t('class.right')}</strong>}
              {own === i && <span className="sl-class-tag u-nowrap u-fs-1 u-dim">{t('class.yours')}</span>}
            </span>
            <span className="sl-class-count sl-tabular u-dim">{t('class.count', { n, all })}</span>
            <span className="sl-class-track u-hidden-overflow u-round-2 u-sunken" aria-hidden="true">
              <span className="u-block u-height-full" style={{ width: `${all > 0 ? (100 * n) / all : 0}%` }} />
            </span>
          </li>
        );
      })}
    </ol>
  );
}
