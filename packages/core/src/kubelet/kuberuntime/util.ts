import { kObj, type Pod, podRef } from '../../api/types.js';
import { type NamespaceMode, type NamespaceOption, namespaceMode, sandboxState } from '../../cri/index.js';
import type { Kernel } from '../../kernel/index.js';
import { isHostNetworkPod } from '../container/helpers.js';
import type { RuntimePodStatus } from '../container/types.js';
import { Logger } from '../klog.js';

/** upstream: kuberuntime/util IpcNamespaceForPod */
export const ipcNamespaceForPod = (pod: Pod): NamespaceMode => (pod.spec.hostIPC ? 'NODE' : 'POD');
/** upstream: kuberuntime/util NetworkNamespaceForPod */
export const networkNamespaceForPod = (pod: Pod): NamespaceMode => (pod.spec.hostNetwork ? 'NODE' : 'POD');
/** upstream: kuberuntime/util PidNamespaceForPod */
export const pidNamespaceForPod = (pod: Pod): NamespaceMode =>
  pod.spec.hostPID ? 'NODE' : pod.spec.shareProcessNamespace ? 'POD' : 'CONTAINER';

/** Returns the namespaces of a pod; POD is the zero value and left out. upstream: kuberuntime/util NamespacesForPod */
export function namespacesForPod(pod: Pod, userNamespace: NamespaceOption['usernsOptions']): NamespaceOption {
  const mode = (m: NamespaceMode) => (m === 'POD' ? undefined : m);
  const out: NamespaceOption = {};
  const network = mode(networkNamespaceForPod(pod));
  const pid = mode(pidNamespaceForPod(pod));
  const ipc = mode(ipcNamespaceForPod(pod));
  if (network) out.network = network;
  if (pid) out.pid = pid;
  if (ipc) out.ipc = ipc;
  if (userNamespace) out.usernsOptions = userNamespace;
  return out;
}

export interface SandboxChange {
  readonly changed: boolean;
  readonly attempt: number;
  readonly sandboxID: string;
}

/**
 * Decides whether the pod needs a new sandbox; returns also the attempt it will have, and the sandbox that it replaces
 * (fidelity 2:S-01 to 2:S-05).
 * upstream: kuberuntime/util PodSandboxChanged
 */
export function podSandboxChanged(kernel: Kernel, pod: Pod, podStatus: RuntimePodStatus): SandboxChange {
  const log = new Logger(kernel, 'util.go');
  const newest = podStatus.sandboxStatuses[0];
  const decide = (result: SandboxChange, why: string, line?: string): SandboxChange => {
    if (line) log.info(2, line, { pod: kObj(pod) });
    kernel.emit({
      kind: 'decision',
      rule: 'PodSandboxChanged',
      verdict: result.changed ? 'changed' : 'unchanged',
      values: {
        why,
        attempt: result.attempt,
        sandboxID: result.sandboxID,
        sandboxes: podStatus.sandboxStatuses.map((s) => ({
          id: s.id ?? '',
          attempt: s.metadata?.attempt ?? 0,
          state: sandboxState(s),
          ip: s.network?.ip ?? '',
        })),
      },
      ...podRef(pod),
    });
    return result;
  };
  if (!newest)
    return decide(
      { changed: true, attempt: 0, sandboxID: '' },
      'there is no sandbox',
      'No sandbox for pod can be found. Need to start a new one',
    );
  const id = newest.id ?? '';
  const attempt = newest.metadata?.attempt ?? 0;
  const ready = podStatus.sandboxStatuses.filter((s) => sandboxState(s) === 'SANDBOX_READY').length;
  if (ready > 1)
    return decide(
      { changed: true, attempt: attempt + 1, sandboxID: id },
      `${ready} sandboxes are ready`,
      'Multiple sandboxes are ready for Pod. Need to reconcile them',
    );
  if (sandboxState(newest) !== 'SANDBOX_READY')
    return decide(
      { changed: true, attempt: attempt + 1, sandboxID: id },
      'the newest sandbox is not ready',
      'No ready sandbox for pod can be found. Need to start a new one',
    );
  if (namespaceMode(newest.linux?.namespaces?.options?.network) !== networkNamespaceForPod(pod))
    return decide(
      { changed: true, attempt: attempt + 1, sandboxID: '' },
      'its network namespace is not what the pod asks for',
      'Sandbox for pod has changed. Need to start a new one',
    );
  if (!isHostNetworkPod(pod) && newest.network && !newest.network.ip)
    return decide(
      { changed: true, attempt: attempt + 1, sandboxID: id },
      'it has no IP address',
      'Sandbox for pod has no IP address. Need to start a new one',
    );
  return decide({ changed: false, attempt, sandboxID: id }, 'the newest sandbox is ready');
}
