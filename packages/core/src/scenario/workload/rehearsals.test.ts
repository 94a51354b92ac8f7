/** Manifests as people write them: each becomes pods, and its run tells what a node would. */
import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import { parseScenario } from '../document/parse.js';
import { startScenario } from '../run/start.js';
import { type ImageAnswerOf, imageQuestions, readWorkload, scenarioOfWorkload } from './index.js';

interface Options {
  readonly seconds?: number;
  readonly absent?: 'pretend' | 'missing';
  readonly answer?: ImageAnswerOf['does'];
}
/** Runs a text, and returns the pods as `kubectl get pods` would list them, the reasons of all events, and the logs. */
function rehearse(text: string, { seconds = 40, absent = 'pretend', answer }: Options = {}) {
  const workload = readWorkload(text, { nodeName: 'node1', api: true, absent });
  expect(workload.problems.filter((p) => p.severity === 'error')).toEqual([]);
  const asked = imageQuestions(workload.pods, { images: [] });
  const questions = asked.map((q) => (answer === undefined ? q : { ...q, does: answer, settled: true }));
  const run = startScenario(parseScenario(scenarioOfWorkload(workload, questions) ?? '', 'made.yaml'), { seed: 1 });
  run.run({ until: seconds * Second });
  const pods = (run.kubelet?.getPods() ?? []).map(({ metadata, status }) => {
    const all = [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])];
    return {
      name: metadata.name,
      phase: status.phase,
      containers: all.map(({ name, ready, restartCount, state, lastState }) => ({
        name,
        ready,
        restartCount,
        now: state?.waiting?.reason ?? state?.terminated?.reason ?? 'running',
        message: state?.waiting?.message ?? '',
        last: lastState?.terminated && `${lastState.terminated.reason} (${lastState.terminated.exitCode})`,
      })),
      log: all.map(({ name }) => run.mock.logs(metadata.name, name)).join(''),
    };
  });
  return { pods, asked: asked.map((q) => [q.ref, q.does, q.because]), notes: workload.notes.map((n) => n.code) };
}

const nginx = `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: 3
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      containers:
        - name: nginx
          image: nginx:1.27
          ports: [{containerPort: 8080}]
          readinessProbe: {httpGet: {path: /healthz, port: 8080}, periodSeconds: 2}
          livenessProbe: {httpGet: {path: /, port: 8080}, periodSeconds: 5}
          volumeMounts:
            - {name: conf, mountPath: /etc/nginx/conf.d}
            - {name: html, mountPath: /usr/share/nginx/html}
      volumes:
        - {name: conf, configMap: {name: web-conf}}
        - {name: html, configMap: {name: web-html}}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-html}
data: {index.html: "<h1>mine</h1>"}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: web-conf}
data:
  default.conf: |
    server {
      listen 8080;
      root /usr/share/nginx/html;  # the pages
      location = /healthz { access_log off; return 200 "fine\\n"; }
      location / { try_files $uri $uri/ =404; }
    }
`;
const database = (env: string) => `apiVersion: apps/v1
kind: StatefulSet
metadata: {name: db}
spec:
  serviceName: db
  selector: {matchLabels: {app: db}}
  template:
    metadata: {labels: {app: db}}
    spec:
      containers:
        - name: postgres
          image: postgres:16
          ${env}
          ports: [{containerPort: 5432}]
          readinessProbe: {exec: {command: [pg_isready, -U, postgres]}, periodSeconds: 2}
          volumeMounts: [{name: data, mountPath: /var/lib/postgresql/data}]
  volumeClaimTemplates:
    - metadata: {name: data}
      spec: {accessModes: [ReadWriteOnce], resources: {requests: {storage: 1Gi}}}
`;
const pod = (container: string, more = '') =>
  `apiVersion: v1\nkind: Pod\nmetadata: {name: one}\nspec:\n  ${more}\n  containers:\n    - ${container}\n`;

describe('eight manifests as people write them', () => {
  it('a web server with probes and configuration: three pods, ready by what the configuration answers', () => {
    const { pods, asked } = rehearse(nginx);
    expect(pods.map((p) => p.phase)).toEqual(['Running', 'Running', 'Running']);
    const names = pods.map((p) => p.name);
    expect(new Set(names).size).toBe(3);
    expect(new Set(names.map((n) => n.replace(/-[^-]+$/, ''))).size).toBe(1);
    for (const p of pods) expect(p.containers).toMatchObject([{ ready: true, restartCount: 0 }]);
    expect(pods[0]?.log).toContain('GET /healthz HTTP/1.1" 200');
    expect(asked).toEqual([]);
    // Without the location the path is a file that is not there.
    const one = nginx.replace('replicas: 3', 'replicas: 1');
    const without = rehearse(one.replace(/ *location .*\n/g, ''));
    expect(without.pods).toMatchObject([{ phase: 'Running', containers: [{ ready: false }] }]);
    expect(without.pods[0]?.log).toContain('open() "/usr/share/nginx/html/healthz" failed');
    const broken = rehearse(one.replace('listen 8080;', 'listen 8080'));
    expect(broken.pods[0]?.log).toContain('nginx: [emerg] invalid parameter "root"');
  });
  it('a database with a claim: it is up with a password, and exits with 1 without', () => {
    const up = rehearse(database('env: [{name: POSTGRES_PASSWORD, value: secret}]'));
    expect(up.pods).toMatchObject([{ name: 'db-0', phase: 'Running', containers: [{ ready: true }] }]);
    expect(up.notes).toContain('claims');
    const down = rehearse(database('env: []'));
    expect(down.pods).toMatchObject([
      { containers: [{ ready: false, now: 'CrashLoopBackOff', last: 'Error (1)' }], log: /POSTGRES_PASSWORD/ },
    ]);
  });
  it('a CronJob: the pod of one of its jobs runs its script and ends', () => {
    const { pods, asked } = rehearse(`apiVersion: batch/v1
kind: CronJob
metadata: {name: report}
spec:
  schedule: "*/5 * * * *"
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: OnFailure
          containers:
            - name: report
              image: python:3.12-slim
              command: [sh, -c, "date; echo begin && python -c \\"import time; time.sleep(3); print('done')\\""]
`);
    expect(asked).toEqual([['python:3.12-slim', { kind: 'command' }, 'command']]);
    expect(pods).toMatchObject([{ phase: 'Succeeded', log: /begin\ndone/ }]);
    expect(pods[0]?.name).toMatch(/^report-\d+-[a-z0-9]{5}$/);
  });
  it('a DaemonSet: an agent that nobody knows runs, and what is assumed is said', () => {
    const { pods, asked } = rehearse(`apiVersion: apps/v1
kind: DaemonSet
metadata: {name: agent, namespace: kube-system}
spec:
  selector: {matchLabels: {app: agent}}
  template:
    metadata: {labels: {app: agent}}
    spec:
      hostNetwork: true
      tolerations: [{operator: Exists}]
      containers:
        - name: agent
          image: registry.example/agent:3
          volumeMounts: [{name: logs, mountPath: /var/log, readOnly: true}]
      volumes: [{name: logs, hostPath: {path: /var/log}}]
`);
    expect(asked).toEqual([['registry.example/agent:3', { kind: 'runs' }, 'default']]);
    expect(pods).toMatchObject([{ phase: 'Running', log: /simulated registry.example\/agent:3/ }]);
  });
  it('a Job with a sidecar: it ends with its work, not with the sidecar', () => {
    const { pods } = rehearse(`apiVersion: batch/v1
kind: Job
metadata: {name: import}
spec:
  backoffLimit: 2
  template:
    spec:
      restartPolicy: Never
      initContainers:
        - {name: logs, image: busybox, restartPolicy: Always, command: [sh, -c, "while true; do sleep 1; done"]}
      containers:
        - {name: work, image: node:22, command: [node, -e, "console.log('working'); setTimeout(() => process.exit(0), 5000)"]}
`);
    expect(pods).toMatchObject([{ phase: 'Succeeded', log: /working/ }]);
  });
  it('a wrong image: it stays in ImagePullBackOff', () => {
    const { pods } = rehearse(pod('{name: app, image: "nginx:1.99999"}'));
    expect(pods).toMatchObject([{ phase: 'Pending', containers: [{ now: 'ImagePullBackOff' }] }]);
  });
  it('a ConfigMap that is not in the text: missing as in the cluster, or as if it were there', () => {
    const text = pod(
      '{name: app, image: busybox, command: [sleep, "1000"], envFrom: [{configMapRef: {name: settings}}]}',
    );
    const { pods, notes } = rehearse(text, { absent: 'missing' });
    expect(notes).toEqual(['missing']);
    expect(pods).toMatchObject([
      {
        phase: 'Pending',
        containers: [{ now: 'CreateContainerConfigError', message: 'configmap "settings" not found' }],
      },
    ]);
    expect(rehearse(text).pods).toMatchObject([{ phase: 'Running' }]);
  });
  it('out of memory: stress, and an answer that says what it needs', () => {
    const stress = (limit: string) =>
      pod(
        `{name: app, image: polinux/stress, resources: {limits: {memory: ${limit}}}, command: [stress], args: [--vm, "1", --vm-bytes, 250M, --vm-hang, "1"]}`,
      );
    expect(rehearse(stress('100Mi')).pods).toMatchObject([{ containers: [{ last: 'OOMKilled (137)' }] }]);
    expect(rehearse(stress('300Mi')).pods).toMatchObject([{ phase: 'Running', containers: [{ restartCount: 0 }] }]);
    const mine = pod('{name: app, image: acme/app:1, resources: {limits: {memory: 100Mi}}}');
    const answer = { kind: 'needs', memory: 250 * 2 ** 20 } as const;
    expect(rehearse(mine, { answer }).pods).toMatchObject([{ containers: [{ last: 'OOMKilled (137)' }] }]);
  });
});

describe('answers about what a program does', () => {
  it('a status that a probe does not take: it is not ready', () => {
    const text = pod(
      '{name: app, image: acme/app:1, readinessProbe: {httpGet: {path: /, port: 80}, periodSeconds: 2}}',
    );
    expect(rehearse(text).pods).toMatchObject([{ containers: [{ ready: true }] }]);
    const answer = { kind: 'serves', ports: [80], status: 503 } as const;
    expect(rehearse(text, { answer }).pods).toMatchObject([{ containers: [{ ready: false }] }]);
  });
});
