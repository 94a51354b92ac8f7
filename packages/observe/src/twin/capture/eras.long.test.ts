import { availableEras, defaultEra, loadEras } from '@syncloop/core/kubelet';
import { findScenario } from '@syncloop/core/scenario';
import { beforeAll, expect, it } from 'vitest';
import { compare, coverageOf, decisionsOf } from '../compare/index.js';
import { rerun, twinScenario } from '../make/index.js';
import { captureOf, observeCapture } from './index.js';

beforeAll(async () => {
  await loadEras();
});

const SCENARIOS = ['hello', 'container-killed', 'graceful-delete', 'api-pod'];

it.each(availableEras.filter((era) => era !== defaultEra))(
  'a kubelet of %s is re-enacted by its like, with nothing passed over because of the version',
  (era) => {
    for (const name of SCENARIOS) {
      const { records, observation } = observeCapture(captureOf(findScenario(name), { until: 30e6, era }));
      const twin = twinScenario(records, { epochMicros: observation.epochMicros });
      expect(twin).toMatchObject({ era, kubelet: { how: 'reported' } });
      const { kubelet, seenFrom, until } = twin;
      const verdict = compare(decisionsOf(records), decisionsOf(rerun(twin).records), {
        ...{ coverage: coverageOf(records), seenFrom, until: seenFrom + until, kubelet, era },
      });
      expect(
        verdict.differences.map(({ text }) => text.en),
        name,
      ).toEqual([]);
      expect(verdict.compared).toBeGreaterThan(5);
      expect(verdict.tolerances.map(({ rule }) => rule)).not.toContain('version');
    }
  },
);
