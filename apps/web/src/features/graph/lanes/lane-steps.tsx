import type { ReactNode } from 'react';
import { useT } from '../../../i18n/index.js';
import { Selectable } from '../../../selection/selectable.js';
import { useMoment } from '../moment.js';
import { stepName } from './lane-words.js';
import type { Tick } from './logic/lanes-steps.js';

interface StepsProps {
  readonly ticks: readonly Tick[];
  readonly fn: string;
}

function newestOf(ticks: readonly Tick[]): Tick | undefined {
  let newest: Tick | undefined;
  for (const tick of ticks) if (tick.done && tick.seq > (newest?.seq ?? 0)) newest = tick;
  return newest;
}

interface StepLinkProps {
  readonly tick: Tick;
  readonly pointerOnly: boolean;
  readonly className: string;
  readonly children: ReactNode;
}
/** A step that was taken selects the record in which it was; one that was not is only shown. */
export function StepLink({ tick, pointerOnly, className, children }: StepLinkProps) {
  if (!tick.done) return children;
  return (
    <Selectable selection={{ kind: 'record', seq: tick.seq }} className={className} pointerOnly={pointerOnly}>
      {children}
    </Selectable>
  );
}

/** Shows steps that light up in the order in which they are taken. */
export function Ticks({ ticks, fn }: StepsProps) {
  const t = useT();
  const before = useMoment((s) => s.before);
  const newest = newestOf(ticks);
  return (
    <span className="sl-ticks u-flex u-min-width-0">
      <span className="sl-visually-hidden">
        {`${fn}: ${ticks
          .filter((x) => x.done)
          .map((x) => x.n)
          .join(' ')}`}
      </span>
      {ticks.map((tick) => (
        <span
          key={tick.n}
          className="sl-tick u-pad-0 u-border u-round-2 u-fs-1 u-tabular u-text-center u-faint"
          aria-hidden="true"
          data-done={tick.done || undefined}
          data-now={tick.now || undefined}
          data-left={(tick.done && tick.seq < before) || undefined}
          data-newest={tick === newest || undefined}
          title={`${fn} ${tick.n}. ${stepName(t, tick.name)}`}
        >
          <StepLink tick={tick} pointerOnly className="sl-tick-link">
            {tick === newest && tick.n}
          </StepLink>
        </span>
      ))}
    </span>
  );
}

/** Most that a step's line is high, world pixels. */
const ROW = 24;

/** The same with the steps' names. `links`: there is room to come to them with the keyboard as well. */
export function StepList({
  ticks,
  fn,
  columns,
  links,
}: StepsProps & { readonly columns: 1 | 2; readonly links: boolean }) {
  const t = useT();
  const before = useMoment((s) => s.before);
  return (
    <ol
      className="sl-lane-steps u-grid u-min-height-0"
      data-columns={columns}
      style={{ flexBasis: ticks.length * ROW }}
      aria-label={fn}
    >
      {ticks.map((tick) => {
        const name = stepName(t, tick.name);
        const inside = (
          <>
            <span className="sl-lane-step-n u-flex-none u-border u-round-2 u-fs-1 u-tabular u-text-center">
              {tick.n}
            </span>
            <span className="sl-lane-step-name u-clip">{name}</span>
          </>
        );
        return (
          <li
            key={tick.n}
            className="sl-lane-step u-row u-gap-6 u-min-width-0 u-fs-1"
            data-done={tick.done || undefined}
            data-now={tick.now || undefined}
            data-left={(tick.done && tick.seq < before) || undefined}
            aria-current={tick.now ? 'step' : undefined}
            title={name === tick.name ? undefined : tick.name}
          >
            <StepLink
              tick={tick}
              pointerOnly={!links}
              className="sl-lane-step-link u-row u-gap-6 u-grow u-min-width-0 u-fs-1"
            >
              {inside}
            </StepLink>
          </li>
        );
      })}
    </ol>
  );
}

/** Shows the newest step's name, if there is no room for all of them. */
export function NewestStep({ ticks }: { readonly ticks: readonly Tick[] }) {
  const t = useT();
  const newest = newestOf(ticks);
  return (
    <span className="sl-newest-step u-clip" data-now={newest?.now || undefined}>
      {newest ? `${newest.n} ${stepName(t, newest.name)}` : ''}
    </span>
  );
}
