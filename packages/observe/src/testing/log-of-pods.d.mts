export interface LogOfPodsOptions {
  readonly pods: number;
  readonly seed?: number;
  /** Milliseconds between two pods that come. Default 1000. */
  readonly everyMillis?: number;
}
export interface LogOfAddsOptions {
  /** Names of pods in the whole log. */
  readonly pods: number;
  /** Lines that they stand in. Default: one for each. */
  readonly lines?: number;
}
export function linesOfPods(options: LogOfPodsOptions): Generator<string>;
export function logOfPods(options: LogOfPodsOptions): string;
export function linesOfAdds(options: LogOfAddsOptions): Generator<string>;
export function logOfAdds(options: LogOfAddsOptions): string;
