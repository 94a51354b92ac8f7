import { expect, it } from 'vitest';
import { Random, seeded } from '../../kernel/index.js';
import { runGolden } from './golden.js';
import type { GoldenStep } from './steps.js';

const scripts = [
  "trap 'exit 0' TERM; while true; do sleep 0.2; done",
  "trap '' TERM; sleep 500",
  'sleep 2; exit 1',
  'sleep 1',
  'exit 3',
  'touch /tmp/ok; sleep 8; rm /tmp/ok; sleep 100',
];

/** Random pods, and random things done to them, the kubelet and the runtime. */
function steps(r: Random): GoldenStep[] {
  const pick = <T>(list: readonly T[]): T => list[r.below(list.length)] as T;
  const one = (n: number) => r.below(n) === 0;
  const exec = (...command: string[]) => ({ exec: { command } });
  const container = (name: string) => ({
    name,
    image: pick(['localhost/busybox:dev', 'localhost/busybox:dev', 'localhost/busybox:dev', 'localhost/none:1']),
    imagePullPolicy: pick(['IfNotPresent', 'IfNotPresent', 'Never']),
    command: ['sh', '-c', pick(scripts)],
    ...(one(3) && { livenessProbe: { ...exec('cat', '/tmp/ok'), periodSeconds: 1, failureThreshold: 2 } }),
    ...(one(4) && { readinessProbe: { tcpSocket: { port: 80 }, periodSeconds: 1 } }),
    ...(one(4) && { lifecycle: { [pick(['postStart', 'preStop'])]: exec('sh', '-c', pick(['exit 1', 'sleep 3'])) } }),
  });
  const pod = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'default' },
    spec: {
      terminationGracePeriodSeconds: r.below(6),
      restartPolicy: pick(['Always', 'Always', 'OnFailure', 'Never']),
      ...(one(6) && { activeDeadlineSeconds: 5 + r.below(20) }),
      ...(one(3) && { initContainers: [{ ...container('side'), restartPolicy: 'Always' }] }),
      containers: [container('app'), ...(one(2) ? [container('other')] : [])],
    },
  });
  const step = (name: string): GoldenStep =>
    pick<() => GoldenStep>([
      () => ['put', pod(name)],
      () => ['put', pod(name)],
      () => ['put', pod(name)],
      () => ['wait', r.below(40)],
      () => ['wait', r.below(40) / 10],
      () => ['rm', name],
      () => ['kill', name, 'app'],
      () => ['killSandbox', name],
      () => ['exec', name, 'app', ['touch', '/tmp/ok']],
      () => ['stopKubelet'],
      () => ['startKubelet'],
      () => ['stopRuntime'],
      () => ['startRuntime'],
      () => ['raw', 'junk.yaml', pick(['[', 'a: b', ''])],
    ])();
  const random = Array.from({ length: 8 + r.below(10) }, () => step(pick(['a', 'b'])));
  return [
    ...random,
    ['startRuntime'],
    ['startKubelet'],
    ['rm', 'a'],
    ['rm', 'b'],
    ['gone', 'a', 200],
    ['gone', 'b', 200],
  ];
}

/** A seed that breaks something is added to the list. */
it.each([1, 2, 3, 4, 5, 6, 7, 8, 94, 110, 120, 130])('whatever is done, removed pods go away (seed %i)', (seed) => {
  const policy = seeded(seed, { goroutines: true, preempts: seed % 2 === 0 });
  // No panic and no deadlock: either would throw.
  const { problems, status } = runGolden({ scenario: 'anything', steps: steps(new Random(seed)) }, { seed, policy });
  expect(problems.filter((p) => p.includes('(gone)'))).toEqual([]);
  expect(status.at(-1)?.pods).toEqual([]);
});
