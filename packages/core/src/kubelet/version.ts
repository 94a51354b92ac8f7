/** Whose behaviour this is; what the node calls its kubelet. upstream: component-base version.Get */
export const kubeletVersion = 'v1.36.2';
