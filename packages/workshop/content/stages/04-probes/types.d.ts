type ProbeType = 'liveness' | 'readiness' | 'startup';

interface ProbeInput {
  readonly probeType: ProbeType;
  /** The outcome of this run of the probe. Unknown: it could not be made. */
  readonly result: 'Success' | 'Failure' | 'Unknown';
  readonly successThreshold: number;
  readonly failureThreshold: number;
}

interface ProbeOutput {
  /** The result to publish; null: none. */
  readonly publish: 'Success' | 'Failure' | null;
  /** No probe runs until there is a new container. */
  readonly hold: boolean;
}

/** Your memory of a probe. Change it as you like: plain data. */
interface ProbeState {
  readonly [name: string]: string | number | null;
}

/** The function that you write: what becomes of one run of a probe? */
declare function doProbe(
  state: ProbeState | null,
  input: ProbeInput,
): { state: ProbeState | null; output: ProbeOutput };
