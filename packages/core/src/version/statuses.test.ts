import { describe, expect, it } from 'vitest';
import type { Json } from '../trace/index.js';
import { dateOfStatus } from './statuses.js';

const status = (
  types: readonly string[],
  container: { [field: string]: Json },
  more: { [field: string]: Json } = {},
) => ({
  conditions: types.map((type) => ({ type })),
  containerStatuses: [{ name: 'app', state: { running: {} }, ...container }],
  ...more,
});
const then = ['Initialized', 'Ready'];
const now = ['PodReadyToStartContainers', ...then];

describe('the version of a kubelet, by a status of a pod', () => {
  it.each([
    [status(then, { started: true }), 18, 28],
    [status(then, { started: true }, { initContainerStatuses: [{ name: 'init' }] }), 18, 27],
    [status(then, { started: true }, { initContainerStatuses: [{ name: 'init', started: false }] }), 28, 28],
    [status(now, { started: true }), 29, 32],
    [status(now, { started: true, resources: {} }), 33, 35],
  ])('has the condition and the fields of its time: %#', (given, since, until) =>
    expect(dateOfStatus(given)).toEqual({ since, until }),
  );
  it('has the resources of the pod since v1.36', () =>
    expect(dateOfStatus(status(now, { started: true, resources: {} }, { resources: {} }))?.since).toBe(36));
  it('is not told by a pod without a container that runs', () =>
    expect(dateOfStatus({ conditions: [{ type: 'Initialized' }] })).toBeNull());
});
