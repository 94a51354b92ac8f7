import type { Narration } from '@syncloop/core/trace';
import { type ReactNode, useSyncExternalStore } from 'react';
import { useT } from '../../i18n/index.js';
import { narration } from '../../run/narration.js';
import { isUnderWay, useSession } from '../../run/session-store.js';
import { FirstOf, Slot } from '../../shell/slot.js';
import { Icon } from '../../ui/icons.js';
import { Keys } from '../../ui/keys.js';
import { FastLine, LastSentence, useFast } from './fast.js';
import { endHints, type Hint } from './hints.js';
import { OpeningSentence, useOpening } from './opening.js';
import { Sentence } from './sentence.js';
import { useHint } from './use-hint.js';
import { useSteadyHeight } from './use-steady-height.js';

const subscribe = (then: () => void) => narration.subscribe(then);

/**
 * Shows the record of the run's position, in one sentence; and a quieter line: why, what led here, what could be tried.
 */
export function Narrator() {
  const t = useT();
  const said = useSyncExternalStore(subscribe, () => narration.said);
  const record = useSyncExternalStore(subscribe, () => narration.record);
  const way = useSyncExternalStore(subscribe, () => narration.way);
  const phase = useSession((s) => s.phase);
  const moving = useSession((s) => isUnderWay(s.run));
  const opening = useOpening();
  const fast = useFast();
  const place = useSteadyHeight<HTMLElement>();
  const sentence = said && <Sentence parts={said.parts} />;
  return (
    <section
      ref={place}
      className="sl-narrator u-grid u-border-top"
      aria-label={t('region.narrator')}
      data-testid="narrator"
    >
      {/* Spoken step by step; a run would drown its listener. */}
      <p className="sl-said u-fs-3" aria-live={moving ? 'off' : 'polite'} aria-atomic="true">
        {fast ? (
          <FastLine />
        ) : said ? (
          <>
            <span className="sl-said-time sl-tabular u-fs-1 u-time" aria-hidden="true">
              {record && `${(record.time / 1e6).toFixed(3)} s`}
            </span>{' '}
            {opening ? <OpeningSentence opening={opening} said={sentence} /> : sentence}
          </>
        ) : (
          phase === 'ready' && t('narrator.before')
        )}
      </p>
      <div className="sl-standing u-row">
        <Slot at="narrator.state" />
      </div>
      <SecondLine why={said?.why} way={way}>
        {fast && sentence && <LastSentence time={record?.time ?? 0}>{sentence}</LastSentence>}
      </SecondLine>
    </section>
  );
}

/** Shows what a newcomer could do next. */
function HintLine({ hint }: { readonly hint: Hint }) {
  const t = useT();
  return (
    <span className="sl-hint u-inline-flex u-center u-gap-4" data-testid="hint">
      <span className="sl-only-keys">
        <Keys text={t(`hint.${hint}`)} />
      </span>
      <span className="sl-only-touch">{t(`hint.touch.${hint}`)}</span>
      <button
        type="button"
        className="sl-button sl-quiet sl-icon-button u-target"
        aria-label={t('hint.end')}
        title={t('hint.end')}
        onClick={endHints}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

interface SecondLineProps {
  readonly why: string | undefined;
  readonly way: Narration | null;
  /** Shown in place of both. */
  readonly children: ReactNode;
}
/**
 * Shows why the sentence matters, if a rule knows; else the most important event on the way here; then what could be
 * done.
 */
function SecondLine({ why, way, children }: SecondLineProps) {
  const t = useT();
  const hint = useHint();
  return (
    <div className="sl-second u-row u-wrap u-target u-dim">
      {children ||
        (why ? (
          <span className="sl-said-why u-min-width-0" data-testid="narrator-why">
            {why}
          </span>
        ) : (
          way && (
            <span className="sl-said-why u-min-width-0" data-testid="narrator-way">
              {t('narrator.way')} <Sentence parts={way.parts} />
            </span>
          )
        ))}
      {hint && <HintLine hint={hint} />}
      <Slot at="narrator.line" />
      <FirstOf at="narrator.suggestion" />
    </div>
  );
}
