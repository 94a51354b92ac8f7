import { messageOf } from '../../base/index.js';
import { OSError, type OSInterface } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import { isMissing, isMountPoint, lstat, pathWithinBase, realpath } from './host-util.js';

/** upstream: pkg/volume/util/subpath containerSubPathDirectoryName */
const containerSubPathDirectoryName = 'volume-subpaths';

/** A part of a volume that a container mounts. upstream: pkg/volume/util/subpath Subpath */
export interface Subpath {
  readonly volumeMountIndex: number;
  /** Whole, on the node. */
  readonly path: string;
  readonly volumeName: string;
  readonly volumePath: string;
  readonly podDir: string;
  readonly containerName: string;
}

/** Makes the folders on the way that are missing, none of them outside of `base`. upstream: SafeMakeDir */
export function* safeMakeDir(os: OSInterface, subdir: string, base: string, mode: number): Go<void> {
  if (os.makeDirInside) return yield* os.makeDirInside(yield* realpath(os, base), subdir, mode);
  const root = yield* realpath(os, base);
  let at = root;
  for (const part of subdir.split('/').filter((p) => p !== '' && p !== '.')) {
    const next = `${at}/${part}`;
    if ((yield* lstat(os, next)) === null) {
      yield* os.mkdirAll(next, mode);
      if (os.chmod) yield* os.chmod(next, mode);
    }
    at = yield* realpath(os, next);
    if (!pathWithinBase(at, root)) throw new Error(`path ${at} is outside of allowed base ${root}`);
    if (!(yield* os.stat(at))?.dir) throw new OSError('ENOTDIR', `mkdir ${at}: not a directory`);
  }
}

/**
 * A name under the pod's folder for a part of a volume, which containers cannot lead elsewhere: it is mounted there. A
 * host that may not mount has a link instead, to where the path leads now. Throws if that is outside of the volume.
 * upstream: PrepareSafeSubpath, doBindSubPath
 */
export function* prepareSafeSubpath(os: OSInterface, subpath: Subpath): Go<string> {
  const { podDir, volumeName, containerName, volumeMountIndex } = subpath;
  const base = yield* realpath(os, subpath.volumePath);
  const path = yield* realpath(os, subpath.path);
  if (!pathWithinBase(path, base)) throw new Error(`subpath "${path}" not within volume path "${base}"`);
  const stat = yield* lstat(os, path);
  if (!stat) throw new Error(`lstat ${path} failed: no such file or directory`);
  const dir = `${podDir}/${containerSubPathDirectoryName}/${volumeName}/${containerName}`;
  const target = `${dir}/${volumeMountIndex}`;
  yield* os.mkdirAll(dir, 0o750);
  const { mounter } = os;
  if (!mounter) {
    // A link of an earlier container may lead elsewhere.
    if (yield* lstat(os, target)) yield* os.remove(target);
    yield* os.symlink(path, target);
    return target;
  }
  if (yield* mounter.mountAt(target)) yield* mounter.unmount(target);
  // Left behind by a host that did not mount.
  if ((yield* lstat(os, target))?.type === 'link') yield* os.remove(target);
  if (stat.dir) yield* os.mkdirAll(target, 0o750);
  else yield* os.writeFile(target, '', 0o640);
  try {
    yield* mounter.bindInside(base, path, target);
  } catch (err) {
    yield* os.remove(target);
    throw new Error(`error mounting ${path}: ${messageOf(err)}`, { cause: err });
  }
  return target;
}

/** Unmounts and removes what a volume has there. upstream: CleanSubPaths */
export function* cleanSubPaths(os: OSInterface, podDir: string, volumeName: string): Go<void> {
  const top = `${podDir}/${containerSubPathDirectoryName}`;
  const dir = `${top}/${volumeName}`;
  let containers: { name: string; dir: boolean }[];
  try {
    containers = yield* os.readDir(dir);
  } catch (err) {
    if (isMissing(err)) return;
    throw new Error(`error reading ${dir}: ${messageOf(err)}`, { cause: err });
  }
  for (const { name } of containers) {
    const containerDir = `${dir}/${name}`;
    for (const { name: index } of yield* os.readDir(containerDir)) {
      const path = `${containerDir}/${index}`;
      try {
        if (yield* isMountPoint(os, path)) yield* os.mounter?.unmount(path) ?? done();
        yield* os.remove(path);
      } catch (err) {
        throw new Error(`error processing ${containerDir}: error cleaning subpath mount ${path}: ${messageOf(err)}`, {
          cause: err,
        });
      }
    }
    yield* os.remove(containerDir);
  }
  yield* os.remove(dir);
  if ((yield* os.readDir(top)).length === 0) yield* os.remove(top);
}

function* done(): Go<void> {}
