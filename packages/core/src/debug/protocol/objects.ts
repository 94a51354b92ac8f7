import type { Pod } from '../../api/types.js';
import type { Printed } from '../../kubectl/index.js';
import type { ImageBehaviour } from '../../scenario/index.js';

/** The same objects as two see them. */
export interface NodeObjects {
  /** The kubelet's pods, each with the status that its status manager has. None while it does not run. */
  readonly pods: readonly Pod[];
  /** The API server's pods; null if the node belongs to no cluster. */
  readonly api: readonly Pod[] | null;
  /** The runtime's images; sizes in bytes. */
  readonly images: readonly { readonly id: string; readonly tags: readonly string[]; readonly size: number }[];
  /**
   * How registries answer if the run says so, and how the images' containers behave here without their own programs.
   * Older sessions do not send it.
   */
  readonly answers?: readonly ImageAnswer[];
  /**
   * The API server's other objects, as it prints them; null if there is no API server. Older sessions do not send it.
   */
  readonly cluster?: readonly Printed[] | null;
}

/** An image in the run: how its registry answers, and how its containers behave. */
export interface ImageAnswer {
  /** In full: `docker.io/library/nginx:latest`. */
  readonly ref: string;
  /** `serve`, or how the registry refuses. */
  readonly kind: string;
  readonly does?: ImageBehaviour;
  readonly doesIn?: Readonly<Record<string, ImageBehaviour>>;
  /** Nobody said so: it was concluded from the manifest. Older sessions do not send it. */
  readonly assumed?: true;
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
  /** The failed expectations: each with its line in the scenario, and what there was instead. */
  readonly failures: readonly string[];
}
