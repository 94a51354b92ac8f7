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

/** Listing takes so long that the loop is often busy. */
const slow = `  calls:
    - { method: ListContainers, took: 0.8s }
`;

export const races: readonly Race[] = [
  {
    name: 'ends-or-removed',
    spec: `${slow}  steps:
    - apply:${pod('web', 'sleep 4; exit 1')} }
    - wait: 5500ms
    - delete: web
    - wait: 12s
`,
  },
  {
    name: 'ends-or-edited',
    spec: `${slow}  steps:
    - apply:${pod('web', 'sleep 4; exit 1')} }
    - wait: 5500ms
    - apply:${pod('web', 'sleep 4; exit 1', '', ', labels: { tier: front }')} }
    - wait: 12s
`,
  },
  {
    name: 'two-come-one-ends',
    spec: `${slow}  steps:
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
    spec: `${slow}  steps:
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
    spec: `${slow}  steps:
    - apply:${pod('web', 'sleep 5; exit 1')}, livenessProbe: { exec: { command: ["false"] }, periodSeconds: 2, failureThreshold: 2 } }
    - wait: 16s
`,
  },
  {
    name: 'probe-or-removed',
    spec: `${slow}  steps:
    - apply:${pod('web', "trap '' TERM; sleep 1000")}, livenessProbe: { exec: { command: ["false"] }, periodSeconds: 2, failureThreshold: 2 } }
    - wait: 5s
    - delete: web
    - wait: 12s
`,
  },
  {
    name: 'deadline-or-end',
    spec: `${slow}  steps:
    - apply:${pod('web', 'sleep 5; exit 0', '\n          activeDeadlineSeconds: 6\n          restartPolicy: OnFailure')} }
    - wait: 16s
`,
  },
  {
    name: 'killed-or-removed',
    spec: `${slow}  steps:
    - apply:${pod('web', 'sleep 1000')} }
    - wait: 4s
    - kill: { pod: web, container: app }
    - wait: 1s
    - delete: web
    - wait: 12s
`,
  },
  {
    name: 'readiness-or-end',
    spec: `${slow}  steps:
    - apply:${pod('web', 'sleep 4; touch /tmp/ok; sleep 3; exit 1')}, readinessProbe: { exec: { command: ["ls", "/tmp/ok"] }, periodSeconds: 1 } }
    - wait: 18s
`,
  },
  {
    name: 'loop-of-crashes',
    spec: `${slow}  steps:
    - apply:${pod('web', 'sleep 1; exit 1')} }
    - apply:${pod('job', 'sleep 2; exit 1')} }
    - wait: 40s
`,
  },
  {
    name: 'one-relist-and-sync',
    spec: `${slow}  steps:
    - apply:${pod('web', 'sleep 1; exit 1')} }
    - wait: 30s
`,
  },
  {
    name: 'edit-and-remove',
    spec: `${slow}  steps:
    - apply:${pod('web', 'sleep 1000')} }
    - wait: 4500ms
    - apply:${pod('web', 'sleep 1000', '', ', labels: { tier: front }')} }
    - wait: 1us
    - delete: web
    - wait: 12s
`,
  },
];

export const raceText = ({ name, spec }: Race): string => `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: ${name}
  title: { en: ${name}, zh: ${name} }
spec:
  seed: 1
${spec}`;
