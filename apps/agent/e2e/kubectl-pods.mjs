/** Pods that tests make with kubectl. */

/** A script that runs until TERM. */
export const forever = (before = '') => `${before} trap 'exit 0' TERM; while :; do sleep 0.1; done`;

/**
 * For a file of tests whose cluster is made later: `cluster` returns it. `manifest` is the text of a pod with one
 * container, `ready` waits for a pod, `pod` makes one and waits for it.
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
  return { kubectl, manifest, ready, pod };
}
