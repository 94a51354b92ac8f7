import { useT } from '../../../i18n/index.js';
import { useUI } from '../../../page/ui-store.js';
import { useSession } from '../../../run/session-store.js';
import { ClassButton } from '../class-button.js';
import { useClass } from '../class-store.js';
import { ShowPoll } from '../hide-poll.js';
import { type FollowerStatus, type Following, followerStatus } from './follow.js';
import { DIFFERS } from './run-sync.js';

const MARK: Readonly<Record<FollowerStatus, string>> = {
  code: '…',
  connecting: '…',
  refused: '×',
  lost: '×',
  waiting: '…',
  gone: '×',
  unshown: '○',
  stuck: '!',
  away: '○',
  live: '●',
};

/** The state of a follower: with the presenter, looking around on its own, or without a presenter. */
export function FollowerBar() {
  const t = useT();
  const following = useClass((s) => s.following);
  const now = followerStatus(following);
  const lessonOpen = useUI((s) => s.left === 'lessons');
  return (
    <section
      className="sl-class-bar u-row u-pad-4 u-border-top u-sunken u-wrap"
      aria-label={t('class.region')}
      data-state={now}
      data-testid="class-bar"
    >
      <span className="sl-class-mark u-flex-none u-text-center u-faint" aria-hidden="true">
        {MARK[now]}
      </span>
      <p className="sl-class-said u-line u-wrap u-grow u-min-width-0">
        <span role="status">{sentence(now, following, t)}</span>
        {following.number > 0 && (
          <span className="u-dim" title={t('class.yourNumber')} data-testid="class-number">
            {t('class.number', { n: following.number })}
          </span>
        )}
        {now === 'away' && <Positions />}
        {now === 'live' && <span className="sl-only-wide u-dim">{t('class.howAway')}</span>}
      </p>
      <span className="sl-class-buttons u-flex u-wrap u-gap-6 u-flex-none">
        <ShowPoll id={following.poll?.id} />
        {following.lesson && !lessonOpen && (
          <ClassButton id="view.lessons" testId="class-lesson">
            {t('class.lesson')}
          </ClassButton>
        )}
        {following.stage !== null && (
          <ClassButton id="class.stage" testId="class-stage">
            {t('class.stage')}
          </ClassButton>
        )}
        {following.link === 'on' && (
          <ClassButton id="class.hands" testId="class-hand" pressed={following.hand}>
            {t(following.hand ? 'class.handUp' : 'class.raise')}
          </ClassButton>
        )}
        {now === 'code' ? (
          <ClassButton id="class.join" className="sl-primary" testId="class-join">
            {t('class.enterCode')}
          </ClassButton>
        ) : following.away ? (
          <ClassButton id="class.return" className="sl-primary" testId="class-return">
            {t('class.return')}
          </ClassButton>
        ) : (
          <ClassButton id="class.wander" testId="class-wander">
            {t('class.wander')}
          </ClassButton>
        )}
      </span>
    </section>
  );
}

function Positions() {
  const t = useT();
  const view = useClass((s) => s.following.view);
  const time = useSession((s) => s.run.time);
  const step = useSession((s) => s.run.steps);
  if (!view || view.run === 0) return null;
  const seconds = (micros: number) => (micros / 1e6).toFixed(3);
  return (
    <span className="sl-tabular u-dim" data-testid="class-positions">
      {t('class.positions', { theirs: seconds(view.time), theirStep: view.step, mine: seconds(time), myStep: step })}
    </span>
  );
}

function sentence(now: FollowerStatus, { reason, problem, view }: Following, t: ReturnType<typeof useT>): string {
  switch (now) {
    case 'refused':
      return reason === '' ? t('class.noClass') : t('class.refused', { why: reason });
    case 'lost':
      return reason === '' ? t('class.lost') : t('class.lostWhy', { why: reason });
    case 'stuck':
      return problem === DIFFERS ? t('class.differs') : t('class.stuck', { why: problem });
    case 'live':
      return t(view?.running ? 'class.liveRunning' : 'class.live');
    default:
      return t(`class.${now}`);
  }
}
