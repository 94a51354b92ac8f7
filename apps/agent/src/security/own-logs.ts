/**
 * The node's file system, in which the kubelet finds the logs of its own pods only: garbage collection removes those of
 * pods that it does not know.
 */
import { readlinkSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import type { OSInterface } from '@syncloop/core/host';
import { type Ownership, podOfLogs } from './ownership.js';

/** upstream: pkg/kubelet/kuberuntime legacyContainerLogsDir */
const linksDir = '/var/log/containers';

export function ownLogs(os: OSInterface, ownership: Ownership, podLogsDir: string): OSInterface {
  const logs = resolve(podLogsDir);
  const ownFolder = (name: string) => ownership.hasPod(podOfLogs(name));
  const ownLink = (name: string) => {
    try {
      // PODLOGS/NAMESPACE_NAME_UID/CONTAINER/0.log
      const folder = dirname(dirname(resolve(linksDir, readlinkSync(join(linksDir, name)))));
      return dirname(folder) === logs && ownFolder(folder.slice(logs.length + 1));
    } catch {
      return false;
    }
  };
  return {
    ...os,
    *readDir(path) {
      const entries = yield* os.readDir(path);
      const at = resolve(path);
      if (at === logs) return entries.filter(({ name }) => ownFolder(name));
      return at === linksDir ? entries.filter(({ name }) => ownLink(name)) : entries;
    },
  };
}
