import { decodePod } from '../../api/decode.js';
import type { Pod } from '../../api/types.js';
import type { NodeInfo } from '../../host/os.js';
import { background, Kernel, Second, seeded, send } from '../../kernel/index.js';
import type { RecordOf, TraceRecord } from '../../trace/index.js';
import { CgroupsInMemory } from '../cm/cgroups-in-memory.js';
import { defaultKubeletConfig, type KubeletConfig } from '../config.js';
import { type Kubelet, newKubelet } from '../kubelet.js';
import type { KubeletDeps } from '../kubelet-deps.js';
import { FakeCRI } from './fake-cri.js';
import { MemOS } from './mem-os.js';

/** A manifest of one pod with one container; `more` goes on in the container, or in the spec. */
export const manifest = (name: string, more = '') =>
  `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n  terminationGracePeriodSeconds: 5\n  containers:\n  - name: app\n    image: nginx:1\n${more}`;

/** A kubelet on a fake runtime, with what tests ask of it. */
export function setup(
  options: {
    config?: Partial<KubeletConfig>;
    manifests?: Record<string, string>;
    seed?: number;
    deps?: Partial<KubeletDeps> | ((kernel: Kernel) => Partial<KubeletDeps>);
    nodeInfo?: Partial<NodeInfo>;
  } = {},
) {
  const records: TraceRecord[] = [];
  const k = new Kernel({
    sink: (r) => records.push(r),
    ...(options.seed !== undefined && { policy: seeded(options.seed, { goroutines: true, preempts: true }) }),
  });
  const os = new MemOS(k);
  os.dirs.add('/m');
  for (const [name, text] of Object.entries(options.manifests ?? {})) os.put(`/m/${name}`, text);
  const cri = new FakeCRI(k);
  const services = cri.services();
  const deps = typeof options.deps === 'function' ? options.deps(k) : options.deps;
  const cgroups = new CgroupsInMemory(options.nodeInfo?.cgroupVersion ?? 1);
  const start = (): Kubelet => {
    const kl = newKubelet({
      kernel: k,
      config: {
        ...defaultKubeletConfig(),
        staticPodPath: '/m',
        fileCheckFrequency: Second,
        failCgroupV1: false,
        ...options.config,
      },
      runtimeService: services,
      imageService: services,
      os,
      probeTransport: {
        *httpGet() {
          throw new Error('no');
        },
        *tcpConnect() {},
        *grpcCheck() {
          return 'SERVING';
        },
      },
      nodeInfo: {
        hostname: 'node1',
        addresses: ['192.0.2.1'],
        memoryCapacityBytes: 8 * 2 ** 30,
        cpuMillis: 4000,
        cgroupVersion: 1,
        ephemeralStorageBytes: 100 * 2 ** 30,
        resolvConf: '',
        ...options.nodeInfo,
      },
      cgroups,
      ...deps,
    });
    kl.run();
    return kl;
  };
  const kl = start();
  const run = (seconds: number) => k.run({ until: k.now() + seconds * Second });
  const of = <K extends TraceRecord['kind']>(kind: K) => records.filter((r): r is RecordOf<K> => r.kind === kind);
  const logs = (pattern: RegExp) =>
    of('log')
      .filter((l) => pattern.test(l.msg))
      .map((l) => l.msg);
  const say = (source: string, ...pods: Pod[]) => {
    const ch = kl.podConfig.channel(background, source);
    k.go('source', () => send(ch, { pods }), { process: kl.process });
  };
  const podOf = (name: string) => kl.getPods().find((p) => p.metadata.name === name);
  return { k, os, cri, kl, cgroups, start, run, of, logs, say, podOf, records };
}

/** A pod as the API server would send it. */
export const apiPod = (name: string, more: Partial<Pod['metadata']> & { spec?: string } = {}): Pod => {
  const { spec, ...metadata } = more;
  const pod = decodePod(manifest(name, spec));
  pod.metadata = { ...pod.metadata, namespace: 'default', uid: `uid-${name}`, ...metadata };
  return pod;
};
