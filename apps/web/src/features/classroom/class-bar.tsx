import './class.css';
import { lazy, Suspense } from 'react';
import { useUI } from '../../page/ui-store.js';
import { withTexts } from '../workshop/load-page.js';
import { useClass } from './class-store.js';
import { FollowerBar } from './follower/follower-bar.js';
import { FollowerPoll } from './follower/follower-poll.js';
import { PresentedPollCard } from './presenter/presented-poll.js';
import { PresenterBar } from './presenter/presenter-bar.js';

const AskDialog = lazy(() => import('./presenter/ask-dialog.js').then((m) => ({ default: m.AskDialog })));
const LinkOfClass = lazy(() => import('./presenter/link-dialog.js').then((m) => ({ default: m.LinkOfClass })));
const JoinDialog = lazy(() => import('./follower/join-dialog.js').then((m) => ({ default: m.JoinDialog })));
const HandDialog = lazy(() => import('./follower/hand-dialog.js').then((m) => ({ default: m.HandDialog })));
const HandsDialog = lazy(() => import('./presenter/hands-dialog.js').then((m) => ({ default: m.HandsDialog })));
const AnswersDialog = lazy(() => import('./presenter/answers-dialog.js').then((m) => ({ default: m.AnswersDialog })));
const StageDialog = lazy(() =>
  withTexts(import('./presenter/stage-dialog.js')).then((m) => ({ default: m.StageDialog })),
);
const AudienceDialog = lazy(() =>
  import('./presenter/audience-dialog.js').then((m) => ({ default: m.AudienceDialog })),
);

/** The class's strip above the narrator, and its question over the graph. */
export function ClassBar() {
  const follows = useClass((s) => s.follows);
  const dialog = useUI((s) => s.dialog);
  return (
    <div className="sl-class u-relative">
      {follows ? <FollowerPoll /> : <PresentedPollCard />}
      {follows ? <FollowerBar /> : <PresenterBar />}
      <Suspense fallback={null}>
        {dialog === 'class-poll' && !follows && <AskDialog />}
        {dialog === 'class-link' && !follows && <LinkOfClass />}
        {dialog === 'class-join' && follows && <JoinDialog />}
        {dialog === 'class-hand' && follows && <HandDialog />}
        {dialog === 'class-hands' && !follows && <HandsDialog />}
        {dialog === 'class-answers' && !follows && <AnswersDialog />}
        {dialog === 'class-stage' && !follows && <StageDialog />}
        {dialog === 'class-audience' && !follows && <AudienceDialog />}
      </Suspense>
    </div>
  );
}
