/** Scenarios in which it matters who comes first: a loop that is kept busy, so that several channels are ready. */
export interface Race {
  readonly name: string;
  /** Of `spec`. */
  readonly spec: string;
}

const pod = (name: string, script: string, more = '', meta = '') => `
        apiVersion: v1
        kind: Pod
        metadata: { name: ${name}, uid: uid-of-${name}${meta} }
        spec:
          terminationGracePeriodSeconds: 1${more}
          containers:
            - { name: app, image: "localhost/busybox:dev", imagePullPolicy: IfNotPresent, command: ["sh", "-c", "${script}"]`;

/**
 * The times of calls, in ms: always the same, so that chance is in the order alone. Listing takes so long that the loop
 * is often busy.
 */
const took = {
  RunPodSandbox: 100,
  CreateContainer: 10,
  StartContainer: 50,
  StopPodSandbox: 40,
  RemovePodSandbox: 10,
  RemoveContainer: 5,
  ListPodSandbox: 2,
  PodSandboxStatus: 2,
  ContainerStatus: 2,
  ImageStatus: 2,
  ListImages: 2,
  ImageFsInfo: 2,
  Status: 2,
  Version: 1,
  RuntimeConfig: 1,
};
const calls = (list: number) => `  calls:
${Object.entries({ ...took, ListContainers: list })
  .map(([method, ms]) => `    - { method: ${method}, took: ${ms / 1000}s }\n`)
  .join('')}`;

export const races: readonly Race[] = [
  {
    name: 'ends-or-removed',
    spec: `  steps:
    - apply:${pod('web', 'sleep 4; exit 1')} }
    - wait: 5500ms
    - delete: web
    - wait: 12s
`,
  },
  {
    name: 'ends-or-edited',
    spec: `  steps:
    - apply:${pod('web', 'sleep 4; exit 1')} }
    - wait: 5500ms
    - apply:${pod('web', 'sleep 4; exit 1', '', ', labels: { tier: front }')} }
    - wait: 12s
`,
  },
  {
    name: 'two-come-one-ends',
    spec: `  steps:
    - apply:${pod('web', 'sleep 3; exit 1')} }
    - wait: 4500ms
    - apply:${pod('job', 'sleep 3; exit 0', '\n          restartPolicy: Never')} }
    - wait: 1s
    - delete: web
    - wait: 14s
`,
  },
  {
    name: 'removed-and-back',
    spec: `  steps:
    - apply:${pod('web', 'sleep 3; exit 1')} }
    - wait: 4500ms
    - delete: web
    - wait: 1500ms
    - apply:${pod('web', 'sleep 3; exit 1').replace('uid-of-web', 'uid-of-web2')} }
    - wait: 14s
`,
  },
  {
    name: 'probe-or-end',
    spec: `  steps:
    - apply:${pod('web', 'sleep 5; exit 1')}, livenessProbe: { exec: { command: ["false"] }, periodSeconds: 2, failureThreshold: 2 } }
    - wait: 16s
`,
  },
  {
    name: 'deadline-or-end',
    spec: `  steps:
    - apply:${pod('web', 'sleep 5; exit 0', '\n          activeDeadlineSeconds: 6\n          restartPolicy: OnFailure')} }
    - wait: 16s
`,
  },
  {
    name: 'killed-or-removed',
    spec: `  steps:
    - apply:${pod('web', 'sleep 1000')} }
    - wait: 4s
    - kill: { pod: web, container: app }
    - wait: 1s
    - delete: web
    - wait: 12s
`,
  },
  {
    name: 'loop-of-crashes',
    spec: `  steps:
    - apply:${pod('web', 'sleep 1; exit 1')} }
    - apply:${pod('job', 'sleep 2; exit 1')} }
    - wait: 40s
`,
  },
];

/** The scenario of that name. `list`: how long a list of containers takes, ms. */
export function raceText(name: string, list: number): string {
  const race = races.find((r) => r.name === name);
  if (!race) throw new Error(`there is no race ${name}`);
  return `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: ${name}
  title: { en: ${name}, zh: ${name} }
spec:
  seed: 1
${calls(list)}${race.spec}`;
}
