import { OSError, type OSInterface } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import { type FileType, fileType } from './host-util.js';
import type { VolumeHost, VolumePlugin } from './types.js';

export const hostPathPluginName = 'kubernetes.io/host-path';

/** upstream: pkg/volume/hostpath. Nothing is made or removed but what DirectoryOrCreate and FileOrCreate ask for. */
export function newHostPathPlugin(host: VolumeHost): VolumePlugin {
  return {
    name: hostPathPluginName,
    canSupport: (spec) => spec.hostPath !== undefined,
    requiresRemount: () => false,
    newMounter(spec) {
      const { path = '', type = '' } = spec.hostPath ?? {};
      return {
        path,
        attributes: { readOnly: false, managed: false, seLinuxRelabel: false },
        *setUp() {
          if (path.split('/').includes('..')) throw new Error(`invalid HostPath \`${path}\`: must not contain '..'`);
          if (type !== '') yield* checkType(host.os, path, type);
        },
      };
    },
    newUnmounter: () => ({ *tearDown() {} }),
    constructVolumeSpec: (name) => ({ name, hostPath: { path: name } }),
  };
}

const wanted: Readonly<Record<string, readonly [FileType, string]>> = {
  Directory: ['dir', 'a directory'],
  File: ['file', 'a file'],
  Socket: ['socket', 'a socket file'],
  CharDevice: ['char', 'a character device'],
  BlockDevice: ['block', 'a block device'],
};

/** upstream: pkg/volume/hostpath checkTypeInternal */
function* checkType(os: OSInterface, path: string, type: string): Go<void> {
  let is: FileType | null;
  try {
    is = yield* fileType(os, path);
  } catch {
    // A path that cannot be read counts as missing.
    is = null;
  }
  const create = type === 'DirectoryOrCreate' || type === 'FileOrCreate';
  if (create && is === null) {
    try {
      if (type === 'DirectoryOrCreate') yield* os.mkdirAll(path, 0o755);
      else yield* os.writeFile(path, '', 0o644);
    } catch (err) {
      if (!(err instanceof OSError && err.code === 'EEXIST')) throw err;
    }
    return;
  }
  const base = create ? type.slice(0, -'OrCreate'.length) : type;
  const want = Object.hasOwn(wanted, base) ? wanted[base] : undefined;
  if (!want) throw new Error(`${type} is an invalid volume type`);
  if (is !== want[0]) throw new Error(`hostPath type check failed: ${path} is not ${want[1]}`);
}
