/** A pod's manifest, indented as an item of the steps. */
const apply = (name: string, container: string, spec = ''): string => `    - apply:
        apiVersion: v1
        kind: Pod
        metadata: { name: ${name} }
        spec:
          terminationGracePeriodSeconds: 2${spec}
          containers:
            - name: app
              image: localhost/busybox:dev
              imagePullPolicy: IfNotPresent
${container}`;
const numbered = (name: string, count: number, from = 1): string[] =>
  Array.from({ length: count }, (_, i) => `${name}-${from + i}`);

const serves = `              command: ["sh", "-c", "trap 'exit 0' TERM; while true; do sleep 5; done"]`;
const isProbed = `${serves}
              readinessProbe: { exec: { command: ["true"] }, periodSeconds: 5 }`;
const crashes = `              command: ["sh", "-c", "sleep 3; exit 1"]`;
const ends = `              command: ["sh", "-c", "sleep 4"]`;

const webs = numbered('web', 72);
const probed = numbered('api', 20);
const crashing = numbered('flaky', 8);
const jobs = numbered('job', 10);
const gone = webs.slice(0, 8);
const came = numbered('web', 8, webs.length + 1);

export const fullNode = `apiVersion: syncloop.dev/v1alpha1
kind: Scenario
metadata:
  name: full-node
  title:
    en: A full node
    zh: 满载的节点
  summary:
    en: 110 static pods, as many as a node takes by default, start together. 20 are probed, 8 crash again and again, 10 are jobs that end; then 8 go and 8 others come. With so many the lanes fold into a strip of cells - order it by activity, and press a cell to unfold its lane.
    zh: 110 个静态 Pod（节点默认的上限）同时启动：20 个有探针，8 个不断崩溃，10 个是会结束的任务；随后 8 个离开，另外 8 个到来。Pod 这么多时，泳道折叠成一格一格的条；可按活动排序，按下一格就展开它的泳道。
spec:
  seed: 1
  node:
    fileCheckFrequency: 1s
    clusterDNS: ["10.96.0.10"]
  steps:
${webs.map((name) => apply(name, serves)).join('\n')}
${probed.map((name) => apply(name, isProbed)).join('\n')}
${crashing.map((name) => apply(name, crashes)).join('\n')}
${jobs.map((name) => apply(name, ends, '\n          restartPolicy: Never')).join('\n')}
    - waitFor: { pod: web-72, phase: Running, timeout: 60s }
    - waitFor: { pod: api-20, ready: true, timeout: 60s }
    - waitFor: { pod: flaky-8, container: app, restarts: 1, timeout: 60s }
${gone.map((name) => `    - delete: ${name}`).join('\n')}
    - waitFor: { pod: web-8, gone: true, timeout: 60s }
${came.map((name) => apply(name, serves)).join('\n')}
    - waitFor: { pod: web-80, phase: Running, timeout: 60s }
    - waitFor: { pod: job-10, phase: Succeeded, timeout: 60s }
    - waitFor: { event: { pod: flaky-1, reason: BackOff }, timeout: 60s }
    - wait: 2s
expect:
  - { pod: web-1, gone: true }
  - { pod: web-72, phase: Running }
  - { pod: web-80, phase: Running }
  - { pod: api-1, ready: true }
  - { pod: flaky-1, container: app, restarts: 1 }
  - { pod: job-1, phase: Succeeded }
  - event: { pod: flaky-1, reason: BackOff }
  - records: { kind: worker, where: "state == 'finished'", exactly: ${gone.length + jobs.length} }
  - records: { kind: cri-call, where: "method == 'RunPodSandbox'", exactly: 118 }
  # No more pods than it takes.
  - event: { reason: OutOfpods, atMost: 0 }
`;
