import type { Pod } from '../../api/types.js';
import type { Context, Go } from '../../kernel/index.js';

/** Keeps the API's picture of static pods. upstream: pkg/kubelet/pod/mirror_client.go MirrorClient */
export interface MirrorPodClient {
  createMirrorPod(ctx: Context, pod: Pod): Go<void>;
  /** True when one was deleted. `uid`: only that very one. */
  deleteMirrorPod(ctx: Context, podFullName: string, uid: string | null): Go<boolean>;
}

/** Without an API server there is nothing to do. upstream: basicMirrorClient with a nil apiserverClient */
export const noMirrorPods: MirrorPodClient = {
  *createMirrorPod() {},
  *deleteMirrorPod() {
    return false;
  },
};
