import { inProcessClient } from '../../../cri/index.js';
import { Kernel, Second } from '../../../kernel/index.js';
import { type MockRuntimeOptions, newMockRuntime } from '../../../mock/index.js';
import type { TraceRecord } from '../../../trace/index.js';
import { defaultKubeletConfig, type KubeletConfig } from '../../config.js';
import { type Kubelet, newKubelet } from '../../kubelet.js';
import type { KubeletDeps } from '../../kubelet-deps.js';

const manifests = '/etc/kubernetes/manifests';

/** A kubelet on the mock runtime, and what its /metrics says. */
export function node(
  options: {
    config?: Partial<KubeletConfig>;
    mock?: MockRuntimeOptions;
    deps?: (k: Kernel) => Partial<KubeletDeps>;
  } = {},
) {
  const records: TraceRecord[] = [];
  const k = new Kernel({ sink: (r) => records.push(r) });
  const mock = newMockRuntime(k, options.mock);
  const client = inProcessClient({ ...mock.runtime, ...mock.image });
  const kl: Kubelet = newKubelet({
    kernel: k,
    config: {
      ...defaultKubeletConfig(),
      staticPodPath: manifests,
      fileCheckFrequency: Second,
      failCgroupV1: false,
      ...options.config,
    },
    runtimeService: client,
    imageService: client,
    os: mock.fs,
    probeTransport: mock.probeTransport,
    nodeInfo: mock.nodeInfo,
    ...options.deps?.(k),
  });
  mock.fs.mkdirAllSync(manifests);
  kl.run();
  const lines = () => kl.metrics.registry.text().split('\n');
  return {
    k,
    kl,
    mock,
    records,
    run: (seconds: number) => k.run({ until: k.now() + seconds * Second }),
    put: (name: string, spec: string) =>
      mock.fs.writeFileSync(
        `${manifests}/${name}.yaml`,
        `apiVersion: v1\nkind: Pod\nmetadata:\n  name: ${name}\nspec:\n${spec}`,
      ),
    rm: (name: string) => mock.fs.removeSync(`${manifests}/${name}.yaml`),
    lines,
    /** The value of a sample by its whole name. */
    value: (sample: string) => {
      const line = lines().find((l) => l.startsWith(`${sample} `));
      return line === undefined ? null : Number(line.slice(sample.length + 1));
    },
    probes: () => kl.metrics.probes.text().split('\n'),
  };
}

/** A container that runs on. */
export const sleeper = (more = '') =>
  `  terminationGracePeriodSeconds: 1\n  containers:\n  - name: app\n    image: busybox\n    command: [sh, -c, 'while true; do sleep 1; done']\n${more}`;
