/** Pods that tests make with kubectl, and what holds after them. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';

/** A script that runs until TERM. */
export const forever = (before = '') => `${before} trap 'exit 0' TERM; while :; do sleep 0.1; done`;

/**
 * For a file of tests whose cluster is made later: `cluster` returns it. `manifest` is the text of a pod with one
 * container, `ready` waits for a pod, `pod` makes one and waits for it, `runArgs` are arguments of `kubectl run`.
 */
export function podsOn(cluster) {
  const kubectl = (...args) => cluster().kubectl(...args);
  const manifest = (name, { script = forever(), more = '', spec = '', labels = '{}' } = {}) => `apiVersion: v1
kind: Pod
metadata: {name: ${name}, labels: ${labels}}
spec:
  terminationGracePeriodSeconds: 1
${spec}
  containers:
  - name: app
    image: ${cluster().image}
    imagePullPolicy: IfNotPresent
    command: [sh, -c, ${JSON.stringify(script)}]
${more}
`;
  const ready = (name) => kubectl('wait', '--for=condition=Ready', `pod/${name}`, '--timeout=20s');
  const pod = async (name, options) => {
    await kubectl('create', '-f', '-', { input: manifest(name, options) });
    await ready(name);
  };
  const runArgs = (name, script, ...more) => [
    ...['run', name, `--image=${cluster().image}`, '--image-pull-policy=IfNotPresent', ...more],
    ...['--', 'sh', '-c', script],
  ];
  return { kubectl, manifest, ready, pod, runArgs };
}

/** Asserts that no program of the cluster wrote the administrator's token into its log. */
export async function tokenIsUnlogged(cluster) {
  const { users } = JSON.parse(await readFile(cluster.kubeconfig, 'utf8'));
  assert.ok(users[0].user.token.length >= 40);
  for (const one of cluster.running) assert.ok(!one.stderr.includes(users[0].user.token));
}
