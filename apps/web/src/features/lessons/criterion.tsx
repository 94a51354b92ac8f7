import { type CheckedCriterion, type Criterion, holesOf, type Values } from '@syncloop/core/lessons';
import { useT } from '../../i18n/index.js';
import { GoThere, RecordLink } from '../../selection/record-link.js';
import { Inline, useLocal } from './lesson-text.js';

interface Props {
  readonly criterion: Criterion;
  /** Undefined before the first check. */
  readonly checked: CheckedCriterion | undefined;
  /** The values for the blanks of the sentence. */
  readonly values: Values | undefined;
}

/** A criterion of an exercise: whether it is met, since when, and the progress. */
export function CriterionItem({ criterion, checked, values }: Props) {
  const state = !checked ? 'open' : checked.lost ? 'lost' : checked.problem === null ? 'met' : 'open';
  return (
    <li data-holds={state === 'met'} data-state={state}>
      <span className="sl-lesson-mark u-flex-none" aria-hidden="true">
        {{ met: '✓', open: '○', lost: '✗' }[state]}
      </span>
      <span>
        {criterion.sentence ? <Inline text={criterion.sentence} values={values} /> : <code>{criterion.text}</code>}
        <span className="sl-small sl-lesson-check-state u-block u-break">
          <State criterion={criterion} checked={checked} state={state} />
        </span>
      </span>
    </li>
  );
}

function State({ criterion, checked, state }: Pick<Props, 'criterion' | 'checked'> & { readonly state: string }) {
  const t = useT();
  const local = useLocal();
  if (!checked) return t('lessons.holdsNot');
  const { since, count } = checked;
  if (state === 'lost')
    return (
      <>
        {t('lessons.lost')} {since && <RecordLink {...since} />} {since && <GoThere seq={since.seq - 1} />}
      </>
    );
  if (state === 'met') {
    if (!since) return t('lessons.holdsSoFar');
    return (
      <>
        {t('lessons.holdsSince')} <RecordLink {...since} />
      </>
    );
  }
  const { progress } = criterion;
  const known = progress && holesOf(local(progress)).every((hole) => checked.values[hole] !== undefined);
  const value = criterion.sentence ? undefined : /^it is (.*)$/s.exec(checked.problem ?? '')?.[1];
  return (
    <>
      {count && count.needed > 1
        ? t('lessons.count', { n: Math.min(count.count, count.needed), m: count.needed })
        : t('lessons.holdsNot')}
      {value !== undefined && value !== 'false' && `: ${t('lessons.now', { value })}`}
      {known && (
        <>
          {' · '}
          <Inline text={progress} values={checked.values} />
        </>
      )}
    </>
  );
}
