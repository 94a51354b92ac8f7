import { parseScenario, startScenario } from '@syncloop/core/scenario';
import { PartError } from '../seams/index.js';
import type { LocalText, Stage } from '../stages/index.js';
import { type Observed, Observer, type Recorded, type RecordedCall, type RecordedStatus } from './recorded.js';
import { scenarioOfRecording } from './scenario-of.js';
import type { Difference, LearnerFile } from './types.js';

/** A status that lasts for less than this may be missed by whoever looks, ms. */
const stable = 700;
/** Gaps up to this are not compared, ms. */
const shortGap = 3000;

/** Runs a recording's steps on our kubelet with the code in it; null if it does what the real kubelet did. */
export function judgeRecording(stage: Stage, source: LearnerFile, recorded: Recorded): Difference | null {
  const scenario = scenarioOfRecording(recorded, stage.parts, source);
  const observer = new Observer();
  let failed: PartError | null = null;
  const run = startScenario(parseScenario(scenario, `${recorded.name}.yaml`), { sink: observer.take });
  try {
    run.run();
  } catch (error) {
    if (!(error instanceof PartError)) throw error;
    failed = error;
  }
  const time = run.kernel.now();
  const about = { en: recorded.about, zh: recorded.about };
  const base = { level: 'recordings' as const, case: recorded.name, about };
  if (failed) {
    const { problem } = failed;
    const text = { en: `The run ended: ${failed.message}.`, zh: `运行中断：${failed.message}。` };
    return { ...base, text, expected: null, got: null, problem, show: { scenario, time } };
  }
  const found = compareRuns(recorded, observer.result());
  if (!found) return null;
  const { at, ...rest } = found;
  const version = recorded.kubelet.replace(/^Kubernetes /, '');
  const text = {
    en: `Recording ${recorded.name} of a real kubelet ${version}: ${found.text.en}.`,
    zh: `真实 kubelet ${version} 的录像 ${recorded.name}：${found.text.zh}。`,
  };
  return { ...base, ...rest, text, show: { scenario, time: Math.max(0, Math.round(at * 1000)) } };
}

/** A difference and the time of our run at which it shows, ms. */
interface RunDifference {
  readonly at: number;
  readonly text: LocalText;
  readonly expected: string | null;
  readonly got: string | null;
}

/** Finds what differs first; null if nothing does. */
export function compareRuns(want: Pick<Recorded, 'calls' | 'statuses'>, got: Observed): RunDifference | null {
  const found: RunDifference[] = [];
  const add = (one: RunDifference | null) => {
    if (one) found.push(one);
  };
  for (const pod of new Set([...Object.keys(want.calls), ...Object.keys(got.calls)])) {
    const [real, ours] = [want.calls[pod] ?? [], got.calls[pod] ?? []];
    add(orderDifference(pod, real, ours));
    add(gapDifference(pod, real, ours));
  }
  for (const [pod, real] of Object.entries(want.statuses)) add(statusDifference(pod, real, got.statuses[pod] ?? []));
  return found.sort((a, b) => a.at - b.at)[0] ?? null;
}

const ops = (calls: readonly RecordedCall[]): string[] => calls.map(([op]) => op);

function orderDifference(
  pod: string,
  real: readonly RecordedCall[],
  ours: readonly RecordedCall[],
): RunDifference | null {
  let next = 0;
  for (const group of overlapping(real)) {
    const expected = ops(group).sort();
    const there = ours.slice(next, next + group.length);
    const got = ops(there).sort();
    if (expected.join() !== got.join()) {
      const wanted = expected.find((op) => !got.includes(op)) ?? (expected[0] as string);
      const instead = there.find(([op]) => !expected.includes(op));
      return callDifference(pod, wanted, instead ?? null, instead?.[1] ?? group[0]?.[1] ?? 0);
    }
    next += group.length;
  }
  const more = ours[next];
  return more ? callDifference(pod, null, more, more[1]) : null;
}

function callDifference(pod: string, expected: string | null, got: RecordedCall | null, at: number): RunDifference {
  const instead = got?.[0] ?? null;
  const when = (at / 1000).toFixed(1);
  const en =
    expected === null
      ? `for pod ${pod} there is one call too many at ${when} s, ${instead}`
      : instead === null
        ? `for pod ${pod} the real one called ${expected} (at about ${when} s), and yours did not`
        : `for pod ${pod} the real one called ${expected}, and yours called ${instead} at ${when} s`;
  const zh =
    expected === null
      ? `Pod ${pod} 在 ${when} 秒多了一次调用 ${instead}`
      : instead === null
        ? `对 Pod ${pod}，真实的调用了 ${expected}（约 ${when} 秒），你的没有`
        : `对 Pod ${pod}，真实的调用了 ${expected}，你的在 ${when} 秒调用了 ${instead}`;
  return { at, expected, got: instead, text: { en, zh } };
}

/** Groups calls that overlapped in time: within a group the order is free. */
function overlapping(calls: readonly RecordedCall[]): RecordedCall[][] {
  const out: RecordedCall[][] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const call of calls) {
    if (out.length > 0 && call[1] < end) out.at(-1)?.push(call);
    else out.push([call]);
    end = Math.max(out.at(-1)?.length === 1 ? Number.NEGATIVE_INFINITY : end, call[2]);
  }
  return out;
}

/** The ms from the start before to each later creation of a container, by its op. */
function gaps(calls: readonly RecordedCall[]): Map<string, { readonly gap: number; readonly at: number }> {
  const started = new Map<string, number>();
  const out = new Map<string, { gap: number; at: number }>();
  for (const [op, at] of calls) {
    const [, verb, name] = /^(\w+) (.*)#\d+/.exec(op) ?? [];
    if (verb === 'StartContainer') started.set(String(name), at);
    const before = started.get(String(name));
    if (verb === 'CreateContainer' && before !== undefined) out.set(op, { gap: at - before, at });
  }
  return out;
}

/** The kubelet adds up to half to the wait of a pod's worker, and looks about once a second. */
function gapDifference(
  pod: string,
  real: readonly RecordedCall[],
  ours: readonly RecordedCall[],
): RunDifference | null {
  const theirs = gaps(ours);
  for (const [op, { gap: want }] of gaps(real)) {
    const got = theirs.get(op);
    if (want <= shortGap || !got) continue;
    if (got.gap >= want / 1.5 - 2500 && got.gap <= want * 1.5 + 2500) continue;
    const [a, b] = [(want / 1000).toFixed(1), (got.gap / 1000).toFixed(1)];
    return {
      at: got.at,
      expected: `${a} s`,
      got: `${b} s`,
      text: {
        en: `for pod ${pod} ${op} came ${a} s after the start before it, and with yours ${b} s after it`,
        zh: `Pod ${pod} 的 ${op} 在上一次启动之后 ${a} 秒到来，你的是 ${b} 秒`,
      },
    };
  }
  // A restart that comes at once where the real one waited shows as a call; here as a gap.
  return null;
}

function statusDifference(
  pod: string,
  real: readonly RecordedStatus[],
  ours: readonly RecordedStatus[],
): RunDifference | null {
  let from = 0;
  for (const [text, begin, until] of real) {
    if (until - begin < stable) continue;
    const found = ours.findIndex(([theirs], i) => i >= from && theirs === text);
    if (found >= 0) {
      from = found;
      continue;
    }
    const nearest = ours[Math.min(from + 1, ours.length - 1)] ?? null;
    const at = nearest?.[1] ?? begin;
    const [a, b] = nearest ? whatDiffers(text, nearest[0]) : [text, ''];
    return {
      at,
      expected: text,
      got: nearest?.[0] ?? null,
      text: nearest
        ? {
            en: `the status of pod ${pod} said ${a}, and yours says ${b} at ${(at / 1000).toFixed(1)} s`,
            zh: `Pod ${pod} 的状态是 ${a}，你的在 ${(at / 1000).toFixed(1)} 秒是 ${b}`,
          }
        : { en: `pod ${pod} had a status, and with yours it has none`, zh: `Pod ${pod} 有状态，你的没有` },
    };
  }
  return null;
}

/** The pieces of two statuses that are not in the other one. */
function whatDiffers(a: string, b: string): [string, string] {
  const [x, y] = [a.split(', '), b.split(', ')];
  const without = (list: string[], other: string[]) => list.filter((piece) => !other.includes(piece)).join(', ');
  return [without(x, y) || a, without(y, x) || b];
}
