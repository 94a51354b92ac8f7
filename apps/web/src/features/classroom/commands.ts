import type { PollDraft, PollPhase } from '@syncloop/core/classroom';
import { focusOn } from '../../commands/focus.js';
import { command } from '../../commands/types.js';
import { t } from '../../i18n/index.js';
import { recall } from '../../page/storage.js';
import { notify, useUI } from '../../page/ui-store.js';
import { sessionReady } from '../../session/connect.js';
import { PRESENTS, useClass } from './class-store.js';
import { canAnswer } from './follower/follow.js';

/** These parts are loaded when they are needed: few pages are. */
const presenter = () => import('./presenter/presenter.js');
const follower = () => import('./follower/follower.js');

const { getState } = useClass;
/** Only an agent has a class, and this page has to be one of its own. */
export const canPresent = (): boolean => !getState().follows && recall('token', 'session') !== null;
/** A tab that presented before it was loaded again presents again. */
export function presentAgain(): void {
  if (recall(PRESENTS, 'session') === null || !canPresent()) return;
  void sessionReady().then(async (ready) => {
    if (ready && canPresent()) (await presenter()).present();
  });
}
const presents = () => {
  const { state } = getState().presenting;
  return state === 'on' || state === 'lost';
};
const idle = () => {
  const { state } = getState().presenting;
  return state !== 'on' && state !== 'lost' && state !== 'connecting';
};
const follows = () => getState().follows;
const pollIn = (...phases: readonly PollPhase[]) => {
  const { state, poll } = getState().presenting;
  return state === 'on' && poll !== null && phases.includes(poll.phase);
};

async function copyLink(): Promise<void> {
  const [link] = getState().presenting.links;
  if (link === undefined) return;
  try {
    await navigator.clipboard.writeText(link);
    notify(t('class.copied'));
  } catch {
    // No clipboard, or no leave to use it.
    useUI.setState({ dialog: 'class-link' });
  }
}

function toPoll(): void {
  if (!follows()) {
    useUI.setState({ dialog: 'class-poll' });
    return;
  }
  focusOn(
    () => {
      const card = document.getElementById('sl-class-poll');
      return card?.querySelector<HTMLElement>('input:checked, input') ?? card;
    },
    () => useClass.setState({ hidden: 0 }),
  );
}

export const classCommands = {
  'class.present': command({
    title: 'command.classPresent',
    available: canPresent,
    hint: () => (follows() ? null : 'class.how'),
    run: async () => {
      const { present, stopPresenting } = await presenter();
      if (idle()) present();
      else stopPresenting();
    },
  }),
  /** Begins to present, and shows the audience's address: for the page that `syncloop serve --class` opens. */
  'class.begin': command({
    title: 'command.classPresent',
    palette: false,
    available: () => canPresent() && idle(),
    run: async () => {
      (await presenter()).present();
      useUI.setState({ dialog: 'class-link' });
    },
  }),
  'class.listen': command<string>({
    title: 'command.classLink',
    palette: false,
    available: presents,
    run: async (address) => (await presenter()).listenAt(address),
  }),
  'class.hands': command({
    title: 'command.classHands',
    keys: ['Shift+U'],
    available: () => (follows() ? getState().following.link === 'on' : presents()),
    run: async () => {
      if (!follows()) useUI.setState({ dialog: 'class-hands' });
      else if (getState().following.hand) await (await follower()).raiseHand(null);
      else useUI.setState({ dialog: 'class-hand' });
    },
  }),
  'class.raise': command<string>({
    title: 'command.classHands',
    palette: false,
    available: () => follows() && getState().following.link === 'on',
    run: async (name) => (await follower()).raiseHand(name),
  }),
  'class.openHand': command<number>({
    title: 'command.classHands',
    palette: false,
    available: presents,
    run: async (number) => (await presenter()).openHand(number),
  }),
  'class.lower': command<{ readonly number?: number }>({
    title: 'command.classHands',
    palette: false,
    available: presents,
    run: async ({ number }) => (await presenter()).lower(number),
  }),
  'class.handBack': command({
    title: 'command.classHandBack',
    available: () => presents() && getState().presenting.visit !== null,
    run: async () => (await import('./presenter/hands.js')).backFromHand(),
  }),
  'class.stage': command({
    title: 'command.classStage',
    available: () => (follows() ? getState().following.stage !== null : getState().presenting.state === 'on'),
    run: async () => {
      if (follows()) await (await follower()).openPresentedStage();
      else useUI.setState({ dialog: 'class-stage' });
    },
  }),
  'class.setStage': command<{ readonly stage?: string }>({
    title: 'command.classStage',
    palette: false,
    available: () => getState().presenting.state === 'on',
    run: async ({ stage }) => (await presenter()).setStage(stage),
  }),
  'class.answers': command({
    title: 'command.classAnswers',
    available: presents,
    run: () => useUI.setState({ dialog: 'class-answers' }),
  }),
  'class.join': command({
    title: 'command.classJoin',
    available: () => follows() && getState().following.link === 'code',
    run: () => useUI.setState({ dialog: 'class-join' }),
  }),
  'class.copyLink': command({
    title: 'command.classCopy',
    available: () => presents() && getState().presenting.links.length > 0,
    run: copyLink,
  }),
  'class.showLink': command({
    title: 'command.classLink',
    available: () => presents() && getState().presenting.links.length > 0,
    run: () => useUI.setState({ dialog: 'class-link' }),
  }),
  'class.audience': command({
    title: 'command.classAudience',
    available: presents,
    run: () => useUI.setState({ dialog: 'class-audience' }),
  }),
  'class.point': command({
    title: 'command.classPoint',
    keys: ['Shift+M'],
    available: presents,
    run: async () => (await presenter()).setPointing(!getState().presenting.pointing),
  }),
  'class.question': command({
    title: 'command.classQuestion',
    keys: ['Q'],
    available: () => (follows() ? getState().following.poll !== null : getState().presenting.state === 'on'),
    run: toPoll,
  }),
  'class.ask': command<PollDraft>({
    title: 'command.classAsk',
    palette: false,
    available: () => getState().presenting.state === 'on',
    run: async (poll) => (await presenter()).ask(poll),
  }),
  'class.phase': command<PollPhase>({
    title: 'command.classPhase',
    palette: false,
    available: () => pollIn('open', 'closed', 'revealed'),
    run: async (phase) => (await presenter()).setPhase(phase),
  }),
  'class.endPoll': command({
    title: 'command.classEndPoll',
    available: () => pollIn('open', 'closed', 'revealed'),
    run: async () => (await presenter()).endPoll(),
  }),
  'class.return': command({
    title: 'command.classReturn',
    keys: ['Y'],
    available: () => follows() && getState().following.away,
    run: async () => (await follower()).comeBack(),
  }),
  'class.wander': command({
    title: 'command.classWander',
    available: () => follows() && !getState().following.away,
    run: async () => (await follower()).wander(),
  }),
  'class.answer': command<number>({
    title: 'command.classAnswer',
    palette: false,
    available: () => follows() && canAnswer(getState().following),
    run: async (given) => (await follower()).answer(given),
  }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof classCommands> {}
}
