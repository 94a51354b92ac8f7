/** The tables of the database, and how those of each format become those of the next. */
import { randomUUID } from 'node:crypto';
import * as zlib from 'node:zlib';
import type { Connection } from './sqlite.js';
import { firstState, isChained, type StoreState } from './state.js';

export const databaseFile = 'objects.db';
/** "sync" in ASCII: distinguishes our databases from those of other programs. */
export const applicationId = 0x73796e63;

/**
 * Migrations from each format of a database to the next: entry 0 makes format 1 of an empty one. Entries are never
 * changed, for folders of each format are out there; a new format is a new entry (docs/developers/formats.md).
 */
export const DATA_VERSION = 2;
export type Migration = (db: Connection) => void;
export const migrations: readonly Migration[] = [
  (db) =>
    db.exec(`
      CREATE TABLE objects (
        resource TEXT NOT NULL, key TEXT NOT NULL, version INTEGER NOT NULL, object TEXT NOT NULL, sum INTEGER NOT NULL,
        UNIQUE (resource, key)
      );
      CREATE TABLE state (version INTEGER NOT NULL, count INTEGER NOT NULL, sum INTEGER NOT NULL);
      INSERT INTO state VALUES (0, 0, 0);
    `),
  (db) => {
    const [version, count, sum] = db.selectArray('SELECT version, count, sum FROM state') as [number, number, number];
    db.exec(`
      DROP TABLE state;
      CREATE TABLE state (
        store TEXT NOT NULL, commits INTEGER NOT NULL, version INTEGER NOT NULL, count INTEGER NOT NULL,
        sum INTEGER NOT NULL, chain TEXT NOT NULL, previous TEXT NOT NULL
      )`);
    const { store, commit, chain } = firstState({ store: randomUUID(), version, count, sum });
    db.exec({
      sql: 'INSERT INTO state VALUES (?, ?, ?, ?, ?, ?, ?)',
      bind: [store, commit, version, count, sum, chain, ''],
    });
  },
];

/** The state of the store, checked, and the chain of the commit before. Throws an Error. */
export function readState(db: Connection): { readonly state: StoreState; readonly previous: string } {
  const row = db.selectArray('SELECT store, commits, version, count, sum, chain, previous FROM state');
  if (!row) throw new Error('it has no description of itself');
  const [store, commit, version, count, sum, chain, previous] = row as [
    ...[string, number, number, number, number, string, string],
  ];
  const state = { store, commit, version, count, sum, chain };
  if (!isChained(state, previous)) throw new Error('its description of itself is not as it was written');
  return { state, previous };
}

/** A row of `objects` as it is stored. */
export type Row = readonly [resource: string, key: string, version: number, object: Uint8Array, sum: number];
/** Objects as bytes, which are handed on as they are: to make texts of them here would take as long as all else. */
export const rowColumns = 'resource, key, version, CAST(object AS BLOB), sum';

/** Node has had it since 20.15; its types have not. */
const { crc32 } = zlib as unknown as { readonly crc32: (data: string | Uint8Array, value?: number) => number };
/** Sums are added and removed modulo this. */
export const modulus = 2 ** 48;
export const sumOf = (resource: string, key: string, version: number, object: string | Uint8Array): number =>
  crc32(object, crc32(`${resource}\0${key}\0${version}\0`));
export const isWhole = ([resource, key, version, object, sum]: Row): boolean =>
  sumOf(resource, key, version, object) === sum;
