import type { Pod } from '../../api/types.js';

/** upstream: pkg/kubelet/pod Manager. Desired pods: static and API ones; mirrors apart. */
export interface PodManager {
  getPods(): Pod[];
  getPodByFullName(fullName: string): Pod | undefined;
  /** upstream: (*basicManager).GetPodByName */
  getPodByName(namespace: string, name: string): Pod | undefined;
  getPodByUID(uid: string): Pod | undefined;
  getPodByMirrorPod(mirror: Pod): Pod | undefined;
  getMirrorPodByPod(pod: Pod): Pod | undefined;
  getPodAndMirrorPod(aPod: Pod): { pod: Pod | undefined; mirrorPod: Pod | undefined; wasMirror: boolean };
  getPodsAndMirrorPods(): { pods: Pod[]; mirrorPods: Pod[]; orphanedMirrorPodFullNames: string[] };
  addPod(pod: Pod): void;
  updatePod(pod: Pod): void;
  removePod(pod: Pod): void;
  translatePodUID(uid: string): string;
  getUIDTranslations(): { podToMirror: Map<string, string>; mirrorToPod: Map<string, string> };
}
