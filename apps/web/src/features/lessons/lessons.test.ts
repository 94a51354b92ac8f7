import type { Command } from '@syncloop/core/debug';
import '../../fixtures/features.js';
import { simulationSource } from '@syncloop/core/debug';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type CommandId, isAvailable, tryCommand } from '../../commands/index.js';
import { inProcess, ManualTimers } from '../../fixtures/in-process.js';
import { storageIn } from '../../fixtures/storage.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { trace } from '../../run/trace-store.js';
import { session } from '../../session/session.js';
import { useGraph } from '../graph/index.js';
import { lookAtExercise } from './lessons.js';
import { lessonNow, loadLessons, momentInLesson, openLessonLink } from './lessons-start.js';
import { keptFrom, nextLesson, openTask, useLessons } from './lessons-store.js';
import { missedFrom, putMissed, useReview } from './review-store.js';

type Load = Extract<Command, { do: 'load' }>;
const timers = new ManualTimers();
const frames: (() => void)[] = [];
const kept = new Map<string, string>();
const settle = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve();
  for (const f of frames.splice(0)) f();
};
/** A command to its end; the session is given the time it wants. */
const does = (id: CommandId, arg?: unknown): Promise<void> =>
  finished((tryCommand as (id: CommandId, arg?: unknown) => Promise<void>)(id, arg));
const finished = async (under: Promise<void>): Promise<void> => {
  let over = false;
  const done = under.finally(() => {
    over = true;
  });
  done.catch(() => {});
  while (!over) {
    // A module that is being loaded comes by the event loop, however late.
    await new Promise((then) => setImmediate(then));
    timers.advance(50);
    await settle();
  }
  await done;
  await settle();
};
const lesson = () => useLessons.getState();
const own = () => lesson().play?.progress[lesson().play?.step ?? 0];
const stands = () => ({ phase: lesson().play?.phase, step: lesson().play?.step, task: openTask(lesson()) });
const next = () => does('lesson.next');

beforeEach(async () => {
  // The page looks at an exercise now and then, by the clock: here only when a test asks for it.
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  globalThis.requestAnimationFrame = (f) => frames.push(() => f(0));
  kept.clear();
  globalThis.localStorage = storageIn(kept);
  useUI.setState({ notice: null, selection: null, left: null, bottom: null, inspectorOpen: false });
  useLessons.setState({ kept: {}, lesson: null, play: null, where: 'here', checked: null, hinted: false });
  putMissed([], []);
  useGraph.setState({ chosen: null });
  session.connect(inProcess(simulationSource(), timers).connect, 'worker');
  await settle();
  await loadLessons();
});
afterEach(async () => {
  if (lesson().lesson) await does('lesson.leave');
  session.disconnect();
  for (const f of frames.splice(0)) f();
  vi.runOnlyPendingTimers();
  vi.useRealTimers();
});

describe('a lesson in the page', () => {
  it('is played from its first step to its last: a wrong answer, a right one, and an exercise', async () => {
    await does('lesson.open', { name: 'syncloop' });
    expect(stands()).toEqual({ phase: 'reading', step: 0, task: null });
    expect(useUI.getState()).toMatchObject({ left: 'lessons', inspectorOpen: true, inspectorTab: 'what' });
    expect(useUI.getState().selection).toEqual({ kind: 'part', part: 'loop' });
    expect(useGraph.getState().chosen).toBe('story');
    expect(own()?.entered?.values).toMatchObject({ 'round(time / 1000)': '17' });

    for (let step = 1; step <= 4; step++) {
      await next();
      expect(stands()).toMatchObject({ phase: 'reading', step });
      expect(own()?.entered?.spot.seq).toBe(trace.records.last);
    }
    // The next lesson's step does not pass over the question by itself.
    expect(stands().task).toBe('ask');
    await next();
    expect(stands()).toMatchObject({ step: 4, task: 'ask' });
    await does('lesson.answer', 'HandlePodSyncs');
    expect(own()?.graded).toEqual({ given: 'HandlePodSyncs', answer: 'HandlePodAdditions', right: false });
    const answered = trace.records.last;
    expect(trace.records.get(answered)).toMatchObject({ kind: 'enter', fn: 'HandlePodAdditions' });

    // Once more: the run goes back to before the answer.
    await does('lesson.retake');
    expect(stands().task).toBe('ask');
    expect(trace.records.last).toBeLessThan(answered);
    await does('lesson.answer', 'HandlePodAdditions');
    expect(own()?.graded).toMatchObject({ right: true });
    expect(trace.records.last).toBe(answered);

    for (let step = 5; step <= 8; step++) {
      await next();
      expect(stands()).toMatchObject({ phase: 'reading', step });
    }
    await does('lesson.answer', 300);
    expect(own()?.graded).toEqual({ given: 300, answer: 400, right: false });
    await next();
    await next();
    await does('lesson.answer', 'running');
    expect(own()?.graded).toMatchObject({ right: true });
    await next();

    expect(stands()).toEqual({ phase: 'reading', step: 11, task: 'exercise' });
    await does('lesson.check');
    expect(lesson().checked?.map((c) => c.problem === null)).toEqual([false, false]);
    expect(own()?.solved).toBeUndefined();
    // By hand, as a learner does it; the lesson sees each condition come true.
    await session.command({ do: 'act', action: { startRuntime: {} } });
    await does('transport.setSpeed', { mode: 'time', factor: 10 });
    await does('transport.toggle');
    for (let n = 0; own()?.solved === undefined && n < 300; n++) {
      timers.advance(20);
      await settle();
      const looked = lookAtExercise();
      for (let i = 0; i < 20; i++) {
        timers.advance(10);
        await settle();
      }
      await looked;
    }
    expect(own()?.solved).toBe('learner');
    expect(lesson().where).toBe('here');
    expect(session.latest?.running).toBe(false);

    await next();
    expect(stands()).toMatchObject({ phase: 'reading', step: 12 });
    await next();
    expect(stands().phase).toBe('over');
    expect(lesson().kept.syncloop).toMatchObject({ step: 12, steps: 13, done: true });
    expect(nextLesson(lesson(), 'syncloop')?.name).toBe('channels');
    const stored = keptFrom(kept.get('syncloop.lessons') ?? null);
    expect(stored.syncloop?.progress[4]?.graded).toMatchObject({ right: true });
    expect(stored.syncloop?.progress[11]).toEqual({ solved: 'learner' });
  });

  it('sees who goes elsewhere, and leads back', async () => {
    await does('lesson.open', { name: 'syncloop', step: 2 });
    const { seq, steps } = useSession.getState().run;
    expect(lesson().where).toBe('here');
    await does('transport.stepDecision');
    expect(lesson().where).toBe('away');
    expect(lessonNow()).toEqual({ name: 'syncloop', step: 2, away: true });
    await does('lesson.back');
    expect(lesson().where).toBe('here');
    expect(lessonNow()).toEqual({ name: 'syncloop', step: 2 });
    expect(useSession.getState().run).toMatchObject({ seq, steps });
    await does('scenario.load', { name: 'crash-loop' });
    expect(lesson().where).toBe('left');
    expect(lessonNow()).toBeNull();
    await does('lesson.back');
    expect(useSession.getState().info?.scenario).toBe('hello');
    expect(useSession.getState().run).toMatchObject({ seq, steps });
  });

  describe('at a moment that a link was taken at in it', () => {
    /** Returns the content of a link, and the moment that it is of. */
    const taken = async () => {
      const load = { ...((await session.command({ do: 'spec' })) as object), do: 'load' } as Load;
      const { seq, steps, time } = useSession.getState().run;
      return { load, at: { seq, steps, time }, lesson: lessonNow(), state: JSON.stringify(trace.state) };
    };
    /** Opens it elsewhere: the lesson at its step, then the moment. */
    const opened = async ({ load, lesson: link }: Awaited<ReturnType<typeof taken>>) => {
      await does('lesson.leave');
      await does('scenario.load', { name: 'crash-loop' });
      await does('lesson.open', link);
      await finished(momentInLesson(load, () => session.command(load)));
    };

    it('further on in its run: the lesson is open there, and leads back', async () => {
      await does('lesson.open', { name: 'syncloop', step: 2 });
      const { seq } = useSession.getState().run;
      await does('transport.stepIteration');
      const there = await taken();
      expect(there.lesson).toEqual({ name: 'syncloop', step: 2, away: true });
      await opened(there);
      expect(useSession.getState().run).toMatchObject(there.at);
      expect(JSON.stringify(trace.state)).toBe(there.state);
      expect(stands()).toMatchObject({ step: 2, phase: 'reading' });
      expect(lesson().where).toBe('away');
      const { info } = useSession.getState();
      await does('lesson.back');
      expect(useSession.getState().run.seq).toBe(seq);
      // It is the same run: it was not started over.
      expect(useSession.getState().info?.id).toBe(info?.id);
      await next();
      expect(stands()).toMatchObject({ step: 3, phase: 'reading' });
    });

    it('before where it stands: its run goes back', async () => {
      await does('lesson.open', { name: 'syncloop', step: 2 });
      await does('transport.backIteration');
      const there = await taken();
      await opened(there);
      expect(useSession.getState().run).toMatchObject(there.at);
      expect(lesson().where).toBe('away');
      await does('lesson.back');
      expect(lesson().where).toBe('here');
    });

    it('in an exercise, with what was done so far, which counts', async () => {
      await does('lesson.open', { name: 'syncloop', step: 11 });
      await session.command({ do: 'act', action: { startRuntime: {} } });
      await does('transport.stepIteration');
      const there = await taken();
      expect(there.lesson).toEqual({ name: 'syncloop', step: 11, away: true });
      expect(there.load.interventions?.length).toBeGreaterThan(0);
      await opened(there);
      expect(useSession.getState().run).toMatchObject(there.at);
      expect(JSON.stringify(trace.state)).toBe(there.state);
      expect(stands()).toEqual({ phase: 'reading', step: 11, task: 'exercise' });
      expect(lesson().where).toBe('here');
      expect(own()?.entered?.spot.session).toBe(useSession.getState().info?.id);
    });

    it('of another run than its own: the lesson says so, and leads back', async () => {
      await does('lesson.open', { name: 'syncloop', step: 2 });
      const { seq } = useSession.getState().run;
      const there = await taken();
      const load: Load = { ...there.load, seed: 77, to: { step: 90, seq: 200 } };
      await opened({ ...there, load });
      expect(useSession.getState().info?.seed).toBe(77);
      expect(lesson().where).toBe('left');
      await does('lesson.back');
      expect(useSession.getState().run.seq).toBe(seq);
    });
  });

  it('goes back in time, and does a step again', async () => {
    await does('lesson.open', { name: 'syncloop' });
    const first = trace.records.last;
    await next();
    const second = trace.records.last;
    await does('lesson.previous');
    expect(stands().step).toBe(0);
    expect(trace.records.last).toBe(first);
    expect(isAvailable('lesson.previous')).toBe(false);
    await next();
    expect(trace.records.last).toBe(second);
    await does('lesson.again');
    expect(stands()).toMatchObject({ step: 1, phase: 'reading' });
    expect(trace.records.last).toBe(second);
  });

  it('is taken up where it was left, with its answers, and leaves the page as it found it', async () => {
    await does('view.level.everything');
    await does('lesson.open', { name: 'syncloop', step: 4 });
    expect(useGraph.getState().chosen).toBe('loop');
    await does('lesson.answer', 'SyncPod');
    await does('lesson.leave');
    expect(useGraph.getState().chosen).toBe('everything');
    expect(lesson()).toMatchObject({ lesson: null, play: null });
    expect(isAvailable('lesson.next')).toBe(false);
    await does('lesson.open', { name: 'syncloop' });
    expect(stands()).toMatchObject({ step: 4, task: null, phase: 'reading' });
    expect(own()?.graded).toMatchObject({ given: 'SyncPod', right: false });
    await does('lesson.forget');
    expect(lesson().kept).toEqual({});
    expect([kept.has('syncloop.lessons'), kept.has('syncloop.lessons.missed')]).toEqual([false, false]);
    await does('edit.undo');
    expect(lesson().kept.syncloop?.step).toBe(4);
    expect(useReview.getState().missed).toHaveLength(1);
  });

  it('keeps a wrong prediction, and asks it again in another run on the next visit', async () => {
    await does('lesson.open', { name: 'syncloop', step: 4 });
    await does('lesson.answer', 'HandlePodSyncs');
    // A right answer that was read a moment ago changes nothing.
    await does('lesson.retake');
    await does('lesson.answer', 'HandlePodAdditions');
    const [missed] = missedFrom(kept.get('syncloop.lessons.missed') ?? null);
    expect(missed).toMatchObject({ lesson: 'syncloop', step: 4, tries: 0 });
    expect(isAvailable('lesson.review')).toBe(false);
    const before = lesson().kept;
    await does('lesson.leave');

    // The page is opened again.
    useReview.setState({ due: missed ? [missed] : [] });
    await does('lesson.review');
    expect(stands()).toEqual({ phase: 'reading', step: 4, task: 'ask' });
    expect(useSession.getState().info?.seed).toBe(2);
    expect(lessonNow()).toBeNull();
    for (const id of ['lesson.previous', 'lesson.restart', 'lesson.retake'] as const)
      expect(isAvailable(id)).toBe(false);
    await does('lesson.answer', 'HandlePodSyncs');
    expect(useReview.getState()).toMatchObject({ missed: [{ ...missed, tries: 1 }], due: [] });
    expect(lesson().kept).toEqual(before);
    await next();
    expect(lesson().lesson).toBeNull();

    useReview.setState({ due: useReview.getState().missed });
    await does('lesson.review');
    expect(useSession.getState().info?.seed).toBe(3);
    await does('lesson.answer', 'HandlePodAdditions');
    expect(useReview.getState()).toMatchObject({ missed: [], due: [] });
    expect(kept.has('syncloop.lessons.missed')).toBe(false);
  });

  it('can be stopped on its way, and goes on', async () => {
    await does('lesson.open', { name: 'syncloop', step: 1 });
    const under = tryCommand('lesson.next');
    await settle();
    await new Promise((then) => setImmediate(then));
    await settle();
    await settle();
    expect(lesson().play?.phase).toBe('moving');
    const stopping = tryCommand('lesson.stop');
    for (let i = 0; i < 10; i++) {
      await new Promise((then) => setImmediate(then));
      await settle();
    }
    await stopping;
    await under;
    expect(lesson().play).toMatchObject({ phase: 'stuck', step: 2, trouble: { reason: 'paused' } });
    await next();
    expect(stands()).toMatchObject({ phase: 'reading', step: 2 });
  });

  it('looks by itself how far an exercise is done', async () => {
    await does('lesson.open', { name: 'syncloop', step: 11 });
    expect(lesson().checked).toBeNull();
    await session.command({ do: 'act', action: { startRuntime: {} } });
    await does('transport.stepIteration');
    vi.advanceTimersByTime(249);
    expect(lesson().checked).toBeNull();
    vi.advanceTimersByTime(1);
    expect(lesson().checked).toHaveLength(2);
  });

  it('shows its solution of the exercise', async () => {
    await does('lesson.open', { name: 'syncloop', step: 11 });
    await does('lesson.hint');
    expect(lesson().hinted).toBe(true);
    await does('lesson.solve');
    expect(own()).toMatchObject({ solved: 'shown' });
    expect(own()?.ended?.spot.seq).toBe(trace.records.last);
  });

  it('is opened by a link, at its step; what is no lesson is said', async () => {
    const opening = openLessonLink({ name: 'syncloop', step: 1 }, async () => true);
    await finished(opening.then(() => {}));
    expect(stands()).toMatchObject({ step: 1, phase: 'reading' });
    expect(lessonNow()).toEqual({ name: 'syncloop', step: 1 });
    await openLessonLink({ name: 'nonsense' }, async () => true);
    expect(useUI.getState().notice).toMatchObject({ bad: true });
    expect(useUI.getState().notice?.text).toContain('nonsense');
    expect(stands()).toMatchObject({ step: 1, phase: 'reading' });
  });
});
