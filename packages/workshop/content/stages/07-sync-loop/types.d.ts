/** The channels of the loop, in the order of its select. */
type LoopChannel =
  | 'configCh'
  | 'plegCh'
  | 'syncCh'
  | 'livenessManager'
  | 'readinessManager'
  | 'startupManager'
  | 'containerManager'
  | 'housekeepingCh';

interface LoopInput {
  /** The channels that have something, one at least, in the order of the select. */
  readonly ready: readonly LoopChannel[];
}

interface LoopOutput {
  /** The one that is served now. */
  readonly channel: LoopChannel;
}

/** A state that would do. Any JSON will. */
interface LoopState {
  /** The channels that were served, the one that was served last at the end; each is in it once at most. */
  readonly served: readonly LoopChannel[];
}

/** The function that you write. The loop calls it for each message, with null at first. */
declare function syncLoopIteration(
  state: LoopState | null,
  input: LoopInput,
): { state: LoopState | null; output: LoopOutput };
