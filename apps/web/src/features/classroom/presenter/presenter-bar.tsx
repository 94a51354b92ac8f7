import { runCommand } from '../../../commands/index.js';
import type { MessageKey } from '../../../i18n/index.js';
import { useT } from '../../../i18n/index.js';
import { ClassButton } from '../class-button.js';
import { PRESENTING_BEFORE, type Presenting, setPresenting, useClass } from '../class-store.js';
import { codeText } from '../follower/join.js';
import { ShowPoll } from '../hide-poll.js';
import { useAnswers } from './answers.js';
import { countsOf } from './audience.js';
import { isLocal } from './links.js';

/** Shows to how many the page presents, and how more get in. */
export function PresenterBar() {
  const t = useT();
  const presenting = useClass((s) => s.presenting);
  const { state, followers, links } = presenting;
  const over = state === 'refused' || state === 'none' || state === 'replaced';
  const [link] = links;
  const answered = useAnswers((s) => s.answers.length > 0);
  const hint = hintOf(presenting);
  return (
    <section
      className="sl-class-bar u-row u-pad-4 u-border-top u-sunken u-wrap"
      aria-label={t('class.region')}
      data-state={state}
      data-testid="class-bar"
    >
      <span className="sl-class-mark u-flex-none u-text-center u-faint" aria-hidden="true">
        {state === 'on' ? '●' : over || state === 'lost' ? '×' : '…'}
      </span>
      <p className="sl-class-said u-line u-wrap u-grow u-min-width-0">
        <span className="sl-tabular" data-testid="class-followers">
          {state === 'on'
            ? t('class.presentingTo', { n: followers })
            : t(saidOf(presenting), { why: presenting.reason })}
        </span>
        {state === 'on' && followers > 0 && <Standings />}
        {state === 'on' && link !== undefined && (
          <code className="sl-class-link sl-only-wide u-clip u-fs-1 u-dim">
            {t('class.addressAndCode', { address: new URL(link).host, code: codeText(presenting.code) })}
          </code>
        )}
        {hint && (
          <span className="u-dim" role="status">
            {t(hint, { n: presenting.most })}
          </span>
        )}
      </p>
      <span className="sl-class-buttons u-flex u-wrap u-gap-6 u-flex-none">
        {over ? (
          <button type="button" className="sl-button" onClick={() => setPresenting(PRESENTING_BEFORE)}>
            {t('class.close')}
          </button>
        ) : (
          <>
            <ShowPoll id={presenting.poll?.id} />
            <ClassButton id="class.showLink" testId="class-show-link">
              {t('class.showLink')}
            </ClassButton>
            {presenting.visit && (
              <ClassButton id="class.handBack" className="sl-primary" testId="class-hand-back">
                {t('class.handBack')}
              </ClassButton>
            )}
            {presenting.hands.length > 0 && (
              <ClassButton id="class.hands" testId="class-hands-open">
                {t(presenting.hands.length === 1 ? 'class.handsOne' : 'class.handsUp', { n: presenting.hands.length })}
              </ClassButton>
            )}
            {answered && (
              <ClassButton id="class.answers" testId="class-answers-open">
                {t('class.answersShort')}
              </ClassButton>
            )}
            <ClassButton id="class.stage" testId="class-stage" pressed={presenting.stage !== null}>
              {t('class.stage')}
            </ClassButton>
            <ClassButton id="class.point" testId="class-point" pressed={presenting.pointing}>
              {t('class.point')}
            </ClassButton>
            <ClassButton id="class.question" testId="class-ask">
              {t('class.ask')}
            </ClassButton>
            <ClassButton id="class.present" testId="class-stop">
              {t('class.stop')}
            </ClassButton>
          </>
        )}
      </span>
    </section>
  );
}

/** Shows how many are in step and how many are not; opens the list. */
function Standings() {
  const t = useT();
  const audience = useClass((s) => s.presenting.audience);
  const said = countsOf(audience).map(({ standing, n }) => t(`class.count.${standing}`, { n }));
  return (
    <button
      type="button"
      className="sl-link sl-tabular"
      title={t('command.classAudience')}
      data-testid="class-standings"
      onClick={() => runCommand('class.audience')}
    >
      {said.join(' · ')}
    </button>
  );
}

function saidOf({ state }: Presenting): MessageKey {
  switch (state) {
    case 'lost':
      return 'class.agentLost';
    case 'refused':
      return 'class.agentRefused';
    case 'none':
      return 'class.none';
    case 'replaced':
      return 'class.replaced';
    default:
      return 'class.starting';
  }
}

/** Returns the reason that keeps followers from following; null if there is none. */
function hintOf({ state, shown, followers, most, links, addresses }: Presenting): MessageKey | null {
  if (state !== 'on') return null;
  if (shown !== 'run') return shown === 'long' ? 'class.shownLong' : 'class.shownNothing';
  if (followers >= most) return 'class.full';
  const [link] = links;
  if (link === undefined || !isLocal(link)) return null;
  return addresses.length > 0 ? 'class.chooseNetwork' : 'class.localOnly';
}
