import type { Micros, Seq } from '../../trace/index.js';
import type { IncidentKind } from './kinds.js';
import type { IncidentFacts } from './types.js';

/** One record's report of a trouble, or of its end. */
export interface Sign {
  readonly kind: IncidentKind;
  /** Default: it fails. */
  readonly healed?: boolean | undefined;
  readonly pod?: string | undefined;
  readonly uid?: string | undefined;
  readonly container?: string | undefined;
  /** The source's own text. */
  readonly what?: string | undefined;
  /** Troubles of one kind are apart by this: a volume, a condition. Healed and absent: it ends all of the kind. */
  readonly part?: string | undefined;
  readonly facts?: IncidentFacts | undefined;
  /** The moment, if it is not that of the record. */
  readonly at?: { readonly seq: Seq; readonly time: Micros };
}

export const healed = (kind: IncidentKind, about: Partial<Sign> = {}): Sign => ({ ...about, kind, healed: true });

export const about = ({ pod, uid }: { readonly pod?: string | undefined; readonly uid?: string | undefined }) => ({
  pod,
  uid,
});

/** Resources that a node can be short of, by what the kubelet calls them or their signals. */
const RESOURCES: readonly (readonly [RegExp, string])[] = [
  [/memory/i, 'memory'],
  [/inode/i, 'inodes'],
  [/pid/i, 'pids'],
  [/disk|storage|nodefs|imagefs|containerfs/i, 'ephemeral-storage'],
];
export const resourceOf = (text: string): string => RESOURCES.find(([words]) => words.test(text))?.[1] ?? text;

const METHODS: { readonly [method: string]: IncidentKind } = {
  RunPodSandbox: 'sandbox',
  StopPodSandbox: 'kill-failed',
  RemovePodSandbox: 'gc',
  CreateContainer: 'container-create',
  StartContainer: 'container-start',
  StopContainer: 'kill-failed',
  RemoveContainer: 'gc',
  PullImage: 'image',
};
/** The kind of a failed call to the runtime, by its method; undefined for one that only looks. */
export const kindOfMethod = (method: string): IncidentKind | undefined =>
  Object.hasOwn(METHODS, method) ? METHODS[method] : undefined;
