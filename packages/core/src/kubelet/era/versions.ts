/** The versions of the kubelet that can run, oldest first. A version in between runs as the nearest one. */
export const eraVersions = ['v1.12', 'v1.21', 'v1.25', 'v1.32', 'v1.36'] as const;
export type EraVersion = (typeof eraVersions)[number];

/** The version that runs if none is chosen. */
export const defaultEra: EraVersion = 'v1.36';
