/**
 * The names in older versions of the functions that the trace has. An entry stands only if it differs from v1.36, whose
 * place is in our docstrings; docs/users/eras.md has the same as a table (a test holds that).
 */
import type { FunctionSource, SourceIndex, UpstreamPlace } from './source-types.js';

export const NEWEST = 'v1.36';
export const OLDER = ['v1.12', 'v1.22', 'v1.32'] as const;
export type Older = (typeof OLDER)[number];
/** Released tag that a version's links lead to. */
const tagOf = (version: string): string => `${version}.0`;

/** `none`: it did not exist. `unverified`: nobody has looked. */
type Then = UpstreamPlace | 'none' | 'unverified';
export type Eras = Partial<Record<Older, Then>>;

const at = (file: string, symbol: string): UpstreamPlace => ({ file: `pkg/kubelet/${file}`, symbol });
const kubelet = (name: string) => at('kubelet.go', `(*Kubelet).${name}`);
const relist = (name: string) => at('pleg/generic.go', `(*GenericPLEG).${name}`);

export const eras: Readonly<Record<string, Eras>> = {
  createAndInitKubelet: { 'v1.12': { file: 'cmd/kubelet/app/server.go', symbol: 'CreateAndInitKubelet' } },
  SyncPod: { 'v1.12': kubelet('syncPod'), 'v1.22': kubelet('syncPod') },
  SyncTerminatingPod: { 'v1.12': 'none', 'v1.22': kubelet('syncTerminatingPod') },
  SyncTerminatingRuntimePod: { 'v1.12': 'none', 'v1.22': 'none' },
  SyncTerminatedPod: { 'v1.12': 'none', 'v1.22': kubelet('syncTerminatedPod') },
  SyncKnownPods: { 'v1.12': at('pod_workers.go', '(*podWorkers).ForgetNonExistingPodWorkers') },
  podWorkerLoop: {
    'v1.12': at('pod_workers.go', '(*podWorkers).managePodLoop'),
    'v1.22': at('pod_workers.go', '(*podWorkers).managePodLoop'),
  },
  startPodSync: { 'v1.12': 'none', 'v1.22': 'none' },
  completeWork: { 'v1.12': at('pod_workers.go', '(*podWorkers).wrapUp') },
  handleProbeSync: { 'v1.12': 'none' },
  initNetworkUtil: { 'v1.12': at('kubelet_network_linux.go', '(*Kubelet).syncNetworkUtil') },
  completeSync: { 'v1.12': 'none', 'v1.22': 'unverified' },
  completeTerminating: { 'v1.12': 'none' },
  completeTerminatingRuntimePod: { 'v1.12': 'none' },
  completeTerminated: { 'v1.12': 'none' },
  canAdmitPod: { 'v1.12': kubelet('canAdmitPod'), 'v1.22': kubelet('canAdmitPod'), 'v1.32': kubelet('canAdmitPod') },
  retryPendingResizes: { 'v1.12': 'none', 'v1.22': 'none', 'v1.32': kubelet('handlePodResourcesResize') },
  doPodResizeAction: { 'v1.12': 'none', 'v1.22': 'none' },
  Relist: { 'v1.12': relist('relist'), 'v1.22': relist('relist') },
  relistPod: { 'v1.12': 'none', 'v1.22': 'none', 'v1.32': 'none' },
  reconcilePodRecord: { 'v1.12': relist('relist'), 'v1.22': relist('relist'), 'v1.32': relist('Relist') },
  processCRIEvents: { 'v1.12': 'none', 'v1.22': 'none' },
  SetContainerStartup: { 'v1.12': 'none' },
  'handlerRunner.Run': { 'v1.12': at('lifecycle/handlers.go', '(*HandlerRunner).Run') },
  computePodActions: { 'v1.12': 'unverified' },
  listConfig: { 'v1.12': 'unverified' },
  consumeWatchEvent: { 'v1.12': 'unverified' },
  rotateLogs: { 'v1.12': 'unverified' },
  rotateLog: { 'v1.12': 'unverified' },
};

/** Returns a function's places, oldest version first; none for one that is ours alone. `same`: as in v1.36. */
export function placesOf(
  source: FunctionSource,
): readonly { readonly version: Older | typeof NEWEST; readonly place: Then; readonly same: boolean }[] {
  const { upstream, fn } = source;
  if (!upstream) return [];
  const then = Object.hasOwn(eras, fn) ? eras[fn] : undefined;
  return [
    ...OLDER.map((version) => ({ version, place: then?.[version] ?? upstream, same: then?.[version] === undefined })),
    { version: NEWEST, place: upstream, same: true },
  ];
}

/** A file of a version on GitHub. */
export const linkTo = ({ file }: UpstreamPlace, version: string): string =>
  `https://github.com/kubernetes/kubernetes/blob/${tagOf(version)}/${file}`;

/** Writes the table of docs/users/eras.md: every function with another name or file. */
export function erasTable(index: SourceIndex): string {
  const cell = (place: Then): string =>
    place === 'none'
      ? 'none'
      : place === 'unverified'
        ? 'n.v.'
        : `\`${place.symbol}\`, \`${place.file.replace('pkg/kubelet/', '')}\``;
  const rows = Object.keys(eras).map((fn) => {
    const source = index.functions[fn];
    const places = source ? placesOf(source) : [];
    return `| \`${fn}\` | ${places.map(({ place, same, version }) => (same && version !== NEWEST ? 'same' : cell(place))).join(' | ')} |`;
  });
  const head = `| Call in the trace | ${[...OLDER, NEWEST].join(' | ')} |`;
  return [head, '| --- | --- | --- | --- | --- |', ...rows].join('\n');
}
