/** upstream: pkg/probe/probe.go Result */
export type ProbeOutcome = 'success' | 'warning' | 'failure' | 'unknown';

/** What one run of a handler came to. A handler that could not run at all throws. */
export interface HandlerResult {
  readonly outcome: ProbeOutcome;
  readonly output: string;
}
