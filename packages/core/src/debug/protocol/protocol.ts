/**
 * The session protocol: one set of messages for a Web Worker's port, a socket and a recording. Messages are plain JSON.
 * A client says hello, gets a welcome, then records in dense order; it acknowledges what it has taken, and asks for things by command.
 */
import type { Json, Micros, NodeState, Seq, TraceRecord } from '../../trace/index.js';
import type { Progress } from '../base/work.js';
import type { Hit } from '../breakpoints/index.js';
import type { Strategy } from '../explore/index.js';
import type { Exploring } from './exploring.js';
import type { ScenarioOutcome } from './objects.js';
import type { Intervention, Position, RunRequest } from './run-spec.js';

export const PROTOCOL_VERSION = 1;

/** What a session can do. The UI asks these, never what kind of session it is. */
export interface Capabilities {
  /** pause, resume, step. */
  readonly control: boolean;
  readonly speed: boolean;
  /** Manifests can be applied and deleted. */
  readonly apply: boolean;
  /** Containers and sandboxes can be killed, commands run in them. */
  readonly intervene: boolean;
  /** Choice points can be asked and answered. */
  readonly choose: boolean;
  /** Scenarios can be loaded. */
  readonly scenarios: boolean;
  /** It can go back and take other ways from there: step back, go, branches. */
  readonly rewind?: boolean;
  /** It can be stopped by breakpoints. */
  readonly breakpoints?: boolean;
}

export interface SessionInfo {
  readonly id: string;
  /** "Simulation: hello", "Node node1 on containerd 2.1". */
  readonly title: string;
  /** The title by language, where it has one in several. */
  readonly titles?: { readonly [lang: string]: string };
  readonly capabilities: Capabilities;
  readonly scenario: string;
  readonly seed: number;
  readonly runtime: string;
  readonly node: string;
  /** Wall time of the run's start, ms since 1970. */
  readonly epochMillis: number;
  readonly virtual: boolean;
}

/** How fast a simulation runs: simulated seconds per second, or decisions per second, or as fast as possible. */
export type Speed =
  | { readonly mode: 'time'; readonly factor: number }
  | { readonly mode: 'steps'; readonly perSecond: number }
  | { readonly mode: 'max' };

/**
 * `into`: to the goroutine's next call or return. `over`: to what it does next besides what it calls. `out`: to after its present
 * call. `channel`, `dispatch`, `cri`, `status`: to the next operation on a channel, update of a pod worker, CRI call, status of a pod.
 */
export const stepUnits = [
  'decision',
  'record',
  'iteration',
  'into',
  'over',
  'out',
  'channel',
  'dispatch',
  'cri',
  'status',
] as const;
export type StepUnit = (typeof stepUnits)[number];
export const countedUnits = ['decision', 'record', 'iteration'] as const;
/** Units that are counted from the start of a run. */
export type CountedUnit = (typeof countedUnits)[number];

export interface RunState {
  readonly running: boolean;
  readonly seq: Seq;
  readonly time: Micros;
  /** Scheduler decisions so far. */
  readonly steps: number;
  readonly iterations: number;
  readonly speed: Speed;
  /** Set while the policy asks which way to go. */
  readonly choice: { readonly kind: 'goroutine' | 'select'; readonly options: readonly string[] } | null;
  /** What is about to happen: the goroutine that goes next and, for the loop, the channel that is ready. '' when unknown. */
  readonly next: string;
  /** Why it stands still when nobody paused it: the error, or '' */
  readonly stopped: string;
  /** Breakpoints that it stands at. */
  readonly hits?: readonly Hit[];
  /** How the scenario came out, as far as it has been run in this branch. */
  readonly outcome?: ScenarioOutcome;
  /** While it explores: how far it has come. */
  readonly exploring?: Exploring;
  /** While a command takes its time: which one, and how far it has come. Until then all else is as it was before it. */
  readonly busy?: Busy;
  /** Branch that it is in, and the furthest that is known of it. */
  readonly branch?: number;
  readonly end?: Position & { readonly time: Micros };
}

/** A command under way: decisions taken, of so many where that is known, and the run's clock there. */
export interface Busy extends Partial<Progress> {
  readonly do: Command['do'];
}

export type Command =
  | { readonly do: 'pause' }
  | { readonly do: 'resume' }
  /** `goroutine`: whose calls, for into, over and out. `pod`: only what is about it (uid or name), for the units that are found by records. */
  | {
      readonly do: 'step';
      readonly unit: StepUnit;
      readonly count?: number;
      readonly back?: boolean;
      readonly goroutine?: number;
      readonly pod?: string;
    }
  /** To a record, a count of decisions or iterations, or a time (Micros), in the past or in the future. */
  | { readonly do: 'go'; readonly to: GoTarget }
  /**
   * Runs forward to the next record for which the expression (docs/expressions.md) holds, and stands right after it; at most
   * `within` further in the run's time. `play` (the default) goes at the session's speed, `fast` as fast as it can. Result: UntilResult
   */
  | { readonly do: 'until'; readonly where: string; readonly within?: Micros; readonly pace?: Pace }
  | { readonly do: 'speed'; readonly speed: Speed }
  | { readonly do: 'choose'; readonly index: number }
  /** Whether selects with several ready cases are asked of the user. */
  | { readonly do: 'ask'; readonly select: boolean }
  /**
   * Writes manifest text as `file` (default: NAME.yaml) into the manifest folder. A manifest that the kubelet could not read
   * is refused, with the place and the remedy, unless `force` asks to see what the kubelet makes of it. Result: {file}
   */
  | { readonly do: 'apply'; readonly manifest: string; readonly file?: string; readonly force?: boolean }
  | { readonly do: 'delete'; readonly file: string }
  /** Result: {file, text}[] */
  | { readonly do: 'manifests' }
  /** Result: NodeObjects: pods as the kubelet has them, and as the API server has them where there is one, with all else it has. */
  | { readonly do: 'objects' }
  /** What a container has written, by the container's id. `from`: lines that are known already. Result: ContainerLog */
  | { readonly do: 'logs'; readonly container: string; readonly from?: number }
  | { readonly do: 'kill'; readonly uid: string; readonly container?: string }
  /** Any one step of a scenario that acts at once, as data: a fault, an OOM kill, a stopped runtime, a restart of the kubelet. */
  | { readonly do: 'act'; readonly action: Json }
  /**
   * Starts over with a scenario by name or text; with a run's deviations and interventions, and goes to a position in it. Where it
   * is stopped on its way the session stands where it got to. Result: none, or then LoadStopped
   */
  | {
      readonly do: 'load';
      readonly scenario: string;
      readonly text?: string;
      readonly seed?: number;
      readonly deviations?: RunRequest['deviations'];
      readonly interventions?: readonly Intervention[];
      readonly to?: Position;
    }
  | { readonly do: 'restart' }
  /** Goes back to right after the decision that took the count of `unit` to `to`. What comes after stays known. */
  | { readonly do: 'rewind'; readonly unit: CountedUnit; readonly to: number }
  /** Sets all breakpoints and logpoints. Result: the breakpoints as they are now. */
  | { readonly do: 'breakpoints'; readonly set: readonly Json[] }
  /** From right before a select in the past: takes this of the cases that were ready (its position in the select). */
  | { readonly do: 'take'; readonly seq: Seq; readonly case: number }
  /** Of the goroutines that could go next, this one does. */
  | { readonly do: 'pick'; readonly goroutine: number }
  /** Result: {id, name}[] of the goroutines that could go next, in their order. */
  | { readonly do: 'runnable' }
  /** Result: BranchInfo[] */
  | { readonly do: 'branches' }
  /** Makes a branch of its own from here on. */
  | { readonly do: 'branch'; readonly name?: string }
  | { readonly do: 'switch'; readonly branch: number; readonly to?: Position }
  | { readonly do: 'rename'; readonly branch: number; readonly name: string }
  | { readonly do: 'drop'; readonly branch: number }
  /** Result: Comparison of that branch with another one (default: the one it stands in). */
  | { readonly do: 'compare'; readonly branch: number; readonly with?: number }
  /**
   * Runs what may come after here under many schedules, while the session stands. Expressions: `never` at no record, `finally` at
   * the end; `until`: where a run ends that is not done. Result: SessionReport, when it is done or paused; what broke something is
   * a branch by then. Until then nothing else moves.
   */
  | {
      readonly do: 'explore';
      readonly schedules?: number;
      readonly strategy?: Strategy['kind'];
      readonly never?: readonly string[];
      readonly finally?: readonly string[];
      readonly until?: Micros;
    }
  /** Result: RunSpec & {to: Position}, the run up to here as `load` takes it. */
  | { readonly do: 'spec' }
  | Query
  /** Result: {name, group, title, summary}[] with title and summary by language, in the order to list them. */
  | { readonly do: 'scenarios' };

/** A load was stopped: the session stands here, and goes on from here as the run that was asked for. */
export interface LoadStopped {
  readonly stopped: Position;
}

export const paces = ['play', 'fast'] as const;
export type Pace = (typeof paces)[number];

/** What ended a goal: it was reached, its time was up, or something stood in the way. */
export type GoalEnd = 'met' | 'time' | 'breakpoint' | 'choice' | 'end' | 'paused';
/** Where an `until` ended. */
export interface UntilResult {
  readonly met: boolean;
  readonly seq: Seq;
  readonly ended: GoalEnd;
}

export type GoTarget =
  | { readonly seq: Seq }
  | { readonly step: number }
  | { readonly iteration: number }
  | { readonly time: Micros };

/** Questions about what was recorded; any session answers them, as far as its records go. */
export type Query =
  /** Result: Answer. `question`: a WhyQuestion. */
  | { readonly do: 'why'; readonly question: Json }
  | { readonly do: 'whyNot'; readonly question: Json }
  /** Result: Hit[]: where this breakpoint was met between two records. */
  | {
      readonly do: 'search';
      readonly breakpoint: Json;
      readonly from?: Seq;
      readonly to?: Seq;
      readonly backwards?: boolean;
      readonly limit?: number;
    }
  /** Result: {seq, time, value}[]: the values of a field of the state. */
  | { readonly do: 'history'; readonly path: string; readonly from?: Seq; readonly to?: Seq; readonly limit?: number }
  /** Result: the record that last wrote a field, or null. */
  | { readonly do: 'lastWriter'; readonly path: string; readonly seq?: Seq }
  /** Result: Change[] between the states after two records. */
  | { readonly do: 'diff'; readonly from: Seq; readonly to: Seq };

export type ClientMessage =
  /** `session`, `branch` and `resumeFrom`: what the client has, and would go on after. */
  | {
      readonly type: 'hello';
      readonly protocol: number;
      readonly session?: string;
      readonly branch?: number;
      readonly resumeFrom?: Seq;
    }
  | { readonly type: 'command'; readonly id: number; readonly command: Command }
  /** All records up to `seq` were taken. */
  | { readonly type: 'ack'; readonly seq: Seq };

export type ServerMessage =
  /** `snapshot` when the records that the client lacks are no longer held: the state at `snapshot.seq`, records go on after it. */
  | {
      readonly type: 'welcome';
      readonly protocol: number;
      readonly info: SessionInfo;
      readonly run: RunState;
      readonly snapshot: { readonly seq: Seq; readonly state: NodeState } | null;
    }
  | { readonly type: 'records'; readonly records: readonly TraceRecord[] }
  | { readonly type: 'run'; readonly run: RunState }
  | { readonly type: 'result'; readonly id: number; readonly ok: true; readonly value?: Json }
  | { readonly type: 'result'; readonly id: number; readonly ok: false; readonly error: string }
  /** The session began anew (a scenario was loaded): forget everything, a welcome follows. */
  | { readonly type: 'reset' }
  /** The session went back: forget the records after `seq`, others will come in their place. */
  | { readonly type: 'rewound'; readonly seq: Seq }
  /** Logpoints were met. */
  | { readonly type: 'written'; readonly hits: readonly Hit[] }
  | { readonly type: 'refused'; readonly error: string };

/** One side's end of a connection to a session, whatever carries it. */
export interface Connection {
  send(message: ClientMessage): void;
  onMessage(handler: (message: ServerMessage) => void): void;
  onClose(handler: (reason: string) => void): void;
  close(): void;
}
