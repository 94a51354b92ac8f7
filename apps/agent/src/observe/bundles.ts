/** Folders of any depth and archives on a disk, as the files of one node. */
import { readdir, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import {
  BundleError,
  type BundleFile,
  type BundleNode,
  bundleOf,
  type NodeFile,
  packingOf,
  unpacked,
} from '@syncloop/observe/bundle';
import { SetupError } from '../base/errors.js';
import { openRegular } from '../base/read-file.js';

/** Names of files in a folder that are unpacked before they are looked at. */
export const ARCHIVE = /\.(?:tar|tgz|txz|zip|xz|tar\.gz)$/i;
/** Most files of a folder, and folders within one another. */
const MOST_FILES = 100_000;
const DEEPEST = 24;
/** Nodes that an error names. */
const NAMED = 40;

function onDisk(path: string, name: string, stats: { readonly size: number; readonly mtimeMs: number }): BundleFile {
  return {
    path: name,
    size: stats.size,
    modified: stats.mtimeMs,
    async *open() {
      const { file } = await openRegular(path);
      yield* file.createReadStream();
    },
  };
}

async function walk(folder: string, name: string, into: BundleFile[], depth = 0): Promise<void> {
  const entries = await readdir(folder, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    if (entry.name.startsWith('.')) continue;
    const path = join(folder, entry.name);
    const shown = `${name}/${entry.name}`;
    // Links to folders may lead anywhere, and in a loop.
    if (entry.isDirectory() && depth < DEEPEST) await walk(path, shown, into, depth + 1);
    else if (entry.isFile()) into.push(onDisk(path, shown, await stat(path)));
    if (into.length > MOST_FILES)
      throw new SetupError(
        `${folder} and the folders around it have more than ${MOST_FILES} files: name the one with the log`,
      );
  }
}

/** Does what reads an archive; its errors are those of the user's file. */
export async function unpackedBytes<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof BundleError) throw new SetupError(`cannot open ${error.message}`);
    throw error;
  }
}

/** Folders or archives of several nodes, of which none was chosen. */
export class SeveralNodesError extends SetupError {
  constructor(
    message: string,
    readonly nodes: readonly BundleNode[],
  ) {
    super(message);
  }
}

/**
 * The files of one node in folders and archives; `byName` says that their layout has named it. Throws a SetupError that
 * lists the nodes if there are several and none is chosen.
 */
export async function filesOfBundles(
  paths: readonly string[],
  node: string | undefined,
): Promise<{ readonly files: readonly NodeFile[]; readonly byName: boolean }> {
  if (paths.length === 0) return { files: [], byName: false };
  const { kind, nodes } = bundleOf(await unpackedFiles(paths));
  const names = nodes.map(({ name }) => name);
  const chosen = node === undefined ? undefined : nodes.find(({ name }) => name === node);
  if (chosen) return { files: chosen.files, byName: true };
  const [first] = nodes;
  if (first && nodes.length === 1 && (node === undefined || first.name === ''))
    return { files: first.files, byName: false };
  if (!first) return { files: [], byName: false };
  const listed = `${names
    .slice(0, NAMED)
    .map((name) => name || '(without a name)')
    .join(', ')}${names.length > NAMED ? `, and ${names.length - NAMED} more` : ''}`;
  const what = `${paths.join(', ')}${kind ? ` (${kind})` : ''}`;
  if (node === undefined)
    throw new SeveralNodesError(`${what} has ${names.length} nodes: choose one with --node: ${listed}`, nodes);
  throw new SetupError(`${what} has no node ${JSON.stringify(node)}: --node is one of: ${listed}`);
}

/** Returns the nodes in folders and archives. */
export const nodesOfBundles = async (paths: readonly string[]): Promise<readonly BundleNode[]> =>
  bundleOf(await unpackedFiles(paths)).nodes;

/** Returns all files of folders and archives, those of archives in them, too. */
async function unpackedFiles(paths: readonly string[]): Promise<BundleFile[]> {
  const files: BundleFile[] = [];
  for (const path of paths) {
    const stats = await stat(path);
    if (!stats.isDirectory()) files.push(...(await unpackedBytes(() => unpacked(onDisk(path, basename(path), stats)))));
    else {
      const inFolder: BundleFile[] = [];
      await walk(path, basename(path), inFolder);
      for (const file of inFolder)
        if (/\.gz$/i.test(file.path) || ARCHIVE.test(file.path))
          files.push(...(await unpackedBytes(() => unpacked(file))));
        else files.push(file);
    }
  }
  return files;
}

/** True if first bytes are those of an archive, or of a compressed file that may be one. */
export const isPacked = (head: Uint8Array): boolean => packingOf(head) !== null;
