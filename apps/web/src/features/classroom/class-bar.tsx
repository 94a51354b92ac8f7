import './class.css';
import { useUI } from '../../page/ui-store.js';
import { useClass } from './class-store.js';
import { FollowerBar } from './follower/follower-bar.js';
import { FollowerPoll } from './follower/follower-poll.js';
import { AskDialog } from './presenter/ask-dialog.js';
import { LinkOfClass } from './presenter/link-dialog.js';
import { PresentedPollCard } from './presenter/presented-poll.js';
import { PresenterBar } from './presenter/presenter-bar.js';

/** The class's strip above the narrator, and its question over the graph. */
export function ClassBar() {
  const follows = useClass((s) => s.follows);
  const dialog = useUI((s) => s.dialog);
  return (
    <div className="sl-class">
      {follows ? <FollowerPoll /> : <PresentedPollCard />}
      {follows ? <FollowerBar /> : <PresenterBar />}
      {dialog === 'class-poll' && !follows && <AskDialog />}
      {dialog === 'class-link' && <LinkOfClass />}
    </div>
  );
}
