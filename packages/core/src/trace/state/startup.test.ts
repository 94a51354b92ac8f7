import { expect, it } from 'vitest';
import { Tape } from '../testing/samples.js';
import { cloneState, foldAll, type NodeState } from './index.js';

it('the calls of a start-up are known from a snapshot on, and begin anew with each kubelet', () => {
  const tape = new Tape();
  tape.add({ kind: 'process', process: 'kubelet', state: 'started' }, { g: 0 });
  tape.add({ kind: 'goroutine-start', id: 1, name: 'kubelet', parent: 0, process: 'kubelet' }, { g: 0 });
  tape.g = 1;
  const run = tape.add({ kind: 'enter', fn: 'RunKubelet' });
  tape.add({ kind: 'enter', fn: 'something else' });
  tape.add({ kind: 'exit', of: 4, fn: 'something else' });
  tape.add({ kind: 'exit', of: 3, fn: 'RunKubelet', error: 'no node' });
  const loop = tape.add({ kind: 'enter', fn: 'syncLoop' });
  const state = foldAll(tape.records);
  expect({ ...state.startup }).toEqual({
    RunKubelet: { seq: run.seq, began: run.time, ended: expect.any(Number), error: 'no node' },
    syncLoop: { seq: loop.seq, began: loop.time, ended: null, error: '' },
  });
  // The state as the page has it after a step back: a snapshot, and none of the records before it.
  expect(cloneState(JSON.parse(JSON.stringify(state)) as NodeState).startup).toEqual(state.startup);

  const before = cloneState(state);
  tape.add({ kind: 'process', process: 'kubelet', state: 'killed' }, { g: 0 });
  expect(foldAll(tape.records).startup.syncLoop?.ended).not.toBeNull();
  tape.add({ kind: 'process', process: 'kubelet', state: 'started' }, { g: 0 });
  expect({ ...foldAll(tape.records).startup }).toEqual({});
  expect(before.startup.syncLoop?.ended).toBeNull();
  // A state that an earlier version wrote.
  const { startup: _, ...old } = before;
  expect({ ...cloneState(old as NodeState).startup }).toEqual({});
});
