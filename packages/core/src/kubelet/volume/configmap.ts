import { contentPlugin } from './content-volume.js';
import { configMapPayload, defaultModeOf } from './payload.js';
import type { VolumeHost, VolumePlugin } from './types.js';

/** upstream: pkg/volume/configmap */
export const newConfigMapPlugin = (host: VolumeHost): VolumePlugin =>
  contentPlugin(host, {
    name: 'kubernetes.io/configmap',
    file: 'configmap.go',
    medium: '',
    canSupport: (spec) => spec.configMap !== undefined,
    collect: ({ configMap }, pod) =>
      configMapPayload(
        host,
        pod,
        { name: configMap?.name ?? '', optional: configMap?.optional, items: configMap?.items },
        defaultModeOf(configMap),
      ),
    constructVolumeSpec: (name) => ({ name, configMap: {} }),
  });
