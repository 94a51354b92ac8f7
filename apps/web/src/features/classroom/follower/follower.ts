/** This page follows a presenter: its own simulation goes where the presenter's is. */
import type { ClassPointer, Sight, ToFollower } from '@syncloop/core/classroom';
import { type Command, isLooking, type RunSpec } from '@syncloop/core/debug';
import { t } from '../../../i18n/index.js';
import { recall, remember } from '../../../page/storage.js';
import { notify, useUI } from '../../../page/ui-store.js';
import { useSession } from '../../../run/session-store.js';
import { simulate } from '../../../session/connect.js';
import { session } from '../../../session/session.js';
import { useGraph } from '../../graph/index.js';
import { useLessons } from '../../lessons/lessons-store.js';
import { decodeMoment, encodeMoment, loadOf } from '../../share/share.js';
import { type ClassSocket, classSocket } from '../class-socket.js';
import { useClass } from '../class-store.js';
import { applyViewState } from '../view-state.js';
import { type Following, received, shown } from './follow.js';
import { handMessage, nameFrom } from './hand.js';
import { placeOf, Reporter } from './place.js';
import { RunSync } from './run-sync.js';

/** Commands that change nothing visible in the run, in addition to those that only read. */
const UNSEEN: ReadonlySet<string> = new Set(['breakpoints', 'ask', 'rename'] satisfies Command['do'][]);
/** Narrower than this, panels of the presenter would cover the graph. */
const WIDE = '(min-width: 900px)';

let socket: ClassSocket | null = null;
let sight: Sight = {};
/** True while this page itself makes the changes. */
let ours = false;

const set = (change: (f: Following) => Following) =>
  useClass.setState((s) => {
    const following = change(s.following);
    return following === s.following ? s : { following };
  });

function quietly<T>(run: () => T): T {
  ours = true;
  try {
    return run();
  } finally {
    ours = false;
  }
}

const sync = new RunSync({
  command: (command) => quietly(() => session.command(command)),
  time: () => session.latest?.time ?? 0,
  decode: async (moment): Promise<RunSpec> => {
    const { do: _, to: __, ...spec } = (await decodeMoment(moment)).load;
    return spec;
  },
  now: () => performance.now(),
  after: (millis, then) => {
    const timer = setTimeout(then, millis);
    return () => clearTimeout(timer);
  },
  onProblem: (problem) => set((f) => (f.problem === problem ? f : { ...f, problem })),
});

const reporter = new Reporter({
  now: () => {
    const { following } = useClass.getState();
    return following.link === 'on' ? placeOf(following, session.latest?.steps ?? 0, document.hidden) : null;
  },
  send: (message) => socket?.send(message),
  after: (millis, then) => void setTimeout(then, millis),
});

/** Shows the presenter's view, unless the follower looks around on its own. */
function show(): void {
  const { following } = useClass.getState();
  const now = shown(following);
  if (!now || following.away) return;
  void sync.aim(now.run, now.view);
  quietly(() => applyViewState(now.view.sight, sight, matchMedia(WIDE).matches));
  sight = now.view.sight;
}

/** The follower does something of its own. Views are remembered, and not shown until it comes back. */
export function wander(): void {
  const { follows, following } = useClass.getState();
  if (!follows || following.away) return;
  sync.stop();
  set((f) => ({ ...f, away: true, problem: '' }));
}

/** Back to the presenter, with all that is in sight there. */
export function comeBack(): void {
  set((f) => ({ ...f, away: false, problem: '' }));
  sight = {};
  sync.start();
  show();
}

/** Raises this page's hand with its moment, and the name if there is one; null lowers it. */
export async function raiseHand(name: string | null): Promise<void> {
  if (name === null) {
    socket?.send({ type: 'hand' });
    return;
  }
  remember('class.name', nameFrom(name));
  const load = loadOf(await session.command({ do: 'spec' }));
  const message = handMessage(await encodeMoment({ load }), session.latest?.time ?? 0, name);
  if (message) socket?.send(message);
  else notify(t('class.handLong'), true);
}

/** Answers the question, or changes the answer: the place of an option, or a number. */
export function answer(given: number): void {
  const { poll } = useClass.getState().following;
  if (poll) socket?.send({ type: 'answer', poll: poll.id, ...(poll.number ? { number: given } : { option: given }) });
}

/** The place that the presenter points at, as the class's server said last. */
let pointer: ClassPointer | null = null;
/** Shows it on the map, as long as this page shows what the presenter sees. */
function showPointer(): void {
  const { following } = useClass.getState();
  const now = following.here && !following.away && shown(following) ? pointer : null;
  if (now !== useGraph.getState().pointer) useGraph.setState({ pointer: now });
}

/** Shows the presenter's lesson in its panel, with this page's answer to its question. */
function showLesson(): void {
  const { lesson, poll, answer } = useClass.getState().following;
  const own = lesson && poll?.lesson?.name === lesson.name && poll.lesson.step === lesson.step ? answer : null;
  useLessons.setState({ presented: lesson && { ...lesson, ...(own !== null && { own }) } });
}

/** Begins to report how far this page is in the stage that is open; after that, reports it again. */
let stageAnew: Promise<() => void> | null = null;
async function reportStageAnew(): Promise<void> {
  stageAnew ??= import('./stage.js').then(({ reportStage }) =>
    reportStage(
      () => useClass.getState().following.stage,
      (message) => socket?.send(message),
    ),
  );
  (await stageAnew)();
}

/** Opens the stage that the presenter has opened for all. */
export async function openPresentedStage(): Promise<void> {
  const { stage } = useClass.getState().following;
  if (stage !== null) (await import('./stage.js')).showStage(stage);
}

function take(message: ToFollower): void {
  if ((message.type === 'joined' || message.type === 'state') && message.pointer !== undefined) {
    pointer = message.pointer;
    showPointer();
    // Moves of the pointer alone are many, and change nothing else.
    if (Object.keys(message).length === 2) return;
  }
  const before = useClass.getState().following;
  set((f) => received(f, message));
  if (message.type === 'joined') {
    remember('class.id', message.id);
    reporter.anew();
  }
  if (message.type === 'refused') notify(t('class.answerRefused', { why: message.error }), true);
  const { view, run, lesson, poll, answer, stage } = useClass.getState().following;
  if (stage !== null && (stage !== before.stage || message.type === 'joined')) void reportStageAnew();
  if (stage !== null && stage !== before.stage) void openPresentedStage();
  if (lesson !== before.lesson || poll !== before.poll || answer !== before.answer) showLesson();
  if (view !== before.view || run !== before.run) show();
}

/** Once the page's own session answers. */
function whenReady(then: () => void): void {
  if (useSession.getState().phase === 'ready') {
    then();
    return;
  }
  const stop = useSession.subscribe((s) => {
    if (s.phase !== 'ready') return;
    stop();
    then();
  });
}

/** Asks for the code that the presenter shows. Meanwhile the page is a simulation of its own. */
export function askForCode(): void {
  simulate();
  set((f) => ({ ...f, link: 'code' }));
  useClass.setState({ follows: true });
  useUI.setState({ dialog: 'class-join' });
}

/** Begins to follow, with the token of a class's link. */
export function follow(token: string): void {
  simulate();
  useClass.setState({ follows: true });
  begin(token);
}

/** Begins to follow with the token that a code was exchanged for; the address has it from now on, as a link does. */
export function joinWith(token: string): void {
  const url = new URL(location.href);
  url.hash = `class=${token}`;
  history.replaceState(history.state, '', url.href);
  set((f) => ({ ...f, link: 'connecting' }));
  begin(token);
}

function begin(token: string): void {
  session.onCommand = (command) => {
    if (!ours && !UNSEEN.has(command.do) && !isLooking(command)) wander();
  };
  useUI.subscribe((now, before) => {
    if (!ours && JSON.stringify(now.selection) !== JSON.stringify(before.selection)) wander();
  });
  useClass.subscribe(() => {
    reporter.changed();
    showPointer();
  });
  useSession.subscribe(() => reporter.changed());
  document.addEventListener('visibilitychange', () => reporter.changed());
  whenReady(() => {
    sync.start();
    show();
  });
  socket = classSocket<ToFollower>({
    auth: () => ({ token, id: recall('class.id') ?? '' }),
    onMessage: take,
    onLost: (reason, how) => set((f) => ({ ...f, link: how === 'again' ? 'lost' : 'refused', reason })),
  });
}
