/** Forty manifests as charts and documentation have them: each becomes a running pod, or a clear sentence. */
import fs from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { Second } from '../../kernel/index.js';
import type { Json } from '../../trace/index.js';
import { parseScenario } from '../document/parse.js';
import { parseAction } from '../document/parse-action.js';
import { performAction, type ScenarioRun } from '../run/run.js';
import { startScenario } from '../run/start.js';
import {
  imageQuestions,
  imageStep,
  type KnownImages,
  noteText,
  readWorkload,
  scenarioOfWorkload,
  type Workload,
} from './index.js';

const folder = path.resolve(import.meta.dirname, '../../../testdata/workloads');
const textOf = (file: string): string => fs.readFileSync(path.join(folder, file), 'utf8');
const read = (file: string, api: boolean): Workload => readWorkload(textOf(file), { nodeName: 'node1', api });
const fresh: KnownImages = { images: [] };

/** The same for each of several replicas. */
const replicas = (n: number, pod: string): string[] => Array<string>(n).fill(pod);

/** By manifest: how the name of each pod begins, and what it comes to. */
const pods: Readonly<Record<string, readonly string[]>> = {
  'argo-rollout.yaml': ['canary-demo Running'],
  'argocd-server.yaml': ['argocd-repo-server Running'],
  'calico-node.yaml': ['calico-node Running'],
  'cert-manager.yaml': ['cert-manager Running'],
  'coredns.yaml': replicas(2, 'coredns Running'),
  'cronjob-backup.yaml': ['db-backup Succeeded'],
  'deployment.json': ['json-web Running'],
  'elasticsearch-statefulset.yaml': [0, 1, 2].map((n) => `elasticsearch-master-${n} Running`),
  'flannel-daemonset.yaml': ['kube-flannel-ds Running'],
  'fluent-bit-daemonset.yaml': ['fluent-bit Running'],
  'gpu-job.yaml': ['train Succeeded'],
  'grpc-etcd.yaml': ['etcd-with-grpc Running'],
  'guestbook-frontend.yaml': replicas(3, 'frontend Running'),
  'hello-cronjob.yaml': ['hello Succeeded'],
  'ingress-nginx-controller.yaml': ['ingress-nginx-controller Running'],
  'istio-sidecar-pod.yaml': ['reviews-v1 Running'],
  'kafka-statefulset.yaml': [0, 1, 2].map((n) => `kafka-${n} Running`),
  'knative-service.yaml': ['helloworld-go Running'],
  'kubectl-get-pod.yaml': ['api-7c5ddbdf54-x7k2p Running'],
  'metrics-server.yaml': ['metrics-server Running'],
  'nginx-deployment.yaml': replicas(3, 'nginx-deployment Running'),
  'node-exporter-daemonset.yaml': ['node-exporter Running'],
  'nvidia-device-plugin.yaml': ['nvidia-device-plugin-daemonset Running'],
  'own-deployment.yaml': replicas(2, 'checkout Running'),
  'pi-job.yaml': ['pi Succeeded'],
  'postgres-statefulset.yaml': ['postgres-0 Running'],
  'prometheus-statefulset.yaml': [0, 1].map((n) => `prometheus-k8s-${n} Running`),
  'redis-master.yaml': ['cache-redis-master-0 Running'],
  'tabs.yaml': ['tabs Running'],
  'windows-line-ends.yaml': ['crlf Running'],
  'wordpress-mysql-list.yaml': ['wordpress-mysql Running', 'wordpress Running'],
};

/** The sentences about those that have no pod. */
const sentences: Readonly<Record<string, readonly string[]>> = {
  'argo-workflow.yaml': [
    'Workflow hello-world- is left out: its own controller creates its pods, without a pod template.',
  ],
  'docker-compose.yaml': [
    'This is a file of Docker Compose, not of Kubernetes. “kompose convert --stdout” makes manifests of it.',
  ],
  'helm-template.yaml': [
    'This is a template of a Helm chart: {{ ... }} is filled in by Helm. Paste what “helm template” prints.',
  ],
  'helm-values.yaml': [
    'This has neither kind nor apiVersion: it looks like the values of a Helm chart. Paste what “helm template” prints.',
  ],
  'kustomization.yaml': [
    'This is a Kustomization: it names manifests but contains none. Paste what “kubectl kustomize” prints.',
  ],
  'prometheus-custom-resource.yaml': [
    'Prometheus main is left out: its own controller creates its pods, without a pod template.',
    'ServiceMonitor api is left out: it is a custom resource, and its controller is not here.',
  ],
  'services-only.yaml': [
    'Service web is left out: there is no service network here; a pod is reached by its own address.',
    'Ingress web is left out: there is no ingress controller here.',
    'HorizontalPodAutoscaler web is left out: there is one pod, and nothing scales it.',
  ],
  'windows-deployment.yaml': [
    'Deployment win-webserver is for Windows nodes, and this node runs Linux: it is left out.',
  ],
};
/** Those with mistakes, whose places are looked at below. */
const others = ['mistakes.yaml', 'typo-image.yaml'];

/** Pasted into a session: images are told of first, then each manifest is written. */
function paste(workload: Workload): ScenarioRun {
  const run = startScenario(
    parseScenario(
      'apiVersion: syncloop.dev/v1alpha1\nkind: Scenario\nmetadata: {name: t}\nspec: {node: {fileCheckFrequency: 1s}, steps: []}',
      't.yaml',
    ),
  );
  run.run({ until: Second });
  for (const answer of imageQuestions(workload.pods, fresh)) performAction(run, parseAction(imageStep(answer) as Json));
  for (const { file, text } of workload.pods) performAction(run, parseAction({ apply: { file, manifest: text } }));
  run.run({ until: 60 * Second });
  return run;
}

/** Name and phase of each pod; Running only where all containers run and are ready, and none was started twice. */
const outcomes = (run: ScenarioRun, workload: Workload): string[] =>
  workload.pods.map(({ name }) => {
    const status = run.node.podNamed(name)?.status;
    const all = [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])];
    const well = all.length > 0 && all.every((c) => c.restartCount === 0 && (c.ready || status?.phase === 'Succeeded'));
    return `${name} ${well ? status?.phase : `${status?.phase}: ${JSON.stringify(all.map((c) => c.state))}`}`;
  });

describe('forty manifests from the wild', () => {
  const files = fs.readdirSync(folder).sort();
  it('are all accounted for', () => {
    expect(files.length).toBeGreaterThanOrEqual(40);
    expect(files).toEqual([...Object.keys(pods), ...Object.keys(sentences), ...others].sort());
  });
  it.each(Object.entries(pods))('%s runs, as static pods', (file, expected) => {
    const workload = read(file, false);
    expect(workload.problems.filter((p) => p.severity === 'error')).toEqual([]);
    const found = outcomes(paste(workload), workload);
    const generated = expected.map((e) => new RegExp(`^${e.replace(' ', '[-a-z0-9]* ')}$`));
    expect(found).toEqual(generated.map((pattern) => expect.stringMatching(pattern)));
  });
  it.each(Object.keys(pods))('%s runs as a scenario with an API server', (file) => {
    const workload = read(file, true);
    const text = scenarioOfWorkload(workload, imageQuestions(workload.pods, fresh)) ?? '';
    const run = startScenario(parseScenario(text, file));
    run.run();
    expect(run.failures).toEqual([]);
  });
  it.each(Object.entries(sentences))('%s is told in clear words', (file, expected) => {
    const { kind, notes } = read(file, false);
    expect(kind).toBe('nothing');
    expect(notes.map((n) => noteText(n, 'en'))).toEqual(expected);
    for (const note of notes) expect(noteText(note, 'zh')).toMatch(/[\u4e00-\u9fff]/);
  });
  it('mistakes.yaml: all errors at once, each where it is', () => {
    const text = textOf('mistakes.yaml');
    const found = read('mistakes.yaml', false).problems.map((p) => [
      text.slice(0, p.from).split('\n').length,
      text.slice(p.from, p.to),
      p.code,
    ]);
    expect(found).toEqual([
      [12, 'Web_1', 'kubelet'],
      [15, '80800', 'kubelet'],
      [17, 'nowhere', 'notFound'],
      [19, 'Sometimes', 'enum'],
    ]);
  });
  it('typo-image.yaml: the image is taken to be missing, and says which one is there', () => {
    const workload = read('typo-image.yaml', false);
    expect(imageQuestions(workload.pods, fresh)).toMatchObject([{ does: null, because: 'typo', near: 'nginx' }]);
    expect(outcomes(paste(workload), workload)[0]).toMatch(/ErrImagePull|ImagePullBackOff/);
  });
});
