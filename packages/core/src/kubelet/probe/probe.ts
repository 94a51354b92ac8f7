/** upstream: pkg/probe/probe.go Result */
export type ProbeOutcome = 'success' | 'warning' | 'failure' | 'unknown';

/** The result of one run of a handler. A handler that could not run at all throws. */
export interface HandlerResult {
  readonly outcome: ProbeOutcome;
  readonly output: string;
}
