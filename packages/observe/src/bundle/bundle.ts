import { LAYOUTS, type Layout } from './layouts.js';
import type { Bundle, BundleFile, BundleNode, NodeFile, Role } from './types.js';

/** A log of a kubelet by its name, in a folder that no collector of the table made. */
const KUBELET =
  /(?:^|\/)[^/]*(?:kubelet|k3s|rke2|kubelite)[^/]*(?:\.(?:log|txt|json|journal)(?:\.\d+)?|_logs|\.service)?$/i;
const POD_LOGS = /(?:^|\/)(?:pods|containers)\/[^/]+\/|(?:^|\/)namespaces\//;

/** The bundle that files are of. Its nodes are in the order of their names. */
export function bundleOf(files: readonly BundleFile[]): Bundle {
  const paths = files.map(({ path }) => path);
  const layout = LAYOUTS.find(({ marks }) => marks.every((mark) => paths.some((path) => mark.test(path))));
  return layout ? ofLayout(layout, files) : ofFolders(files);
}

function ofLayout({ kind, files: places, node: naming }: Layout, files: readonly BundleFile[]): Bundle {
  let only = '';
  if (naming) for (const { path } of files) only ||= naming.exec(path)?.[1] ?? '';
  const nodes = new Map<string, NodeFile[]>();
  for (const file of files)
    for (const [role, place] of places) {
      const found = place.exec(file.path);
      if (!found) continue;
      put(nodes, found.groups?.node ?? only, file, role);
      break;
    }
  return { kind, nodes: listed(nodes) };
}

/** A folder of any depth: each folder with a kubelet's log is a node, if there are several. */
function ofFolders(files: readonly BundleFile[]): Bundle {
  const logs = files.filter(({ path }) => KUBELET.test(path) && !POD_LOGS.test(path));
  const folders = [...new Set(logs.map(({ path }) => folderOf(path)))];
  const nodes = new Map<string, NodeFile[]>();
  const isLog = new Set(logs);
  if (folders.length === 0) {
    for (const file of files) put(nodes, '', file, 'other');
    return { kind: '', nodes: listed(nodes) };
  }
  const names = folders.length === 1 ? [''] : distinct(folders);
  // Besides its log, a node has the files next to it: a folder of any depth has manifests of all kinds.
  for (const file of files) {
    const at = folders.indexOf(folderOf(file.path));
    if (at >= 0) put(nodes, names[at] as string, file, isLog.has(file) ? 'kubelet' : 'other');
  }
  return { kind: '', nodes: listed(nodes) };
}

/** Names of folders: the part of each path that differs from the others'. */
function distinct(folders: readonly string[]): string[] {
  const parts = folders.map((folder) => folder.split('/'));
  const longest = Math.max(...parts.map(({ length }) => length));
  for (let i = 0; i < longest; i++) {
    const names = parts.map((one) => one[i] ?? '');
    if (new Set(names).size === folders.length) return names.map((name, k) => name || (folders[k] as string));
  }
  return [...folders];
}

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function put(nodes: Map<string, NodeFile[]>, node: string, file: BundleFile, role: Role): void {
  const one: NodeFile = { path: file.path, size: file.size, modified: file.modified, open: () => file.open(), role };
  const same = nodes.get(node);
  if (same) same.push(one);
  else nodes.set(node, [one]);
}

const listed = (nodes: ReadonlyMap<string, NodeFile[]>): BundleNode[] =>
  [...nodes]
    .map(([name, files]) => ({ name, files }))
    .filter(({ files }) => files.some(({ role }) => role === 'kubelet' || role === 'journal' || role === 'other'))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
