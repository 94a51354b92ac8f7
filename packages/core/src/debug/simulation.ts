import type { Kernel, StepResult } from '../kernel/index.js';
import type { Json, RecordSink } from '../trace/index.js';

/** A running simulation, as the session drives it. */
export interface Simulation {
  readonly kernel: Kernel;
  readonly title: string;
  readonly runtime: string;
  readonly node: string;
  readonly seed: number;
  /** One scheduler decision. Default: the kernel's own. */
  step?(): StepResult;
  /** Manifest files in the static pod folder. */
  manifests(): readonly { readonly file: string; readonly text: string }[];
  apply(file: string, text: string): void;
  remove(file: string): void;
  /** Kills a container's main process, or the whole sandbox when no container is named. Throws an Error that says what there is instead. */
  kill(uid: string, container?: string): void;
  /** Why the kubelet could not read this manifest: place and remedy; null when it could. */
  check?(text: string, file: string): string | null;
  /** The scenario has nothing more to show and may stop. */
  done?(): boolean;
}

/** Where simulations come from. */
export interface SimulationSource {
  list(): readonly { readonly [key: string]: Json | undefined }[];
  /** Throws an Error that tells the user what is wrong with the name or the text. */
  start(request: {
    readonly scenario: string;
    readonly text?: string;
    readonly seed?: number;
    readonly sink: RecordSink;
  }): Simulation;
}
