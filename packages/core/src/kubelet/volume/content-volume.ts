import { containerIter } from '../../api/pod/podutil.js';
import type { Pod, Volume } from '../../api/types.js';
import { messageOf } from '../../base/index.js';
import type { Go } from '../../kernel/index.js';
import { Logger } from '../klog.js';
import { AtomicWriter, type Payload } from './atomic-writer.js';
import { wrapperDir } from './emptydir.js';
import { changePermissions } from './ownership.js';
import { type MounterArgs, podVolumeDir, type VolumeHost, type VolumePlugin } from './types.js';

/** The differences between plug-ins whose files the kubelet writes. */
interface ContentKind {
  readonly name: string;
  /** Upstream's source file, for log lines. */
  readonly file: string;
  /** The source of the folder's files. */
  readonly medium: '' | 'Memory';
  canSupport(spec: Volume): boolean;
  collect(spec: Volume, pod: Pod, args: MounterArgs): Go<Payload>;
  constructVolumeSpec(name: string): Volume;
}

/**
 * A plug-in whose volumes hold files that the kubelet writes again at each sync.
 * upstream: SetUpAt of configmap, secret, downwardapi, projected
 */
export function contentPlugin(host: VolumeHost, kind: ContentKind): VolumePlugin {
  const pathOf = (uid: string, name: string) => podVolumeDir(host.getPodDir(uid), kind.name, name);
  const log = new Logger(host.kernel, kind.file);
  return {
    name: kind.name,
    canSupport: kind.canSupport,
    requiresRemount: () => true,
    newMounter: (spec, pod) => {
      const path = pathOf(pod.metadata.uid, spec.name);
      return {
        path,
        attributes: { readOnly: true, managed: true, seLinuxRelabel: true },
        *setUp(args) {
          const { uid, namespace, name } = pod.metadata;
          log.info(3, `Setting up volume ${spec.name} for pod ${uid} at ${path}`);
          const payload = yield* kind.collect(spec, pod, args);
          const dir = wrapperDir(host, uid, spec.name, kind.medium);
          yield* dir.setUpAt(path, args);
          yield* makeNestedMountpoints(host, spec.name, path, pod);
          try {
            const writer = new AtomicWriter(host.kernel, host.os, path, `pod ${namespace}/${name} volume ${spec.name}`);
            yield* writer.write(payload, function* () {
              if (args.fsGroup !== null) yield* changePermissions(host, path, args.fsGroup, true);
            });
          } catch (err) {
            log.error(null, `Error writing payload to dir: ${messageOf(err)}`);
            try {
              yield* dir.tearDownAt(path);
            } catch (tearDownErr) {
              log.error(null, `Error tearing down volume ${spec.name} with : ${messageOf(tearDownErr)}`);
            }
            throw err;
          }
        },
      };
    },
    newUnmounter: (name, uid) => ({
      tearDown: () => wrapperDir(host, uid, name, kind.medium).tearDownAt(pathOf(uid, name)),
    }),
    constructVolumeSpec: kind.constructVolumeSpec,
  };
}

/**
 * Folders for what is mounted within the volume, which containers cannot write.
 * upstream: pkg/volume/util/nested_volumes.go
 */
function* makeNestedMountpoints(host: VolumeHost, volumeName: string, dir: string, pod: Pod): Go<void> {
  for (const path of nestedMountpoints(volumeName, pod)) {
    try {
      yield* host.os.mkdirAll(`${dir}/${path}`, 0o755);
    } catch (err) {
      throw new Error(`unable to create nested volume mountpoints: ${messageOf(err)}`);
    }
  }
}

/** upstream: getNestedMountpoints */
export function nestedMountpoints(volumeName: string, pod: Pod): string[] {
  const out: string[] = [];
  for (const [container] of containerIter(pod.spec)) {
    const mounts = (container.volumeMounts ?? []).map((m) => ({ name: m.name, path: cleanAbsolute(m.mountPath) }));
    const all = mounts.map((m) => m.path).sort();
    for (const { name, path } of mounts) {
      if (name !== volumeName) continue;
      const base = path === '/' ? '/' : `${path}/`;
      const nested: string[] = [];
      for (const other of all) {
        if (!other.startsWith(base) || other === path || nested.some((n) => other.startsWith(n))) continue;
        nested.push(`${other}/`);
        out.push(other.slice(base.length));
      }
    }
  }
  return out;
}

/** Cleans a path in the container's own tree, out of which no `..` leads. */
function cleanAbsolute(path: string): string {
  const out: string[] = [];
  for (const part of path.split('/')) {
    if (part === '' || part === '.') continue;
    if (part === '..') out.pop();
    else out.push(part);
  }
  return `/${out.join('/')}`;
}
