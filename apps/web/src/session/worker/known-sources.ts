/** Recognised files as the sources of one observation. */
import { type OpenSource, type Recognition, sourceIds } from '@syncloop/observe';
import type { Known } from './file-pieces.js';

/** A file that something of a kubelet is read from. */
type Readable = Known & { readonly is: Extract<Recognition, { readonly is: 'source' }> };

export interface KnownSources {
  readonly readable: readonly Readable[];
  /** The id of each, in the same order. */
  readonly ids: readonly string[];
  readonly sources: readonly OpenSource[];
}

/** `node`: the only node whose lines are read, if the files have those of several. */
export async function sourcesOf(known: readonly Known[], node?: string): Promise<KnownSources> {
  let startedMillis: number | null = null;
  for (const { is } of known) if (is.is === 'about') startedMillis ??= is.startedMillis;
  const readable = known.flatMap((one) => (one.is.is === 'source' ? [{ ...one, is: one.is }] : []));
  // The decoder of calls is large: only a capture of the socket needs it.
  const cri = readable.some(({ is }) => is.kind === 'cri') ? await import('./part-calls.js') : undefined;
  const ids = sourceIds(readable.map(({ is }) => is.kind));
  const sources = readable.map(
    ({ name, modified, is }, i): OpenSource => ({
      id: ids[i] as string,
      kind: is.kind,
      name,
      format: is.format,
      context: {
        notAfter: modified,
        startedMillis,
        ...(node !== undefined && { node }),
        ...(cri && { cri: { readMessage: cri.readMessage } }),
      },
    }),
  );
  return { readable, ids, sources };
}
