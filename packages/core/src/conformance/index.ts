/** Checks of a container runtime, of the kubelet against recordings of a real one, and of any run. */
export * from './contract/index.js';
export * from './golden/index.js';
