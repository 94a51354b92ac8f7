import { listIn } from '@syncloop/core/base';
import { bundleOf } from './bundle.js';
import { byLogName, isLogName } from './log-name.js';
import type { BundleFile, BundleNode } from './types.js';

/**
 * Returns the nodes of what was opened. If no file of it is called a kubelet's, each of several folders with a file of
 * the same name is a node, and else each log in the one folder that is named by a node.
 */
export function nodesOf(files: readonly BundleFile[]): readonly BundleNode[] {
  const { kind, nodes } = bundleOf(files);
  const [only] = nodes;
  if (kind !== '' || nodes.length > 1 || !only || only.files.some(({ role }) => role !== 'other')) return nodes;
  const logs = files.filter(({ path }) => isLogName(path));
  const folders = new Map<string, BundleFile[]>();
  for (const file of logs) {
    const at = file.path.lastIndexOf('/');
    listIn(folders, file.path.slice(0, Math.max(0, at))).push(file);
  }
  const named = folders.size > 1 ? bySameFile(folders) : byLogName(logs, ({ path }) => path);
  if (!named) return nodes;
  return [...named]
    .map(
      ([name, own]): BundleNode => ({
        name,
        files: own.map((file) => ({ ...file, role: 'kubelet', open: () => file.open() })),
      }),
    )
    .sort((a, b) => (a.name < b.name ? -1 : 1));
}

/** Folders next to each other that each have a file of the same name. */
function bySameFile(
  folders: ReadonlyMap<string, readonly BundleFile[]>,
): ReadonlyMap<string, readonly BundleFile[]> | null {
  const split = [...folders].map(([folder, files]) => ({ parts: folder.split('/'), files }));
  const [first] = split;
  const base = ({ path }: BundleFile) => path.slice(path.lastIndexOf('/') + 1);
  const parent = (parts: readonly string[]) => parts.slice(0, -1).join('/');
  if (!first || split.some(({ parts }) => parent(parts) !== parent(first.parts))) return null;
  const shared = first.files.some((one) =>
    split.every(({ files }) => files.some((other) => base(other) === base(one))),
  );
  return shared ? new Map(split.map(({ parts, files }) => [parts.at(-1) ?? '', files])) : null;
}
