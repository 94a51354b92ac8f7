/**
 * Stores whose files are damaged at one place, and their outcomes: opened whole, or refused with a message that helps.
 * Everything is in memory, and the same for the same seed, but for the UUID that each store draws.
 */
import { Random } from '@syncloop/core/kernel';
import { SetupError } from '../../base/errors.js';
import { Database, type TextChange } from '../database.js';
import { FragileDisk } from './fragile-disk.js';

/** The folder of the store on the disk in memory. */
export const folder = '/data';

/** A store: its files by path, and its acknowledged state. */
export interface Store {
  readonly name: string;
  readonly files: ReadonlyMap<string, Uint8Array>;
  readonly contents: string;
}

const kinds = ['flip', 'cut', 'zero'] as const;

/** One bit of a byte of a file flipped, the byte set to zero, or the file cut there; `remove`: the file is gone. */
export interface Damage {
  readonly file: string;
  readonly kind: (typeof kinds)[number] | 'remove';
  readonly at: number;
}

/** Version, names and contents, as one text. */
const contentsOf = (db: Database): string =>
  [`${db.version}`, ...[...db.objects()].map(([, key, object]) => `${key} ${Buffer.from(object)}`).sort()].join('\n');

/** Small stores: one that was closed, and ones whose process was killed, with a log that was or was not taken over. */
export async function stores(seed: number): Promise<Store[]> {
  const random = new Random(seed);
  const made: Store[] = [];
  for (const [name, logPages, closed] of [
    ['closed', 1000, true],
    ['killed with a log', 1000, false],
    ['killed with a log that is partly in the database', 8, false],
  ] as const) {
    const disk = new FragileDisk();
    const db = await Database.open(disk, folder, undefined, { logPages });
    let version = 0;
    for (let batch = 0; batch < 4; batch++)
      db.apply(
        Array.from({ length: 1 + random.below(2) }, (): TextChange => {
          const key = `d/p${random.below(4)}`;
          const text = `object ${version} `.repeat(1 + random.below(20));
          return ['pods', key, ++version, batch > 1 && random.below(5) === 0 ? null : JSON.stringify(text)];
        }),
      );
    const contents = contentsOf(db);
    if (closed) db.close();
    made.push({ name, files: disk.contents(), contents });
  }
  return made;
}

/** Each file gone, and each byte of it in each way. */
export function* damages({ files }: Store): Generator<Damage> {
  for (const [file, bytes] of files) {
    yield { file, kind: 'remove', at: 0 };
    for (let at = 0; at < bytes.length; at++) for (const kind of kinds) yield { file, kind, at };
  }
}

/**
 * Yields this many of them, the same for the same seed; each file is reached, and the starts of pages often, for they
 * are decisive.
 */
export function* someDamages({ files }: Store, seed: number, count: number): Generator<Damage> {
  const random = new Random(seed);
  const names = [...files.keys()];
  for (const file of names) {
    yield { file, kind: 'remove', at: 0 };
    yield { file, kind: 'cut', at: 0 };
  }
  for (let i = 0; i < count; i++) {
    const file = names[i % names.length] as string;
    const { length } = files.get(file) as Uint8Array;
    if (length === 0) continue;
    const any = random.below(length);
    const at = random.below(2) === 0 ? any : Math.min(length - 1, any - (any % 4096) + random.below(200));
    yield { file, kind: kinds[random.below(kinds.length)] as (typeof kinds)[number], at };
  }
}

/** The files of a store with that damage; null: they are as they were. */
export function damage({ files }: Store, { file, kind, at }: Damage): Map<string, Uint8Array> | null {
  const bytes = files.get(file) as Uint8Array;
  const next = new Map(files);
  if (kind === 'remove') next.delete(file);
  else if (kind === 'cut') next.set(file, bytes.slice(0, at));
  else {
    if (kind === 'zero' && bytes[at] === 0) return null;
    const changed = bytes.slice();
    changed[at] = kind === 'zero' ? 0 : (changed[at] as number) ^ (1 << (at % 8));
    next.set(file, changed);
  }
  return next;
}

export type Outcome =
  | { readonly is: 'whole' }
  | { readonly is: 'refused'; readonly message: string }
  /** Must not happen; `why` has the details. */
  | { readonly is: 'wrong'; readonly why: string };

/**
 * Opens such files. `goOn`: a store that opens whole is also written to, killed and opened again, so that no damage
 * stays hidden.
 */
export async function outcome(store: Store, files: ReadonlyMap<string, Uint8Array>, goOn = true): Promise<Outcome> {
  const disk = FragileDisk.of(files);
  let db: Database;
  try {
    db = await Database.open(disk, folder);
  } catch (err) {
    return refusal(err, files, disk);
  }
  try {
    if (contentsOf(db) !== store.contents) return { is: 'wrong', why: `opened with ${contentsOf(db)}` };
    if (!goOn) return { is: 'whole' };
    db.apply([['pods', 'd/new', 1000, '"new"']]);
    const again = await Database.open(FragileDisk.of(disk.contents()), folder);
    const whole = contentsOf(db);
    const found = contentsOf(again);
    again.close();
    return found === whole && found.includes('d/new') ? { is: 'whole' } : { is: 'wrong', why: `then had ${found}` };
  } catch (err) {
    return { is: 'wrong', why: `opened, and then: ${(err as Error).message}` };
  } finally {
    db.close();
  }
}

/** A refusal names file and remedy, and leaves everything as it was. */
function refusal(err: unknown, files: ReadonlyMap<string, Uint8Array>, disk: FragileDisk): Outcome {
  const { message } = err as Error;
  if (!(err instanceof SetupError)) return { is: 'wrong', why: `ended with ${String(err)}` };
  if (!/\/data\/(objects\.db|acknowledged)/.test(message)) return { is: 'wrong', why: `names no file: ${message}` };
  if (!/restore-api|is of a newer syncloop/.test(message)) return { is: 'wrong', why: `names no remedy: ${message}` };
  const now = disk.contents();
  if (now.size !== files.size) return { is: 'wrong', why: 'changed the files that it refused' };
  for (const [path, bytes] of files)
    if (Buffer.compare(now.get(path) ?? new Uint8Array(0), bytes) !== 0)
      return { is: 'wrong', why: `changed ${path}, which it refused` };
  return { is: 'refused', message };
}
