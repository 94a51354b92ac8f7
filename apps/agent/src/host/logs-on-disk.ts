/** Logs of the mock runtime at the place where a kubelet of another process reads them. */
import { appendFileSync } from 'node:fs';
import { type FileNode, MemFS } from '@syncloop/core/mock';

/**
 * The mock's files, of which logs are on this machine's disk too. A kubelet makes a log's folder; if there is none
 * the log stays in memory, as everything else does.
 */
export class LogsOnDisk extends MemFS {
  override append(node: FileNode, data: string, path?: string): void {
    super.append(node, data, path);
    if (path !== undefined) write(path, data);
  }

  override openSync(path: string, mode?: number): FileNode {
    write(path, '');
    return super.openSync(path, mode);
  }
}

function write(path: string, data: string): void {
  if (!path.endsWith('.log')) return;
  try {
    appendFileSync(path, data, { mode: 0o640 });
  } catch {
    // No folder, no right to it, no room: a container's output must not end the runtime.
  }
}
