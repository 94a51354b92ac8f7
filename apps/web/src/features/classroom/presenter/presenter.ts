/** Presents: sends the class of its agent what this page shows. */
import type { PollDraft, PollPhase, PresenterMessage, ToPresenter } from '@syncloop/core/classroom';
import { t } from '../../../i18n/index.js';
import { forget, recall, remember } from '../../../page/storage.js';
import { notify } from '../../../page/ui-store.js';
import { useSession } from '../../../run/session-store.js';
import { session } from '../../../session/session.js';
import { arrangementNow, graphView, LAYOUTS, mapPointAt } from '../../graph/index.js';
import { useLessons } from '../../lessons/lessons-store.js';
import { encodeMoment, loadOf } from '../../share/share.js';
import { type ClassSocket, classSocket } from '../class-socket.js';
import { PRESENTING_BEFORE, PRESENTS, setPresenting, useClass } from '../class-store.js';
import { readViewState, watchViewState } from '../view-state.js';
import { noteAnswers } from './answers.js';
import { openMomentOf } from './hands.js';
import { keyOf, LessonSender, lessonShown } from './lesson.js';
import { PointerSender } from './pointer.js';
import { Publisher } from './publisher.js';

let socket: ClassSocket | null = null;
let publisher: Publisher | null = null;
let stops: (() => void)[] = [];

const send = (message: PresenterMessage) => socket?.send(message);
const after = (millis: number, then: () => void) => {
  const timer = setTimeout(then, millis);
  return () => clearTimeout(timer);
};

const askedStep = () => {
  const lesson = useClass.getState().presenting.poll?.lesson;
  return lesson ? keyOf(lesson) : null;
};
let lessonSender = new LessonSender(send, askedStep);

const pointer = new PointerSender({
  send: (to) => send({ type: 'pointer', ...(to && { pointer: to }) }),
  after,
});
const point = (event: PointerEvent) => {
  const at = graphView.placeOf(event);
  pointer.move(at && mapPointAt(at, LAYOUTS[arrangementNow()].boxes));
};
const pointNowhere = () => pointer.move(null);

/** Shows the class where this page's pointer is on the map, or no longer does. Nothing listens while it does not. */
export function setPointing(pointing: boolean): void {
  setPresenting({ pointing });
  const listen = pointing ? document.addEventListener : document.removeEventListener;
  listen.call(document, 'pointermove', point as EventListener);
  listen.call(document.documentElement, 'pointerleave', pointNowhere);
  if (!pointing) pointer.stop();
}

function newPublisher(): Publisher {
  return new Publisher(
    {
      spec: () => session.command({ do: 'spec' }),
      state: () => session.latest ?? useSession.getState().run,
      sight: readViewState,
      encode: (run) => encodeMoment({ load: loadOf(run) }),
      send,
      after,
      onVisibility: (shown) => {
        if (useClass.getState().presenting.shown !== shown) setPresenting({ shown });
      },
    },
    // Beyond the numbers of any page that presented before.
    Date.now(),
  );
}

function take(message: ToPresenter): void {
  switch (message.type) {
    case 'room': {
      const { type: _, ...room } = message;
      setPresenting({ state: 'on', reason: '', ...room });
      noteAnswers(room.poll);
      return;
    }
    case 'moment':
      void openMomentOf(message.number, message.moment);
      return;
    case 'replaced':
      end();
      setPresenting({ ...PRESENTING_BEFORE, state: 'replaced' });
      return;
    case 'refused':
      setPresenting({ reason: message.error });
      notify(t('class.agentRefused', { why: message.error }), true);
      return;
  }
}

/** Begins to present, to the agent that this page has the token of. */
export function present(): void {
  const token = recall('token', 'session');
  if (token === null || socket) return;
  remember(PRESENTS, 'yes', 'session');
  setPresenting({ ...PRESENTING_BEFORE, state: 'connecting' });
  publisher = newPublisher();
  const mine = publisher;
  stops = [
    useSession.subscribe((s, before) => {
      if (s.run !== before.run || s.phase !== before.phase) mine.changed();
    }),
    watchViewState(() => mine.changed()),
    useLessons.subscribe((s) => lessonSender.changed(lessonShown(s))),
  ];
  lessonSender = new LessonSender(send, askedStep);
  setPointing(true);
  socket = classSocket<ToPresenter>({
    auth: () => ({ token }),
    onOpen: () => {
      send({ type: 'present' });
      mine.anew();
      pointer.anew();
      lessonSender.anew(lessonShown(useLessons.getState()));
    },
    onMessage: take,
    onLost: (reason, how) => {
      if (how !== 'again') end();
      setPresenting({ state: how === 'again' ? 'lost' : how === 'final' ? 'refused' : 'none', reason });
    },
  });
}

function end(): void {
  forget(PRESENTS, 'session');
  setPointing(false);
  publisher?.stop();
  publisher = null;
  for (const stop of stops) stop();
  stops = [];
  socket?.close();
  socket = null;
}

/** Ends the presentation and notifies the followers. */
export function stopPresenting(): void {
  send({ type: 'stop' });
  end();
  setPresenting(PRESENTING_BEFORE);
}

/** Serves the class at another of this machine's addresses. */
export const listenAt = (address: string): void => void send({ type: 'listen', address });
/** Asks for the moment of a raised hand. */
export const openHand = (number: number): void => void send({ type: 'openHand', number });
/** Lowers a hand; without a number all of them. */
export const lower = (number?: number): void => void send({ type: 'lower', ...(number !== undefined && { number }) });
/** Opens a stage of the workshop for all; without one it is open for nobody any more. */
export const setStage = (stage?: string): void => void send({ type: 'stage', ...(stage !== undefined && { stage }) });
export const ask = (poll: PollDraft): void => void send({ type: 'poll', poll });
export const setPhase = (phase: PollPhase): void => void send({ type: 'phase', phase });
export const endPoll = (): void => void send({ type: 'endPoll' });
