import { describe, expect, it } from 'vitest';
import type { RecordBody, TraceRecord } from '../../trace/index.js';
import { simulationSource } from '../run/scenario-source.js';
import { answerQuery } from '../session/queries.js';
import { SimulationSession } from '../session/simulation-session.js';
import { Findings, type FindingsAnswer } from './index.js';

function listOf(...bodies: readonly (RecordBody & { readonly time?: number })[]) {
  const fold = new Findings();
  bodies.forEach((body, i) => {
    fold.take({ seq: i + 1, time: i * 10e6, g: 0, span: 0, cause: 0, ...body } as TraceRecord);
  });
  return fold.list().findings;
}
const ofRun = (scenario: string, micros: number) => {
  const session = new SimulationSession(simulationSource(), { scenario, seed: 3 });
  session.execute({ do: 'go', to: { time: micros } }, () => {});
  for (let i = 0; i < 10_000 && session.runState().time < micros; i++) session.pump(16, () => false);
  return (answerQuery(session.store, { do: 'findings' }) as unknown as FindingsAnswer).findings;
};
const web = { pod: 'default/web', uid: 'u' };

describe('findings', () => {
  it('of a crash loop of ours say what restarted, why it ended, and that it had to wait', () => {
    const list = ofRun('crash-loop', 60e6);
    expect(list.slice(0, 3).map((f) => f.code)).toEqual(['crash', 'restart', 'back-off']);
    expect(list[0]).toMatchObject({ pod: 'default/crash-node1', container: 'app', exitCode: 1 });
    expect(list[0]?.text.en).toBe(
      `app in default/crash-node1 ended in failure ${list[0]?.count} times, the last time with exit code 1.`,
    );
    expect(list[1]?.text.zh).toBe(`default/crash-node1 的容器 app 被重启 ${list[1]?.count} 次。`);
  });

  it('of a run in which all is well are none', () => {
    expect(ofRun('hello', 8e6).map((f) => f.text.en)).toEqual([]);
  });

  it('of one thing that several records tell count once', () => {
    const backoff = (active: boolean) =>
      ({ kind: 'backoff', of: 'crash-loop', container: 'app', delay: 10e6, until: 5, active, ...web }) as const;
    const fold = new Findings();
    const error = 'failed to "StartContainer" for "app" with CrashLoopBackOff: "back-off 10s"';
    for (const [i, body] of [
      backoff(true),
      { kind: 'work-done' as const, workType: 'sync' as const, error, ...web },
    ].entries())
      fold.take({ seq: i + 1, time: i * 100, g: 0, span: 0, cause: 0, ...body } as TraceRecord);
    expect(fold.list().findings).toMatchObject([{ code: 'back-off', count: 1, container: 'app', longest: 10e6 }]);
  });

  it('are told by statuses alone, each end and each start once', () => {
    const status = (id: string, ended: string): RecordBody => ({
      kind: 'status',
      status: {
        containerStatuses: [
          {
            name: 'app',
            containerID: `containerd://${id}`,
            state: { running: {} },
            lastState: ended === '' ? {} : { terminated: { containerID: `containerd://${ended}`, exitCode: 3 } },
          },
        ],
      },
      ...web,
    });
    expect(listOf(status('a', ''), status('b', 'a'), status('b', 'a'), status('c', 'b'))).toMatchObject([
      { code: 'crash', count: 2, container: 'app', exitCode: 3, moments: [2, 4] },
      { code: 'restart', count: 2, moments: [2, 4] },
    ]);
    // The same container, seen by a kubelet that was started again, has not been restarted.
    const started = (id: string): RecordBody => ({
      ...{ kind: 'pleg-event', type: 'ContainerStarted', data: id, name: 'app' },
      ...web,
    });
    expect(listOf(started('a'), started('a'))).toEqual([]);
    expect(listOf(started('a'), started('b'))).toMatchObject([{ code: 'restart', count: 1 }]);
  });

  it('group what is alike but for ids and times, keep its latest moments, and are bounded', () => {
    const failed = (id: string): RecordBody => ({
      kind: 'cri-return',
      call: 1,
      method: 'StartContainer',
      error: { code: 2, details: `task ${id.repeat(12)} not started after 3s` },
      took: 5,
    });
    expect(listOf(failed('a'), failed('b'))).toMatchObject([{ code: 'call-failed', count: 2, moments: [1, 2] }]);
    const fold = new Findings();
    for (let i = 1; i < 5000; i++)
      fold.take({
        ...{ seq: i, time: i, g: 0, span: 0, cause: 0, kind: 'disagreement', about: `thing ${i}`, sides: [] },
      } as TraceRecord);
    expect(fold.list()).toMatchObject({ more: 2999, to: 4999 });
  });

  it('leave alone what a kubelet does as a rule: not found is an answer, a gate is closed while it starts', () => {
    expect(
      listOf(
        { kind: 'runtime-state', errors: ['PLEG is not healthy: pleg has yet to be successful'] },
        { kind: 'cri-return', call: 1, method: 'ContainerStatus', error: { code: 5, details: 'not found' }, took: 1 },
        { kind: 'process', process: 'kubelet', state: 'started' },
      ),
    ).toEqual([]);
    expect(
      listOf(
        { kind: 'process', process: 'kubelet', state: 'started' },
        { kind: 'process', process: 'kubelet', state: 'started' },
        { kind: 'runtime-state', errors: ['PLEG is not healthy: pleg was last seen active 3m0s ago'] },
        { kind: 'cri-return', call: 1, method: 'ListContainers', took: 9e6, response: {} },
      ).map((f) => f.code),
    ).toEqual(['gate-closed', 'kubelet-restart', 'call-slow']);
  });
});
