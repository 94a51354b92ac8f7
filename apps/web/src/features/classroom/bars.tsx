import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { type Counted, rightNumber, rowsOf } from './counted.js';

interface Props {
  /** Right answers are marked if it says what is right. */
  readonly poll: Counted;
  /** This page's own answer: the place of an option, or a number. */
  readonly own?: number | null;
}

/** Shows how many gave which answer. */
export function Bars({ poll, own = null }: Props) {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const rows = rowsOf(poll, own, lang);
  const all = rows.reduce((sum, { n }) => sum + n, 0);
  if (rows.length === 0) return <p className="u-dim">{t('class.noneYet')}</p>;
  return (
    <ol className="sl-class-bars" data-testid="class-counts">
      {rows.map(({ key, text, n, right, own }) => (
        <li className="u-grid" key={key} data-right={right || undefined}>
          <span className="sl-class-option u-break">
            {text ?? t('class.otherNumbers')}
            {right && <strong className="sl-class-tag u-nowrap u-fs-1 u-dim">✓ {t('class.right')}</strong>}
            {own && <span className="sl-class-tag u-nowrap u-fs-1 u-dim">{t('class.yours')}</span>}
          </span>
          <span className="sl-class-count sl-tabular u-dim">{t('class.count', { n, all })}</span>
          <span className="sl-class-track u-hidden-overflow u-round-2 u-sunken" aria-hidden="true">
            <span className="u-block u-height-full" style={{ width: `${all > 0 ? (100 * n) / all : 0}%` }} />
          </span>
        </li>
      ))}
    </ol>
  );
}

/** Says which number is right, once that is known: none of those that were given need be it. */
export function RightNumber({ poll: { number, right } }: { readonly poll: Counted }) {
  const t = useT();
  return number && right !== undefined ? (
    <p className="u-weight-600" data-testid="class-right-number">
      {t('class.rightNumber', { value: rightNumber(number, right) })}
    </p>
  ) : null;
}
