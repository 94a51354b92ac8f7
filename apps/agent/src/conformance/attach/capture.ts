/** Captures of real kubelets on disk: a folder with about.json and what a run left behind. */
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { SetupError } from '../../base/errors.js';
import { readRegular, readSettings } from '../../base/read-file.js';

export interface Capture {
  /** Its folder and the one around it, as "v1.36-v4/crash-loop". */
  readonly name: string;
  readonly folder: string;
  /** Milliseconds since 1970 from which `at` counts. Null if about.json has no time. */
  readonly startedMillis: number | null;
  /** Such as "v1.36.2"; '' if about.json has none. */
  readonly kubelet: string;
  /** Names of its files, without `.gz`. */
  readonly files: readonly string[];
}

const isLog = (name: string) => /^kubelet.*\.log$/.test(name);
export const logOf = ({ files }: Capture): string | undefined => files.find(isLog);
/** Returns the verbosity of its log from the file's name: "v4"; '' if it has none. */
export const levelOf = (capture: Capture): string => /\.(v\d+)\.log$/.exec(logOf(capture) ?? '')?.[1] ?? '';

/** All captures in these folders, whether they are captures themselves or have some in them; in their order. */
export async function findCaptures(folders: readonly string[]): Promise<Capture[]> {
  const found: Capture[] = [];
  for (const folder of folders) await look(folder, found, 0);
  if (found.length === 0)
    throw new SetupError(`no capture in ${folders.join(', ')}: one is a folder with about.json and kubelet.v4.log.gz`);
  return found.sort((a, b) => (a.name < b.name ? -1 : 1));
}

async function look(folder: string, found: Capture[], depth: number): Promise<void> {
  let entries: Awaited<ReturnType<typeof list>>;
  try {
    entries = await list(folder);
  } catch (err) {
    throw new SetupError(`cannot read ${folder}: ${(err as Error).message}`);
  }
  if (entries.some(({ name }) => name === 'about.json')) {
    const about = await readAbout(join(folder, 'about.json'));
    const started = Date.parse(String(about.startedAt ?? ''));
    found.push({
      name: `${basename(dirname(folder))}/${basename(folder)}`,
      folder,
      startedMillis: Number.isNaN(started) ? null : started,
      kubelet: String(about.kubelet ?? ''),
      files: entries.filter((e) => e.isFile()).map(({ name }) => name.replace(/\.gz$/, '')),
    });
    return;
  }
  if (depth < 3)
    for (const entry of entries) if (entry.isDirectory()) await look(join(folder, entry.name), found, depth + 1);
}
async function readAbout(file: string): Promise<Record<string, unknown>> {
  const text = await readSettings(file).catch((err: Error) => {
    throw new SetupError(`cannot read ${file}: ${err.message}`);
  });
  const about = jsonOf(text, file);
  if (typeof about !== 'object' || about === null || Array.isArray(about))
    throw new SetupError(`${file} is not a JSON object: write one with startedAt and kubelet`);
  return about as Record<string, unknown>;
}

/** Throws a SetupError that names the place of the text. */
function jsonOf(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (err) {
    throw new SetupError(
      `${place} is not JSON: ${clean((err as Error).message)}; correct it, or take the capture again`,
    );
  }
}
/** Removes control characters: the parser quotes a stranger's file. */
const clean = (message: string): string => message.replace(/[^\x20-\x7e]/g, '?').slice(0, 200);
const list = (folder: string) => readdir(folder, { withFileTypes: true });

/** Most bytes of one file of a capture, inflated. */
const largestFile = 512 * 1024 * 1024;

/**
 * Returns the inflated bytes of a capture's file; null if it has no such file. Rejects with a SetupError that names the
 * file if it cannot be read or inflated.
 */
export async function readFileOf({ folder, files }: Capture, name: string): Promise<Uint8Array | null> {
  if (!files.includes(name)) return null;
  const limit = largestFile;
  const at = join(folder, name);
  const packed = `${at}.gz`;
  const path = existsSync(packed) ? packed : at;
  const bytes = await readRegular(path, { limit }).catch((err: Error) => {
    throw new SetupError(`cannot read ${path}: ${err.message}`);
  });
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  try {
    return gunzipSync(bytes, { maxOutputLength: largestFile });
  } catch (err) {
    throw new SetupError(`cannot inflate ${path}: ${(err as Error).message}; take the capture again`);
  }
}

/** The objects of a file with one JSON value in each line. */
export async function readLinesOf(capture: Capture, name: string): Promise<Record<string, unknown>[]> {
  const bytes = await readFileOf(capture, name);
  if (!bytes) return [];
  return Buffer.from(bytes)
    .toString('utf8')
    .split('\n')
    .map((line, i) => ({ line, number: i + 1 }))
    .filter(({ line }) => line !== '')
    .map(
      ({ line, number }) => jsonOf(line, `line ${number} of ${join(capture.folder, name)}`) as Record<string, unknown>,
    );
}
