/**
 * The Kubernetes version whose behaviour this is; the node reports it as its kubelet's.
 * upstream: component-base version.Get
 */
export const kubeletVersion = 'v1.36.2';
