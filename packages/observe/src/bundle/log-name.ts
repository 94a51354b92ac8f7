/** The node that the name of a log stands for, if people named files by nodes. */
import { listIn } from '@syncloop/core/base';

/** The part of a log's name that is not its node's: `node-1.kubelet.log.gz`. */
const ENDING = /(?:[._-]?kubelet)?(?:\.(?:log|txt|json|ndjson|journal|gz|\d{1,3}))*$/i;
const LOG = /\.(?:log|txt|journal)(?:\.\d{1,3})?(?:\.gz)?$/i;
/** Names of programs and of their logs, which are not names of nodes. */
const PROGRAM =
  /^(?:kubelet.*|containerd|cri-?o|docker(?:d)?|k3s|rke2|syslog|messages|journal|journalctl|kern|kernel|dmesg|audit|pods?|events?|log|output|std(?:out|err))$/i;

const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1);

/** Returns the name of a log without its endings; files of one log that was rotated have the same. */
export const logName = (path: string): string => baseOf(path).replace(ENDING, '') || baseOf(path);

/** Returns true for a name that logs have. */
export const isLogName = (path: string): boolean => LOG.test(path);

/** Groups the logs of one folder by their nodes; null if their names are not those of several nodes. */
export function byLogName<F>(
  files: readonly F[],
  pathOf: (file: F) => string,
): ReadonlyMap<string, readonly F[]> | null {
  const nodes = new Map<string, F[]>();
  for (const file of files) {
    const name = logName(pathOf(file));
    if (PROGRAM.test(name)) return null;
    listIn(nodes, name).push(file);
  }
  return nodes.size > 1 ? nodes : null;
}
