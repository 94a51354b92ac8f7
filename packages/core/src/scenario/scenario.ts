import type { KubeletConfig } from '../kubelet/config.js';
import type { FaultRule, ImageSpecification, RegistryBehaviour } from '../mock/index.js';
import type { Micros } from '../trace/index.js';

export const scenarioAPIVersion = 'syncloop.dev/v1alpha1';

/** A text in the languages of the page. */
export interface LocalText {
  readonly en: string;
  readonly zh: string;
}

/** What a `waitFor` waits for; all that is given must hold at once. */
export interface Condition {
  /** Name in the manifest, without the node's suffix. */
  readonly pod: string;
  /** Running means that all its app containers run, too. */
  readonly phase?: string;
  /** In no status of the kubelet, and without a ready sandbox. */
  readonly gone?: true;
  /** The pod's Ready condition. */
  readonly ready?: boolean;
  readonly container?: string;
  /** Reason why the container waits: CrashLoopBackOff. */
  readonly waiting?: string;
  /** Reason of the container's end, now or the time before: OOMKilled. */
  readonly terminated?: string;
  /** At least so many restarts of the container. */
  readonly restarts?: number;
}

/** One thing that a scenario does. Durations in Micros. */
export type Action =
  | { readonly verb: 'apply'; readonly file: string; readonly text: string }
  /** `name` of the manifest: its file is `name`.yaml unless it is one itself. */
  | { readonly verb: 'delete'; readonly name: string }
  | { readonly verb: 'raw'; readonly file: string; readonly text: string }
  | { readonly verb: 'rmraw'; readonly file: string }
  | { readonly verb: 'wait'; readonly duration: Micros }
  | { readonly verb: 'waitFor'; readonly condition: Condition; readonly timeout: Micros }
  | { readonly verb: 'kill'; readonly pod: string; readonly container: string; readonly signal: string }
  | { readonly verb: 'killSandbox'; readonly pod: string }
  | { readonly verb: 'oom'; readonly pod: string; readonly container: string }
  | { readonly verb: 'exec'; readonly pod: string; readonly container: string; readonly command: readonly string[] }
  | { readonly verb: 'fault'; readonly rule: FaultRule }
  | { readonly verb: 'clearFaults' }
  | { readonly verb: 'network'; readonly ready: boolean }
  | { readonly verb: 'addImage'; readonly image: ImageSpecification }
  | { readonly verb: 'removeImage'; readonly ref: string }
  | { readonly verb: 'registry'; readonly ref: string; readonly behaviour: RegistryBehaviour }
  | { readonly verb: 'stopKubelet' | 'startKubelet' | 'restartKubelet' | 'stopRuntime' | 'startRuntime' };

export type Verb = Action['verb'];

export interface Step {
  readonly action: Action;
  /** `waitFor web Running`, for messages. */
  readonly text: string;
  /** Line in the scenario's text, from 1. */
  readonly line: number;
}

/** A parsed scenario: a node, and what happens to it. */
export interface Scenario {
  readonly name: string;
  readonly title: LocalText;
  readonly summary: LocalText;
  readonly seed: number;
  /** What differs from a kubelet's defaults. */
  readonly node: Partial<KubeletConfig>;
  /** On the node from the start, besides the mock's own. */
  readonly images: readonly ImageSpecification[];
  readonly registry: readonly { readonly ref: string; readonly behaviour: RegistryBehaviour }[];
  readonly steps: readonly Step[];
  /** As it was written. */
  readonly text: string;
  readonly file: string;
}
