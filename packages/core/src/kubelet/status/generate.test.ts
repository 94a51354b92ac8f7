import { describe, expect, it } from 'vitest';
import type { ContainerStatus, Pod, PodCondition, PodSpec, PodStatus } from '../../api/types.js';
import { defaultGates } from '../features.js';
import {
  generateAllContainersRestartingCondition,
  generateContainersReadyCondition,
  generatePodInitializedCondition,
  generatePodReadyCondition,
  generatePodReadyToStartContainersCondition,
  needToReconcilePodReadiness,
} from './generate.js';
import { apiStatus, cs, makePod, podStatusOf, running, terminated, waiting } from './testing/fixtures.js';

const text = (c: PodCondition): string => [c.status, c.reason, c.message].filter((s) => s !== undefined).join(' ');
const ready = (name: string): ContainerStatus => apiStatus(name, running(), { ready: true, started: true });
const unready = (name: string): ContainerStatus => apiStatus(name, running(), { started: true });
const two: Partial<PodSpec> = { containers: [{ name: 'a' }, { name: 'b' }] };

describe('ContainersReady', () => {
  const of = (pod: Pod, statuses: ContainerStatus[] | undefined, phase: PodStatus['phase'] = 'Running'): string =>
    text(generateContainersReadyCondition(pod, statuses, phase));

  it("[1:G01] covers regular containers and sidecars, with upstream's texts", () => {
    const pod = makePod(two);
    expect(of(pod, undefined)).toBe('False UnknownContainerStatuses');
    expect(of(pod, [ready('a'), ready('b')])).toBe('True');
    expect(of(pod, [unready('a'), unready('b')])).toBe(
      'False ContainersNotReady containers with unready status: [a b]',
    );
    expect(of(pod, [unready('a')])).toBe(
      'False ContainersNotReady containers with unknown status: [b], containers with unready status: [a]',
    );
    const side = makePod({ initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }] });
    expect(of(side, [unready('proxy'), unready('app')])).toBe(
      'False ContainersNotReady containers with unready status: [proxy app]',
    );
  });

  it('[1:G01] terminal phases', () => {
    const pod = makePod(two);
    const done = [apiStatus('a', terminated(0)), apiStatus('b', terminated(0))];
    expect(of(pod, done, 'Succeeded')).toBe('False PodCompleted');
    expect(of(pod, [apiStatus('a', terminated(0))], 'Succeeded')).toMatch(
      /ContainersNotReady containers with unknown status: \[b\]/,
    );
    expect(of(pod, [], 'Failed')).toBe('False PodFailed');
  });

  it("carries the pod's generation", () => {
    expect(generateContainersReadyCondition(makePod(two, { generation: 3 }), [], 'Running').observedGeneration).toBe(3);
    expect(generateContainersReadyCondition(makePod(two), [], 'Running')).not.toHaveProperty('observedGeneration');
  });
});

describe('Ready', () => {
  it('[1:G02] copies ContainersReady unless that is True', () => {
    const pod = makePod({ ...two, readinessGates: [{ conditionType: 'example.com/ok' }] });
    expect(text(generatePodReadyCondition(pod, [], [unready('a'), ready('b')], 'Running'))).toBe(
      'False ContainersNotReady containers with unready status: [a]',
    );
  });

  it('[1:G02] asks the readiness gates', () => {
    const pod = makePod({ ...two, readinessGates: [{ conditionType: 'one' }, { conditionType: 'two' }] });
    const both = [ready('a'), ready('b')];
    expect(text(generatePodReadyCondition(pod, [{ type: 'two', status: 'False' }], both, 'Running'))).toBe(
      'False ReadinessGatesNotReady corresponding condition of pod readiness gate "one" does not exist., the status of pod readiness gate "two" is not "True", but False',
    );
    expect(
      text(
        generatePodReadyCondition(
          pod,
          [
            { type: 'one', status: 'True' },
            { type: 'two', status: 'True' },
          ],
          both,
          'Running',
        ),
      ),
    ).toBe('True');
  });

  it('[1:B15] needs reconciling only with gates, a Ready condition and another outcome', () => {
    const pod = makePod({ ...two, readinessGates: [{ conditionType: 'one' }] });
    pod.status = {
      phase: 'Running',
      containerStatuses: [ready('a'), ready('b')],
      conditions: [{ type: 'one', status: 'True' }],
    };
    expect(needToReconcilePodReadiness(pod)).toBe(false);
    pod.status.conditions?.push({ type: 'Ready', status: 'False', message: 'x' });
    expect(needToReconcilePodReadiness(pod)).toBe(true);
    pod.status.conditions = [
      { type: 'one', status: 'True' },
      { type: 'Ready', status: 'True' },
    ];
    expect(needToReconcilePodReadiness(pod)).toBe(false);
  });
});

describe('Initialized', () => {
  const spec: Partial<PodSpec> = { initContainers: [{ name: 'setup' }, { name: 'proxy', restartPolicy: 'Always' }] };
  const of = (
    statuses: ContainerStatus[] | undefined,
    phase: PodStatus['phase'] = 'Pending',
    old: PodStatus = {},
  ): string => text(generatePodInitializedCondition(defaultGates, makePod(spec), old, statuses, phase));
  const app = apiStatus('app', waiting());

  it('[1:G03] an init container is done when ready, a sidecar when started', () => {
    const setup = apiStatus('setup', terminated(0), { ready: true });
    expect(of(undefined)).toBe('False UnknownContainerStatuses');
    expect(of([apiStatus('setup', running()), apiStatus('proxy', waiting()), app])).toBe(
      'False ContainersNotInitialized containers with incomplete status: [setup proxy]',
    );
    expect(of([setup, apiStatus('proxy', running(), { started: false, ready: true }), app])).toBe(
      'False ContainersNotInitialized containers with incomplete status: [proxy]',
    );
    expect(of([setup, apiStatus('proxy', running(), { started: true }), app])).toBe('True');
    expect(text(generatePodInitializedCondition(defaultGates, makePod(), {}, undefined, 'Pending'))).toBe('True');
  });

  it('[1:G03] a regular container that started shows that initialisation is over', () => {
    const incomplete = [apiStatus('setup', waiting()), apiStatus('proxy', waiting())];
    expect(of([...incomplete, apiStatus('app', running())])).toBe('True');
    expect(of([...incomplete, apiStatus('app', terminated(1))])).toBe('True');
  });

  it('[1:G03] completed pods, and once True stays True', () => {
    const incomplete = [apiStatus('setup', waiting()), apiStatus('proxy', waiting()), app];
    expect(of(incomplete, 'Succeeded')).toBe('True PodCompleted');
    expect(of(incomplete, 'Pending', { conditions: [{ type: 'Initialized', status: 'True' }] })).toBe('True');
  });
});

describe('PodReadyToStartContainers and AllContainersRestarting', () => {
  it('[1:G04] is True while no new sandbox is needed', () => {
    const pod = makePod();
    const is = (changed: boolean) =>
      generatePodReadyToStartContainersCondition(pod, podStatusOf(pod, []), {
        podSandboxChanged: () => ({ changed, attempt: 0, sandboxID: '' }),
      }).status;
    expect(is(false)).toBe('True');
    expect(is(true)).toBe('False');
  });

  it('[1:G05] a restart of all is under way until the runtime has nothing of it left', () => {
    const rule = { action: 'RestartAllContainers' as const, exitCodes: { operator: 'In' as const, values: [88] } };
    const pod = makePod({ containers: [{ name: 'app', restartPolicy: 'Never', restartPolicyRules: [rule] }] });
    const of = (containers: ReturnType<typeof cs>[], old: PodStatus = {}) =>
      text(generateAllContainersRestartingCondition(pod, podStatusOf(pod, containers), old, 'Running'));
    expect(of([cs('app', 'exited', { exitCode: 88 })])).toBe(
      'True RestartAllContainersStarted container exited with restart policy rule',
    );
    expect(of([cs('app', 'exited', { exitCode: 1 })])).toBe('False');
    const restarting: PodStatus = { conditions: [{ type: 'AllContainersRestarting', status: 'True' }] };
    expect(of([cs('app', 'running')], restarting)).toBe(
      'True RestartAllContainersStarted container exited with restart policy rule',
    );
    expect(of([], restarting)).toBe('False');
  });
});
