import type { TwinState } from '@syncloop/core/debug';
import { useT } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { apartCount, useCounterpart } from '../../run/counterpart.js';
import { useSession } from '../../run/session-store.js';
import { useTrace } from '../../run/use-trace.js';
import { wallTime } from '../../run/wall-time.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { Part } from './part.js';
import { isLong } from './twin.js';
import { useTwin } from './twin-store.js';
import './twin.css';

/** Shows which of the two runs is in view, how far they agree, and the way from one difference to the next. */
export function TwinBar() {
  const t = useT();
  const state = useSession((s) => s.run.twin);
  const branch = useSession((s) => s.run.branch ?? 1);
  const answer = useTwin((s) => s.answer);
  const at = useTwin((s) => s.at);
  const held = useTwin((s) => s.branch);
  const over = useCounterpart((s) => s.over);
  if (!state) return null;
  const { side, made, doing } = state;
  const onBranch = side === 'twin' && branch > 1;
  // A changed past has a verdict of its own, or none yet.
  const verdict = onBranch ? (held?.id === branch ? held.verdict : null) : answer?.verdict;
  const differences = verdict?.differences.length ?? 0;
  const shown = over && side === 'twin' ? 'both' : side;
  return (
    <section
      className="sl-twin-bar u-row u-wrap u-pad-chip u-height-36 u-sunken"
      aria-label={t('twin.bar')}
      data-testid="twin-bar"
    >
      {made > 0 && (
        <fieldset
          className="sl-twin-switch u-inline-flex u-pad-0 u-border-strong u-round u-margin-0"
          aria-label={t('twin.which')}
          data-testid="twin-switch"
        >
          {(['seen', 'twin', 'both'] as const).map((which) => (
            <CommandButton
              key={which}
              id={`twin.${which}`}
              pressed={shown === which}
              className="sl-quiet"
              testId={`twin-${which}`}
            >
              {t(`twin.show.${which}`)}
            </CommandButton>
          ))}
        </fieldset>
      )}
      {doing ? (
        <Doing doing={doing} />
      ) : (
        answer && (
          <>
            <span
              className="sl-twin-same sl-tabular u-weight-600"
              data-parts={differences > 0 || undefined}
              data-testid="twin-agreement"
            >
              {verdict ? (
                <>
                  <span aria-hidden="true">{differences > 0 ? '≠' : '='}</span>{' '}
                  {onBranch && `${t('twin.branchName', { name: held?.name ?? '' })} `}
                  {t('twin.agreement', { same: verdict.same, compared: verdict.compared })}
                </>
              ) : (
                t('twin.branchOpen')
              )}
            </span>
            {differences > 0 && (
              <span className="sl-twin-steps u-inline-flex u-center">
                <CommandButton id="twin.previous" className="sl-quiet sl-icon-button" testId="twin-previous">
                  <span aria-hidden="true">◂</span>
                </CommandButton>
                <span className="sl-tabular" data-testid="twin-at">
                  {at < 0 ? t('twin.differences', { n: differences }) : t('twin.nth', { i: at + 1, n: differences })}
                </span>
                <CommandButton id="twin.next" className="sl-quiet sl-icon-button" testId="twin-next">
                  <span aria-hidden="true">▸</span>
                </CommandButton>
              </span>
            )}
            <Moments />
            {at >= 0 && <DifferenceText />}
            {shown === 'both' && <ApartHere />}
            {onBranch && (
              <CommandButton id="twin.branch" className="sl-primary" testId="twin-branch-here">
                {t('twin.branchHere')}
              </CommandButton>
            )}
          </>
        )
      )}
      <span className="u-inline-flex u-gap-4 u-push">
        <CommandButton id="view.twin" className="sl-quiet" testId="twin-details">
          {t('twin.details')}
        </CommandButton>
        {side === 'seen' && (
          <CommandButton id="observed.details" className="sl-quiet sl-twin-about">
            {t('twin.about')}
          </CommandButton>
        )}
        {made > 0 && (
          <CommandButton id="twin.leave" className="sl-twin-leave" testId="twin-leave">
            {t('twin.leave')}
          </CommandButton>
        )}
      </span>
    </section>
  );
}

type What = NonNullable<TwinState['doing']>['what'];
/** The phases of making a twin, in order: the ones behind the present one are still to come. */
const PHASES: readonly What[] = ['read', 'write', 'run', 'hold'];
/** Work whose progress is a number of tries. */
const TRIES: ReadonlySet<What> = new Set<What>(['search', 'causes', 'prevent']);

/** Shows the work in progress, and how far it is. */
export function Doing({ doing }: { readonly doing: NonNullable<TwinState['doing']> }) {
  const t = useT();
  const { what, done, of } = doing;
  const percent = of ? Math.min(100, Math.floor((100 * done) / of)) : 0;
  const step = PHASES.indexOf(what) + 1;
  const named = t(`twin.doing.${what}`);
  const text = step > 0 ? `${t('twin.doingStep', { i: step, n: PHASES.length })} ${named}` : named;
  return (
    <span className="sl-twin-doing u-inline-flex u-center u-gap-8" role="status" data-testid="twin-doing">
      <progress max={100} value={of ? percent : undefined} aria-label={text} />
      <span>
        {text}
        {of ? ` ${TRIES.has(what) ? `${done} / ${of}` : `${percent} %`}` : ''}
      </span>
      <CommandButton id="twin.stop" className="sl-quiet" testId="twin-stop">
        {t('twin.stop')}
      </CommandButton>
    </span>
  );
}

/** The positions of both runs, in the observed run's wall-clock time. */
function Moments() {
  const t = useT();
  const info = useSession((s) => s.info);
  const side = useSession((s) => s.run.twin?.side);
  const seenFrom = useTwin((s) => s.answer?.scenario.seenFrom ?? 0);
  const counterpart = useCounterpart((s) => s.counterpart);
  const time = useTrace((_, c) => c.time);
  const lang = useUI((s) => s.lang);
  useUI((s) => s.clock);
  if (!info) return null;
  const here = wallTime(info, time);
  const zero = { ...info, epochMillis: info.epochMillis + (side === 'seen' ? seenFrom : -seenFrom) / 1000 };
  const there = counterpart && counterpart.side !== side ? wallTime(zero, counterpart.time) : '';
  return (
    <span className="sl-twin-moments sl-tabular u-dim" lang={lang} data-testid="twin-moments">
      <span title={t(side === 'twin' ? 'twin.show.twin' : 'twin.show.seen')}>{here}</span>
      {there !== '' && (
        <span className="sl-small">
          {' '}
          {t(side === 'twin' ? 'twin.counterpartSeen' : 'twin.counterpartTwin', { time: there })}
        </span>
      )}
    </span>
  );
}

/** Says what the difference is that was gone to last: the other run may have nothing here to select. */
function DifferenceText() {
  const lang = useUI((s) => s.lang);
  const text = useCounterpart((s) => s.difference?.text);
  const said = text && (lang === 'zh-CN' ? text.zh : text.en);
  return said ? (
    <span className="sl-twin-said u-clip u-fs-2 u-failure" title={said} data-testid="twin-difference-text">
      {said}
    </span>
  ) : null;
}

/** Shows how much differs right here; the lanes of the graph show what. */
function ApartHere() {
  const t = useT();
  const counterpart = useCounterpart((s) => s.counterpart);
  const n = useTrace((state) => (counterpart?.side === 'seen' ? apartCount(state, counterpart.facts) : null));
  if (n === null) return null;
  return (
    <span className="sl-twin-here" data-parts={n > 0 || undefined} data-testid="twin-apart-here">
      {n > 0 ? (
        <span className="sl-counterpart u-flex-none u-clip u-round u-fs-1 u-text">≠ {t('twin.apartHere', { n })}</span>
      ) : (
        `= ${t('twin.sameHere')}`
      )}
    </span>
  );
}

/** The button that makes a twin, if there is none. */
export function Reenact() {
  const t = useT();
  const doing = useSession((s) => s.run.twin?.doing);
  const long = useSession(isLong);
  return (
    <div className="sl-twin-none" data-testid="twin-none">
      <p>{t('twin.what')}</p>
      {doing ? (
        <Doing doing={doing} />
      ) : (
        <>
          {!long && (
            <CommandButton id="twin.make" className="sl-primary" testId="twin-make-panel">
              <Icon name="twin" /> {t('twin.make')}
            </CommandButton>
          )}
          <Part />
        </>
      )}
    </div>
  );
}
