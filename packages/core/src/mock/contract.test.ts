import { describe, expect, it } from 'vitest';
import { inProcessClient } from '../cri/index.js';
import { Kernel, seeded } from '../kernel/index.js';
import {
  contractAreas,
  contractImageNames,
  contractImages,
  newMockRuntime,
  registryBehaviours,
  runContractCase,
} from './index.js';

const registry = 'localhost:5000';

describe.each(contractAreas)('runtime contract, on the mock: $area', ({ cases }) => {
  it.each(cases.map((c) => [c.name, c] as const))('%s', (_, one) => {
    for (const seed of [1, 2, 3]) {
      const kernel = new Kernel({ policy: seeded(seed, { goroutines: true }), seed });
      const mock = newMockRuntime(kernel, { images: contractImages, registry: registryBehaviours(registry) });
      const services = inProcessClient({ ...mock.runtime, ...mock.image });
      let notes: readonly string[] | null = null;
      kernel.go('contract', function* () {
        const images = { busybox: 'localhost/busybox:dev', more: contractImageNames };
        const subject = {
          services,
          prefix: 'contract',
          strict: true,
          images,
          registry,
          cgroupParent: '/contract',
          folder: '/var/log/pods',
        };
        notes = yield* runContractCase(subject, one);
      });
      kernel.run({ until: 120e6 });
      expect(notes).toEqual([]);
      expect([mock.sandboxes(), mock.containers()]).toEqual([[], []]);
    }
  });
});
