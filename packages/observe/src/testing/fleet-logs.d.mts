/** A cause that several nodes share, as it was planted. */
export interface Planted {
  readonly rule: 'window' | 'registry' | 'image' | 'workload' | 'landing' | 'same-error';
  /** The kind of incident that each of its nodes has. */
  readonly kind: string;
  /** The registry, image or workload; '' if there is none. */
  readonly key: string;
  readonly nodes: readonly string[];
}
export type CauseName = 'api' | 'registry' | 'image' | 'workload' | 'landing' | 'certificate' | 'runtime';
export interface MadeNode {
  readonly name: string;
  /** Milliseconds that its clock is ahead of the API server's. */
  readonly ahead: number;
  /** The lines of its kubelet's log, in the order of time. */
  lines(): Iterable<string>;
}
export interface MadeFleet {
  readonly nodes: readonly MadeNode[];
  readonly planted: readonly Planted[];
  /** Incidents of one node each that were made besides. */
  readonly noise: number;
}
export interface FleetOptions {
  readonly seed: number;
  /** Default 20. */
  readonly nodes?: number;
  /** Default 60. */
  readonly minutes?: number;
  /** The causes to plant. Default: none. */
  readonly causes?: readonly CauseName[];
  /** Incidents of one node each, for each node on average. Default 0.5. */
  readonly noise?: number;
  /** Ordinary lines of each node. Default 400. */
  readonly quiet?: number;
}
export const causeNames: readonly CauseName[];
/** Makes the logs of a fleet's kubelets, with what goes wrong on them. The same options give the same bytes. */
export function fleetLogs(options: FleetOptions): MadeFleet;
