import { describe, expect, it } from 'vitest';
import { inProcessClient } from '../cri/index.js';
import { Kernel, seeded } from '../kernel/index.js';
import { contractCases, newMockRuntime, runContractCase } from './index.js';

describe('runtime contract, on the mock', () => {
  it.each(contractCases.map((c) => [c.name, c] as const))('%s', (_, one) => {
    for (const seed of [1, 2, 3]) {
      const kernel = new Kernel({ policy: seeded(seed, { goroutines: true }), seed });
      const mock = newMockRuntime(kernel);
      const services = inProcessClient({ ...mock.runtime, ...mock.image });
      let done = false;
      kernel.go('contract', function* () {
        yield* runContractCase(
          { services, busybox: 'localhost/busybox:dev', logDirectory: '/var/log/pods', prefix: 'contract' },
          one,
        );
        done = true;
      });
      kernel.run({ until: 120e6 });
      expect(done).toBe(true);
      expect([mock.sandboxes(), mock.containers()]).toEqual([[], []]);
    }
  });
});
