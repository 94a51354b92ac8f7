import { getPodFullName, type Pod } from '../../api/types.js';
import { ConfigHashAnnotationKey, ConfigMirrorAnnotationKey, isMirrorPod, isStaticPod } from '../types/pod-update.js';
import type { PodManager } from './types.js';

/** An empty manager. upstream: pkg/kubelet/pod/pod_manager.go NewBasicPodManager */
export function newBasicPodManager(): PodManager {
  return new BasicManager();
}

/** upstream: pod_manager.go basicManager */
class BasicManager implements PodManager {
  private podByUID = new Map<string, Pod>();
  private mirrorPodByUID = new Map<string, Pod>();
  private podByFullName = new Map<string, Pod>();
  private mirrorPodByFullName = new Map<string, Pod>();
  /** Mirror's uid -> its static pod's. */
  private translationByUID = new Map<string, string>();

  addPod(pod: Pod): void {
    this.updatePod(pod);
  }

  /** upstream: (*basicManager).updatePodsInternal */
  updatePod(pod: Pod): void {
    const fullName = getPodFullName(pod);
    const uid = pod.metadata.uid;
    if (isMirrorPod(pod)) {
      this.mirrorPodByUID.set(uid, pod);
      this.mirrorPodByFullName.set(fullName, pod);
      const p = this.podByFullName.get(fullName);
      if (p) this.translationByUID.set(uid, p.metadata.uid);
      return;
    }
    this.podByUID.set(uid, pod);
    this.podByFullName.set(fullName, pod);
    const mirror = this.mirrorPodByFullName.get(fullName);
    if (mirror) this.translationByUID.set(mirror.metadata.uid, uid);
  }

  removePod(pod: Pod): void {
    const fullName = getPodFullName(pod);
    const uid = pod.metadata.uid;
    if (isMirrorPod(pod)) {
      this.mirrorPodByUID.delete(uid);
      this.mirrorPodByFullName.delete(fullName);
      this.translationByUID.delete(uid);
      return;
    }
    this.podByUID.delete(uid);
    this.podByFullName.delete(fullName);
  }

  getPods(): Pod[] {
    return [...this.podByUID.values()];
  }

  getPodsAndMirrorPods(): { pods: Pod[]; mirrorPods: Pod[]; orphanedMirrorPodFullNames: string[] } {
    return {
      pods: this.getPods(),
      mirrorPods: [...this.mirrorPodByUID.values()],
      orphanedMirrorPodFullNames: [...this.mirrorPodByFullName.keys()].filter((name) => !this.podByFullName.has(name)),
    };
  }

  getPodByUID(uid: string): Pod | undefined {
    return this.podByUID.get(uid);
  }

  getPodByName(namespace: string, name: string): Pod | undefined {
    return this.getPodByFullName(getPodFullName({ metadata: { name, namespace } }));
  }
  getPodByFullName(fullName: string): Pod | undefined {
    return this.podByFullName.get(fullName);
  }

  getPodByMirrorPod(mirror: Pod): Pod | undefined {
    return this.podByFullName.get(getPodFullName(mirror));
  }

  getMirrorPodByPod(pod: Pod): Pod | undefined {
    return this.mirrorPodByFullName.get(getPodFullName(pod));
  }

  getPodAndMirrorPod(aPod: Pod): { pod: Pod | undefined; mirrorPod: Pod | undefined; wasMirror: boolean } {
    const fullName = getPodFullName(aPod);
    if (isMirrorPod(aPod)) return { pod: this.podByFullName.get(fullName), mirrorPod: aPod, wasMirror: true };
    return { pod: aPod, mirrorPod: this.mirrorPodByFullName.get(fullName), wasMirror: false };
  }

  translatePodUID(uid: string): string {
    return this.translationByUID.get(uid) ?? uid;
  }

  getUIDTranslations(): { podToMirror: Map<string, string>; mirrorToPod: Map<string, string> } {
    const podToMirror = new Map<string, string>();
    const mirrorToPod = new Map<string, string>();
    for (const [uid, pod] of this.podByUID) if (isStaticPod(pod)) podToMirror.set(uid, '');
    for (const [mirror, pod] of this.translationByUID) {
      mirrorToPod.set(mirror, pod);
      podToMirror.set(pod, mirror);
    }
    return { podToMirror, mirrorToPod };
  }
}

/**
 * Returns true if the mirror shows this very static pod; its spec does not matter.
 * upstream: pod_manager.go IsMirrorPodOf
 */
export function isMirrorPodOf(mirror: Pod, pod: Pod): boolean {
  if (pod.metadata.name !== mirror.metadata.name || pod.metadata.namespace !== mirror.metadata.namespace) return false;
  const hash = mirror.metadata.annotations?.[ConfigMirrorAnnotationKey];
  return hash !== undefined && hash === (pod.metadata.annotations?.[ConfigHashAnnotationKey] ?? '');
}
