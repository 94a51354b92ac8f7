/**
 * Plays a lesson on the page's session: asks the engine for the next action, runs its commands, tells it the results.
 * Loaded with the first lesson.
 */
import { answered, type Command, type CommandResult } from '@syncloop/core/debug';
import {
  advance,
  checkExercise,
  keep,
  type Lesson,
  type LessonEvent,
  type LessonPlace,
  type LessonState,
  notStarted,
  parseLesson,
  type StepProgress,
  wandered,
} from '@syncloop/core/lessons';
import { t } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { sameRun, upTo } from '../../run/run-spec.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { lookBefore, lookInside, makeRoom, openPanel, putBack, showStep, showStop } from './lessons-show.js';
import { endInvitation, keepLesson, useLessons } from './lessons-store.js';
import { reviewOf } from './review-lesson.js';
import { addMissed, type Missed, settleMissed, useReview } from './review-store.js';

type LoadCommand = Extract<Command, { do: 'load' }>;

const get = useLessons.getState;

/** The session's position; correct only after the session has caught up. */
function placeNow(): LessonPlace {
  const { info } = useSession.getState();
  const run = session.latest;
  if (!info || !run) throw new Error(t('lessons.noSession'));
  return { session: info.id, node: info.node, branch: run.branch ?? 1, step: run.steps, store: trace.records };
}
/** Returns true if all records up to the session's position are here. */
const caught = (): boolean => trace.records.last >= (session.latest?.seq ?? 0);

/** Resolves when the page knows all that led to the last answer: a result may come before its records. */
async function catchUp(): Promise<void> {
  // Messages come in order: earlier ones have arrived with this answer.
  await session.command({ do: 'branches' }).catch(() => {});
  if (caught()) return;
  await new Promise<void>((resolve) => {
    const look = () => {
      if (!caught() && useSession.getState().phase === 'ready') return;
      for (const end of ends) end();
      resolve();
    };
    const ends = [trace.subscribe(look), useSession.subscribe(look)];
  });
}

async function perform(command: Command): Promise<CommandResult> {
  try {
    const result = answered(await session.command(command));
    if (command.do === 'ask') useSession.setState({ asking: command.select });
    return result;
  } catch (error) {
    return { ok: false, error: error instanceof Error ? error.message : String(error) };
  }
}

/**
 * The extent of the step that the next arrival shows: on the way forward only its own part, `whole` with all steps
 * before. After an answer the page stays as it is.
 */
let showing: 'own' | 'whole' | null = null;

function put(play: LessonState): void {
  const { lesson, play: before } = get();
  if (!lesson || !before) return;
  const moved = play.step !== before.step;
  useLessons.setState({
    play,
    where: 'here',
    ...((moved || play.phase === 'moving') && { checked: null }),
    ...(moved && { hinted: false }),
  });
  if (showing) show(lesson, play, before);
  save(lesson, play);
  if (play.phase === 'reading') watchExercise();
}

function show({ steps }: Lesson, play: LessonState, before: LessonState): void {
  const step = steps[play.step];
  if (!step) return;
  const past = showing === 'whole' ? steps.slice(0, play.step + 1) : [step];
  const level = past.findLast((s) => s.show.level !== undefined)?.show.level;
  // The room is made before the moves of a step, so that they are in sight.
  if (play.phase === 'reading' || before.phase !== 'moving') makeRoom(step, level);
  if (play.phase !== 'reading') return;
  showing = null;
  showStep(step, placeNow());
}

function save(lesson: Lesson, play: LessonState): void {
  if ((play.phase !== 'reading' && play.phase !== 'over') || useReview.getState().asked) return;
  const { kept } = get();
  keepLesson(lesson.name, {
    step: play.step,
    steps: lesson.steps.length,
    done: play.phase === 'over' || (kept[lesson.name]?.done ?? false),
    progress: keep(play),
  });
}

let driving: Promise<void> | null = null;
/** Does all commands that the lesson wants, one after the other. */
function drive(): Promise<void> {
  driving ??= loop().finally(() => {
    driving = null;
  });
  return driving;
}
async function loop(): Promise<void> {
  for (;;) {
    const { lesson, play } = get();
    if (!lesson || !play?.command) return;
    const { command, serial } = play;
    const result = await perform(command);
    await catchUp();
    const now = get();
    // Something else was asked for meanwhile.
    if (now.lesson !== lesson || now.play?.serial !== serial) continue;
    put(advance(lesson, now.play, { type: 'result', serial, result }, placeNow()));
  }
}

const SHOWING: ReadonlySet<LessonEvent['type']> = new Set<LessonEvent['type']>([
  'start',
  'next',
  'previous',
  'restart',
  'show',
  'back',
  'again',
]);
/** The only events that are taken while the lesson moves: they end the moves. */
const CUTTING: ReadonlySet<LessonEvent['type']> = new Set<LessonEvent['type']>(['start', 'restart', 'leave']);

/**
 * Sends an event to the open lesson, and runs the actions that follow. Resolves when it is the learner's turn. `first`:
 * applied to its state before.
 */
export async function tell(event: LessonEvent, first = (play: LessonState) => play): Promise<void> {
  const { lesson, play } = get();
  if (!lesson || !play) return;
  const moving = play.phase === 'moving';
  if (moving && !CUTTING.has(event.type)) return;
  if (moving || session.latest?.running) await session.command({ do: 'pause' }).catch(() => {});
  await catchUp();
  const now = get();
  if (now.lesson !== lesson || !now.play) return;
  if (SHOWING.has(event.type)) showing = event.type === 'next' ? 'own' : 'whole';
  const { step } = now.play;
  const ungraded = now.play.progress[step]?.graded === undefined;
  put(advance(lesson, first(now.play), event, placeNow()));
  await drive();
  // Other events grade once more what was kept of an earlier visit.
  if (ungraded && (event.type === 'answer' || event.type === 'retry') && get().lesson === lesson)
    noteAnswer(lesson, step);
}

/** A question was answered, and the run has shown what is right: a wrong prediction comes back. */
function noteAnswer(lesson: Lesson, step: number): void {
  const graded = get().play?.progress[step]?.graded;
  const ask = lesson.steps[step]?.ask;
  const { asked } = useReview.getState();
  if (!graded || !ask) return;
  if (asked) settleMissed(asked, graded.right ? 'right' : 'wrong');
  else if (!graded.right) addMissed(lesson.name, step, ask);
}

/** Ends the moves under way; the lesson reports that it was stopped, and can go on. */
export async function stop(): Promise<void> {
  await session.command({ do: 'pause' });
}

/** Shows once more, or on demand, the subject of the present step. */
export function look(what: 'inspector' | 'panel'): void {
  const { lesson, play } = get();
  const show = play && lesson?.steps[play.step]?.show;
  if (!show) return;
  if (what === 'inspector') lookInside(show, placeNow());
  else if (show.panel) openPanel(show.panel);
}

/**
 * Stops at one of the step's names, and shows the place: its source, if it is a function. The lesson stays at its step.
 */
export async function stopAt(name: string): Promise<void> {
  await tell({ type: 'stopAt', name });
  const { lesson, play } = get();
  const found = play && lesson?.steps[play.step]?.names.find((n) => n.name === name);
  if (play?.phase !== 'reading' || !found) return;
  showStop(found.fn, placeNow());
  lookWhere();
}

/** A question of the lesson once more: the run goes back to before its answer, which is forgotten. */
export async function retake(step = get().play?.step ?? 0): Promise<void> {
  const { play } = get();
  if (play?.phase === 'reading' || play?.phase === 'over')
    await tell({ type: 'show', step }, (before) => withoutAnswer(before, step));
}
function withoutAnswer(play: LessonState, step: number): LessonState {
  const progress = play.progress.map((own, i) => {
    if (i !== step) return own;
    const { given: _given, graded: _graded, ended: _ended, ...rest } = own;
    return rest;
  });
  return { ...play, progress };
}

/** Leaves the open lesson, and loads another one; null if there is none of that name. */
async function textOf(name: string): Promise<Lesson | null> {
  const entry = get().list.find((l) => l.name === name);
  if (!entry) return null;
  if (get().lesson) await leaveLesson();
  useLessons.setState({ opening: name });
  try {
    return parseLesson(await entry.load(), name);
  } finally {
    useLessons.setState({ opening: null });
  }
}

function begin(lesson: Lesson): void {
  lookBefore();
  endInvitation();
  useLessons.setState({ lesson, play: notStarted, where: 'here', checked: null, hinted: false });
  useUI.setState({ left: 'lessons' });
}

/**
 * Asks again what was answered wrongly on an earlier visit, the next one that is due; leaves the lesson if there is
 * none. The lesson is played as far as its question, in a run with another seed.
 */
export async function openReview(): Promise<void> {
  for (let [one] = useReview.getState().due; one; [one] = useReview.getState().due) {
    const whole = await textOf(one.lesson);
    const lesson = whole && reviewOf(whole, one);
    if (lesson) return review(lesson, one);
    settleMissed(one, 'gone');
  }
  await leaveLesson();
}
async function review(lesson: Lesson, one: Missed): Promise<void> {
  useReview.setState({ asked: one });
  begin(lesson);
  await tell({ type: 'start', step: one.step });
}

/** Opens a lesson: where it was left, or at a step. One that is done starts over. */
export async function openLesson(name: string, step?: number): Promise<void> {
  const lesson = await textOf(name);
  if (!lesson) throw new Error(t('lessons.unknown', { name }));
  begin(lesson);
  putAddress(name);
  const kept = get().kept[name];
  const over = kept?.done === true && kept.step >= lesson.steps.length - 1;
  await tell({
    type: 'start',
    step: step ?? (over ? 0 : (kept?.step ?? 0)),
    ...(kept && !over && { progress: kept.progress }),
  });
}

/**
 * Goes from the open lesson's position to a link's moment in it. If the lesson's run has been there it goes back; else
 * `loaded` loads the moment's run, in which the lesson goes on if it went the same way up to here.
 */
export async function toMoment({ to, clock, ...spec }: LoadCommand, loaded: () => Promise<unknown>): Promise<void> {
  const own = await session.command({ do: 'spec' });
  if (!to) return;
  if (to.seq === own.to.seq && to.step === own.to.step && clock === own.clock && sameRun(own, spec)) return;
  if (to.seq < own.to.seq && to.step <= own.to.step && sameRun(upTo(own, to), spec)) {
    const { branch = 1 } = session.latest ?? {};
    await session.command(clock === undefined ? { do: 'switch', branch, to } : { do: 'go', to: { time: clock } });
    return;
  }
  const before = placeNow();
  await loaded();
  await catchUp();
  if (own.to.seq <= to.seq && own.to.step <= to.step && sameRun(upTo(spec, own.to), own)) goOnIn(before);
}

/** The run in view went as the lesson's own did: its places are the same there. */
function goOnIn({ session: id, branch, store: { last } }: LessonPlace): void {
  const { play } = get();
  if (!play) return;
  const { session: other, branch: into } = placeNow();
  const reached = play.progress.flatMap(({ from, entered, ended }) => [from, entered?.spot, ended?.spot]);
  if (reached.some((spot) => spot && (spot.session !== id || spot.branch !== branch || spot.seq > last))) return;
  const here = <T extends object>(spot: T): T => ({ ...spot, session: other, branch: into });
  const progress = play.progress.map(
    ({ from, entered, ended, ...rest }): StepProgress => ({
      ...rest,
      ...(from && { from: here(from) }),
      ...(entered && { entered: { ...entered, spot: here(entered.spot) } }),
      ...(ended && { ended: { ...ended, spot: here(ended.spot) } }),
    }),
  );
  useLessons.setState({ play: { ...play, progress } });
  lookWhere();
  watchExercise();
}

/** Closes the lesson; the run stays at its position. */
export async function leaveLesson(): Promise<void> {
  const { lesson, play } = get();
  if (!lesson) return;
  const moving = play?.phase === 'moving';
  useLessons.setState({ lesson: null, play: null, where: 'here', checked: null, hinted: false });
  useReview.setState({ asked: null });
  putBack();
  putAddress(null);
  if (moving) await session.command({ do: 'pause' }).catch(() => {});
}

/** A reload and the address bar know of the open lesson. */
function putAddress(name: string | null): void {
  if (typeof history === 'undefined') return;
  const url = new URL(location.href);
  const own = new URLSearchParams(url.hash.replace(/^#/, '')).has('lesson');
  if (name === null && !own) return;
  url.hash = name === null ? '' : `lesson=${name}`;
  history.replaceState(history.state, '', url.href);
}

// --- what the learner does by themselves

/** The least time between two looks at an exercise, and that time in multiples of what a look takes (ms). */
const LOOK_MILLIS = 250;
const LOOK_SHARE = 10;

let timer: ReturnType<typeof setTimeout> | undefined;
let wait = LOOK_MILLIS;

const inExercise = (): boolean => {
  const { lesson, play } = get();
  return (
    lesson !== null &&
    play?.phase === 'reading' &&
    lesson.steps[play.step]?.exercise !== undefined &&
    play.progress[play.step]?.solved === undefined
  );
};

function watchExercise(): void {
  if (timer !== undefined || !inExercise()) return;
  timer = setTimeout(() => {
    timer = undefined;
    void lookAtExercise();
  }, wait);
}

/** Looks how far the exercise is done; when it is, the run is stopped there and it counts as solved. */
export async function lookAtExercise(): Promise<void> {
  const { lesson, play } = get();
  if (!lesson || !play || !inExercise()) return;
  const exercise = lesson.steps[play.step]?.exercise;
  const entered = play.progress[play.step]?.entered;
  const { info } = useSession.getState();
  if (!exercise || !entered || info?.id !== entered.spot.session) return;
  const before = performance.now();
  const checked = checkExercise(exercise, placeNow(), entered.spot.seq);
  wait = Math.max(LOOK_MILLIS, LOOK_SHARE * (performance.now() - before));
  if (JSON.stringify(checked) !== JSON.stringify(get().checked)) useLessons.setState({ checked });
  if (checked.every((c) => c.problem === null)) await tell({ type: 'check' });
}

function lookWhere(): void {
  const { lesson, play, where } = get();
  const { info } = useSession.getState();
  if (!lesson || !play || play.phase !== 'reading' || !info || !caught() || session.latest === null) return;
  const place = placeNow();
  const entered = play.progress[play.step]?.entered;
  const now = !wandered(lesson, play, place) ? 'here' : entered?.spot.session === place.session ? 'away' : 'left';
  if (now !== where) useLessons.setState({ where: now });
}

trace.subscribe(() => {
  if (!get().lesson) return;
  lookWhere();
  watchExercise();
});
useSession.subscribe((s, before) => {
  if (get().lesson && (s.run !== before.run || s.info !== before.info)) lookWhere();
});
