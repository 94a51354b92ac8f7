/** Links to a moment of a file that is not in the link: its time, and how the file is recognised. */
import type { SessionInfo } from '@syncloop/core/debug';
import type { Micros } from '@syncloop/core/trace';

export interface FileLink {
  /** Microseconds since 1970. */
  readonly at: number;
  /** The name of the file, for people. */
  readonly name: string;
  /** Fingerprints of the files, the largest first. */
  readonly files: readonly string[];
}

/** Bytes at the beginning and at the end of a file that its fingerprint is made of, besides its size. */
const PART = 64 * 1024;
/** Files that a link names, and characters of a name. */
const MOST_FILES = 8;
const MOST_NAME = 200;
const FIELD = 'file';

/** Returns the fingerprint of a file: files of equal size, beginning and end have the same. */
export async function fingerprint(file: Blob): Promise<string> {
  const parts = [file.slice(0, PART), file.slice(Math.max(0, file.size - PART))];
  let hash = 0xcbf29ce484222325n;
  for (const part of parts)
    for (const byte of new Uint8Array(await part.arrayBuffer()))
      hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return `${file.size.toString(36)}-${hash.toString(36)}`;
}

/** Returns the fingerprints of files, the largest first. */
export const fingerprints = (files: readonly Blob[]): Promise<string[]> =>
  Promise.all(
    files
      .toSorted((a, b) => b.size - a.size)
      .slice(0, MOST_FILES)
      .map(fingerprint),
  );

type Epoch = Pick<SessionInfo, 'epochMillis'>;
const epochMicros = ({ epochMillis }: Epoch) => Math.round(epochMillis * 1000);

/** Returns the time since 1970 of a moment of a run, and the moment of such a time. */
export const linkTime = (info: Epoch, time: Micros): number => epochMicros(info) + time;
export const momentOf = (info: Epoch, { at }: Pick<FileLink, 'at'>): Micros => Math.max(0, at - epochMicros(info));

/** Returns the address of a page with the link in its fragment. */
export function withLink(href: string, { at, name, files }: FileLink): string {
  const text = new TextEncoder().encode(JSON.stringify([at, name.slice(0, MOST_NAME), ...files]));
  const base64 = btoa(String.fromCharCode(...text));
  const url = new URL(href);
  url.hash = `${FIELD}=${base64.replace(/\+/g, '-').replace(/\//g, '_').replace(/=+$/, '')}`;
  return url.href;
}

/** Returns the link in an address; null if there is none, or what is there is none. */
export function linkIn(href: string): FileLink | null {
  const text = new URLSearchParams(new URL(href).hash.replace(/^#/, '')).get(FIELD);
  if (text === null) return null;
  try {
    const bytes = Uint8Array.from(atob(text.replace(/-/g, '+').replace(/_/g, '/')), (c) => c.charCodeAt(0));
    const value: unknown = JSON.parse(new TextDecoder().decode(bytes));
    if (!Array.isArray(value)) return null;
    const [at, name, ...files] = value as readonly unknown[];
    if (!Number.isSafeInteger(at) || typeof name !== 'string' || files.length > MOST_FILES) return null;
    if (!files.every((file) => typeof file === 'string' && /^[0-9a-z]+-[0-9a-z]+$/.test(file))) return null;
    return { at: at as number, name: name.slice(0, MOST_NAME), files: files as string[] };
  } catch {
    return null;
  }
}
