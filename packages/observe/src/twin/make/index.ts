/** A scenario out of the records of an observed run. */

import { minorOfEra } from '@syncloop/core/kubelet/era/nearest';
import { defaultEra, type EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { Json, Micros, TraceRecord } from '@syncloop/core/trace';
import {
  isOfEra,
  type ObservedVersion,
  observedVersion,
  spanText,
  versionOfRecords,
  versionSentence,
} from '@syncloop/core/version';
import type { JsonObject } from '../base/json.js';
import { type LeftOut, LONGEST_TWIN, type TwinScenario } from '../base/types.js';
import { anchorsOf } from './anchors.js';
import { Assumptions } from './assumptions.js';
import { byPod } from './by-pod.js';
import { callEntries } from './calls.js';
import { conditionSteps } from './conditions.js';
import { lifeEntries } from './container-scripts.js';
import { type Cut, cutSeen } from './cut.js';
import { devicesOf } from './devices.js';
import { gather } from './gather.js';
import { imagesOf } from './images.js';
import { readable } from './left-out.js';
import { nodeOf } from './node.js';
import { objectSteps } from './objects.js';
import { outageSteps } from './outages.js';
import { podSteps, type Setting } from './pods.js';
import type { Seen } from './seen.js';
import { type Draft, type Part, writeScenario } from './write.js';

export interface TwinOptions extends Cut {
  /** Microseconds since 1970 at the time 0 of the records, as the observation knows it; null if it does not. */
  readonly epochMicros?: number | null;
  /** Such as "v1.36.2"; '' if unknown: then the records may show it. */
  readonly version?: string;
  /** The version as far as it is known, if somebody has looked at more than these records. */
  readonly kubelet?: ObservedVersion;
  /** The version of the kubelet that re-enacts it; its code has to be loaded. Default: the nearest one. */
  readonly era?: EraVersion;
  /** A version of the design of `era`, such as 1.29, as which the twin behaves. Default: the observed one. */
  readonly emulatedVersion?: string;
  /** Its name: small letters, digits, -. Default: twin. */
  readonly name?: string;
  /** The kubelet's answer to `/configz`, or its configuration file as JSON. */
  readonly config?: Json;
}

/**
 * Makes a scenario that re-enacts an observed run: the node, its settings, pods as they came and went, containers as
 * they lived, calls as long as they took. It rests on the records alone; anything else is an assumption.
 */
export function twinScenario(records: readonly TraceRecord[], options: TwinOptions = {}): TwinScenario {
  const { name = 'twin' } = options;
  const kubelet = kubeletOf(records, options);
  const era = options.era ?? kubelet.era;
  const epochMicros = options.epochMicros || null;
  const whole = { ...gather(records, epochMicros), hasSidecars: hasSidecars(kubelet, era) };
  const seen = cutSeen(whole, options);
  const assumptions = new Assumptions();
  if (epochMicros === null) assumptions.assume('clock.epoch');
  assumeVersion(assumptions, kubelet, era);
  if (options.emulatedVersion) assumptions.assume('kubelet.emulated', options.emulatedVersion);
  const node = nodeOf(whole, assumptions, { kubelet, era, asked: options.emulatedVersion }, options.config);
  const { seenFrom, starts } = anchorsOf(seen, assumptions);
  const setting: Setting = {
    seen,
    assumptions,
    nodeName: node.nodeName,
    epochMicros,
    toTwin: (time) => time - seenFrom,
    starts,
  };
  const observed = Math.max(0, seen.end - seenFrom);
  const until = Math.min(observed, LONGEST_TWIN);
  const devices = devicesOf(setting);
  const steps = [
    ...objectSteps(setting),
    ...devices.steps,
    ...podSteps(setting),
    ...conditionSteps(setting),
    ...outageSteps(setting),
  ].filter(({ at }) => at <= until);
  const { images, registry } = imagesOf(setting);
  const lives = lifeEntries(setting);
  const calls = callEntries(setting);
  const apiServer = node.apiServer || steps.some((step) => JSON.stringify(step.do).includes('"to":"api"'));
  const settings: JsonObject = {
    nodeName: node.nodeName,
    ...(apiServer && { apiServer: true }),
    ...node.settings,
  };
  const parts: Part[] = [];
  if (era !== defaultEra) parts.push({ key: 'era', value: era, why: whyEra(kubelet, era) });
  if (epochMicros !== null)
    parts.push({ key: 'startAt', value: rfc3339(epochMicros + seenFrom), why: 'When the kubelet started.' });
  parts.push({ key: 'startKubelet', value: false });
  // A step that fails on the twin is one difference, and does not end its story.
  parts.push({ key: 'continueOnError', value: true });
  parts.push({ key: 'node', value: settings as Json, ...(node.why && { why: `Of ${node.why}.` }) });
  parts.push({ key: 'machine', value: node.machine });
  if (images.length > 0) parts.push({ key: 'images', value: images as Json });
  if (registry.length > 0) parts.push({ key: 'registry', value: registry as Json });
  if (devices.plugins.length > 0) parts.push({ key: 'devicePlugins', value: devices.plugins as Json });
  if (lives.length > 0)
    parts.push({ key: 'lives', value: lives as Json, why: 'How long each container ran, and how it ended.' });
  if (calls.length > 0) parts.push({ key: 'calls', value: calls as Json, why: 'How long the runtime took.' });
  const drafted: Draft = {
    name,
    title: { en: `Twin of ${name}`, zh: `${name} 的孪生` },
    head: [
      `What a kubelet${kubelet.version && ` ${kubelet.version}`} did, re-enacted. Made of: ${[...seen.sources].join(', ') || 'records'}.`,
      ...assumptions.list.map(({ text }) => `Assumed: ${text.en}`),
    ],
    parts,
    steps,
    until,
  };
  const { draft, document, left: odd } = readable(drafted, (pod) => placeOf(seen, pod));
  const left = until < observed ? [...odd, tooLong(observed)] : odd;
  let text: string | null = null;
  return {
    name,
    // A twin that follows is made again each second, and its text is seldom read.
    get text() {
      text ??= writeScenario(draft);
      return text;
    },
    document,
    assumptions: assumptions.list,
    left,
    ...(partOf(options) && { cut: partOf(options) as Cut }),
    seenFrom,
    until,
    kubelet,
    era,
  };
}

/** Returns the part that was chosen; undefined if all is re-enacted. */
const partOf = ({ pods, from, to }: Cut): Cut | undefined =>
  pods || from !== undefined || to !== undefined
    ? { ...(pods && { pods }), ...(from !== undefined && { from }), ...(to !== undefined && { to }) }
    : undefined;

const hours = (time: Micros): string => String(Number((time / 3600e6).toFixed(1)));
const tooLong = (whole: Micros): LeftOut => ({
  pod: '',
  why: {
    en: `it covers ${hours(whole)} hours, and a twin at most ${hours(LONGEST_TWIN)}: what comes after them is not compared; select the part that matters with --from and --to`,
    zh: `所读内容长达 ${hours(whole)} 小时，而孪生最多 ${hours(LONGEST_TWIN)} 小时：其后的内容不作比较；请用 --from 和 --to 指定需要的部分`,
  },
});

/** The source and line at which a pod was first seen; '' if unknown. */
function placeOf(seen: Seen, short: string): string {
  const [pod] = byPod(seen).podsOfName.of(short.includes('/') ? short : `default/${short}`);
  const seq = pod?.ops[0]?.seq ?? pod?.objects[0]?.seq;
  return seq === undefined ? '' : seen.place(seq);
}

function rfc3339(micros: number): string {
  const whole = Math.floor(micros / 1e6);
  const rest = String(Math.round(micros - whole * 1e6)).padStart(6, '0');
  return `${new Date(whole * 1000).toISOString().slice(0, 19)}.${rest}Z`;
}

export { type Cut, cutDecisions } from './cut.js';
export { PartKeeper } from './part.js';
export { type Rerun, rerun } from './rerun.js';
export { longestSearchedText, scenarioOfTwin, withText } from './scenario-of-twin.js';

/** The version 1.x from which on sidecars are on by default. */
const SIDECARS_SINCE = 29;
const hasSidecars = ({ span }: ObservedVersion, era: EraVersion): boolean =>
  (span?.until ?? minorOfEra(era)) >= SIDECARS_SINCE;

function kubeletOf(records: readonly TraceRecord[], { kubelet, version = '' }: TwinOptions): ObservedVersion {
  const given = kubelet ?? observedVersion(version);
  return given.how === 'reported' ? given : versionOfRecords(records);
}

/** Records the version that the twin takes in place of the observed one. */
function assumeVersion(assumptions: Assumptions, kubelet: ObservedVersion, era: EraVersion): void {
  const { how, version, span } = kubelet;
  if (how !== 'reported') assumptions.assume(span ? 'kubelet.dated' : 'kubelet.version', span ? spanText(span).en : '');
  else if (!isOfEra(kubelet, era)) assumptions.assume('kubelet.era', version);
}

const whyEra = (kubelet: ObservedVersion, era: EraVersion): string =>
  `${sentenceCase(versionSentence(kubelet, era).en)}.`;
const sentenceCase = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
