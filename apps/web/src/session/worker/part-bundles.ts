/** Archives and folders of several nodes in a worker: unpacked as they are read, one node of them. */
import { recognise, SOURCE_HEAD_BYTES } from '@syncloop/observe';
import { BundleError, type BundleFile, type BundleNode, headOf, nodesOf, unpacked } from '@syncloop/observe/bundle';
import type { Known, Pieces } from './file-pieces.js';
import type { ObservedFile, RefusedFile } from './open-message.js';

const READ = 256 * 1024;
/** Names of files that may be archives, or compressed. */
const PACKED = /\.(?:gz|tgz|zip|tar|xz|txz)$/i;

export interface OpenedBundle {
  readonly known: readonly Known[];
  readonly refused: readonly RefusedFile[];
  readonly nodes: readonly string[];
  readonly shown: string;
  /** The paths of the files name the node that is read. */
  readonly byName: boolean;
}

const ofBlob = ({ name, blob, modified }: ObservedFile): BundleFile => ({
  path: name,
  size: blob.size,
  modified,
  async *open() {
    for (let at = 0; at < blob.size; at += READ) yield new Uint8Array(await blob.slice(at, at + READ).arrayBuffer());
  },
});

function piecesOf(file: BundleFile): Pieces {
  const bytes = file.open()[Symbol.asyncIterator]();
  return {
    async next() {
      const next = await bytes.next();
      return next.done ? null : { bytes: next.value, weight: next.value.length };
    },
    close: () => void bytes.return?.(),
  };
}

/** Returns the nodes of archives and folders, and the files that could not be unpacked. */
export async function nodesOfFiles(
  files: readonly ObservedFile[],
): Promise<{ readonly nodes: readonly BundleNode[]; readonly refused: readonly RefusedFile[] }> {
  const refused: RefusedFile[] = [];
  const all: BundleFile[] = [];
  for (const file of files.map(ofBlob))
    try {
      if (files.length === 1 || PACKED.test(file.path)) all.push(...(await unpacked(file)));
      else all.push(file);
    } catch (error) {
      refused.push({ name: file.path, why: error instanceof BundleError ? whyOf(error) : 'damaged' });
    }
  return { nodes: nodesOf(all), refused };
}

/** Recognises the files of a node. */
export async function filesOfNode({ files }: BundleNode): Promise<Pick<OpenedBundle, 'known' | 'refused'>> {
  const refused: RefusedFile[] = [];
  const known: Known[] = [];
  for (const file of files)
    try {
      const is = recognise(file.path, await headOf(file, SOURCE_HEAD_BYTES));
      const { path: name, modified, size } = file;
      if (is.is === 'about' || (is.is === 'source' && is.readable))
        known.push({ name, modified, size, is, pieces: () => piecesOf(file) });
      else if (file.role === 'kubelet') refused.push({ name, why: size === 0 ? 'empty' : 'unknown' });
    } catch {
      refused.push({ name: file.path, why: 'damaged' });
    }
  return { known, refused };
}

/** Opens the files of one node, by default the first. */
export async function openBundle(files: readonly ObservedFile[], node: string | undefined): Promise<OpenedBundle> {
  const { nodes, refused } = await nodesOfFiles(files);
  const named = nodes.find(({ name }) => name === node);
  const shown = named ?? nodes[0];
  const opened = shown && (await filesOfNode(shown));
  return {
    known: opened?.known ?? [],
    refused: [...refused, ...(opened?.refused ?? [])],
    nodes: nodes.map(({ name }) => name).filter((name) => name !== ''),
    shown: shown?.name ?? '',
    byName: named !== undefined,
  };
}

const whyOf = ({ message }: BundleError): RefusedFile['why'] =>
  /bounds|deep|more than/.test(message) ? 'bomb' : 'damaged';
