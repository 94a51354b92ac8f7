import type { Json, Micros, ProbeType, Seq, TraceRecord } from '../../trace/index.js';
import type { RecordStore } from '../base/record-store.js';

/** The records that a question is asked of. A RecordStore is one. */
export type WhyStore = Pick<RecordStore, 'first' | 'last' | 'size' | 'get' | 'from' | 'state' | 'stateAt'>;

/**
 * `at`: as of this record, the newest one held unless given. `brief` is a dozen links at most; `full` is all there are.
 */
interface QuestionContext {
  readonly at?: Seq;
  readonly detail?: Detail;
}
export type Detail = 'brief' | 'full';

/** Why is it so? A pod goes by its uid, its `namespace/name` or its name. */
export type WhyQuestion = QuestionContext &
  (
    | { readonly about: 'record'; readonly seq: Seq }
    /**
     * A field of the pod's status: `phase`, `containerStatuses[0].restartCount`, `containerStatuses[name=app].ready`,
     * `conditions.Ready`.
     */
    | { readonly about: 'field'; readonly uid: string; readonly path: string }
    | {
        readonly about: 'container';
        readonly uid: string;
        readonly container: string;
        readonly what: 'start' | 'restart' | 'kill';
      }
    /** A CRI call or what it returned. */
    | { readonly about: 'cri'; readonly seq: Seq }
    /** The wait of a goroutine; by number or name. */
    | { readonly about: 'wait'; readonly goroutine: number | string }
    /** The work of a pod's worker. */
    | { readonly about: 'worker'; readonly uid: string }
  );

/** Why is it not so? */
export type WhyNotQuestion = QuestionContext &
  /** Why is the pod still Pending, and not Running? */
  (
    | { readonly about: 'pending'; readonly uid: string }
    | { readonly about: 'ready'; readonly uid: string }
    /** Why was its worker not run? */
    | { readonly about: 'worker'; readonly uid: string }
    /** Why did the probe not restart the container? */
    | { readonly about: 'probe'; readonly uid: string; readonly container: string; readonly probeType?: ProbeType }
    /** Why was the container not started again? */
    | { readonly about: 'restart'; readonly uid: string; readonly container: string }
  );
export type Question = WhyQuestion | WhyNotQuestion;

export interface Text {
  readonly en: string;
  readonly zh: string;
}

/**
 * The part that a link plays. `input`: user or scenario; `fact`: of the runtime; `timer`; `start`: of a process;
 * `config`: a source of pods.
 */
export type Role =
  | 'input'
  | 'fault'
  | 'fact'
  | 'timer'
  | 'start'
  | 'config'
  | 'message'
  | 'decision'
  | 'update'
  | 'work'
  | 'call'
  | 'answer'
  | 'probe'
  | 'backoff'
  | 'queue'
  | 'cache'
  | 'pleg'
  | 'status'
  | 'event'
  | 'function'
  | 'wait'
  | 'gap'
  | 'other';

export interface WhyLink {
  readonly seq: Seq;
  readonly time: Micros;
  readonly kind: TraceRecord['kind'];
  readonly role: Role;
  readonly text: Text;
  /** It is on the line from the subject back to its main root; otherwise it is on a side line. */
  readonly main: boolean;
  /** Seqs of the links shown before it that it follows from; the main one is the first. */
  readonly causes: readonly Seq[];
  /** It has no cause that the kubelet knows of. */
  readonly root?: true;
  /** Seq of its cause, if that record is no longer kept or never was. */
  readonly missing?: Seq;
  /** For a decision: the rule by upstream's function name, its verdict, and the values that it depended on. */
  readonly rule?: string;
  readonly verdict?: string;
  readonly values?: { readonly [key: string]: Json | undefined };
  /** The place in upstream's source that does it. */
  readonly upstream?: string;
  /** The rule in words. */
  readonly note?: Text;
}

/** One reason why something did not happen. */
export interface Finding {
  /** Short name for programs, such as `back-off`. */
  readonly code: string;
  /** Seq of the record that shows it; 0 if the reason is that such a record is missing. */
  readonly seq: Seq;
  readonly text: Text;
  readonly rule?: string;
  readonly values?: { readonly [key: string]: Json | undefined };
}

export interface Answer {
  readonly question: Question;
  readonly summary: Text;
  /** Seq of the record that the answer is about; 0 if there is none. */
  readonly subject: Seq;
  /** Oldest first, so that each comes after what it follows from. */
  readonly links: readonly WhyLink[];
  /** Seqs of the records at which the lines begin; that of the main line is the first. */
  readonly roots: readonly Seq[];
  /** The main line ends not at a root but because older records are not kept: this one would be next. */
  readonly cutOff?: Seq;
  /** The number of links that were found but are not shown. */
  readonly hidden: number;
  /** For `whyNot`: the reasons, the most important one first. */
  readonly findings: readonly Finding[];
}

/** A question that cannot be asked like this; the message says what is wrong and how to correct it. */
export class WhyError extends Error {
  override readonly name = 'WhyError';
}
