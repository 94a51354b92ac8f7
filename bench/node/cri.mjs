/** A runtime without a kubelet: plain gRPC calls, the pods that the floor starts, and cleaning up. */
import { Client, credentials, Metadata, status } from '@grpc/grpc-js';
import { rpcCodecs } from '@syncloop/core/cri/codec';

/** A runtime that knows no events says so at once. */
const EVENTS_MILLIS = 1000;

/** Calls to the runtime at a socket, as promises of protobuf-JSON messages. */
export class Cri {
  constructor(socket) {
    this.client = new Client(`unix://${socket}`, credentials.createInsecure(), {
      'grpc.default_authority': 'localhost',
      'grpc.max_receive_message_length': 16 * 1024 * 1024,
      'grpc.use_local_subchannel_pool': 1,
    });
  }
  call(method, request = {}) {
    const codec = rpcCodecs[method];
    return new Promise((resolve, reject) => {
      this.client.makeUnaryRequest(
        codec.path,
        (message) => Buffer.from(codec.request.encode(message)),
        (bytes) => codec.response.decode(bytes),
        request,
        new Metadata(),
        { deadline: Date.now() + 120_000 },
        (err, response) => (err ? reject(err) : resolve(response)),
      );
    });
  }
  /** Resolves with whether the runtime sends events of containers, which containerd does from 1.7 on. */
  sendsEvents() {
    const { path } = rpcCodecs.getContainerEvents;
    const bytes = (message) => message;
    const stream = this.client.makeServerStreamRequest(path, bytes, bytes, Buffer.alloc(0), new Metadata());
    return new Promise((resolve) => {
      const silent = setTimeout(() => {
        resolve(true);
        stream.cancel();
      }, EVENTS_MILLIS);
      stream.on('data', () => {});
      stream.on('error', ({ code }) => {
        clearTimeout(silent);
        resolve(code !== status.UNIMPLEMENTED);
      });
    });
  }
  close() {
    this.client.close();
  }
}

/** Calls `fn` for each item, `width` at a time. */
export async function each(items, width, fn) {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await fn(item);
  };
  await Promise.all(Array.from({ length: Math.min(width, queue.length) }, worker));
}

const label = 'io.kubernetes.pod.name';

/**
 * Starts one pod with its three calls, with the same fields as a kubelet's. `file` is the path of the two files that a
 * kubelet mounts.
 */
export async function startPod(cri, { name, image, hostNetwork, logs, file }) {
  const uid = `floor-${name}`;
  const labels = { [label]: name, 'io.kubernetes.pod.namespace': 'default', 'io.kubernetes.pod.uid': uid };
  const namespaceOptions = {
    pid: 'CONTAINER',
    usernsOptions: { mode: 'NODE' },
    ...(hostNetwork && { network: 'NODE' }),
  };
  const sandboxConfig = {
    metadata: { name, uid, namespace: 'default' },
    ...(!hostNetwork && { hostname: name }),
    logDirectory: `${logs}/default_${name}_${uid}`,
    dnsConfig: { servers: ['192.0.2.53'] },
    labels,
    linux: {
      securityContext: { namespaceOptions, seccomp: {} },
      overhead: {},
      resources: { cpuPeriod: '100000', cpuShares: '2' },
    },
  };
  const { podSandboxId } = await cri.call('runPodSandbox', { config: sandboxConfig });
  const { containerId } = await cri.call('createContainer', {
    podSandboxId,
    config: {
      metadata: { name: 'app' },
      image: { image, userSpecifiedImage: image },
      mounts: ['/etc/hosts', '/dev/termination-log'].map((containerPath) => ({ containerPath, hostPath: file })),
      labels: { ...labels, 'io.kubernetes.container.name': 'app' },
      logPath: 'app/0.log',
      linux: {
        resources: { cpuPeriod: '100000', cpuShares: '2', oomScoreAdj: '1000' },
        securityContext: { namespaceOptions, runAsUser: {}, seccomp: { profileType: 'Unconfined' } },
      },
    },
    sandboxConfig,
  });
  await cri.call('startContainer', { containerId });
  return { podSandboxId, containerId };
}

/** Stops and removes all that the runtime has, four at a time. */
export async function removeAll(cri) {
  const { items = [] } = await cri.call('listPodSandbox');
  await each(items, 4, async ({ id }) => {
    await cri.call('stopPodSandbox', { podSandboxId: id });
    await cri.call('removePodSandbox', { podSandboxId: id });
  });
}
