import {
  isGapNear,
  isStable,
  mayKillTwice,
  orderDifference,
  type PodCall,
  restartGaps,
  type StatusDifference,
  shortGap,
  statusDifference,
  withoutSecondKill,
} from '@syncloop/core/conformance/compare';
import { parseScenario, startScenario } from '@syncloop/core/scenario';
import { localProblem, PartError } from '../seams/index.js';
import type { LocalText, Stage } from '../stages/index.js';
import { aboutInChinese } from './about-zh.js';
import { callsOf, type Observed, Observer, type Recorded, statusesOf } from './recorded.js';
import { scenarioOfRecording } from './scenario-of.js';
import type { Difference, LearnerFile, SideEntry, Sides } from './types.js';

/** Runs a recording's steps on our kubelet with the code in it; null if it does what the real kubelet did. */
export function judgeRecording(stage: Stage, source: LearnerFile, recorded: Recorded): Difference | null {
  const scenario = scenarioOfRecording(recorded, stage.parts, source);
  const observer = new Observer(recorded.steps);
  let failed: PartError | null = null;
  const run = startScenario(parseScenario(scenario, `${recorded.scenario}.yaml`), { sink: observer.take });
  try {
    run.run();
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    failed = error;
  }
  const time = run.kernel.now();
  const about = { en: recorded.about, zh: aboutInChinese[recorded.scenario] ?? recorded.about };
  const base = { level: 'recordings' as const, case: recorded.scenario, about };
  if (failed) {
    const { problem } = failed;
    const said = localProblem(problem);
    const text = { en: `The run ended: ${said.en}.`, zh: `运行中断：${said.zh}。` };
    return { ...base, text, expected: null, got: null, problem, show: { scenario, time } };
  }
  const observed = observer.result();
  const found = compareRuns(recorded, observed);
  if (!found) return null;
  const { at, pod, ...rest } = found;
  const version = recorded.kubelet.replace(/^Kubernetes /, '');
  const sides: Sides = {
    pod: shown(pod),
    kubelet: version,
    real: entriesOf(pod, recorded),
    yours: entriesOf(pod, observed),
  };
  const text = {
    en: `Recording ${recorded.scenario} of a real kubelet ${version}: ${found.text.en}.`,
    zh: `真实 kubelet ${version} 的录像 ${recorded.scenario}：${found.text.zh}。`,
  };
  return { ...base, ...rest, text, show: { scenario, time: Math.max(0, Math.round(at * 1000)), sides } };
}

/** The most entries of a side. */
const mostEntries = 300;

/** Calls are kept by pod (`web-node1@1`), statuses by name, which pods have one after the other. */
function entriesOf(pod: string, observed: Observed): readonly SideEntry[] {
  const name = pod.replace(/@\d+$/, '');
  const calls = [...callsOf(observed)]
    .filter(([key]) => key === pod || (pod === name && key.replace(/@\d+$/, '') === name))
    .flatMap(([, of]) => of)
    .map(({ at, op }) => ({ at, kind: 'call' as const, text: op }));
  const statuses = (statusesOf(observed).get(name) ?? [])
    .filter(isStable)
    .map(({ at, text }) => ({ at, kind: 'status' as const, text }));
  return [...calls, ...statuses].sort((a, b) => a.at - b.at).slice(0, mostEntries);
}

/** A difference and the time of our run at which it shows, ms. */
interface RunDifference {
  /** The key of the pod that it is about. */
  readonly pod: string;
  readonly at: number;
  readonly text: LocalText;
  readonly expected: string | null;
  readonly got: string | null;
}

/** Finds what differs first; null if nothing does. */
export function compareRuns(want: Observed & Partial<Pick<Recorded, 'kubelet'>>, got: Observed): RunDifference | null {
  const found: (RunDifference | null)[] = [];
  const [real, ours] = [callsOf(want), callsOf(got)];
  for (const pod of new Set([...real.keys(), ...ours.keys()])) {
    const compared = (calls: readonly PodCall[] = []) =>
      mayKillTwice(want.kubelet) ? withoutSecondKill(calls) : calls;
    const [theirs, mine] = [compared(real.get(pod)), compared(ours.get(pod))];
    found.push(of(pod, callDifference(shown(pod), theirs, mine)), of(pod, pauseDifference(shown(pod), theirs, mine)));
  }
  const statuses = statusesOf(got);
  for (const [pod, steps] of statusesOf(want))
    found.push(of(pod, differenceOfStatus(shown(pod), statusDifference(steps, statuses.get(pod) ?? []))));
  return found.filter((one) => one !== null).sort((a, b) => a.at - b.at)[0] ?? null;
}

type OnePod = Omit<RunDifference, 'pod'>;
const of = (pod: string, found: OnePod | null): RunDifference | null => found && { pod, ...found };

/** A pod's name in sentences: `web-node1@0` is web, `web-node1@1` the second pod of that name, web (2). */
const shown = (pod: string): string =>
  pod.replace(/-node1(?=@|$)/, '').replace(/@(\d+)$/, (_, n) => (n === '0' ? '' : ` (${Number(n) + 1})`));
const inSeconds = (ms: number): string => (ms / 1000).toFixed(1);

function callDifference(pod: string, real: readonly PodCall[], ours: readonly PodCall[]): OnePod | null {
  const found = orderDifference(real, ours);
  if (!found) return null;
  const has = (calls: readonly PodCall[], { op }: PodCall) => calls.some((call) => call.op === op);
  // Among calls that may come in any order, the one that did not come is named.
  const missing = found.expected.find((call) => !has(found.got, call)) ?? found.expected[0];
  const instead = found.got.find((call) => !has(found.expected, call));
  const at = instead?.at ?? missing?.at ?? 0;
  const when = inSeconds(at);
  const [expected, got] = [missing?.op ?? null, instead?.op ?? null];
  const text =
    expected === null
      ? {
          en: `for pod ${pod} there is one call too many at ${when} s, ${got}`,
          zh: `Pod ${pod} 在 ${when} 秒多了一次调用 ${got}`,
        }
      : got === null
        ? {
            en: `for pod ${pod} the real one called ${expected} (at about ${when} s), and yours did not`,
            zh: `对 Pod ${pod}，真实的调用了 ${expected}（约 ${when} 秒），你的没有`,
          }
        : {
            en: `for pod ${pod} the real one called ${expected}, and yours called ${got} at ${when} s`,
            zh: `对 Pod ${pod}，真实的调用了 ${expected}，你的在 ${when} 秒调用了 ${got}`,
          };
  return { at, expected, got, text };
}

/** A restart that comes at once where the real one waited shows as a pause, not as a call. */
function pauseDifference(pod: string, real: readonly PodCall[], ours: readonly PodCall[]): OnePod | null {
  const pauses = restartGaps(ours);
  for (const [op, want] of restartGaps(real)) {
    const got = pauses.get(op);
    if (want <= shortGap || got === undefined || isGapNear(want, got)) continue;
    const [a, b] = [inSeconds(want), inSeconds(got)];
    return {
      at: ours.find((call) => call.op === op)?.at ?? 0,
      expected: `${a} s`,
      got: `${b} s`,
      text: {
        en: `for pod ${pod} ${op} came ${a} s after the start before it, and with yours ${b} s after it`,
        zh: `Pod ${pod} 的 ${op} 在上一次启动之后 ${a} 秒到来，你的是 ${b} 秒`,
      },
    };
  }
  return null;
}

function differenceOfStatus(pod: string, found: StatusDifference | null): OnePod | null {
  if (!found) return null;
  const { expected, nearest } = found;
  if (!nearest) {
    const text = { en: `pod ${pod} had a status, and with yours it has none`, zh: `Pod ${pod} 有状态，你的没有` };
    return { at: expected.at, expected: expected.text, got: null, text };
  }
  const [a, b] = whatDiffers(expected.text, nearest.text);
  const when = inSeconds(nearest.at);
  return {
    at: nearest.at,
    expected: expected.text,
    got: nearest.text,
    text: {
      en: `the status of pod ${pod} said ${a}, and yours says ${b} at ${when} s`,
      zh: `Pod ${pod} 的状态是 ${a}，你的在 ${when} 秒是 ${b}`,
    },
  };
}

/** The pieces of two statuses that are not in the other one. */
function whatDiffers(a: string, b: string): [string, string] {
  const [x, y] = [a.split(', '), b.split(', ')];
  const without = (list: string[], other: string[]) => list.filter((piece) => !other.includes(piece)).join(', ');
  return [without(x, y) || a, without(y, x) || b];
}
