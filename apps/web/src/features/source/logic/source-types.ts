/** The index of the page's own sources; made by source-index.ts when the page is built. */

/** A place upstream: a file of kubernetes/kubernetes, and a function, written as `(*Kubelet).syncLoop`. */
export interface UpstreamPlace {
  readonly file: string;
  readonly symbol: string;
  /** The version of Kubernetes; absent for v1.36. */
  readonly version?: string;
}

/** A named call of the trace and the function that does its work. Lines count from 1, `to` is the last one. */
export interface FunctionSource {
  /** Written as `enter` records have it. */
  readonly fn: string;
  /** The function's own name in our sources. */
  readonly name: string;
  /** Below packages/core/src, as `kubelet/sync-loop.ts`. */
  readonly file: string;
  readonly from: number;
  readonly to: number;
  /** Name of the function that makes the call, which callers use. */
  readonly called: string;
  /** The text of its docstring, without the twin. */
  readonly doc: string;
  readonly upstream: UpstreamPlace | null;
  /** True if its docstring says that upstream has nothing like it. */
  readonly ours: boolean;
}

/** The lines of one numbered step. */
export interface StepSource {
  /** The call of the step, as in `step` records. */
  readonly fn: string;
  readonly name: string;
  readonly file: string;
  readonly from: number;
  readonly to: number;
  /** The function that it is in. */
  readonly within: { readonly name: string; readonly from: number; readonly to: number };
}

/** A function of a file and its lines. */
export interface OutlineEntry {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

export interface SourceIndex {
  readonly functions: Readonly<Record<string, FunctionSource>>;
  readonly steps: readonly StepSource[];
  /** Functions of each file that is named above; outer ones before those within them. */
  readonly outline: Readonly<Record<string, readonly OutlineEntry[]>>;
}

/** The parts that an older kubelet has of its own, on top of another version's. */
export interface EraIndex extends SourceIndex {
  /** Missing: v1.36. */
  readonly base?: string;
}

/** The index with the text of each file in it. */
export interface Sources {
  readonly index: SourceIndex;
  /** The parts of older kubelets in its place, by version. */
  readonly eras: Readonly<Record<string, EraIndex>>;
  readonly texts: Readonly<Record<string, string>>;
}
