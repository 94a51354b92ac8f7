import type { GrpcCodeName } from '../../cri/index.js';
import type { ProbeType } from '../../trace/index.js';

/** The subject of an entry. An absent field may have any value. */
export interface Whose {
  /** Name of the pod, with or without the node's suffix, `namespace/name`, or uid. */
  readonly pod?: string;
  readonly container?: string;
  /** Reference of an image as in the request. */
  readonly image?: string;
  /**
   * The number of the one that it is for, counted from 0. Beyond the last that is listed, the last counts again.
   * Absent: all for which there is no entry with a number.
   */
  readonly attempt?: number;
}

/** The outcome of a probe or a hook, and how long that takes. Times in Micros. */
export interface Outcome {
  /**
   * `failure`: the command ends with a code other than 0, the server answers with a bad status or not at all. `error`:
   * the runtime cannot run the command. `hang`: no answer; a time-out or the container's end ends it.
   */
  readonly result: 'success' | 'failure' | 'error' | 'hang';
  /** Default: 30 ms for a command, 1 ms for the network. Past the probe's time-out it counts as `hang`. */
  readonly took?: number;
  /**
   * The text that the command writes, or the body of the HTTP answer. For a failure without `code` over the network,
   * and for an error: the text of the error.
   */
  readonly output?: string;
  /** Exit code of the command, or status of the HTTP answer. */
  readonly code?: number;
  /** For this many in a row. Default: 1. */
  readonly times?: number;
  /**
   * For probes that begin this long after the start of the container's process or later, whichever turn they have: all
   * outcomes of a list say it, or none.
   */
  readonly from?: number;
}

/** The script of a container from its start to its end, whatever its image and its command are. Times in Micros. */
export interface ContainerScript extends Omit<Whose, 'image'> {
  readonly pod: string;
  readonly container: string;
  /** From the start of its process to its own end. Absent: until it is stopped. */
  readonly runs?: number;
  /** Exit code of its own end. Default: 0. */
  readonly exits?: number;
  /** A signal ends it, in place of `exits`: SEGV. */
  readonly signal?: string;
  /** The OOM killer ends it, in place of `exits`. */
  readonly oom?: true;
  /** The text that it leaves in the file of its terminationMessagePath. */
  readonly message?: string;
  /** The text that it writes to its standard output. */
  readonly log?: string;
  /**
   * The reaction of the process to the stop signal: it ends this much later, with this exit code (default 0). Without
   * `after` it ignores the signal. Absent: it ends 20 ms later with 0.
   */
  readonly stops?: { readonly after?: number; readonly exits?: number };
  /** The outcomes of its probes, in order; the last one repeats. Absent: they succeed while it runs. */
  readonly probes?: { readonly [T in ProbeType]?: readonly Outcome[] };
  readonly hooks?: { readonly postStart?: Outcome; readonly preStop?: Outcome };
}

/** The rule for a call of the CRI: the time that it takes, and its failure. Times in Micros. */
export interface ScriptedCall extends Whose {
  /** Wire name: StartContainer. */
  readonly method: string;
  /**
   * From the request to the answer, in place of the runtime's own latency. StopContainer is never answered before the
   * container has ended.
   */
  readonly took?: number;
  /** `before`: instead of doing it (default); `after`: it is done all the same. */
  readonly error?: { readonly code: GrpcCodeName; readonly message: string; readonly when?: 'before' | 'after' };
}
