import type { ReactNode } from 'react';
import { useT } from '../../../i18n/index.js';
import type { Selection } from '../../../page/ui-store.js';
import { Selectable } from '../../../selection/selectable.js';
import { duration, seconds } from '../../../units/text.js';
import { EXTRA_KIND, type ExtraKey } from '../geometry/geometry-everything.js';
import { Clock, PartBox } from '../part.js';
import type { Round } from '../parts/parts-everything.js';

interface BoxProps {
  readonly id: ExtraKey;
  /** The selection of a click on its title; a box without one has only a name. */
  readonly selection?: Selection | null;
  readonly aside?: ReactNode;
  readonly dim?: boolean;
  readonly active?: boolean;
  readonly children?: ReactNode;
}

export function ExtraBox({ id, selection, aside, dim, active, children }: BoxProps) {
  const t = useT();
  const name = t(`all.${id}`);
  return (
    <PartBox
      kind={EXTRA_KIND[id]}
      id={id}
      className="sl-extra u-column"
      testId={`extra-${id}`}
      dim={dim ?? false}
      active={active ?? false}
      head={
        <>
          {selection ? (
            <Selectable selection={selection} className="sl-part-title">
              {name}
            </Selectable>
          ) : (
            <span className="sl-part-name u-weight-600">{name}</span>
          )}
          {aside}
        </>
      }
    >
      {children}
    </PartBox>
  );
}

/** The clock of something that comes round, and when it does next. */
export function RoundLine(props: { readonly round: Round; readonly period: number; readonly short?: boolean }) {
  const { round, period, short = false } = props;
  const t = useT();
  if (!round.alive) return <p className="sl-small sl-quiet-text u-faint">{t('all.notRunning')}</p>;
  return (
    <p className="u-row u-gap-6 u-nowrap u-fs-1">
      <Clock fill={round.fill} label={t('all.ticks', { s: duration(period) })} />
      <span className="sl-time-text sl-tabular">
        {round.now
          ? t('all.now')
          : round.next === null
            ? ''
            : t('all.next', { t: t('time.s', { n: seconds(round.next) }) })}
      </span>
      {!short && <span className="sl-quiet-text u-faint">{t('all.ticks', { s: duration(period) })}</span>}
    </p>
  );
}

/** Shows how often something ran, when last, and with what result. */
export function RanLine(props: { readonly runs: number; readonly last: number | null; readonly error: string }) {
  const t = useT();
  if (props.runs === 0) return <p className="sl-small sl-quiet-text u-faint">{t('all.never')}</p>;
  return (
    <>
      <p className="sl-small sl-tabular">
        {t('all.runs', { n: props.runs })}
        {props.last !== null && ` · ${t('all.last', { t: t('time.s', { n: seconds(props.last) }) })}`}
      </p>
      {props.error !== '' && (
        <p className="sl-small sl-bad sl-clip u-clip" title={props.error}>
          ✕ {t('all.failed', { error: props.error })}
        </p>
      )}
    </>
  );
}
