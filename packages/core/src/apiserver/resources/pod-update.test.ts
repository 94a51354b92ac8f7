import { describe, expect, it } from 'vitest';
import type { Pod } from '../../api/types.js';
import { validateContainerStates, validatePodResize, validatePodUpdate } from './pod-update.js';

const pod = (spec: object, status: object = {}): Pod =>
  ({
    metadata: { name: 'web', namespace: 'default', uid: 'u' },
    spec: { containers: [{ name: 'a', image: 'x' }], restartPolicy: 'Always', ...spec },
    status,
  }) as Pod;

describe('validatePodUpdate', () => {
  it.each<[string, object, object, RegExp | null]>([
    ['an image', {}, { containers: [{ name: 'a', image: 'y' }] }, null],
    ['no image', {}, { containers: [{ name: 'a' }] }, /^spec.containers\[0\].image: Required value$/],
    ['a command', {}, { containers: [{ name: 'a', image: 'x', command: ['y'] }] }, /may not change fields other than/],
    [
      'a new toleration',
      { tolerations: [{ key: 'k' }] },
      { tolerations: [{ key: 'k', tolerationSeconds: 5 }, { key: 'l' }] },
      null,
    ],
    [
      'a toleration less',
      { tolerations: [{ key: 'k' }] },
      { tolerations: [] },
      /existing toleration can not be modified except its tolerationSeconds/,
    ],
    [
      'the same amounts in other words',
      { containers: [{ name: 'a', image: 'x', resources: { limits: { cpu: '1000m', memory: '1Gi' } } }] },
      { containers: [{ name: 'a', image: 'x', resources: { limits: { cpu: '1', memory: '1024Mi' } } }] },
      null,
    ],
    [
      'other amounts',
      { containers: [{ name: 'a', image: 'x', resources: { limits: { memory: '1Gi' } } }] },
      { containers: [{ name: 'a', image: 'x', resources: { limits: { memory: '1G' } } }] },
      /may not change fields other than/,
    ],
    [
      'a size limit in other words',
      { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1Gi' } }] },
      { volumes: [{ name: 'v', emptyDir: { sizeLimit: '1024Mi' } }] },
      null,
    ],
    [
      'a volume of another name that looks like an amount',
      { volumes: [{ name: '1000m', emptyDir: {} }] },
      { volumes: [{ name: '1', emptyDir: {} }] },
      /may not change fields other than/,
    ],
    ['a first deadline', {}, { activeDeadlineSeconds: 5 }, null],
    ['a shorter deadline', { activeDeadlineSeconds: 9 }, { activeDeadlineSeconds: 5 }, null],
    [
      'a longer deadline',
      { activeDeadlineSeconds: 5 },
      { activeDeadlineSeconds: 9 },
      /must be less than or equal to previous value/,
    ],
    ['no deadline any more', { activeDeadlineSeconds: 5 }, {}, /must not update from a positive integer to nil value/],
    ['a gate less', { schedulingGates: [{ name: 'g' }] }, {}, null],
    [
      'a gate more',
      {},
      { schedulingGates: [{ name: 'g' }] },
      /only deletion is allowed, but found new scheduling gate 'g'/,
    ],
    [
      'a grace of 1 in place of a negative one',
      { terminationGracePeriodSeconds: -1 },
      { terminationGracePeriodSeconds: 1 },
      null,
    ],
    [
      'another grace',
      { terminationGracePeriodSeconds: 30 },
      { terminationGracePeriodSeconds: 1 },
      /may not change fields/,
    ],
  ])('%s', (_, before, now, wanted) => {
    const errors = validatePodUpdate(pod(now), pod(before));
    if (wanted) expect(errors.join()).toMatch(wanted);
    else expect(errors).toEqual([]);
  });
});

describe('validatePodResize', () => {
  const sized = (requests: object, more: object = {}, status: object = {}) =>
    pod(
      { containers: [{ name: 'a', image: 'x', resources: { requests } }], ...more },
      { qosClass: 'Burstable', ...status },
    );
  it.each<[string, Pod, Pod, RegExp | null]>([
    ['cpu', sized({ cpu: '2' }), sized({ cpu: '1' }), null],
    [
      'another resource',
      sized({ 'x.io/y': '2' }),
      sized({ 'x.io/y': '1' }),
      /only cpu and memory resources are mutable/,
    ],
    [
      'a request less',
      sized({ cpu: '1' }),
      sized({ cpu: '1', memory: '1Mi' }),
      /requests: Forbidden: resource requests cannot be removed/,
    ],
    [
      'another class',
      pod({ containers: [{ name: 'a', image: 'x', resources: {} }] }),
      sized({}),
      /Pod QOS Class may not change as a result of resizing/,
    ],
    [
      'other names',
      pod({ containers: [{ name: 'b', image: 'x', resources: { requests: { cpu: '1' } } }] }),
      sized({ cpu: '1' }),
      /containers may not be renamed or reordered on resize/,
    ],
    [
      'where the kubelet tells no resources',
      sized({ cpu: '2' }),
      sized({ cpu: '1' }, {}, { containerStatuses: [{ name: 'a', state: { running: {} } }] }),
      /without support for resize/,
    ],
    [
      'an init container that would have to be restarted',
      sized(
        { cpu: '1' },
        {
          initContainers: [
            {
              name: 'i',
              image: 'x',
              resources: { requests: { cpu: '2' } },
              resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
            },
          ],
        },
      ),
      sized(
        { cpu: '1' },
        {
          initContainers: [
            {
              name: 'i',
              image: 'x',
              resources: { requests: { cpu: '1' } },
              resizePolicy: [{ resourceName: 'cpu', restartPolicy: 'RestartContainer' }],
            },
          ],
        },
      ),
      /non-sidecar init containers with a resize policy of RestartContainer cannot be resized/,
    ],
  ])('%s', (_, now, before, wanted) => {
    const errors = validatePodResize(now, before);
    if (wanted) expect(errors.join()).toMatch(wanted);
    else expect(errors).toEqual([]);
  });
  it('is not for static pods', () => {
    const mirror = sized({ cpu: '1' });
    mirror.metadata.annotations = { 'kubernetes.io/config.mirror': 'x' };
    expect(validatePodResize(mirror, mirror)).toEqual([': Forbidden: static pods cannot be resized']);
  });
});

describe('validateContainerStates', () => {
  const of = (exitCode: number | null) => ({
    containerStatuses: [{ name: 'a', state: exitCode === null ? { running: {} } : { terminated: { exitCode } } }],
  });
  const back = (spec: object, exitCode: number) =>
    validateContainerStates(pod(spec, of(null)), pod(spec, of(exitCode))).length === 0;
  it.each<[string, object, number, boolean]>([
    ['Always', { restartPolicy: 'Always' }, 0, true],
    ['OnFailure after a failure', { restartPolicy: 'OnFailure' }, 1, true],
    ['OnFailure after success', { restartPolicy: 'OnFailure' }, 0, false],
    ['Never', { restartPolicy: 'Never' }, 1, false],
    [
      'Never, but the container says Always',
      { restartPolicy: 'Never', containers: [{ name: 'a', restartPolicy: 'Always' }] },
      0,
      true,
    ],
    [
      'Never, but a rule says so',
      {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'a',
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
          },
        ],
      },
      42,
      true,
    ],
    [
      'Never, and a rule for another code',
      {
        restartPolicy: 'Never',
        containers: [
          {
            name: 'a',
            restartPolicy: 'Never',
            restartPolicyRules: [{ action: 'Restart', exitCodes: { operator: 'In', values: [42] } }],
          },
        ],
      },
      1,
      false,
    ],
  ])('%s', (_, spec, exitCode, may) => {
    expect(back(spec, exitCode)).toBe(may);
  });
});
