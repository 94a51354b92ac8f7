import { describe, expect, it } from 'vitest';
import type { Container, ContainerStatus, Pod, PodPhase, RestartPolicy } from '../api/types.js';
import { defaultGates, type FeatureConfig } from './features.js';
import { getPhase } from './kubelet-pods-phase.js';
import { apiStatus, makePod, running, terminated, testKernel, waiting } from './status/testing/fixtures.js';

const app = (name = 'app', more: Partial<Container> = {}): Container => ({ name, image: 'busybox', ...more });
const sidecar = (name = 'proxy'): Container => app(name, { restartPolicy: 'Always' });

function phase(
  pod: Pod,
  statuses: ContainerStatus[],
  options: { terminal?: boolean; initialized?: boolean; gates?: FeatureConfig } = {},
): PodPhase {
  const { gates = defaultGates } = options;
  return getPhase(testKernel().kernel, gates, pod, statuses, options.terminal ?? false, options.initialized ?? false);
}

const pod = (
  restartPolicy: RestartPolicy,
  containers: Container[],
  initContainers?: Container[],
  source: 'api' | 'file' = 'api',
): Pod => makePod({ restartPolicy, containers, ...(initContainers ? { initContainers } : {}) }, { source });

const exit = (name: string, code: number) => apiStatus(name, terminated(code));
const crashLoop = (name: string, code: number) =>
  apiStatus(name, waiting('CrashLoopBackOff'), { lastState: terminated(code) });

describe('getPhase', () => {
  it('[1:G06] a failed init container that will not be restarted fails the pod', () => {
    const init = [app('init')];
    expect(phase(pod('Never', [app()], init), [exit('init', 1), apiStatus('app', waiting())])).toBe('Failed');
    expect(phase(pod('OnFailure', [app()], init), [exit('init', 1), apiStatus('app', waiting())])).toBe('Pending');
    // Waiting after an end counts as that end.
    expect(phase(pod('Never', [app()], init), [crashLoop('init', 1), apiStatus('app', waiting())])).toBe('Failed');
  });

  it('[1:G06] restart rules decide per container, before restartPolicy', () => {
    const rule = { action: 'Restart' as const, exitCodes: { operator: 'In' as const, values: [42] } };
    const init = [app('init', { restartPolicy: 'Never', restartPolicyRules: [rule] })];
    expect(phase(pod('Always', [app()], init), [exit('init', 42), apiStatus('app', waiting())])).toBe('Pending');
    expect(phase(pod('Always', [app()], init), [exit('init', 1), apiStatus('app', waiting())])).toBe('Failed');
  });

  it('[1:G07] pending while an init container is missing, runs, or has not run', () => {
    const p = pod('Always', [app()], [app('init')]);
    for (const init of [[], [apiStatus('init', running())], [apiStatus('init', waiting('PodInitializing'))]])
      expect(phase(p, [...init, apiStatus('app', running())])).toBe('Pending');
    expect(phase(p, [exit('init', 0), apiStatus('app', running())])).toBe('Running');
  });

  it('[1:G07] a sidecar that has not started counts only while no regular container exists in the sandbox', () => {
    const p = pod('Always', [app()], [sidecar()]);
    const statuses = [apiStatus('proxy', running(), { started: false }), apiStatus('app', running())];
    expect(phase(p, statuses, { initialized: false })).toBe('Pending');
    expect(phase(p, statuses, { initialized: true })).toBe('Running');
    expect(phase(p, [apiStatus('proxy', running(), { started: true }), apiStatus('app', running())])).toBe('Running');
  });

  it('[1:G07] pending while a container waits without a last termination', () => {
    const p = pod('Always', [app('a'), app('b')]);
    expect(phase(p, [apiStatus('a', running()), apiStatus('b', waiting('ContainerCreating'))])).toBe('Pending');
  });

  it('[1:G08] a crash-looping container is stopped, not waiting; a running sidecar is running', () => {
    expect(phase(pod('Always', [app()]), [crashLoop('app', 1)])).toBe('Running');
    expect(phase(pod('Always', [app('a'), app('b')]), [apiStatus('a', running()), crashLoop('b', 1)])).toBe('Running');
    const p = pod('Never', [app()], [sidecar()]);
    expect(phase(p, [apiStatus('proxy', running(), { started: true }), exit('app', 0)])).toBe('Running');
  });

  it('[1:G08] a missing status makes it pending again', () => {
    const p = pod('Always', [app('a'), app('b')]);
    expect(phase(p, [apiStatus('a', running())])).toBe('Pending');
    expect(phase(p, [exit('a', 0)])).toBe('Pending');
    expect(phase(p, [])).toBe('Pending');
  });

  it('[1:G09] nothing running, by restart policy', () => {
    const table: [RestartPolicy, number[], boolean, PodPhase][] = [
      ['Always', [0, 0], false, 'Running'],
      ['Always', [0, 1], true, 'Failed'],
      ['Always', [0, 0], true, 'Succeeded'],
      ['OnFailure', [0, 0], false, 'Succeeded'],
      ['OnFailure', [0, 1], false, 'Running'],
      ['OnFailure', [0, 1], true, 'Failed'],
      ['Never', [0, 0], false, 'Succeeded'],
      ['Never', [0, 1], false, 'Failed'],
      ['Never', [1, 1], true, 'Failed'],
    ];
    for (const [policy, codes, terminal, want] of table) {
      const p = pod(policy, [app('a'), app('b')]);
      expect(
        phase(p, [exit('a', codes[0] as number), exit('b', codes[1] as number)], { terminal }),
        `${policy} ${codes} ${terminal}`,
      ).toBe(want);
    }
  });

  it('[1:G09] a static pod is not terminal by request: its policy decides', () => {
    const p = pod('Always', [app()], undefined, 'file');
    expect(phase(p, [exit('app', 0)], { terminal: true })).toBe('Running');
    expect(phase(pod('Never', [app()], undefined, 'file'), [exit('app', 0)], { terminal: true })).toBe('Succeeded');
  });

  it('[1:G09] exit codes of sidecars never matter', () => {
    const p = pod('Never', [app()], [sidecar()]);
    expect(phase(p, [exit('proxy', 137), exit('app', 0)])).toBe('Succeeded');
    expect(phase(p, [crashLoop('proxy', 1), exit('app', 0)])).toBe('Succeeded');
  });

  it('[1:G09] a container ended by a restart of all will run again', () => {
    const p = pod('Never', [app()]);
    expect(phase(p, [apiStatus('app', terminated(137, 'RestartingAllContainers'))])).toBe('Running');
    expect(phase(p, [apiStatus('app', terminated(137, 'Error'))])).toBe('Failed');
  });

  it('[2:R-08] without ContainerRestartRules the policy of the pod decides alone', () => {
    const gates = { featureGates: { ContainerRestartRules: false, RestartAllContainersOnContainerExits: false } };
    const own = (restartPolicy: Container['restartPolicy']) => app('app', { restartPolicy: restartPolicy as 'Always' });
    const both = (p: Pod, statuses: ContainerStatus[]) => [phase(p, statuses), phase(p, statuses, { gates })];
    expect(both(pod('Always', [own('Never')]), [exit('app', 1)])).toEqual(['Failed', 'Running']);
    expect(both(pod('Never', [own('Always')]), [exit('app', 1)])).toEqual(['Running', 'Failed']);
    expect(both(pod('Never', [own('Always')]), [exit('app', 0)])).toEqual(['Running', 'Succeeded']);
    expect(both(pod('OnFailure', [app()]), [exit('app', 0)])).toEqual(['Succeeded', 'Succeeded']);
    expect(both(pod('OnFailure', [app()]), [exit('app', 1)])).toEqual(['Running', 'Running']);
    const init = [app('init', { restartPolicy: 'Never' as 'Always' })];
    const waits = apiStatus('app', waiting('PodInitializing'));
    expect(both(pod('Always', [app()], init), [exit('init', 1), waits])).toEqual(['Failed', 'Pending']);
    expect(
      phase(pod('Never', [app()]), [apiStatus('app', terminated(137, 'RestartingAllContainers'))], { gates }),
    ).toBe('Failed');
  });

  it('records what it counted', () => {
    const t = testKernel();
    getPhase(t.kernel, defaultGates, pod('Always', [app()]), [crashLoop('app', 1)], false, true);
    expect(t.of('decision')[0]).toMatchObject({
      rule: 'getPhase',
      verdict: 'Running',
      values: { stopped: 1, stoppedNotRestartable: 0, running: 0, waiting: 0 },
    });
  });
});
