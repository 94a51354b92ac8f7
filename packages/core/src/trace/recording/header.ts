import { isObject, own } from '../../base/index.js';
import {
  anyText,
  custom,
  list,
  object,
  optional,
  read,
  real,
  ShapeError,
  whole,
  withDefault,
} from '../../shape/index.js';
import type { Json, Micros, Seq } from '../records.js';

/**
 * Goes up with every change of the file or of its records that an older reader could not take; each step up has an
 * upgrader.
 */
export const RECORDING_VERSION = 2;
/**
 * Goes up with every change of NodeState and of what the reducer makes of it: checkpoints of another number are not
 * used, the state is folded from the records.
 */
export const STATE_VERSION = 5;
export const FORMAT = 'syncloop-recording';

/** All that determines a simulated run: running it again gives the same records, to the byte. */
export interface RecordedRun {
  /** Name in the library, and the scenario's text if it differs from the library's, or may differ later. */
  readonly scenario: string;
  readonly text?: string;
  readonly seed?: number;
  /** The version of the kubelet, if it is not the one that the scenario is written for. */
  readonly era?: string;
  /** Choices that differ from the seed's: at that decision this goroutine runs, or this case is taken. */
  readonly deviations?: readonly { readonly decision: number; readonly goroutine?: number; readonly case?: number }[];
  /** The interventions: after this many decisions and records, when the clock stood at `time`. */
  readonly interventions?: readonly {
    readonly step: number;
    readonly after: Seq;
    readonly time: Micros;
    readonly command: { readonly [key: string]: Json | undefined };
  }[];
}

export interface RecordingHeader {
  readonly format: typeof FORMAT;
  /** The version of the reader that upgraded it; `writtenVersion` is the file's own. */
  readonly version: number;
  /** Version of the core that wrote it. */
  readonly core: string;
  readonly title: string;
  readonly scenario: string;
  readonly seed: number;
  readonly runtime: string;
  readonly node: string;
  /** The version of a simulated kubelet, or the nearest one to an observed kubelet's, if it is not the newest. */
  readonly era?: string;
  /** Wall time of the run's start, ms since 1970. */
  readonly epochMillis: number;
  readonly virtual: boolean;
  /** Program that wrote it, "syncloop agent 0.1.0". */
  readonly createdBy: string;
  /** All that it takes to run a simulation again. */
  readonly run?: RecordedRun;
}

/** The header as a caller gives it; the writer adds the rest. */
export type RecordingInfo = Omit<RecordingHeader, 'format' | 'version'>;

/** An error in a recording: the message says where, and what to do. */
export class RecordingError extends Error {
  override readonly name = 'RecordingError';
  constructor(
    message: string,
    /**
     * The place: a line from 1 (NDJSON), or a block from 1 and the byte at which it begins. 0 (byte: -1) if the error
     * is about the whole file.
     */
    readonly place: {
      readonly line?: number;
      readonly block?: number;
      readonly byte?: number;
      readonly seq?: Seq;
    } = {},
  ) {
    super(message);
  }
  get line(): number {
    return this.place.line ?? 0;
  }
  get block(): number {
    return this.place.block ?? 0;
  }
  get byte(): number {
    return this.place.byte ?? -1;
  }
}

/** An object from a file: its keys are to be asked with `own`. */
export type Raw = { [key: string]: unknown };

/** Larger numbers than any run has; differences of those below it are safe integers, too. */
const LIMIT = 2 ** 52;
export const isWhole = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < LIMIT;
const str = (raw: Raw, key: string): string => {
  const value = own(raw, key);
  return typeof value === 'string' ? value : '';
};
const num = (raw: Raw, key: string): number => {
  const value = own(raw, key);
  return typeof value === 'number' && Number.isFinite(value) ? value : 0;
};

/** A JSON object, or null for any other text. */
export function parseObject(text: string): Raw | null {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? value : null;
  } catch {
    return null;
  }
}

/**
 * The header in a form that can be shown; missing fields are empty. Throws a RecordingError with `place` if its run is
 * not valid.
 */
export function headerOf(raw: Raw, place: RecordingError['place']): RecordingHeader {
  const run = own(raw, 'run');
  return {
    format: FORMAT,
    version: RECORDING_VERSION,
    core: str(raw, 'core'),
    title: str(raw, 'title'),
    scenario: str(raw, 'scenario'),
    seed: num(raw, 'seed'),
    runtime: str(raw, 'runtime'),
    node: str(raw, 'node'),
    ...(str(raw, 'era') !== '' && { era: str(raw, 'era') }),
    epochMillis: num(raw, 'epochMillis'),
    virtual: own(raw, 'virtual') === true,
    createdBy: str(raw, 'createdBy'),
    ...(run !== undefined && { run: runOf(run, place) }),
  };
}

/** Whole numbers below 2^52: see LIMIT. */
const count = whole(0, LIMIT - 1);
const run = object(
  {
    scenario: anyText,
    text: optional(anyText),
    seed: optional(real(-Number.MAX_VALUE, Number.MAX_VALUE)),
    era: optional(anyText),
    deviations: withDefault(
      list(object({ decision: count, goroutine: optional(count), case: optional(count) }, 'drop')),
      [],
    ),
    interventions: withDefault(
      list(
        object(
          { step: count, after: count, time: count, command: custom({ type: 'object' }, (r) => r.object()) },
          'drop',
        ),
      ),
      [],
    ),
  },
  'drop',
);

/** A run from a file. Throws a RecordingError that names what is wrong with it. */
export function runOf(value: unknown, place: RecordingError['place']): RecordedRun {
  try {
    const { deviations, interventions, ...rest } = read(run, value);
    return {
      ...rest,
      ...(deviations.length > 0 && { deviations }),
      ...(interventions.length > 0 && { interventions: interventions as RecordedRun['interventions'] }),
    };
  } catch (error) {
    if (!(error instanceof ShapeError)) throw error;
    throw new RecordingError(
      `the recorded run is broken: ${error.message}; it cannot be run again, ask for the file once more`,
      place,
    );
  }
}
