import type { VolumePlugin } from './types.js';

export const imagePluginName = 'kubernetes.io/image';

/** Images are the runtime's to mount: there is nothing to set up. upstream: pkg/volume/image */
export function newImagePlugin(): VolumePlugin {
  return {
    name: imagePluginName,
    canSupport: (spec) => spec.image !== undefined,
    requiresRemount: () => false,
    newMounter: () => ({
      path: '',
      attributes: { readOnly: true, managed: true, seLinuxRelabel: true },
      *setUp() {},
    }),
    newUnmounter: () => ({ *tearDown() {} }),
    constructVolumeSpec: (name) => ({ name, image: {} }),
  };
}
