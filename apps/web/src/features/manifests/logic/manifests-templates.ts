/** Manifests to begin with. Each runs on the simulated node, and shows one thing. */
export const TEMPLATE_IDS = [
  'plain',
  'probes',
  'init',
  'sidecar',
  'crash',
  'image',
  'prestop',
  'qos',
  'volumes',
  'hostNetwork',
  'job',
  'oom',
  'hooks',
] as const;
export type TemplateId = (typeof TEMPLATE_IDS)[number];

const pod = (name: string, spec: string): string =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n${spec.replace(/^\n/, '')}`;

const specs: Readonly<Record<TemplateId, string>> = {
  plain: `
  containers:
    - name: app
      image: busybox:1.36
      command: ["sh", "-c", "echo started; sleep 3600"]
`,
  probes: `
  containers:
    - name: app
      image: busybox:1.36
      command: ["sh", "-c", "sleep 3; touch /tmp/up; sleep 4; touch /tmp/ready; sleep 3600"]
      # Until it succeeds the other two wait.
      startupProbe:
        exec:
          command: ["cat", "/tmp/up"]
        periodSeconds: 1
        failureThreshold: 10
      readinessProbe:
        exec:
          command: ["cat", "/tmp/ready"]
        periodSeconds: 2
      # Remove /tmp/up and the container is killed.
      livenessProbe:
        exec:
          command: ["cat", "/tmp/up"]
        periodSeconds: 5
`,
  init: `
  initContainers:
    - name: first
      image: busybox:1.36
      command: ["sh", "-c", "echo preparing; sleep 2"]
    - name: second
      image: busybox:1.36
      command: ["sh", "-c", "echo nearly there; sleep 2"]
  containers:
    - name: app
      image: busybox:1.36
      command: ["sh", "-c", "echo started; sleep 3600"]
`,
  sidecar: `
  initContainers:
    - name: proxy
      image: busybox:1.36
      # Always makes it a sidecar: it starts first and ends last.
      restartPolicy: Always
      command: ["sh", "-c", "touch /tmp/ready; sleep 3600"]
      startupProbe:
        exec:
          command: ["cat", "/tmp/ready"]
        periodSeconds: 1
  containers:
    - name: app
      image: busybox:1.36
      command: ["sh", "-c", "echo started; sleep 3600"]
`,
  crash: `
  containers:
    - name: app
      image: busybox:1.36
      # Ends with an error after 2 seconds: each restart waits twice as long.
      command: ["sh", "-c", "sleep 2; exit 3"]
`,
  image: `
  containers:
    - name: app
      image: registry.invalid/no-such-image:1.0
`,
  prestop: `
  terminationGracePeriodSeconds: 10
  containers:
    - name: app
      image: busybox:1.36
      # Takes no notice of SIGTERM: it is killed when the grace period is over.
      command: ["sh", "-c", "trap '' TERM; while true; do sleep 1; done"]
      lifecycle:
        preStop:
          exec:
            command: ["sh", "-c", "echo going; sleep 3"]
`,
  qos: `
  containers:
    - name: app
      image: busybox:1.36
      command: ["sh", "-c", "sleep 3600"]
      # Limits equal to requests everywhere: Guaranteed.
      resources:
        requests:
          cpu: 250m
          memory: 64Mi
        limits:
          cpu: 250m
          memory: 64Mi
`,
  volumes: `
  volumes:
    - name: shared
      emptyDir: {}
    - name: about
      downwardAPI:
        items:
          - path: name
            fieldRef:
              fieldPath: metadata.name
  containers:
    - name: writer
      image: busybox:1.36
      command: ["sh", "-c", "while true; do date > /data/now; sleep 5; done"]
      volumeMounts:
        - name: shared
          mountPath: /data
    - name: reader
      image: busybox:1.36
      command: ["sh", "-c", "cat /about/name; sleep 3600"]
      volumeMounts:
        - name: shared
          mountPath: /data
          readOnly: true
        - name: about
          mountPath: /about
`,
  hostNetwork: `
  # As the control plane's own pods are: on the node's network, and critical.
  hostNetwork: true
  priorityClassName: system-node-critical
  containers:
    - name: app
      image: busybox:1.36
      command: ["sh", "-c", "sleep 3600"]
      ports:
        - name: http
          containerPort: 8080
`,
  job: `
  # Runs once; what ended stays ended.
  restartPolicy: Never
  containers:
    - name: work
      image: busybox:1.36
      command: ["sh", "-c", "echo working; sleep 5; echo done"]
`,
  oom: `
  containers:
    - name: app
      image: busybox:1.36
      # Keeps the last line of its input in memory, and /dev/zero has only one.
      command: ["sh", "-c", "sleep 2; tail /dev/zero"]
      resources:
        limits:
          memory: 32Mi
`,
  hooks: `
  containers:
    - name: app
      image: busybox:1.36
      command: ["sh", "-c", "sleep 3600"]
      lifecycle:
        postStart:
          exec:
            command: ["sh", "-c", "sleep 2; touch /tmp/started"]
        preStop:
          sleep:
            seconds: 2
`,
};

const names: Readonly<Record<TemplateId, string>> = {
  plain: 'web',
  probes: 'probed',
  init: 'prepared',
  sidecar: 'with-sidecar',
  crash: 'crashing',
  image: 'no-image',
  prestop: 'slow-stop',
  qos: 'guaranteed',
  volumes: 'volumes',
  hostNetwork: 'node-agent',
  job: 'once',
  oom: 'hungry',
  hooks: 'hooked',
};

/** A template under a name that is free. `taken`: files of the folder and drafts. */
export function fromTemplate(
  id: TemplateId,
  taken: readonly string[],
): { readonly file: string; readonly text: string } {
  const base = names[id];
  // The first one keeps the name that it always had.
  let n = id === 'plain' ? 1 : 0;
  const name = () => (n === 0 ? base : `${base}-${n}`);
  while (taken.includes(`${name()}.yaml`)) n = n === 0 ? 2 : n + 1;
  return { file: `${name()}.yaml`, text: pod(name(), specs[id]) };
}
