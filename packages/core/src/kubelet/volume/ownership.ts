import { messageOf } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import { lstat, typeOf } from './host-util.js';
import type { VolumeHost } from './types.js';

const rwMask = 0o660;
const roMask = 0o440;
const execMask = 0o110;
const setgid = 0o2000;

/**
 * Gives a volume and all in it to a group: files are the group's to read (and write), folders hand their group on. A
 * failure is only logged.
 * upstream: pkg/volume VolumeOwnership.ChangePermissions, which these plug-ins call without a policy
 */
export function* changePermissions(host: VolumeHost, dir: string, fsGroup: number, readOnly: boolean): Go<void> {
  const { os } = host;
  const { chmod, lchown } = os;
  if (!chmod || !lchown) return;
  const log = new Logger(host.kernel, 'volume_linux.go');
  const tried = function* (what: string, path: string, change: Go<void>): Go<void> {
    try {
      yield* change;
    } catch (err) {
      log.error(new Error(messageOf(err)), `${what} failed`, { path });
    }
  };
  /** A folder comes after what is in it. */
  const walk = function* (path: string): Go<void> {
    const stat = yield* lstat(os, path);
    if (!stat) return;
    const type = typeOf(stat);
    if (type === 'dir') for (const { name } of yield* os.readDir(path)) yield* walk(`${path}/${name}`);
    yield* tried('Lchown', path, lchown.call(os, path, -1, fsGroup));
    // A link has no mode of its own.
    if (type === 'link') return;
    const mask = (readOnly ? roMask : rwMask) | (type === 'dir' ? setgid | execMask : 0);
    yield* tried('chmod', path, chmod.call(os, path, (stat.mode ?? 0) | mask));
  };
  yield* walk(dir);
}
