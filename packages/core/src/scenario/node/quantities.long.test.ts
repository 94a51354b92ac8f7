import { describe, expect, it } from 'vitest';
import { Minute } from '../../kernel/index.js';
import { start } from '../testing/run-steps.js';

/** Spellings of one amount each. */
const spellings = {
  cpu: [
    ['500m', '0.5', '0.50', '.5', '5e-1', '5E-1', '500e-3', '0.0005k', '500000u', '500000000n', '+0.5', '0500m'],
    ['1', '1.0', '1.', '1000m', '1e0', '0.001k', '1000000u'],
    ['1500m', '1.5', '15e-1'],
    ['1m', '0.001', '1e-3', '1000u'],
  ],
  memory: [
    ['64Mi', '67108864', '65536Ki', '0.0625Gi', '67108864000m', '67108.864k'],
    ['64M', '64000k', '64e6', '6.4e7', '64E6', '0.064G', '64000000'],
    ['1536Ki', '1.5Mi', '1572864'],
    ['100k', '1e5', '100000', '0.1M'],
    ['1e3', '1E3', '1k', '1000', '1000000m'],
    ['102400m', '0.1Ki', '102.4'],
    ['1Gi', '1073741824', '1048576Ki', '1024Mi'],
  ],
} as const;
/** The form in which an API server keeps some of them. upstream: (*Quantity).CanonicalizeBytes */
const kept: Readonly<Record<string, string>> = {
  '0.5': '500m',
  '.5': '500m',
  '+0.5': '500m',
  '5e-1': '500e-3',
  '0.0005k': '500m',
  '1000m': '1',
  '0.0625Gi': '64Mi',
  '1.5Mi': '1536Ki',
  '1048576Ki': '1Gi',
  '64E6': '64e6',
  '6.4e7': '64e6',
  '0.1M': '100k',
  '1E3': '1e3',
  '0.1Ki': '102400m',
  '102.4': '102400m',
};
const cpu = spellings.cpu.flat();
const memory = spellings.memory.flat();

/** A static pod with one container for each spelling, which is at every place where a pod has a quantity. */
function pod(policy: 'requests' | 'limits' | 'both'): object {
  const containers = Array.from({ length: Math.max(cpu.length, memory.length) }, (_, i) => {
    const amounts = { cpu: cpu[i % cpu.length], memory: memory[i % memory.length] };
    const small = { cpu: '1m', memory: '102400m', 'ephemeral-storage': memory[i % memory.length] };
    return {
      name: `c${i}`,
      image: 'localhost/busybox:dev',
      imagePullPolicy: 'IfNotPresent',
      command: ['sleep', '3600'],
      resources: {
        ...(policy !== 'limits' && { requests: policy === 'both' ? small : { memory: memory[i % memory.length] } }),
        ...(policy !== 'requests' && { limits: amounts }),
      },
      env: ['1', '0.5e1', '1m', '1000m', '1E0'].map((divisor, k) => ({
        name: `CPU_${k}`,
        valueFrom: { resourceFieldRef: { resource: 'limits.cpu', divisor } },
      })),
    };
  });
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: policy },
    spec: {
      containers,
      volumes: [
        ...memory.map((sizeLimit, i) => ({ name: `v${i}`, emptyDir: { sizeLimit } })),
        {
          name: 'down',
          downwardAPI: {
            items: memory.slice(0, 6).map((divisor, i) => ({
              path: `memory-${i}`,
              resourceFieldRef: { containerName: 'c0', resource: 'limits.memory', divisor },
            })),
          },
        },
      ],
    },
  };
}

describe('quantities', () => {
  it.each(['requests', 'limits', 'both'] as const)(
    '[1:S16] however a static pod writes its %s, its mirror is written no second time in ten minutes',
    (policy) => {
      const t = start(
        `  - apply: ${JSON.stringify(pod(policy))}
  - waitFor: {pod: ${policy}, phase: Running, timeout: 60s}
  - wait: 10m
`,
        { node: 'apiServer: true, fileCheckFrequency: 1s', after: '  machine: {memory: 64Gi, cpus: 64}\n' },
      );
      expect(t.problems()).toEqual([]);
      const mirror = t.run.api?.find(`${policy}-node1`);
      for (const [i, container] of (mirror?.spec.containers ?? []).entries()) {
        const written = { cpu: cpu[i % cpu.length] ?? '', memory: memory[i % memory.length] ?? '' };
        const { limits, requests } = container.resources ?? {};
        const amounts =
          policy === 'requests' ? { memory: requests?.memory } : { cpu: limits?.cpu, memory: limits?.memory };
        for (const [name, amount] of Object.entries(amounts)) {
          const text = written[name as 'cpu' | 'memory'];
          if (Object.hasOwn(kept, text)) expect(amount, text).toBe(kept[text]);
        }
      }
      const end = t.records.at(-1)?.time ?? 0;
      const about = t.of('api').filter((r) => r.phase === 'request' && r.resource === 'pods' && r.verb !== 'watch');
      expect(about.filter((r) => r.verb === 'create')).toHaveLength(1);
      const late = about.filter((r) => r.time > end - 9.9 * Minute);
      expect(late.map((r) => `${Math.round(r.time / 1e6)} ${r.verb} ${r.subresource ?? ''}`)).toEqual([]);
    },
  );
});
