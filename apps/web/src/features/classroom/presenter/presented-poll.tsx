import { inLanguage, type PollPhase } from '@syncloop/core/classroom';
import { runCommand } from '../../../commands/index.js';
import type { MessageKey } from '../../../i18n/index.js';
import { useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { Bars, RightNumber } from '../bars.js';
import { ClassButton } from '../class-button.js';
import { useClass } from '../class-store.js';
import { HidePoll } from '../hide-poll.js';

const SAID: Readonly<Record<PollPhase, MessageKey>> = {
  open: 'class.pollOpenPresenter',
  closed: 'class.pollClosedPresenter',
  revealed: 'class.pollRevealedPresenter',
};

/**
 * The presenter's own question, with counts as they come; the class sees them once it is closed. The right answer is
 * not marked before it is revealed: this may hang on a wall.
 */
export function PresentedPollCard() {
  const t = useT();
  const lang = useUI((s) => s.lang);
  const poll = useClass((s) => (s.presenting.state === 'off' ? null : s.presenting.poll));
  const on = useClass((s) => s.presenting.state === 'on');
  const hidden = useClass((s) => s.hidden);
  if (!poll || poll.id === hidden) return null;
  const to = (phase: PollPhase, key: MessageKey, primary = false) => (
    <button
      type="button"
      className={`sl-button ${primary ? 'sl-primary' : ''}`}
      disabled={!on}
      data-testid={`class-${phase}`}
      onClick={() => runCommand('class.phase', phase)}
    >
      {t(key)}
    </button>
  );
  return (
    <section
      className="sl-class-poll u-absolute u-scroll u-border-strong u-round-6 u-raised u-shadow"
      aria-label={t('class.poll')}
      data-testid="class-presented"
    >
      <HidePoll id={poll.id} />
      <h2 className="u-break u-weight-600">{inLanguage(poll.question, lang)}</h2>
      <Bars poll={poll.phase === 'revealed' ? poll : { ...poll, right: undefined }} />
      {poll.phase === 'revealed' && <RightNumber poll={poll} />}
      <p className="u-dim" role="status">
        {t(SAID[poll.phase])}
      </p>
      <div className="sl-class-row u-row u-wrap u-gap-8 u-above-8">
        {poll.phase === 'open' && to('closed', 'class.closePoll', true)}
        {poll.phase === 'closed' && poll.right !== undefined && to('revealed', 'class.reveal', true)}
        {poll.phase === 'closed' && to('open', 'class.reopen')}
        <ClassButton id="class.endPoll">{t('class.endPoll')}</ClassButton>
      </div>
    </section>
  );
}
