import { describe, expect, it } from 'vitest';
import { planOf } from './lanes-plan.js';

describe('the plan of computePodActions', () => {
  it('says what becomes of the sandbox', () => {
    const sandbox = (killPod: boolean, createSandbox: boolean, sandboxID: string) =>
      planOf({ killPod, createSandbox, sandboxID })?.sandbox;
    expect(planOf(null)).toBeNull();
    expect(sandbox(true, true, '')).toBe('create');
    expect(sandbox(true, true, 's1')).toBe('replace');
    expect(sandbox(true, false, 's1')).toBe('kill');
    expect(sandbox(false, false, 's1')).toBe('keep');
    expect(sandbox(false, false, '')).toBe('none');
  });
  it('names containers, with the reason for each kill', () => {
    expect(
      planOf({
        killPod: false,
        createSandbox: false,
        sandboxID: 's1',
        attempt: 2,
        containersToKill: [{ name: 'app', message: 'Container app failed liveness probe', reason: 'LivenessProbe' }],
        containersToReset: [{ name: 'side', kill: true }],
        initContainersToStart: ['init'],
        containersToStart: ['app', 'side'],
        containersToUpdate: { cpu: ['app'], memory: ['app', 'side'] },
      }),
    ).toEqual({
      sandbox: 'keep',
      attempt: 2,
      kill: [
        { name: 'app', reason: 'Container app failed liveness probe' },
        { name: 'side', reason: 'RestartAllContainers' },
      ],
      init: ['init'],
      start: ['app', 'side'],
      ephemeral: [],
      resize: ['app', 'side'],
    });
  });
});
