/** `npm run bench -- --table`: runs the rounds, or takes their files, and prints the table or writes it. */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { markdown, replaced } from './make.mjs';
import { readRounds, runRounds } from './rounds.mjs';
import { rows } from './rows.mjs';

const DOCUMENT = fileURLToPath(new URL('../../docs/performance/README.md', import.meta.url));
const tell = (text) => console.error(`bench: ${text}`);

/** Makes the table of the files of a folder. */
export function remake({ from, write }) {
  const { about, runs } = readRounds(resolve(from));
  const table = markdown({ rows, runs, about });
  if (write) {
    writeFileSync(DOCUMENT, replaced(readFileSync(DOCUMENT, 'utf8'), table, 'docs/performance/README.md'));
    tell('docs/performance/README.md has the table');
  }
  console.log(table);
  return 0;
}

/** Runs the jobs and makes the table; resolves with the exit code. */
export async function makeTable({ rounds, jobs: names, results, write }) {
  const folder = resolve(results ?? mkdtempSync(join(tmpdir(), 'syncloop-table-')));
  const again = `npm run bench -- --table --from ${folder} makes the table of what is there`;
  tell(`results go to ${folder}`);
  const whole = await runRounds({ rounds, names, folder, tell });
  if (!whole) {
    tell(`ended before the last job; ${again}`);
    return 130;
  }
  tell(again);
  return remake({ from: folder, write });
}
