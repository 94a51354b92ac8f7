import type { ContainerState, ContainerStatus, Pod, PodSpec, PodStatus } from '../../api/types.js';

/** Noon of the day that tests happen on, ms since 1970. */
export const NOON = Date.parse('2026-01-01T12:00:00Z');
/** An API time that long before noon, in seconds. */
export const before = (seconds: number): string => new Date(NOON - seconds * 1000).toISOString().replace('.000Z', 'Z');

export const running = (seconds = 60): ContainerState => ({ running: { startedAt: before(seconds) } });
export const waiting = (reason: string): ContainerState => ({ waiting: { reason } });
export const ended = (exitCode: number, reason = '', more: object = {}): ContainerState => ({
  terminated: { exitCode, ...(reason && { reason }), startedAt: before(90), finishedAt: before(30), ...more },
});

export const container = (
  name: string,
  state: ContainerState,
  more: Partial<ContainerStatus> = {},
): ContainerStatus => ({
  name,
  state,
  lastState: {},
  ready: state.running !== undefined,
  restartCount: 0,
  image: 'busybox',
  imageID: 'sha256:1',
  containerID: `containerd://${name}`,
  ...more,
});

export interface PodParts {
  readonly metadata?: Partial<Pod['metadata']>;
  readonly spec?: Partial<PodSpec>;
  readonly status?: Partial<PodStatus>;
}

/** A pod with the containers that its status has. */
export function pod({ metadata, spec, status }: PodParts = {}): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'web', namespace: 'default', uid: 'u1', creationTimestamp: before(300), ...metadata },
    spec: {
      nodeName: 'node1',
      containers: (status?.containerStatuses ?? [{ name: 'app' }]).map(({ name }) => ({ name, image: 'busybox' })),
      ...(status?.initContainerStatuses && {
        initContainers: status.initContainerStatuses.map(({ name }) => ({ name, image: 'busybox' })),
      }),
      ...spec,
    },
    status: { phase: 'Running', podIP: '10.0.0.5', podIPs: [{ ip: '10.0.0.5' }], ...status },
  };
}
