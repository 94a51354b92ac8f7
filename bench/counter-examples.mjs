/**
 * Searches for schedules that break the rules for which pod workers were rewritten, before and since: explores the
 * scenarios `killer-*` of the library, from scratch.
 *
 * `node bench/counter-examples.mjs found [--seeds 10] [--schedules 2000]`: in the designs up to v1.21, after how many
 * schedules each rule is broken first, for each of so many seeds. Exits 1 if one that should be found is not.
 *
 * `node bench/counter-examples.mjs held [--schedules 20000] [--era v1.25] [--scenario killer-explore] [--from 3000]`:
 * in v1.25 and later, whether any schedule breaks one. It goes on a thousand at a time, each with draws of its own, and
 * can be interrupted and continued. Exits 1 if one does. Needs the build of packages/core.
 */
import { Exploration, scenarioStart } from '@syncloop/core/debug';
import { loadEras } from '@syncloop/core/kubelet';
import { library } from '@syncloop/core/scenario';

const rules = ['preStopRunsOnce', 'oneWorkerPerPod', 'oneStaticPodPerName', 'nothingStartsAfterKill', 'endIsTold'];
const since = ['v1.25', 'v1.32', 'v1.36'];
/** The rules that each of the old designs breaks in the scenario for exploring. */
const broken = { 'v1.12': rules, 'v1.21': rules.filter((rule) => rule !== 'oneStaticPodPerName') };

const [what, ...argv] = process.argv.slice(2);
const option = (name, usual) => {
  const at = argv.indexOf(`--${name}`);
  return at < 0 ? usual : argv[at + 1];
};
/** Schedules explored at once. */
const BATCH = 1000;
const seconds = (from) => Math.round((performance.now() - from) / 1000);

const exploration = (scenario, era, more) =>
  new Exploration({ ...scenarioStart(scenario, { era }), ...more, invariants: rules, shrink: false });

/** Returns the number of the first schedule that breaks a rule, from 1, by rule; null if none does. */
function firstOf(era, seed, most) {
  const explored = exploration('killer-explore', era, { seed, maxSchedules: most });
  const first = Object.fromEntries(broken[era].map((rule) => [rule, null]));
  for (let going = true; going && Object.values(first).includes(null); ) {
    going = explored.step({ schedules: 1 });
    const { findings, schedules } = explored.report();
    for (const { problem } of findings) if (first[problem.name] === null) first[problem.name] = schedules;
  }
  return first;
}

await loadEras();
let failed = false;
if (what === 'found') {
  const most = Number(option('schedules', 2000));
  for (const era of Object.keys(broken))
    for (let seed = 1; seed <= Number(option('seeds', 10)); seed++) {
      const from = performance.now();
      const first = firstOf(era, seed, most);
      failed ||= Object.values(first).includes(null);
      console.log(JSON.stringify({ era, seed, ...first, seconds: seconds(from) }));
    }
} else if (what === 'held') {
  const most = Number(option('schedules', 20_000));
  const scenarios = library.map(({ name }) => name).filter((name) => name.startsWith('killer-'));
  for (const scenario of scenarios.filter((name) => name === option('scenario', name)))
    for (let done = Number(option('from', 0)); done < most; done += BATCH)
      for (const era of since.filter((name) => name === option('era', name))) {
        const from = performance.now();
        const explored = exploration(scenario, era, { drawing: 1 + done / BATCH, maxSchedules: BATCH });
        while (explored.step({ schedules: 100 }));
        const { distinct, findings } = explored.report();
        const found = findings.filter((f) => f.problem.kind !== 'step').map((f) => `${f.problem.name} ${f.times}`);
        failed ||= found.length > 0;
        console.log(
          JSON.stringify({ scenario, era, schedules: done + BATCH, distinct, found, seconds: seconds(from) }),
        );
      }
} else {
  console.error('counter-examples: say found or held');
  process.exitCode = 2;
}
if (failed) process.exitCode = 1;
