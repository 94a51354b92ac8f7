import type { Pod } from '../../api/types.js';
import type { Go } from '../../kernel/index.js';

/** upstream: pkg/kubelet/lifecycle/interfaces.go PodAdmitAttributes */
export interface PodAdmitAttributes {
  readonly pod: Pod;
  /** The other active pods. */
  readonly otherPods: readonly Pod[];
  readonly operation: 'add' | 'resize';
}

/** upstream: lifecycle.PodAdmitResult */
export type PodAdmitResult =
  | { readonly admit: true }
  | { readonly admit: false; readonly reason: string; readonly message: string };

export const no = (reason: string, message: string): PodAdmitResult => ({ admit: false, reason, message });

/** One link of the chain that a new pod has to pass. upstream: lifecycle.PodAdmitHandler */
export interface PodAdmitHandler {
  readonly name: string;
  /** Decides about a pod, which may take time: a critical pod waits until others have made room. */
  admit(attrs: PodAdmitAttributes): Go<PodAdmitResult>;
}
