import { contentPlugin } from './content-volume.js';
import { defaultModeOf, downwardAPIPayload } from './payload.js';
import type { VolumeHost, VolumePlugin } from './types.js';

/** Needs no other object, so it works without an API server. upstream: pkg/volume/downwardapi */
export const newDownwardAPIPlugin = (host: VolumeHost): VolumePlugin =>
  contentPlugin(host, {
    name: 'kubernetes.io/downward-api',
    file: 'downwardapi.go',
    medium: 'Memory',
    canSupport: (spec) => spec.downwardAPI !== undefined,
    *collect({ downwardAPI }, pod) {
      return downwardAPIPayload(host, pod, downwardAPI?.items ?? [], defaultModeOf(downwardAPI));
    },
    constructVolumeSpec: (name) => ({ name, downwardAPI: {} }),
  });
