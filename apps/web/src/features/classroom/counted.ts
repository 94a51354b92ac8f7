/** A question with its counts, as rows: one for each answer, or for each number that was given. */
import { inLanguage, isRight, type PollCounts, type PollDraft } from '@syncloop/core/classroom';
import type { Lang } from '../../page/ui-store.js';
import { withUnit } from '../../units/typed-number.js';

export type Counted = Pick<PollDraft, 'options' | 'number'> &
  Partial<PollCounts> & { readonly right?: number | undefined };

export interface CountedRow {
  readonly key: string;
  /** Null: other numbers, together. */
  readonly text: string | null;
  readonly n: number;
  readonly right: boolean;
  readonly own: boolean;
}

/** Returns the rows. `own`: this page's own answer, the place of an option or a number; null if it has none. */
export function rowsOf({ options, number, right, ...given }: Counted, own: number | null, lang: Lang): CountedRow[] {
  const { counts = [], values = [], others = 0 } = given;
  const row = (answer: number, text: string, i: number): CountedRow => ({
    key: String(answer),
    text,
    n: counts[i] ?? 0,
    right: isRight({ ...(number && { number }), ...(right !== undefined && { right }) }, answer),
    own: answer === own,
  });
  if (!number) return options.map((option, i) => row(i, inLanguage(option, lang), i));
  const rows = values.map((value, i) => row(value, withUnit(value, number.unit), i));
  if (others === 0) return rows;
  const listed = own === null || values.includes(own);
  return [...rows, { key: 'others', text: null, n: others, right: false, own: !listed }];
}

/** Returns how many have answered. */
export const answeredBy = ({ counts = [], others = 0 }: Partial<PollCounts>): number =>
  counts.reduce((sum, n) => sum + n, others);

/** The right number in words, with what is still right: "8 s (±2 s)". */
export function rightNumber({ unit, tolerance }: NonNullable<PollDraft['number']>, right: number): string {
  return tolerance > 0 ? `${withUnit(right, unit)} (±${withUnit(tolerance, unit)})` : withUnit(right, unit);
}
