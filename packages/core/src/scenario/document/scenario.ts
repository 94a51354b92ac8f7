import type { Deviation } from '../../kernel/index.js';
import type { KubeletConfig } from '../../kubelet/config.js';
import type { EraVersion } from '../../kubelet/era/index.js';
import type { PartSources } from '../../kubelet/parts/sources.js';
import type {
  ContainerScript,
  DevicePluginChange,
  DevicePluginSpec,
  ImageBehaviour,
  ImageSpecification,
  MockRuntimeOptions,
  RegistryBehaviour,
  ScriptedCall,
} from '../../mock/index.js';
import type { Micros, RecordKind } from '../../trace/index.js';
import type { Fault } from './fault-types.js';

/** The version of the format that is written today. */
export const scenarioAPIVersion = 'syncloop.dev/v1alpha2';
/** The first one: a node has a cluster DNS only if the scenario gives it one. */
export const firstScenarioAPIVersion = 'syncloop.dev/v1alpha1';

/** A text in the languages of the page. */
export interface LocalText {
  readonly en: string;
  readonly zh: string;
}

/** The state that a pod must be in; all that is given must hold at once. */
export interface Condition {
  /** Name in the manifest, without the node's suffix. */
  readonly pod: string;
  /** Running means that all its app containers run, too. */
  readonly phase?: string;
  /** In no status of the kubelet, and without a ready sandbox. */
  readonly gone?: true;
  /** The pod's Ready condition. */
  readonly ready?: boolean;
  /** The reason in the pod's status, such as Evicted, OutOfcpu or DeadlineExceeded. */
  readonly reason?: string;
  readonly container?: string;
  readonly running?: boolean;
  /** Reason why the container waits: CrashLoopBackOff. */
  readonly waiting?: string;
  /** Reason of the container's end, now or the time before: OOMKilled. */
  readonly terminated?: string;
  /** Exit code of the container's end, now or the time before. */
  readonly exitCode?: number;
  /** At least this many restarts of the container. */
  readonly restarts?: number;
  readonly atMostRestarts?: number;
}

/** The number of times that something must have happened. Default: at least once. */
export interface Count {
  readonly atLeast?: number;
  readonly atMost?: number;
  readonly exactly?: number;
}

/** Records of a kind for which an expression holds. */
export interface RecordPattern {
  readonly kind: RecordKind;
  /** An expression over the record and the state. */
  readonly where?: string;
}

/** A Kubernetes event, as often as the count says. */
export interface EventPattern extends Count {
  readonly pod?: string;
  readonly reason: string;
  /** A part of its message. */
  readonly message?: string;
  readonly type?: 'Normal' | 'Warning';
}

/** A statement that must be true of a run up to now. Events and records count from its start. */
export type Expectation =
  | { readonly condition: Condition }
  | { readonly event: EventPattern }
  | { readonly records: RecordPattern & Count }
  /** These come in this order, with others between them. */
  | { readonly sequence: readonly RecordPattern[] }
  | { readonly never: RecordPattern };

/** An expectation as it is in a scenario. */
export interface PlacedExpectation {
  readonly expectation: Expectation;
  /** `event web BackOff atLeast=2`, for messages. */
  readonly text: string;
  readonly line: number;
}

/** A choice that the scenario makes in place of the policy, the next time that there is one. */
export type ChoiceWanted = { readonly select: string } | { readonly goroutine: string };

/** A source of pods. */
export type ConfigSource = 'file' | 'http' | 'api';

/** One thing that a scenario does. Durations in Micros. Plain data: it goes into interventions and over the wire. */
export type Action =
  /** `api`: to the API server instead of the manifest folder. */
  | { readonly verb: 'apply'; readonly file: string; readonly text: string; readonly api?: true }
  /**
   * `name` of the manifest: its file is `name`.yaml unless it is one itself. With `api` a pod there, with its grace
   * period in seconds.
   */
  | { readonly verb: 'delete'; readonly name: string; readonly api?: true; readonly gracePeriodSeconds?: number }
  /**
   * A merge patch (RFC 7386) of the manifest, or of the pod in the API server; with `subresource` a strategic merge
   * patch of its status, as of a controller.
   */
  | {
      readonly verb: 'edit';
      readonly name: string;
      readonly patch: object;
      readonly api?: true;
      readonly subresource?: 'status';
    }
  | { readonly verb: 'raw'; readonly file: string; readonly text: string }
  | { readonly verb: 'rmraw'; readonly file: string }
  | { readonly verb: 'wait'; readonly duration: Micros }
  /** Until the run's clock is there; at once if that is past. */
  | { readonly verb: 'wait'; readonly until: Micros }
  /** `fresh`: events and records count from this step on. */
  | { readonly verb: 'waitFor'; readonly expectation: Expectation; readonly timeout: Micros; readonly fresh?: true }
  | { readonly verb: 'assert'; readonly expected: readonly PlacedExpectation[] }
  | { readonly verb: 'kill'; readonly pod: string; readonly container: string; readonly signal: string }
  | { readonly verb: 'killSandbox'; readonly pod: string }
  | { readonly verb: 'oom'; readonly pod: string; readonly container: string }
  | { readonly verb: 'exec'; readonly pod: string; readonly container: string; readonly command: readonly string[] }
  | { readonly verb: 'fault'; readonly fault: Fault }
  /** All of them, or those of a name. */
  | { readonly verb: 'clearFaults'; readonly name?: string }
  | { readonly verb: 'choose'; readonly want: ChoiceWanted }
  | { readonly verb: 'network'; readonly ready: boolean }
  | { readonly verb: 'addImage'; readonly image: ImageSpecification }
  | { readonly verb: 'removeImage'; readonly ref: string }
  | { readonly verb: 'registry'; readonly ref: string; readonly behaviour: RegistryBehaviour }
  /** The behaviour of an image's containers from their next start on; null: there is no such image. */
  | {
      readonly verb: 'imageDoes';
      readonly ref: string;
      readonly does: ImageBehaviour | null;
      readonly doesIn?: Readonly<Record<string, ImageBehaviour>>;
      readonly present?: true;
      /** Nobody said so: it was concluded from the manifest. */
      readonly assumed?: true;
    }
  /** `crash`: killed instead of stopped. `down`: how long it stays away. */
  | { readonly verb: 'restart'; readonly what: 'kubelet' | 'runtime'; readonly crash?: true; readonly down?: Micros }
  /** The kernel ends a process of the node itself: the machine has no memory left. */
  | { readonly verb: 'devicePlugin'; readonly change: DevicePluginChange }
  | { readonly verb: 'systemOOM'; readonly process: string; readonly pid: number }
  /** The URL of the kubelet's HTTP source serves these pods from now on, or answers with another status than 200. */
  | { readonly verb: 'manifestURL'; readonly pods: readonly object[]; readonly status: number }
  /**
   * Something on configCh that no source puts there: an operation by its name, of a pod if there is a manifest. `close`
   * closes the channel.
   */
  | { readonly verb: 'configCh'; readonly op: string; readonly source: ConfigSource; readonly text?: string }
  /** The machine is to go down; it is not to after all. */
  | { readonly verb: 'shutdown' | 'cancelShutdown' }
  | { readonly verb: 'stopKubelet' | 'startKubelet' | 'restartKubelet' | 'stopRuntime' | 'startRuntime' };

export type Verb = Action['verb'];
export type ActionOf<V extends Verb> = Extract<Action, { verb: V }>;

export interface Step {
  readonly action: Action;
  /** `waitFor web Running`, for messages. */
  readonly text: string;
  /** Line in the scenario's text, from 1. */
  readonly line: number;
}

/** An action that was done from outside in the run that a scenario was made of. */
export interface DoneInRun {
  /** The time on the clock, in Micros, and the number of decisions and records before it. */
  readonly at: Micros;
  readonly decision: number;
  readonly record: number;
  /** `given`: as it was written, JSON. */
  readonly do: { readonly action: Action; readonly given: unknown };
}

/** The run that a scenario was made of: the same seed, choices and interventions give the same records, to the byte. */
export interface RunOfScenario {
  readonly seed?: number;
  /** The version of the kubelet that ran, if it was not the scenario's. */
  readonly era?: EraVersion;
  readonly deviations?: readonly Deviation[];
  readonly interventions?: readonly DoneInRun[];
}

/** A parsed scenario: a node, and what happens to it. */
export interface Scenario {
  readonly name: string;
  readonly title: LocalText;
  readonly summary: LocalText;
  readonly seed: number;
  /** The version of the kubelet that runs. Missing: v1.36. */
  readonly era?: EraVersion;
  /** The settings that differ from a kubelet's defaults. */
  readonly node: Partial<KubeletConfig>;
  /** Wall clock of the run's start, microseconds since 1970. Undefined: 2026-01-01. */
  readonly startAt?: number;
  /** False: the kubelet does not run before a step starts it. */
  readonly startKubelet: boolean;
  /** After a step that could not be done, the next one is; else it is the last. */
  readonly continueOnError?: boolean;
  /** Absent: the node has no way to device plug-ins. */
  readonly devicePlugins?: readonly DevicePluginSpec[];
  /** The scripts of containers, whatever their images and commands are. */
  readonly lives: readonly ContainerScript[];
  /** The durations and failures of calls of the CRI. */
  readonly calls: readonly ScriptedCall[];
  /** The machine and its runtime, if they are other than those of every simulation. */
  readonly machine: MockRuntimeOptions;
  /** The node belongs to a cluster: it has an API server, in memory. */
  readonly apiServer: boolean;
  /** Parts of the kubelet that other code decides in. Missing: none. */
  readonly parts?: PartSources;
  /** On the node from the start, besides the mock's own. */
  readonly images: readonly ImageSpecification[];
  readonly registry: readonly { readonly ref: string; readonly behaviour: RegistryBehaviour }[];
  readonly steps: readonly Step[];
  /**
   * A session that opens the scenario is after the decision of the first such record. Undefined: before its first
   * decision.
   */
  readonly openAt?: RecordPattern;
  /** Looked at when the steps are over. */
  readonly expect: readonly PlacedExpectation[];
  /** The further actions of the run that it was made of. Whoever runs the scenario does them: see `runOfText`. */
  readonly run?: RunOfScenario;
  /** The text as it was written. */
  readonly text: string;
  readonly file: string;
}
