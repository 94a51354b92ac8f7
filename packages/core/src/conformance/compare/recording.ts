/** Recordings of a kubelet in the form of the golden recordings: conversation with the runtime, statuses, log. */

/** Parsed JSON of unknown shape, read leniently: recordings come from elsewhere. */
export type Loose = { readonly [key: string]: unknown };

/** One unary CRI call. Times in ms since the recording's start. */
export interface CriEntry {
  readonly seq: number;
  readonly at: number;
  readonly tookMs: number;
  /** Name on the wire: `RunPodSandbox`. */
  readonly method: string;
  readonly request: Loose;
  readonly response?: Loose;
  readonly error?: { readonly code: number; readonly details: string };
}

/** A pod as the kubelet's `/pods` shows it. */
export interface PodSnapshot {
  readonly name: string;
  readonly uid: string;
  readonly deletionTimestamp?: string | boolean | null;
  readonly status?: Loose;
}

/** All pods at one moment. */
export interface StatusSnapshot {
  readonly at: number;
  readonly pods: readonly PodSnapshot[];
}

/** A verb and its arguments. */
export type Step = readonly [verb: string, ...args: unknown[]];

/** A recording, in the shape of the golden ones. */
export interface Recording {
  readonly scenario: string;
  readonly about?: string;
  readonly kubelet?: string;
  readonly containerd?: string;
  readonly steps: readonly Step[];
  readonly marks: readonly { readonly at: number; readonly step: string; readonly args: readonly unknown[] }[];
  readonly cri: readonly CriEntry[];
  readonly status: readonly StatusSnapshot[];
  readonly klog: readonly string[];
  /** `status` has every change, not samples. */
  readonly everyChange?: boolean;
  readonly apiStatus?: readonly StatusSnapshot[];
  readonly api?: readonly Loose[];
  readonly kubeEvents?: readonly unknown[];
  readonly node?: Loose;
  readonly lease?: Loose;
}

/** The parts that are observed while the steps are done. */
export const observed = ['cri', 'status', 'klog'] as const;

/** True if nothing was observed yet: then there is nothing to compare with. */
export function hasStepsOnly(recording: Recording): boolean {
  return observed.every((field) => recording[field].length === 0);
}

const apiVerbs = new Set(['create', 'patch', 'del', 'nodeReady', 'apiPhase', 'apiGone', 'stopApi', 'startApi']);

/** True if a recording was made with an API server, or needs one. */
export function needsApiServer(recording: Recording): boolean {
  return (
    recording.node !== undefined ||
    recording.api !== undefined ||
    recording.apiStatus !== undefined ||
    recording.steps.some(([verb]) => apiVerbs.has(verb))
  );
}

/** `a.b.c` of something loose. */
export function at(value: unknown, ...path: string[]): unknown {
  let here = value;
  for (const key of path) here = typeof here === 'object' && here !== null ? (here as Loose)[key] : undefined;
  return here;
}

/** The same for a text; '' if there is none. */
export function textAt(value: unknown, ...path: string[]): string {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : '';
}

/** The same for a list. */
export function listAt(value: unknown, ...path: string[]): readonly unknown[] {
  const found = at(value, ...path);
  return Array.isArray(found) ? found : [];
}
