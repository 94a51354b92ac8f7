import type { Count, LocalText, RecordPattern } from '../scenario/document/scenario.js';

/** A minor version of Kubernetes: `v1.22`. */
export type MinorVersion = `v1.${number}`;

/** The parts of the kubelet by which changes are listed, in the order of the list. */
export const changeParts = [
  'start',
  'loop',
  'handlers',
  'workers',
  'ending',
  'syncing',
  'status',
  'pleg',
  'runtime',
  'sources',
] as const;
export type ChangePart = (typeof changeParts)[number];

/** Upstream's page on a change: a pull request or an issue of kubernetes/kubernetes, or an enhancement. */
export type Upstream = { readonly pull: number } | { readonly issue: number } | { readonly kep: number };

/** Records that a run has in one version and not in the other. */
export interface Evidence extends RecordPattern {
  /** The kind of record as a noun phrase: "Cases of the select that take readinessManager". */
  readonly what: LocalText;
  /** The number of such records in the newest version before the change that runs here, and in all that run since. */
  readonly before: Count;
  readonly since: Count;
}

/** The run that shows a change. */
export interface ShownBy {
  /** A scenario of the library, by name. */
  readonly scenario: string;
  readonly evidence: Evidence;
  /** The record to go to if no such record exists; within the run's first minute. Default: where the scenario opens. */
  readonly moment?: RecordPattern;
}

/** One change of the kubelet between v1.12 and v1.36. */
export interface Change {
  /** The id in the page's address: lower-case letters and `-`. */
  readonly id: string;
  readonly part: ChangePart;
  /** The first version with it, or the first one that was seen with it. */
  readonly since: MinorVersion;
  /** The version in which something else took its place. */
  readonly until?: MinorVersion;
  readonly title: LocalText;
  readonly before: LocalText;
  readonly after: LocalText;
  readonly why: LocalText;
  readonly upstream: readonly Upstream[];
  /** Functions, channels, fields and conditions that it is about, as articles name them. */
  readonly names: readonly string[];
  /** Named calls of the trace whose code shows it, in the version before and in the first one since. */
  readonly code: { readonly before?: string; readonly since?: string };
  /** A run that shows it, or why none can. */
  readonly shown: ShownBy | { readonly not: LocalText };
}

/** The fate of a name that articles use. */
export interface OldName {
  /** Names that share one answer. */
  readonly names: readonly string[];
  /** A sentence or two; code in backquotes. */
  readonly became: LocalText;
  /** The change that did it, if there is one. */
  readonly change?: string;
}
