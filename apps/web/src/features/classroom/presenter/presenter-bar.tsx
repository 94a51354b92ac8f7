import type { MessageKey } from '../../../i18n/index.js';
import { useT } from '../../../i18n/index.js';
import { ClassButton } from '../class-button.js';
import { PRESENTING_BEFORE, type Presenting, setPresenting, useClass } from '../class-store.js';
import { ShowPoll } from '../hide-poll.js';

/** What a presenter has to know while presenting: to how many, and how more get in. */
export function PresenterBar() {
  const t = useT();
  const presenting = useClass((s) => s.presenting);
  const { state, followers, links } = presenting;
  const over = state === 'refused' || state === 'none' || state === 'replaced';
  const [link] = links;
  const hint = hintOf(presenting);
  return (
    <section className="sl-class-bar" aria-label={t('class.region')} data-state={state} data-testid="class-bar">
      <span className="sl-class-mark" aria-hidden="true">
        {state === 'on' ? '●' : over || state === 'lost' ? '×' : '…'}
      </span>
      <p className="sl-class-said">
        <span className="sl-tabular" data-testid="class-followers">
          {state === 'on'
            ? t('class.presentingTo', { n: followers })
            : t(saidOf(presenting), { why: presenting.reason })}
        </span>
        {state === 'on' && link !== undefined && <code className="sl-class-link sl-only-wide">{link}</code>}
        {hint && (
          <span className="sl-class-quiet" role="status">
            {t(hint, { n: presenting.most })}
          </span>
        )}
      </p>
      <span className="sl-class-buttons">
        {over ? (
          <button type="button" className="sl-button" onClick={() => setPresenting(PRESENTING_BEFORE)}>
            {t('class.close')}
          </button>
        ) : (
          <>
            <ShowPoll id={presenting.poll?.id} />
            <ClassButton id="class.copyLink" testId="class-copy">
              {t('class.copy')}
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

/** What keeps followers from following, if anything does. */
function hintOf({ state, shown, followers, most, links }: Presenting): MessageKey | null {
  if (state !== 'on') return null;
  if (shown !== 'run') return shown === 'long' ? 'class.shownLong' : 'class.shownNothing';
  if (followers >= most) return 'class.full';
  const [link] = links;
  return link !== undefined && /^https?:\/\/(127\.|localhost|\[::1\])/.test(link) ? 'class.localOnly' : null;
}
