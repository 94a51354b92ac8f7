interface BackOffInput {
  /** The time, in ms since the run began. */
  readonly nowMillis: number;
  /** The time at which the container ended. */
  readonly finishedAtMillis: number;
  /** The first pause: 10. */
  readonly initialSeconds: number;
  /** The longest pause: 300. */
  readonly maxSeconds: number;
}

interface BackOffOutput {
  /** It must still wait. */
  readonly wait: boolean;
  /** The pause: the one that it waits for, or the one for the next time. Whole seconds. */
  readonly delaySeconds: number;
}

/** Your memory of a container. Change it as you like: plain data. */
interface BackOffState {
  readonly [name: string]: number;
}

/** The function that you write: may a container that has ended start again? */
declare function doBackOff(
  state: BackOffState | null,
  input: BackOffInput,
): { state: BackOffState | null; output: BackOffOutput };
