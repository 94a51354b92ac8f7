/** The result of an incident and its twin, in an order for readers who were not there. */
import { changesBetween } from '@syncloop/core/changes';
import { Findings } from '@syncloop/core/debug';
import { isOfEra, versionSentence } from '@syncloop/core/version';
import { type Decision, type Difference, decisionKinds, type TwinScenario } from '../base/types.js';
import { Teller } from './teller.js';
import { timelineOf } from './timeline.js';
import type { ReportInput, StoryCauses, StoryDifference, StoryTrouble, TwinStory } from './types.js';
import { headlineOf } from './words.js';

/** The most differences that are listed, and the most that are explained with their causes. */
const MOST_DIFFERENCES = 50;
const MOST_EXPLAINED = 3;
const MOST_FOLLOWERS = 10;
const MOST_TROUBLES = 12;

/** A pure function of its input: the same input gives the same story. */
export function twinStory(input: ReportInput): TwinStory {
  const { verdict, scenario, coverage } = input;
  const teller = new Teller(input);
  const last = input.seen.records.at(-1)?.time ?? 0;
  const { rows, hidden } = timelineOf(input, teller);
  const listed = verdict.differences.slice(0, MOST_DIFFERENCES);
  return {
    format: 'syncloop-twin-report',
    version: 1,
    by: input.by,
    kubelet: input.kubelet,
    twin: versionsOf(scenario),
    sources: input.sources,
    from: teller.at(scenario.seenFrom),
    to: teller.at(Math.max(last, scenario.seenFrom)),
    agrees: verdict.differences.every(({ chance }) => chance !== undefined),
    headline: headlineOf(input, teller),
    verdict: {
      compared: verdict.compared,
      same: verdict.same,
      kinds: Object.fromEntries(
        decisionKinds.map((kind) => [kind, { ...verdict.kinds[kind], coverage: coverage[kind] }]),
      ) as TwinStory['verdict']['kinds'],
      text: verdict.text,
    },
    troubles: troublesOf(input, teller),
    timeline: rows,
    timelineHidden: hidden,
    differences: listed.map((one, i) => differenceOf(one, teller, i < MOST_EXPLAINED)),
    differencesHidden: verdict.differences.length - listed.length,
    chance: {
      tries: input.chance?.tries ?? 0,
      choices: (input.chance?.choices ?? []).map(({ seq, time, text }) => ({
        ...teller.moment(null, seq > 0 ? { seq, time } : null),
        at: teller.at(time + scenario.seenFrom),
        text,
      })),
    },
    ...(input.causes && { causes: causesOf(input.causes) }),
    assumptions: scenario.assumptions,
    tolerances: verdict.tolerances.filter(({ used }) => used > 0),
    scenario: { name: scenario.name, text: scenario.text },
  };
}

const MOST_CAUSES = 5;
const causesOf = ({ tried, differ, ended, summary, order, found }: StoryCauses): StoryCauses => ({
  tried,
  differ,
  ended,
  summary,
  order,
  found: found.slice(0, MOST_CAUSES).map(({ causes, text, cost, explains, left, same, compared, nth }) => ({
    causes,
    text,
    cost,
    explains,
    left,
    same,
    compared,
    nth,
  })),
});

function versionsOf({ kubelet, era }: TwinScenario): TwinStory['twin'] {
  if (isOfEra(kubelet, era)) return { era };
  const mayDiffer = changesBetween(kubelet.span, era).map(({ since, title }) => ({ since, title }));
  return { era, why: versionSentence(kubelet, era), mayDiffer };
}

function differenceOf(one: Difference, teller: Teller, explained: boolean): StoryDifference {
  const { seen, twin, how, path, values, text, followers = [] } = one;
  const about = (seen ?? twin) as Decision;
  const chains = explained
    ? [seen && teller.chain('seen', seen.seq), twin && teller.chain('twin', twin.seq)].filter((c) => c !== null)
    : [];
  return {
    ...teller.moment(seen, twin),
    how,
    kind: about.kind,
    pod: about.pod,
    ...(about.container !== undefined && { container: about.container }),
    what: about.what,
    ...(path !== undefined && { path }),
    ...(values && { values }),
    text,
    ...(one.chance !== undefined && { chance: one.chance }),
    followers: {
      count: followers.length,
      first: followers
        .slice(0, MOST_FOLLOWERS)
        .map((follower) => ({ ...teller.moment(follower.seen, follower.twin), text: follower.text })),
    },
    chains,
  };
}

function troublesOf({ seen }: ReportInput, teller: Teller): StoryTrouble[] {
  const findings = new Findings();
  for (const record of seen.records) findings.take(record);
  return findings
    .list()
    .findings.slice(0, MOST_TROUBLES)
    .map(({ code, pod, count, first, text }) => ({ ...teller.moment(first, null), code, pod, times: count, text }));
}
