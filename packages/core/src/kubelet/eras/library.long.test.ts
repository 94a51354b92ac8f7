import { beforeAll, describe, expect, it } from 'vitest';
import { wholeRun } from '../../debug/run/whole-run.js';
import { type EraNote, eraNotes, findScenario, library } from '../../scenario/index.js';
import type { RecordOf } from '../../trace/index.js';
import { availableEras, defaultEra, loadEras } from '../era/index.js';
import { Younger } from './testing/younger.js';

beforeAll(() => loadEras());

/** Fields that a run left out of pods, and those that were told before it, as `pod container field`. */
function leftOut(records: readonly RecordOf<'decision'>[]): Set<string> {
  return new Set(
    records
      .filter(({ rule }) => rule === 'decode')
      .map(
        ({ pod = '', container = '', values }) => `${pod.replace(/^.*\/|-node1$/g, '')} ${container} ${values.field}`,
      ),
  );
}
const told = (notes: readonly EraNote[]) =>
  new Set(
    notes.filter(({ what }) => what === 'field').map(({ pod, container = '', name }) => `${pod} ${container} ${name}`),
  );

describe.each(availableEras.filter((era) => era !== defaultEra))('the kubelet of %s', (era) => {
  it.each(library.map(({ name }) => name))(
    '[5:N16, 5:N23] runs %s to its end with nothing younger than itself, and what it leaves out is told',
    (name) => {
      let records = 0;
      const decisions: RecordOf<'decision'>[] = [];
      const younger = new Younger(era, findScenario(name).node.featureGates ?? {});
      const { run, proceed } = wholeRun(findScenario(name), {
        era,
        sink: (r) => {
          records++;
          younger.take(r);
          if (r.kind === 'decision') decisions.push(r);
        },
      });
      proceed();
      expect(run.done).toBe(true);
      expect(run.kubelet?.exited ?? null).toBeNull();
      expect(records).toBeGreaterThan(100);
      expect([...younger.found]).toEqual([]);
      expect(leftOut(decisions)).toEqual(told(eraNotes(findScenario(name), era)));
    },
  );
});
