import { laterThanAll, minorOfEra } from '@syncloop/core/kubelet/era/nearest';
import type { EraVersion } from '@syncloop/core/kubelet/era/versions';
import type { ObservedVersion } from '@syncloop/core/version';

/**
 * Differences between versions in requests and statuses: places in the details of a call or a status, and the first
 * minor version of 1 that does it as all later ones do.
 */
const rows: readonly { readonly path: RegExp; readonly since: number; readonly patched?: true }[] = [
  { path: /\.namespaceOptions\.usernsOptions(\.|$)/, since: 33 },
  // Deprecated in favour of `seccomp`.
  { path: /\.seccompProfilePath$/, since: 29 },
  // Later patches of some minor versions before have it, too.
  { path: /\.(maskedPaths|readonlyPaths)$/, since: 34, patched: true },
  // Before, only the image's id was sent.
  { path: /^config\.image$/, since: 29 },
  { path: /^config\.(CDIDevices|podIp)/, since: 30 },
  { path: /^conditions\.PodReadyToStartContainers$/, since: 29 },
  // A failed pod's containers were not ready for a reason of their own.
  { path: /^conditions\.(Ready|ContainersReady)$/, since: 24 },
];
/**
 * Fields of requests that come and go with the versions: if all requests differ in the same way, the version is the
 * reason.
 */
const CONFIG = /^config\.(linux|annotations|labels)\./;
/** Before v1.22 a pod's end was not a sync: the pod was killed outside its worker. */
const TERMINATING_SYNCS = 22;

/**
 * Before, housekeeping killed a removed pod a second time if a list up to two seconds old still showed it running.
 * upstream: v1.27 (*Kubelet).HandlePodCleanups, ForceUpdateIfOlder
 */
const ONE_KILL = 27;

/**
 * From v1.29 on podActions is printed as pairs. Up to v1.32 they lack NextInitContainerToStart, which says what starts
 * in a pod without restartable init containers; v1.33 has InitContainersToStart alone.
 */
const NEXT_INIT_UNSAID = { since: 29, until: 32 };

/** The versions of two kubelets that are compared. */
export class Versions {
  private readonly twin: number;
  /** A version that is not known may be any. */
  private readonly since: number;
  private readonly until: number;
  private readonly known: boolean;

  constructor({ span }: ObservedVersion, era: EraVersion) {
    this.twin = minorOfEra(era);
    this.since = span?.since ?? 0;
    this.until = span?.until ?? laterThanAll;
    this.known = span !== null;
  }

  /** True if one of them may be from before 1.`minor` and the other one is not. */
  private parts(minor: number): boolean {
    const has = this.twin >= minor;
    return this.since >= minor !== has || this.until >= minor !== has;
  }
  private either(minor: number): boolean {
    return this.twin < minor || this.since < minor;
  }

  /** True if the versions explain a difference at this place of a request or of a status. */
  explain(path: string, oneIsAbsent: boolean): boolean {
    for (const { path: at, since, patched } of rows)
      if (at.test(path) && (patched ? this.either(since) : this.parts(since))) return true;
    const { since, until, twin, known } = this;
    return known && (since !== twin || until !== twin) && oneIsAbsent && CONFIG.test(path);
  }

  /** True if one of both may kill a removed pod a second time, by chance. */
  get maySecondKill(): boolean {
    return this.twin < ONE_KILL || (this.known && this.since < ONE_KILL);
  }

  /** True if the observed kubelet may start an init container that its line about a sync's actions does not have. */
  get mayLeaveOutInit(): boolean {
    return this.known && this.since <= NEXT_INIT_UNSAID.until && this.until >= NEXT_INIT_UNSAID.since;
  }

  /** Returns the run whose ends of pods are syncs, if the other one's are not; null if they are alike in it. */
  get endsInSyncs(): 'seen' | 'twin' | null {
    const twin = this.twin >= TERMINATING_SYNCS;
    return this.until >= TERMINATING_SYNCS === twin ? null : twin ? 'twin' : 'seen';
  }
}
