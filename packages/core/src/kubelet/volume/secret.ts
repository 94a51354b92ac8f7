import { contentPlugin } from './content-volume.js';
import { defaultModeOf, secretPayload } from './payload.js';
import type { VolumeHost, VolumePlugin } from './types.js';

/** Its files are kept in memory. upstream: pkg/volume/secret */
export const newSecretPlugin = (host: VolumeHost): VolumePlugin =>
  contentPlugin(host, {
    name: 'kubernetes.io/secret',
    file: 'secret.go',
    medium: 'Memory',
    canSupport: (spec) => spec.secret !== undefined,
    collect: ({ secret }, pod) =>
      secretPayload(
        host,
        pod,
        { name: secret?.secretName ?? '', optional: secret?.optional, items: secret?.items },
        defaultModeOf(secret),
      ),
    constructVolumeSpec: (name) => ({ name, secret: { secretName: name } }),
  });
