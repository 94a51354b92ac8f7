import { initialState, type NodeState } from '@syncloop/core/trace';
import { afterEach, expect, it } from 'vitest';
import { CHANNELS, inputAbsent } from './loop.js';
import { useSession } from './session-store.js';

afterEach(() => useSession.setState({ info: null }));

const absent = (cases: readonly string[], era?: 'v1.12' | 'v1.21' | 'v1.25' | 'v1.32') => {
  useSession.setState({ info: { ...(era && { era }) } as never });
  const state: NodeState = initialState();
  return CHANNELS.filter((key) => inputAbsent({ ...state, loop: { ...state.loop, cases: [...cases] } }, key));
};

it('says what the loop does not wait for, and before it first waits what its version does not have', () => {
  expect(absent(['configCh', 'plegCh', 'syncCh', 'livenessManager', 'housekeepingCh'])).toEqual([
    'readinessManager',
    'startupManager',
    'containerManager',
  ]);
  expect(absent([], 'v1.12')).toEqual(['readinessManager', 'startupManager', 'containerManager']);
  expect(absent([], 'v1.25')).toEqual(['containerManager']);
  expect(absent([], 'v1.32')).toEqual([]);
  expect(absent([])).toEqual([]);
});
