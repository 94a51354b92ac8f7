/** Containers and pods that the scenarios are made of. */

const image = 'localhost/busybox:dev';

export const sh = (name: string, script: string, more: object = {}): object => ({
  name,
  image,
  imagePullPolicy: 'IfNotPresent',
  command: ['sh', '-c', script],
  ...more,
});

/** Waits without waking up: cheap in large numbers. */
export const sleeping = 'sleep 100000 & wait';
export const untilStopped = `trap 'exit 0' TERM; ${sleeping}`;
/** Does not hear SIGTERM. */
export const deaf = "trap '' TERM; sleep 100000";

export const server = (more: object = {}): object => ({
  terminationGracePeriodSeconds: 2,
  containers: [sh('app', untilStopped)],
  ...more,
});

export const names = (count: number, prefix = 'p'): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}${i}`);

/** Takes 2 s to stop. */
export const lingering = `trap 'sleep 2; exit 0' TERM; ${sleeping}`;
