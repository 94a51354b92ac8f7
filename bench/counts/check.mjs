/** `npm run bench -- --check`: the counts that must not grow, against bench/counts.json. */
import { readFileSync, writeFileSync } from 'node:fs';
import { chromium } from '../../scripts/system.mjs';
import { compareCounts, updatedCounts } from './compare.mjs';
import { pageCounts } from './page.mjs';
import { simulatedCounts } from './simulated.mjs';

const FILE = new URL('../counts.json', import.meta.url);
const OF_THE_PAGE = /^firstLoad/;

/** Prints the differences and the totals; with `update` keeps the measured counts. Resolves with the exit code. */
export async function checkCounts({ update = false } = {}) {
  const kept = JSON.parse(readFileSync(FILE, 'utf8'));
  const browser = chromium();
  const measured = { ...simulatedCounts(), ...(browser ? await pageCounts(browser) : {}) };
  const absent = browser ? [] : Object.keys(kept).filter((name) => OF_THE_PAGE.test(name));
  if (absent.length > 0) console.log(`There is no chromium: ${absent.join(', ')} are not measured.`);
  if (update) {
    writeFileSync(FILE, `${JSON.stringify(updatedCounts(kept, measured), null, 2)}\n`);
    console.log('bench/counts.json has the counts of today.');
    return 0;
  }
  const { losses, gains } = compareCounts(kept, measured, absent);
  for (const text of [...losses, ...gains]) console.log(text);
  console.log(`${Math.max(0, Object.keys(measured).length - losses.length)} passed, ${losses.length} failed`);
  return losses.length > 0 ? 1 : 0;
}
