import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Command, SimulationSession, simulationSource } from '../debug/index.js';
import { loadEras } from '../kubelet/era/index.js';
import {
  advance,
  keep,
  type LessonEvent,
  type LessonState,
  notStarted,
  perform,
  placeOf,
  play,
  score,
  stoppedAt,
  wandered,
} from './index.js';
import type { AnswerValue } from './lesson.js';
import { parseLesson } from './parse.js';

const both = (text: string) => `{ en: '${text}', zh: '${text} 中' }`;
const text = `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata: { name: test, title: ${both('A')}, summary: ${both('B')}, minutes: 3 }
spec:
  goal: ${both('C')}
  scenario: hello
  steps:
    - name: loop
      title: ${both('Loop')}
      text: ${both('At {{ round(time / 1000) }} ms in {{ fn }}')}
      do: [{ until: "kind == 'enter' && fn == 'syncLoop'" }]
    - title: ${both('Which')}
      do: [{ until: "kind == 'select' && len(cases) == 8 && channel.name == 'configCh' && time > 1s" }]
      ask:
        question: ${both('Which')}
        options:
          - { value: HandlePodSyncs, text: ${both('a')} }
          - { value: HandlePodAdditions, text: ${both('b')} }
        then: [{ until: "kind == 'enter' && fn =~ 'HandlePod*'" }]
        answer: fn
        right: ${both('It is {{ fn }}')}
    - title: ${both('Kill')}
      do: [{ until: "kind == 'status' && pod.phase == 'Running'" }]
      exercise:
        text: ${both('Kill it')}
        done: [{ records: { kind: pleg-event, where: "type == 'ContainerDied'", exactly: 1 } }]
        hint: ${both('Hint')}
        solution:
          - kill: { pod: hello, container: app }
          - until: "kind == 'pleg-event' && type == 'ContainerDied'"
    - title: ${both('Back')}
      text: ${both('Back at {{ fn }}')}
      do: [{ go: { place: loop } }]
    - title: ${both('Number')}
      do: [{ go: { time: 7s } }]
      ask:
        question: ${both('How many')}
        number: { unit: s, tolerance: 0.5 }
        answer: "seconds(time)"
        right: ${both('It is')}
`;
const lesson = parseLesson(text, 'test');

let session: SimulationSession;
let state: LessonState;
beforeEach(() => {
  session = new SimulationSession(simulationSource(), { scenario: 'crash-loop' });
  state = notStarted;
});
const place = () => placeOf(session);
const tell = (event: LessonEvent) => {
  state = play(lesson, state, event, session);
  return state;
};
const run = (command: Command) => expect(perform(session, command)).toMatchObject({ ok: true });
const stand = () => ({ step: state.step, phase: state.phase, seq: session.store.last });
const answer = (value: AnswerValue) => tell({ type: 'answer', value });

describe('a lesson that is played', () => {
  it('goes from step to step, and takes the values of its texts from the run', () => {
    expect(tell({ type: 'start' })).toMatchObject({ phase: 'reading', step: 0, trouble: null, command: null });
    expect(session.info.scenario).toBe('hello');
    expect(state.progress[0]?.entered?.values).toEqual({ 'round(time / 1000)': '17', fn: 'syncLoop' });
    const first = stand();
    tell({ type: 'next' });
    expect(stand()).toMatchObject({ step: 1, phase: 'reading' });
    expect(session.store.last).toBeGreaterThan(first.seq);
    expect(state.progress[1]?.ended).toBeUndefined();
  });

  it('grades answers on the run, once each', () => {
    tell({ type: 'start', step: 1 });
    answer('HandlePodSyncs');
    expect(state.progress[1]?.graded).toEqual({
      given: 'HandlePodSyncs',
      answer: 'HandlePodAdditions',
      right: false,
    });
    expect(state.progress[1]?.ended?.values).toEqual({ fn: 'HandlePodAdditions' });
    expect(answer('HandlePodAdditions').progress[1]?.graded?.right).toBe(false);
    expect(score(lesson, state)).toEqual({ asked: 2, answered: 1, right: 0 });
    tell({ type: 'show', step: 4 });
    answer(7.4);
    expect(score(lesson, state)).toEqual({ asked: 2, answered: 2, right: 1 });
    tell({ type: 'restart' });
    expect(score(lesson, state)).toEqual({ asked: 2, answered: 0, right: 0 });
    expect(state.step).toBe(0);
  });

  it('goes back as time travel: no run is begun anew, and no branch', () => {
    tell({ type: 'start' });
    const first = stand();
    tell({ type: 'next' });
    answer('HandlePodAdditions');
    const answered = stand();
    tell({ type: 'next' });
    const third = stand();
    const { id } = session.info;
    expect(tell({ type: 'previous' }) && stand()).toEqual(answered);
    expect(tell({ type: 'previous' }) && stand()).toEqual(first);
    expect(tell({ type: 'previous' }) && stand()).toEqual(first);
    expect(tell({ type: 'next' }) && stand()).toEqual(answered);
    expect(tell({ type: 'next' }) && stand()).toEqual(third);
    expect([session.info.id, session.runState().branch]).toEqual([id, 1]);
  });

  it('knows that the learner went elsewhere, and leads back', () => {
    tell({ type: 'start' });
    const there = stand();
    expect(wandered(lesson, state, place())).toBe(false);
    run({ do: 'step', unit: 'iteration', count: 5 });
    expect(wandered(lesson, state, place())).toBe(true);
    tell({ type: 'back' });
    expect(stand()).toEqual(there);
    expect(wandered(lesson, state, place())).toBe(false);
    // Also where he has taken another way, and where he goes on from elsewhere.
    run({ do: 'act', action: 'stopRuntime' });
    run({ do: 'step', unit: 'decision', count: 50 });
    expect(session.runState().branch).toBe(2);
    tell({ type: 'next' });
    expect(session.store.state.runtime.errors).toEqual([]);
    expect(state.progress[1]?.entered?.spot).toMatchObject({ seq: session.store.last });
  });

  it('takes up again where the run is gone, and keeps what was answered', () => {
    tell({ type: 'start', step: 1 });
    answer('HandlePodAdditions');
    const there = stand();
    run({ do: 'load', scenario: 'crash-loop' });
    expect(wandered(lesson, state, place())).toBe(true);
    tell({ type: 'back' });
    expect(session.info.scenario).toBe('hello');
    expect(stand()).toEqual(there);
    // In another page, another day.
    const kept = JSON.parse(JSON.stringify(keep(state))) as ReturnType<typeof keep>;
    session = new SimulationSession(simulationSource(), { scenario: 'oom' });
    state = notStarted;
    tell({ type: 'start', step: 1, progress: kept });
    expect(stand()).toEqual(there);
    expect(state.progress[1]?.graded?.right).toBe(true);
    expect(tell({ type: 'leave' }).phase).toBe('off');
    expect(tell({ type: 'back' }) && stand()).toEqual(there);
  });

  it('sees an exercise done by the learner, in his own way', () => {
    tell({ type: 'start', step: 2 });
    expect(tell({ type: 'check' }).progress[2]?.checked).toMatchObject([
      { problem: 'it never happened, of 0 pleg-event records' },
    ]);
    run({ do: 'act', action: { oom: { pod: 'hello', container: 'app' } } });
    expect(wandered(lesson, state, place())).toBe(false);
    expect(tell({ type: 'check' }).progress[2]?.solved).toBeUndefined();
    run({ do: 'until', where: "kind == 'pleg-event' && type == 'ContainerDied'", pace: 'fast' });
    expect(tell({ type: 'check' }).progress[2]).toMatchObject({ solved: 'learner', checked: [{ problem: null }] });
    const there = stand();
    tell({ type: 'next' });
    expect(stand()).toMatchObject({ step: 3, phase: 'reading' });
    tell({ type: 'previous' });
    expect(stand()).toEqual(there);
  });

  it('says how far each criterion is met, since when, and what cannot be met any more', () => {
    const criteria = parseLesson(
      text.replace(
        `done: [{ records: { kind: pleg-event, where: "type == 'ContainerDied'", exactly: 1 } }]`,
        `done:
          - sentence: ${both('Two rounds of {{ state.node }}')}
            progress: ${both('{{ state.loop.iteration }} in all')}
            check: { records: { kind: enter, where: "fn == 'syncLoopIteration'", atLeast: 2 } }
          - { never: { kind: pleg-event, where: "type == 'ContainerDied'" } }
          - "time > 5s"`,
      ),
      'test',
    );
    const check = () => {
      state = play(criteria, state, { type: 'check' }, session);
      return state.progress[2]?.checked ?? [];
    };
    state = play(criteria, notStarted, { type: 'start', step: 2 }, session);
    const { seq } = stand();
    const before = check();
    expect(before).toMatchObject([
      { count: { count: 0, needed: 2 }, since: null, lost: false },
      { problem: null, count: null, since: null, lost: false },
      { problem: 'it is false', count: null, since: null, lost: false },
    ]);
    expect(before[0]?.values).toEqual({ 'state.loop.iteration': String(session.store.state.loop.iteration) });
    run({ do: 'until', where: "kind == 'enter' && fn == 'syncLoopIteration'", pace: 'fast' });
    expect(check()[0]).toMatchObject({ count: { count: 1, needed: 2 }, since: null });
    run({ do: 'until', where: "kind == 'enter' && fn == 'syncLoopIteration'", pace: 'fast' });
    const second = session.store.last;
    run({ do: 'until', where: 'time > 6s', pace: 'fast' });
    const [rounds, never, late] = check();
    expect(rounds).toMatchObject({ problem: null, since: { seq: second } });
    expect(never).toMatchObject({ problem: null, since: null });
    // Of an expression: the first record since which it holds.
    expect(late?.since?.time).toBeGreaterThan(5_000_000);
    expect(session.store.get((late?.since?.seq ?? 0) - 1)?.time).toBeLessThanOrEqual(5_000_000);
    run({ do: 'act', action: { oom: { pod: 'hello', container: 'app' } } });
    run({ do: 'until', where: "kind == 'pleg-event' && type == 'ContainerDied'", pace: 'fast' });
    expect(check()[1]).toMatchObject({ lost: true, since: { seq: session.store.last } });
    expect(session.store.last).toBeGreaterThan(seq);
  });

  it('shows the solution from where the exercise began', () => {
    tell({ type: 'start', step: 2 });
    const { seq } = stand();
    run({ do: 'step', unit: 'iteration', count: 3 });
    tell({ type: 'solve' });
    expect(state.progress[2]).toMatchObject({ solved: 'shown', entered: { spot: { seq } } });
    // The criteria are looked at where the solution ends, without being asked to.
    expect(state.progress[2]?.checked).toMatchObject([{ problem: null, since: { seq: session.store.last } }]);
  });

  it('passes over what was not answered or solved as if it had been', () => {
    tell({ type: 'start' });
    for (let i = 0; i < 4; i++) tell({ type: 'next' });
    expect(stand()).toMatchObject({ step: 4, phase: 'reading' });
    expect(state.progress[3]?.entered?.values).toEqual({ fn: 'syncLoop' });
    expect(Math.round(session.store.state.time / 100_000)).toBe(70);
    expect(score(lesson, state)).toEqual({ asked: 2, answered: 0, right: 0 });
    expect(tell({ type: 'next' }).phase).toBe('over');
    expect(tell({ type: 'previous' })).toMatchObject({ step: 3, phase: 'reading' });
  });

  it('stops at what stands in the way, and goes on from there', () => {
    run({ do: 'breakpoints', set: [{ on: 'record', kind: 'runtime-state', once: true }] });
    expect(tell({ type: 'start', step: 1 })).toMatchObject({ phase: 'stuck', trouble: { reason: 'breakpoint' } });
    expect(tell({ type: 'retry' })).toMatchObject({ phase: 'reading', step: 1, trouble: null });
  });

  it('shows a step once more', () => {
    tell({ type: 'start', step: 1 });
    const there = stand();
    const seen: (string | undefined)[] = [];
    let now = advance(lesson, state, { type: 'again' }, place());
    while (now.command) {
      seen.push(now.command.do);
      if (now.command.do === 'until') {
        expect(now.command.pace).toBe('play');
        expect(session.store.last).toBeLessThan(there.seq);
      }
      const result = perform(session, now.command);
      now = advance(lesson, now, { type: 'result', serial: now.serial, result }, place());
    }
    expect(seen).toEqual(['switch', 'until']);
    state = now;
    expect(stand()).toEqual(there);
  });

  it('takes a result only for the command that it waits for', () => {
    const moving = advance(lesson, state, { type: 'start' }, place());
    expect(moving).toMatchObject({ phase: 'moving', command: { do: 'load', scenario: 'hello' } });
    const ok = { ok: true } as const;
    expect(advance(lesson, moving, { type: 'result', serial: moving.serial - 1, result: ok }, place())).toBe(moving);
    expect(advance(lesson, moving, { type: 'next' }, place())).toBe(moving);
    const left = advance(lesson, moving, { type: 'leave' }, place());
    expect(advance(lesson, left, { type: 'result', serial: moving.serial, result: ok }, place())).toBe(left);
    const refused = advance(
      lesson,
      moving,
      { type: 'result', serial: moving.serial, result: { ok: false, error: 'no' } },
      place(),
    );
    expect(refused).toMatchObject({ phase: 'stuck', trouble: { reason: 'refused', text: 'no' } });
  });
});

describe('names of an article', () => {
  const scenario = JSON.stringify({
    apiVersion: 'syncloop.dev/v1alpha2',
    kind: 'Scenario',
    metadata: { name: 'two-kubelets' },
    spec: { seed: 1, era: 'v1.12', steps: [{ wait: '1h' }] },
  });
  const article = parseLesson(
    `apiVersion: syncloop.dev/v1alpha1
kind: Lesson
metadata: { name: article, title: ${both('A')}, summary: ${both('B')}, minutes: 3 }
spec:
  goal: ${both('C')}
  scenario: ${scenario}
  steps:
    - name: then
      title: ${both('Then')}
      text: ${both('It is {{ len(state.loop.cases) }}')}
      do: [{ until: "kind == 'select' && channel.name == 'housekeepingCh'" }]
      names:
        - { name: syncLoop, now: ${both('As it was')} }
        - { name: Version, calledBy: NewMainKubelet, now: ${both('At the start')} }
        - { name: pods, at: "kind == 'enter' && fn == 'HandlePodAdditions' && len(args.pods) > 9", now: ${both('Never')} }
        - { name: main, stops: false, now: ${both('Before')} }
    - title: ${both('Today')}
      era: v1.36
      text: ${both('It is {{ len(state.loop.cases) }}')}
      do: [{ until: "kind == 'select' && channel.name == 'housekeepingCh'" }]
      names: [{ name: HandlePodCleanups, now: ${both('As it was')} }]
    - title: ${both('And on')}
      text: ${both('On')}
      do: [{ step: { unit: record } }]
`,
    'article',
  );
  const say = (event: LessonEvent) => {
    state = play(article, state, event, session);
    return state;
  };
  const here = () => session.store.get(session.store.last);
  beforeAll(loadEras);

  it('are stopped at from wherever the run stands, and the lesson stays where it is', () => {
    say({ type: 'start' });
    const there = stand();
    say({ type: 'stopAt', name: 'syncLoop' });
    expect(here()).toMatchObject({ kind: 'enter', fn: 'syncLoop' });
    expect(wandered(article, state, place())).toBe(true);
    say({ type: 'stopAt', name: 'Version' });
    expect(here()).toMatchObject({ kind: 'cri-call', method: 'Version' });
    expect(state.progress[0]?.stopped).toEqual(['syncLoop', 'Version']);
    expect(stoppedAt(article, state)).toEqual({ names: 4, met: 2 });
    say({ type: 'back' });
    expect(stand()).toEqual(there);
    expect(JSON.parse(JSON.stringify(keep(state)))[0]).toEqual({ stopped: ['syncLoop', 'Version'] });
    // A function that no run calls is not a place to stop at; one that this run does not come to is reported.
    expect(say({ type: 'stopAt', name: 'main' })).toMatchObject({ phase: 'reading' });
    expect(say({ type: 'stopAt', name: 'pods' })).toMatchObject({ phase: 'stuck', trouble: { reason: 'time' } });
    expect(state.progress[0]?.stopped).toHaveLength(2);
  });

  it('are stopped at in the run of their step, also where another was loaded', () => {
    say({ type: 'start', step: 1 });
    run({ do: 'load', scenario: 'crash-loop' });
    say({ type: 'stopAt', name: 'HandlePodCleanups' });
    expect(session.info.scenario).toBe('two-kubelets');
    expect(here()).toMatchObject({ kind: 'enter', fn: 'HandlePodCleanups' });
    expect(session.store.state.loop.cases).toHaveLength(8);
  });

  it('a step in another version begins the scenario anew, and going back does, too', () => {
    say({ type: 'start' });
    expect(state.progress[0]?.entered?.values).toEqual({ 'len(state.loop.cases)': '5' });
    say({ type: 'next' });
    expect(state.progress[1]?.entered?.values).toEqual({ 'len(state.loop.cases)': '8' });
    expect(session.info.era).toBeUndefined();
    const today = stand();
    say({ type: 'next' });
    expect(stand()).toMatchObject({ step: 2, phase: 'reading', seq: today.seq + 1 });
    say({ type: 'previous' });
    expect(stand()).toEqual(today);
    say({ type: 'previous' });
    expect(session.info.era).toBe('v1.12');
    expect(state.progress[0]?.entered?.values).toEqual({ 'len(state.loop.cases)': '5' });
  });
});
