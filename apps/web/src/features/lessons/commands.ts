import type { AnswerValue } from '@syncloop/core/lessons';
import { command } from '../../commands/types.js';
import { undoableSaid } from '../../commands/undo.js';
import { t } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { type LessonLink, loadLessons } from './lessons-start.js';
import {
  endInvitation,
  forgetKeptLessons,
  inLesson,
  nextLesson,
  openTask,
  restoreKeptLessons,
  useLessons,
} from './lessons-store.js';
import { putMissed, settleMissed, useReview } from './review-store.js';

/** The engine is loaded with the first lesson. */
const lessons = () => import('./lessons.js');

const possible = () => {
  const { phase, info } = useSession.getState();
  const can = info?.capabilities;
  return phase === 'ready' && can?.scenarios === true && can.rewind === true && can.control;
};
/** A question is asked again: it stands alone. */
const reviewing = () => useReview.getState().asked !== null;
const open = () => possible() && inLesson(useLessons.getState());
const phase = () => useLessons.getState().play?.phase;
/** It is the learner's turn. */
const turn = () => open() && (phase() === 'reading' || phase() === 'stuck');
const tell = async (event: Parameters<Awaited<ReturnType<typeof lessons>>['tell']>[0]) => (await lessons()).tell(event);

/** Shows the lesson in its panel. */
const show = () => useUI.setState({ left: 'lessons' });

export const lessonCommands = {
  'view.lessons': command({
    title: 'command.lessons',
    keys: ['Shift+S'],
    group: 'panels',
    run: () => useUI.setState((s) => ({ left: s.left === 'lessons' ? null : 'lessons' })),
  }),
  'lesson.open': command<LessonLink>({
    title: 'command.lessonOpen',
    palette: false,
    available: possible,
    run: async ({ name, step }) => {
      show();
      await loadLessons();
      await (await lessons()).openLesson(name, step);
    },
  }),
  /** Opens the next lesson that is not done: for a user who does not want to choose. */
  'lesson.openNext': command({
    title: 'command.lessonOpenNext',
    group: 'run',
    available: () => possible() && nextLesson(useLessons.getState(), useLessons.getState().lesson?.name) !== undefined,
    run: async () => {
      const s = useLessons.getState();
      const next = nextLesson(s, s.lesson?.name);
      if (!next) return;
      show();
      await (await lessons()).openLesson(next.name);
    },
  }),
  /** A question or an exercise that is open is not passed over by a key: it gets the focus. */
  'lesson.next': command({
    title: 'command.lessonNext',
    keys: ['N'],
    group: 'run',
    available: turn,
    run: async () => {
      show();
      const s = useLessons.getState();
      if (s.play?.phase === 'stuck') await tell({ type: 'retry' });
      else if (openTask(s)) useLessons.setState({ toQuestion: s.toQuestion + 1 });
      else if (reviewing()) await (await lessons()).openReview();
      else await tell({ type: 'next' });
    },
  }),
  'lesson.skip': command({
    title: 'command.lessonSkip',
    group: 'run',
    available: turn,
    run: async () => {
      const { asked } = useReview.getState();
      if (!asked) return tell({ type: 'next' });
      settleMissed(asked, 'skipped');
      await (await lessons()).openReview();
    },
  }),
  /** Asks again what was answered wrongly on an earlier visit. */
  'lesson.review': command({
    title: 'command.lessonReview',
    group: 'run',
    available: () => possible() && useReview.getState().due.length > 0,
    run: async () => {
      show();
      await loadLessons();
      await (await lessons()).openReview();
    },
  }),
  'lesson.previous': command({
    title: 'command.lessonPrevious',
    keys: ['Shift+N'],
    group: 'run',
    available: () =>
      open() && !reviewing() && (phase() === 'over' || (turn() && (useLessons.getState().play?.step ?? 0) > 0)),
    run: async () => {
      show();
      const { play } = useLessons.getState();
      // Goes from the last page to the last step.
      await tell(play?.phase === 'over' ? { type: 'back' } : { type: 'previous' });
    },
  }),
  'lesson.again': command({
    title: 'command.lessonAgain',
    group: 'run',
    available: turn,
    run: () => tell({ type: 'again' }),
  }),
  'lesson.back': command({
    title: 'command.lessonBack',
    group: 'run',
    available: () => open() && useLessons.getState().where !== 'here',
    run: async () => {
      show();
      await tell({ type: 'back' });
    },
  }),
  'lesson.restart': command({
    title: 'command.lessonRestart',
    group: 'run',
    available: () => open() && !reviewing(),
    run: () => tell({ type: 'restart' }),
  }),
  'lesson.leave': command({
    title: 'command.lessonLeave',
    group: 'run',
    available: () => inLesson(useLessons.getState()),
    run: async () => (await lessons()).leaveLesson(),
  }),
  /** Goes to a step, from 0. */
  'lesson.go': command<number>({
    title: 'command.lessonGo',
    palette: false,
    available: () => open() && !reviewing() && phase() !== 'moving',
    run: (step) => tell({ type: 'show', step }),
  }),
  /** Opens the step's subject: in the inspector, or the panel that it names. */
  'lesson.look': command<'inspector' | 'panel'>({
    title: 'command.lessonLook',
    palette: false,
    available: turn,
    run: async (what) => (await lessons()).look(what),
  }),
  /** Goes to the first place of one of the step's names in the lesson's run. */
  'lesson.stopAt': command<string>({
    title: 'command.lessonStopAt',
    palette: false,
    available: turn,
    run: async (name) => (await lessons()).stopAt(name),
  }),
  'lesson.answer': command<AnswerValue>({
    title: 'command.lessonAnswer',
    palette: false,
    available: () => turn() && openTask(useLessons.getState()) === 'ask',
    run: (value) => tell({ type: 'answer', value }),
  }),
  'lesson.retake': command({
    title: 'command.lessonRetake',
    palette: false,
    available: () => turn() && !reviewing(),
    run: async () => (await lessons()).retake(),
  }),
  /** A question of another step once more, by its step, from 0. */
  'lesson.retakeAt': command<number>({
    title: 'command.lessonRetake',
    palette: false,
    available: () => open() && !reviewing() && phase() !== 'moving',
    run: async (step) => (await lessons()).retake(step),
  }),
  'lesson.check': command({
    title: 'command.lessonCheck',
    palette: false,
    available: () => turn() && openTask(useLessons.getState()) === 'exercise',
    run: async () => {
      await tell({ type: 'check' });
      const { play, lesson } = useLessons.getState();
      const checked = play && lesson && play.progress[play.step]?.checked;
      if (checked) useLessons.setState({ checked });
    },
  }),
  'lesson.hint': command({
    title: 'command.lessonHint',
    palette: false,
    available: () => openTask(useLessons.getState()) === 'exercise',
    run: () => useLessons.setState((s) => ({ hinted: !s.hinted })),
  }),
  'lesson.solve': command({
    title: 'command.lessonSolve',
    palette: false,
    available: () => turn() && openTask(useLessons.getState()) === 'exercise',
    run: () => tell({ type: 'solve' }),
  }),
  'lesson.stop': command({
    title: 'command.lessonStop',
    palette: false,
    available: () => open() && phase() === 'moving',
    run: async () => (await lessons()).stop(),
  }),
  'lesson.forget': command({
    title: 'command.lessonForget',
    available: () => Object.keys(useLessons.getState().kept).length + useReview.getState().missed.length > 0,
    run: () => {
      const { missed, due } = useReview.getState();
      const { kept } = useLessons.getState();
      const forgetAll = () => {
        forgetKeptLessons();
        putMissed([], []);
      };
      forgetAll();
      undoableSaid({
        title: t('lessons.forgotten'),
        undo: () => {
          restoreKeptLessons(kept);
          putMissed(missed, due);
        },
        redo: forgetAll,
      });
    },
  }),
  'lesson.uninvite': command({ title: 'command.lessonUninvite', palette: false, run: endInvitation }),
};

declare module '../../commands/index.js' {
  interface Commands extends Arguments<typeof lessonCommands> {}
}
