/** Seconds are whole; null: not given. */
interface KillInput {
  /** kill: before the hook. stop: right before the stop signal. */
  readonly event: 'kill' | 'stop';
  /** A failed probe; '' for any other reason. */
  readonly reason: 'LivenessProbe' | 'StartupProbe' | '';
  readonly deletionGracePeriodSeconds: number | null;
  readonly terminationGracePeriodSeconds: number | null;
  readonly livenessGracePeriodSeconds: number | null;
  readonly startupGracePeriodSeconds: number | null;
  readonly gracePeriodOverride: number | null;
  readonly hasPreStop: boolean;
  /** The time that went by since the kill; 0 for event kill. */
  readonly spentSeconds: number;
}

interface KillOutput {
  readonly runPreStop: boolean;
  /** From 0 on. */
  readonly gracePeriodSeconds: number;
}

/** Your memory of one kill. Change it as you like: plain data. */
interface KillState {
  readonly [name: string]: number;
}

/** The function that you write: how long may a container take to stop? */
declare function killContainer(
  state: KillState | null,
  input: KillInput,
): { state: KillState | null; output: KillOutput };
