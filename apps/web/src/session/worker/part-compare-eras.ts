/** The part that the worker loads with the first comparison of two versions of the kubelet. */
export { comparingEras } from '@syncloop/observe/eras';
