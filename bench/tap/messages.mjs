/** Requests and answers: a short answer, one of some kilobytes, and a list of 100 containers. */
const id = (n) => n.toString(16).padStart(64, '0');
const labels = (n) => ({
  'io.kubernetes.container.name': 'app',
  'io.kubernetes.pod.name': `web-${n}`,
  'io.kubernetes.pod.namespace': 'default',
  'io.kubernetes.pod.uid': id(n).slice(32),
});
const annotations = { 'io.kubernetes.container.hash': 'ef611fe5', 'io.kubernetes.container.restartCount': '0' };
const container = (n) => ({
  id: id(n),
  podSandboxId: id(n + 1000),
  metadata: { name: 'app' },
  image: { image: 'registry.example/app:1' },
  imageRef: `sha256:${id(7)}`,
  state: 'CONTAINER_RUNNING',
  createdAt: '1795347079401067790',
  labels: labels(n),
  annotations,
});

export const requests = { version: { version: '0.1.0' }, containerStatus: { containerId: id(1) }, listContainers: {} };
export const answers = {
  version: { version: '0.1.0', runtimeName: 'containerd', runtimeVersion: '2.1.9', runtimeApiVersion: 'v1' },
  containerStatus: {
    status: {
      ...container(1),
      mounts: Array.from({ length: 20 }, (_, i) => ({
        containerPath: `/m/${i}`,
        hostPath: `/var/lib/kubelet/pods/${id(1)}/volumes/${i}`,
      })),
    },
  },
  listContainers: { containers: Array.from({ length: 100 }, (_, n) => container(n)) },
};

/** A message with gRPC's prefix. */
export function prefixed(bytes) {
  const all = Buffer.alloc(5 + bytes.length);
  all.writeUInt32BE(bytes.length, 1);
  all.set(bytes, 5);
  return all;
}
