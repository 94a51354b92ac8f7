/**
 * `npm run -s bench -- twin --eras`: kubelets of each older version run the library's scenarios, twins are made of
 * their captures, and each twin is run twice: by v1.36, and by the kubelet nearest to it. Prints, by captured version,
 * the decisions that are the same, those compared, and those passed over because of the version. The scenarios that the
 * nearest one re-enacts worst are named with their first difference. Takes a minute or two.
 */
import { availableEras, defaultEra, loadEras } from '@syncloop/core/kubelet';
import { findScenario, library } from '@syncloop/core/scenario';
import { compare, coverageOf, decisionsOf, rerun, twinScenario } from '@syncloop/observe/twin';
import { captureOf, leftOut, observeCapture, reEnactedUntil } from '@syncloop/observe/twin/capture';

/** The number of the worst that are named. */
const WORST = 10;

/** Returns the verdict on the twin of an observed run; `era` undefined: the nearest version. */
function verdictOf({ records, observation }, era) {
  const twin = twinScenario(records, { epochMicros: observation.epochMicros, ...(era && { era }) });
  const { seenFrom, kubelet } = twin;
  return compare(decisionsOf(records), decisionsOf(rerun(twin).records), {
    ...{ coverage: coverageOf(records), seenFrom, until: seenFrom + twin.until, kubelet, era: twin.era },
  });
}

function add(sum, { same, compared, tolerances }) {
  sum.same += same;
  sum.compared += compared;
  sum.byVersion += tolerances.find(({ rule }) => rule === 'version')?.used ?? 0;
}

export async function reEnacted() {
  await loadEras();
  const scenarios = library.map(({ name }) => findScenario(name)).filter((scenario) => leftOut(scenario) === null);
  const captured = {};
  for (const era of availableEras.filter((one) => one !== defaultEra)) {
    const byDefault = { same: 0, compared: 0, byVersion: 0 };
    const byNearest = { same: 0, compared: 0, byVersion: 0 };
    const unlike = [];
    for (const scenario of scenarios) {
      const observed = observeCapture(captureOf(scenario, { until: reEnactedUntil, era }));
      add(byDefault, verdictOf(observed, defaultEra));
      const verdict = verdictOf(observed);
      add(byNearest, verdict);
      const { same, compared, differences } = verdict;
      if (same < compared)
        unlike.push({ scenario: scenario.name, same, compared, first: differences[0]?.text.en ?? '' });
    }
    unlike.sort((a, b) => b.compared - b.same - (a.compared - a.same));
    captured[era] = { [`by ${defaultEra}`]: byDefault, 'by the nearest': byNearest, worst: unlike.slice(0, WORST) };
  }
  return { scenarios: scenarios.length, captured };
}
