/** The evidence of many nodes out of their cluster, a few at a time. */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { NAME } from './cluster.js';
import type { Kubectl } from './kubectl.js';
import { clusterEvents, fetchEvidence } from './node-evidence.js';

/** Nodes whose logs are read at the same time: the API server passes each of them on. */
const AT_ONCE = 4;
const PAGE = 500;
const MOST_NODES = 10_000;

/** Resolves with the names of the cluster's nodes that a label selector selects; all if there is none. */
export async function nodeNames(kubectl: Kubectl, selector = ''): Promise<string[]> {
  const names: string[] = [];
  let next = '';
  do {
    const query = new URLSearchParams({
      limit: String(PAGE),
      ...(selector !== '' && { labelSelector: selector }),
      ...(next !== '' && { continue: next }),
    });
    const list = parsed(await kubectl.raw(`/api/v1/nodes?${query}`));
    for (const { metadata } of list.items ?? [])
      if (metadata?.name !== undefined && NAME.test(metadata.name)) names.push(metadata.name);
    if (names.length > MOST_NODES) throw new SetupError(`more than ${MOST_NODES} nodes: select fewer with --selector`);
    next = list.metadata?.continue ?? '';
  } while (next !== '');
  if (names.length === 0)
    throw new SetupError(
      selector === ''
        ? 'the cluster has no node'
        : `no node has the labels ${JSON.stringify(selector)}: see kubectl get nodes --show-labels`,
    );
  return names.sort();
}

export interface ManyOptions {
  /** The folder for the nodes' folders. */
  readonly folder: string;
  readonly sinceMillis: number;
  readonly lines?: number;
  /** Takes sentences about what is missing or worth knowing. */
  readonly say: (sentence: string) => void;
  /** Called when a node has been read, or could not be. */
  readonly progress?: (done: number) => void;
  readonly pause?: (millis: number) => Promise<unknown>;
}

/**
 * Writes the log and the pods of each node into a folder of its name. Resolves with the nodes that could not be read;
 * throws the SetupError of the first if that is true of all.
 */
export async function fetchNodes(
  kubectl: Kubectl,
  nodes: readonly string[],
  { folder, sinceMillis, lines, say, progress, pause }: ManyOptions,
): Promise<readonly string[]> {
  const waiting = [...nodes];
  const failed: { readonly node: string; readonly error: SetupError }[] = [];
  const events = clusterEvents(kubectl, pause);
  let done = 0;
  const one = async () => {
    for (let node = waiting.shift(); node !== undefined; node = waiting.shift()) {
      const own = join(folder, node);
      await mkdir(own, { mode: 0o700 });
      try {
        const wanted = { node, sinceMillis, ...(lines !== undefined && { lines }) };
        // Notes on one node are worth reading; on hundreds they are too many.
        await fetchEvidence(kubectl, wanted, { folder: own, say: () => {}, events, ...(pause && { pause }) });
      } catch (error) {
        if (!(error instanceof SetupError)) throw error;
        await rm(own, { recursive: true, force: true });
        failed.push({ node, error });
      }
      progress?.(++done);
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, nodes.length) }, one));
  const [first] = failed;
  if (first && failed.length === nodes.length) throw first.error;
  for (const { node, error } of failed) say(`${node} is left out: ${error.message.split('\n')[0]}`);
  return failed.map(({ node }) => node).sort();
}

interface NodeList {
  readonly metadata?: { readonly continue?: string };
  readonly items?: readonly { readonly metadata?: { readonly name?: string } }[];
}

function parsed(text: string): NodeList {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && Array.isArray((value as NodeList).items ?? [])) return value;
  } catch {
    // It is reported below.
  }
  throw new SetupError(`the API server answers with something else than a list of nodes: ${text.slice(0, 100)}`);
}
