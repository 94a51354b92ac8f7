/** Finds which nodes files, folders and archives are of. */
import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { listIn } from '@syncloop/core/base';
import { isLogName, logName } from '@syncloop/observe';
import { SetupError } from '../base/errors.js';
import { ARCHIVE, nodesOfBundles } from '../observe/bundles.js';
import { evidenceOfNode, type FoundFiles, findEvidence } from '../observe/evidence-files.js';

/** A node of a fleet, not read yet. */
export interface FoundNode {
  readonly name: string;
  /** The path by which a person finds its files. */
  readonly source: string;
  /** Throws a SetupError. */
  open(options: { readonly zoneMinutes?: number }): Promise<FoundFiles>;
}

/** Most nodes of one verdict. */
const MOST_NODES = 10_000;
const ofPaths = (name: string, paths: readonly string[]): FoundNode => ({
  name,
  source: paths[0] as string,
  open: (options) => findEvidence(paths, options),
});

/**
 * Returns the nodes that `paths` name, each once, in the order of their names: a file is a node; a folder is one if it
 * has one log, and else each log in it is; folders and archives within a folder are nodes. Throws a SetupError.
 */
export async function fleetNodes(paths: readonly string[]): Promise<FoundNode[]> {
  const nodes: FoundNode[] = [];
  for (const path of paths) nodes.push(...(await nodesAt(path)));
  if (nodes.length === 0) throw new SetupError(`no log of a node was found in ${paths.join(', ')}`);
  if (nodes.length > MOST_NODES)
    throw new SetupError(`${nodes.length} nodes: at most ${MOST_NODES} are read together; split them with --shard`);
  return distinct(nodes).sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
}

async function nodesAt(path: string): Promise<FoundNode[]> {
  const stats = await stat(path).catch((err: Error) => {
    throw new SetupError(`cannot read ${path}: ${err.message}`);
  });
  if (!stats.isDirectory() && !ARCHIVE.test(path)) return [ofPaths(logName(path), [path])];
  const entries = stats.isDirectory() ? await readdir(path, { withFileTypes: true }) : [];
  if (!stats.isDirectory() || entries.some((one) => one.isDirectory() || ARCHIVE.test(one.name))) {
    const found = await nodesOfBundles([path]);
    const folders = entries.filter((one) => one.isDirectory() && !one.name.startsWith('.')).map(({ name }) => name);
    // No file is called a kubelet's: then each folder is a node.
    if (found.length === 1 && found[0]?.name === '' && folders.length > 1) {
      const nodes: FoundNode[] = [];
      for (const name of folders.sort()) nodes.push(...named(name, await nodesAt(join(path, name))));
      return nodes;
    }
    return found.map((node) => ({
      // A folder with one node does not name it: the folder of its files does.
      name: node.name || basename(dirname(node.files[0]?.path ?? '')) || logName(path),
      source: node.name === '' ? path : `${path} --node ${node.name}`,
      open: (options) => evidenceOfNode(node, options),
    }));
  }
  const files = entries.filter((one) => one.isFile() && !one.name.startsWith('.')).map(({ name }) => name);
  // Files of one log that was rotated have the same name before their endings.
  const logs = new Map<string, string[]>();
  for (const file of files.filter(isLogName).sort()) {
    listIn(logs, logName(file)).push(join(path, file));
  }
  if (logs.size <= 1) return [ofPaths(logName(path), [path])];
  return [...logs].map(([name, of]) => ofPaths(name, of));
}

/** The nodes of a folder: a single one has its name, several have their own behind it. */
const named = (folder: string, nodes: readonly FoundNode[]): FoundNode[] =>
  nodes.map((node) => ({ ...node, name: nodes.length === 1 ? folder : `${folder}/${node.name}` }));

/** Two nodes of one name are distinguished by their paths. */
function distinct(nodes: readonly FoundNode[]): FoundNode[] {
  const times = new Map<string, number>();
  for (const { name } of nodes) times.set(name, (times.get(name) ?? 0) + 1);
  return nodes.map((node) => (times.get(node.name) === 1 ? node : { ...node, name: node.source }));
}
