import { initialState, type NodeState, type PodView } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { allFacts, apartCount, factPairs, factsOf, onlyThere } from './counterpart.js';

const pod = (uid: string, phase: string, status: unknown = null): PodView =>
  ({ uid, pod: 'default/web', phase, status, worker: null }) as unknown as PodView;
function node(pods: readonly PodView[], containers: readonly object[] = []): NodeState {
  const state = initialState();
  for (const one of pods) state.pods[one.uid] = one;
  for (const [i, c] of containers.entries()) state.containers[`c${i}`] = c as NodeState['containers'][string];
  return state;
}
const container = (uid: string, state: string, attempt = 0, exitCode: number | null = null) => ({
  uid,
  name: 'app',
  state,
  attempt,
  exitCode,
});

describe('facts of a pod', () => {
  it('are what is told: of several containers of a name the newest, and nothing of what is unknown', () => {
    const state = node(
      [pod('u', 'Running', { containerStatuses: [{ name: 'app', restartCount: 1, ready: true }] })],
      [container('u', 'exited', 0, 1), container('u', 'running', 1), container('u', 'unknown', 2)],
    );
    expect(factsOf(state, 'u')).toEqual([
      { what: 'phase', container: '', value: 'Running' },
      { what: 'container', container: 'app', value: 'running' },
      { what: 'restarts', container: 'app', value: '1' },
      { what: 'ready', container: 'app', value: 'true' },
    ]);
    expect(factsOf(node([pod('u', '')]), 'u')).toEqual([]);
  });

  it('of both runs are paired where both tell them, by the name of the pod and its incarnation', () => {
    const here = node([pod('a', 'Succeeded'), pod('b', 'Running')], [container('b', 'exited', 0, 137)]);
    // The other run knows the newer one alone, by another uid.
    const there = allFacts(node([pod('x', 'Pending')], [container('x', 'running')]));
    expect(factPairs(here, 'b', there)).toEqual([
      { what: 'phase', container: '', here: 'Running', there: 'Pending' },
      { what: 'container', container: 'app', here: 'exited (137)', there: 'running' },
    ]);
    expect(factPairs(here, 'a', there)).toBe(null);
    expect(factPairs(here, 'none', there)).toBe(null);
  });

  it('say which containers only the other run has', () => {
    const there = allFacts(node([pod('x', 'Running')], [container('x', 'running')]));
    expect(onlyThere(node([pod('a', 'Running')]), 'a', there)).toEqual([
      { what: 'container', container: 'app', value: 'running' },
    ]);
    expect(onlyThere(node([pod('a', 'Running')], [container('a', 'exited')]), 'a', there)).toEqual([]);
  });

  it('are counted where they differ, with the pods that only one run has', () => {
    const here = node([pod('a', 'Running')], [container('a', 'running')]);
    expect(apartCount(here, allFacts(node([pod('x', 'Running')], [container('x', 'running')])))).toBe(0);
    expect(apartCount(here, allFacts(node([pod('x', 'Pending')], [container('x', 'exited', 0, 1)])))).toBe(2);
    expect(
      apartCount(node([pod('a', 'Running')]), allFacts(node([pod('x', 'Running')], [container('x', 'running')]))),
    ).toBe(1);
    const other = { ...pod('y', 'Running'), pod: 'default/other' };
    expect(apartCount(here, allFacts(node([pod('x', 'Running'), other])))).toBe(1);
  });
});
