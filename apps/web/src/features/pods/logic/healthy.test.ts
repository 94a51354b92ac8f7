import { type ContainerView, initialState, type NodeState, type PodView } from '@syncloop/core/trace';
import { describe, expect, it } from 'vitest';
import { isHealthy } from './healthy.js';

const pod = (more: Partial<PodView> = {}): PodView =>
  ({
    uid: 'u',
    pod: 'default/web-node1',
    desired: true,
    phase: 'Running',
    worker: { state: 'sync' },
    status: { conditions: [{ type: 'Ready', status: 'True' }] },
    backoffs: {},
    ...more,
  }) as PodView;
const container = (more: Partial<ContainerView> = {}): ContainerView => ({
  id: `c${more.attempt ?? 0}`,
  sandbox: 's',
  uid: 'u',
  name: 'app',
  attempt: 0,
  state: 'running',
  exitCode: null,
  reason: '',
  since: 0,
  ...more,
});
function node(...containers: ContainerView[]): NodeState {
  const state = initialState();
  for (const c of containers) state.containers[c.id] = c;
  return state;
}
const exited = (exitCode: number, reason = 'Error') => container({ state: 'exited', exitCode, reason });

describe('what can be tried', () => {
  it('is offered for a pod that runs and is ready, also after somebody killed its container', () => {
    expect(isHealthy(node(container()), pod())).toBe(true);
    expect(isHealthy(node(exited(137), container({ attempt: 1 })), pod())).toBe(true);
  });

  it('is not for one that crashes, was out of memory, or waits to be started again', () => {
    expect(isHealthy(node(exited(1), container({ attempt: 1 })), pod())).toBe(false);
    expect(isHealthy(node(exited(137, 'OOMKilled'), container({ attempt: 1 })), pod())).toBe(false);
    expect(isHealthy(node(container({ attempt: 3 })), pod())).toBe(false);
    const backoffs = { app: { of: 'start', container: 'app', delay: 10, until: 20, active: true } };
    expect(isHealthy(node(container({ attempt: 1 })), pod({ backoffs }))).toBe(false);
  });

  it('is not for one that is not ready, not wanted any more, or on its way out', () => {
    expect(isHealthy(node(container()), pod({ status: { conditions: [{ type: 'Ready', status: 'False' }] } }))).toBe(
      false,
    );
    expect(isHealthy(node(container()), pod({ status: null }))).toBe(false);
    expect(isHealthy(node(container()), pod({ desired: false }))).toBe(false);
    expect(isHealthy(node(container()), pod({ worker: { state: 'terminating' } as PodView['worker'] }))).toBe(false);
    expect(isHealthy(node(), pod())).toBe(false);
  });
});
