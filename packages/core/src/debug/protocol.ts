/**
 * The session protocol: one set of messages for a Web Worker's port, a socket and a recording. Messages are plain JSON.
 * A client says hello, gets a welcome, then records in dense order; it acknowledges what it has taken, and asks for things by command.
 */
import type { Json, Micros, NodeState, Seq, TraceRecord } from '../trace/index.js';

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
  /** It can go back, by running again. */
  readonly rewind?: boolean;
}

export interface SessionInfo {
  readonly id: string;
  /** "Simulation: hello", "Node node1 on containerd 2.1". */
  readonly title: string;
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

export type StepUnit = 'decision' | 'record' | 'iteration';

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
}

export type Command =
  | { readonly do: 'pause' }
  | { readonly do: 'resume' }
  | { readonly do: 'step'; readonly unit: StepUnit; readonly count?: number }
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
  | { readonly do: 'kill'; readonly uid: string; readonly container?: string }
  /** Starts over with a scenario by name or text. */
  | { readonly do: 'load'; readonly scenario: string; readonly text?: string; readonly seed?: number }
  | { readonly do: 'restart' }
  /**
   * Goes back to right after the decision that took the count of `unit` to `to`, by running again with the same interventions.
   * Then it is paused; what came after is forgotten: from here the user may go another way.
   */
  | { readonly do: 'rewind'; readonly unit: StepUnit; readonly to: number }
  /** Result: {name, title, summary}[] with title and summary by language. */
  | { readonly do: 'scenarios' };

export type ClientMessage =
  | { readonly type: 'hello'; readonly protocol: number; readonly session?: string; readonly resumeFrom?: Seq }
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
  | { readonly type: 'refused'; readonly error: string };

/** One side's end of a connection to a session, whatever carries it. */
export interface Connection {
  send(message: ClientMessage): void;
  onMessage(handler: (message: ServerMessage) => void): void;
  onClose(handler: (reason: string) => void): void;
  close(): void;
}
