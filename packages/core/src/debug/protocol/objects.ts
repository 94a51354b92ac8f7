import type { Pod } from '../../api/types.js';
import type { Printed } from '../../kubectl/index.js';
import type { ImageBehaviour } from '../../scenario/index.js';

/** The same objects as two see them. */
export interface NodeObjects {
  /** The kubelet's pods, each with the status that its status manager has. None while it does not run. */
  readonly pods: readonly Pod[];
  /** What the API server has; null if the node belongs to no cluster. */
  readonly api: readonly Pod[] | null;
  /** What the runtime has; sizes in bytes. */
  readonly images: readonly { readonly id: string; readonly tags: readonly string[]; readonly size: number }[];
  /**
   * How registries answer where the run says so, and what images do here for lack of their own programs. Also absent in
   * what an older session answers.
   */
  readonly answers?: readonly ImageAnswer[];
  /**
   * What else the API server has, as it prints it; null if there is none. Also absent in what an older session
   * answers.
   */
  readonly cluster?: readonly Printed[] | null;
}

/** What the run says of an image. */
export interface ImageAnswer {
  /** In full: `docker.io/library/nginx:latest`. */
  readonly ref: string;
  /** `serve`, or how the registry refuses. */
  readonly kind: string;
  readonly does?: ImageBehaviour;
  readonly doesIn?: Readonly<Record<string, ImageBehaviour>>;
}

/** A file of the manifest folder. */
export interface ManifestFile {
  readonly file: string;
  readonly text: string;
}

/** A scenario that a session can load, with its texts by language. */
export interface ScenarioEntry {
  readonly name: string;
  /** Its group in the library; absent if the simulation has no groups. */
  readonly group?: string;
  readonly title: Readonly<Record<string, string>>;
  readonly summary: Readonly<Record<string, string>>;
}

/** A container's log file, or its newest lines. */
export interface ContainerLog {
  readonly path: string;
  /** Lines of the file before the first of these. */
  readonly from: number;
  /** Written as the runtime writes them: `TIME stdout F text`. */
  readonly lines: readonly string[];
}

export interface ScenarioOutcome {
  /** `resting`: a person has changed this run, so what is expected of the untouched one is not looked at. */
  readonly state: 'running' | 'passed' | 'failed' | 'resting';
  /** What was not as expected: with the line in the scenario, and what there was instead. */
  readonly failures: readonly string[];
}
