import { type ReactNode, useSyncExternalStore } from 'react';
import { useT } from '../../i18n/index.js';
import { narration } from '../../run/narration.js';
import { useSession } from '../../run/session-store.js';
import { FirstOf, Slot } from '../../shell/slot.js';
import { Icon } from '../../ui/icons.js';
import { Keys } from '../../ui/keys.js';
import { FastLine, LastTold, useFast } from './fast.js';
import { endHints, type Hint } from './hints.js';
import { OpeningSentence, useOpening } from './opening.js';
import { Sentence } from './sentence.js';
import { useHint } from './use-hint.js';

const subscribe = (then: () => void) => narration.subscribe(then);

/** One sentence about what just happened, and a quieter line: why, a hint, or what could be tried. */
export function Narrator() {
  const t = useT();
  const said = useSyncExternalStore(subscribe, () => narration.said);
  const record = useSyncExternalStore(subscribe, () => narration.record);
  const phase = useSession((s) => s.phase);
  const running = useSession((s) => s.run.running);
  const opening = useOpening();
  const fast = useFast();
  const sentence = said && <Sentence parts={said.parts} />;
  return (
    <section className="sl-narrator" aria-label={t('region.narrator')} data-testid="narrator">
      {/* Spoken step by step; a run would drown its listener. */}
      <p className="sl-said" aria-live={running ? 'off' : 'polite'} aria-atomic="true">
        {fast ? (
          <FastLine />
        ) : said ? (
          <>
            <span className="sl-said-time sl-tabular" aria-hidden="true">
              {record && `${(record.time / 1e6).toFixed(3)} s`}
            </span>{' '}
            {opening ? <OpeningSentence opening={opening} said={sentence} /> : sentence}
          </>
        ) : (
          phase === 'ready' && t('narrator.before')
        )}
      </p>
      <div className="sl-standing">
        <Slot at="narrator.state" />
      </div>
      <SecondLine>{fast ? <LastTold time={record?.time ?? 0}>{sentence}</LastTold> : said?.why}</SecondLine>
    </section>
  );
}

/** What a newcomer could do next. */
function HintLine({ hint }: { readonly hint: Hint }) {
  const t = useT();
  return (
    <span className="sl-hint" data-testid="hint">
      <span className="sl-only-keys">
        <Keys text={t(`hint.${hint}`)} />
      </span>
      <span className="sl-only-touch">{t(`hint.touch.${hint}`)}</span>
      <button
        type="button"
        className="sl-button sl-quiet sl-icon-button"
        aria-label={t('hint.end')}
        title={t('hint.end')}
        onClick={endHints}
      >
        <Icon name="close" />
      </button>
    </span>
  );
}

function SecondLine({ children }: { readonly children: ReactNode }) {
  const hint = useHint();
  return (
    <div className="sl-second">
      {hint ? <HintLine hint={hint} /> : children && <span>{children}</span>}
      <Slot at="narrator.line" />
      <FirstOf at="narrator.suggestion" />
    </div>
  );
}
