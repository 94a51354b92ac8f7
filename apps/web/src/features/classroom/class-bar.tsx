import './class.css';
import { useUI } from '../../page/ui-store.js';
import { AskDialog } from './ask-dialog.js';
import { useClass } from './class-store.js';
import { FollowerBar } from './follower-bar.js';
import { FollowerPoll } from './follower-poll.js';
import { LinkOfClass } from './link-dialog.js';
import { PresentedPollCard } from './presented-poll.js';
import { PresenterBar } from './presenter-bar.js';

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
