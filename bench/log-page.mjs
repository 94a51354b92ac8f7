/**
 * Measures a log in a real headless Chromium: from the file's choice to its first picture, to the last line's records,
 * and the most memory of the page's processes meanwhile; then the search of all of it for a word that it does not
 * have, for one that it has seldom, and to the first of its hits; and a jump to a far place. The log is a capture's at
 * `-v=4`, repeated with its times going on, as text of this many MB. `node bench/log-page.mjs [MB]`; 1024 MB by
 * default. Needs the build, chromium and Linux (`/proc`).
 */
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, rmSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { chromium } from 'playwright-core';
import { serve } from '../apps/web/e2e/serve.mjs';
import { chromium as chromiumPath } from '../scripts/system.mjs';

const CAPTURE = fileURLToPath(
  new URL('../packages/core/testdata/attach/v1.36-v4/crash-loop/kubelet.v4.log.gz', import.meta.url),
);
const HEADER = /^([IWEF])(\d\d)(\d\d) (\d\d):(\d\d):(\d\d)(\.\d{6})/;
const pad = (n) => String(n).padStart(2, '0');

/** Writes a log of at least this many bytes; how many it has, and how many lines. */
export function writeLog(path, bytes) {
  // Lines that a process writes once at its start are not repeated.
  const lines = gunzipSync(readFileSync(CAPTURE))
    .toString()
    .split('\n')
    .filter((line) => line !== '' && !line.includes('FLAG:'));
  const file = openSync(path, 'w');
  const written = { bytes: 0, lines: 0 };
  const start = Date.UTC(2026, 0, 1);
  const first = Date.UTC(2026, 10, 22, 11, 26);
  for (let round = 0; written.bytes < bytes; round++) {
    const text = `${lines
      .map((line) => {
        const at = HEADER.exec(line);
        if (!at) return line;
        const [all, severity, month, day, hour, minute, second, micros] = at;
        const then = Date.UTC(2026, Number(month) - 1, Number(day), Number(hour), Number(minute), Number(second));
        // A round has a little more than a minute.
        const now = new Date(start + (then - first) + round * 90_000);
        const date = `${pad(now.getUTCMonth() + 1)}${pad(now.getUTCDate())}`;
        const clock = `${pad(now.getUTCHours())}:${pad(now.getUTCMinutes())}:${pad(now.getUTCSeconds())}`;
        return `${severity}${date} ${clock}${micros}${line.slice(all.length)}`;
      })
      .join('\n')}\n`;
    writeSync(file, text);
    written.bytes += Buffer.byteLength(text);
    written.lines += lines.length;
  }
  closeSync(file);
  return written;
}

/** Returns the bytes of a browser's processes by their kind, for those that started under `pid`. */
function rendererBytes(pid) {
  const children = new Map();
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue;
    try {
      const stat = readFileSync(`/proc/${entry}/stat`, 'utf8');
      const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)]);
    } catch {
      // It has ended meanwhile.
    }
  }
  let most = 0;
  const look = (one) => {
    for (const child of children.get(one) ?? []) {
      try {
        if (readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('--type=renderer')) {
          const [, pages] = readFileSync(`/proc/${child}/statm`, 'utf8').split(' ');
          most = Math.max(most, Number(pages) * 4096);
        }
      } catch {
        continue;
      }
      look(child);
    }
  };
  look(pid);
  return most;
}

/** Searches the whole run as the page does, in the page: to its end, or to the first hit. */
async function searchAll({ text, first }) {
  const since = performance.now();
  let hits = 0;
  for (let from = 1; ; ) {
    const found = await window.__syncloop.ask({ do: 'find', text, from });
    hits += found.hits.length;
    if (found.to >= found.last || (first && hits > 0)) break;
    from = found.to + 1;
  }
  return { hits, seconds: Math.round((performance.now() - since) / 100) / 10 };
}

export async function measureLogPage({ megabytes = 1024 } = {}) {
  const executablePath = chromiumPath();
  if (!executablePath) return { skipped: 'there is no chromium' };
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-log-'));
  const path = join(folder, 'kubelet.log');
  const server = await serve();
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] });
  try {
    const { bytes, lines } = writeLog(path, megabytes * 1024 * 1024);
    const page = await browser.newPage({ viewport: { width: 1440, height: 900 } });
    await page.goto(`${server.url}?testing=1`);
    await page.waitForFunction(() => window.__syncloop?.idle());
    const chooser = page.waitForEvent('filechooser');
    void page.evaluate(() => window.__syncloop.command('files.choose').catch(() => {}));
    const begun = performance.now();
    await (await chooser).setFiles(path);
    await page.waitForFunction(
      () => window.__syncloop.info?.capabilities.observed && window.__syncloop.state.seq > 1000,
      null,
      { timeout: 600_000, polling: 50 },
    );
    await page.getByTestId('finding').first().waitFor({ timeout: 600_000 });
    const firstPicture = performance.now() - begun;
    let most = 0;
    let steady = 0;
    for (;;) {
      const { reading } = await page.evaluate(() => window.__syncloop.run);
      const now = rendererBytes(process.pid);
      most = Math.max(most, now);
      if (reading.read > bytes / 2 && steady === 0) steady = now;
      if (reading.ended) break;
      await new Promise((then) => setTimeout(then, 250));
    }
    const all = performance.now() - begun;
    const { reading } = await page.evaluate(() => window.__syncloop.run);
    const search = (text, first) => page.evaluate(searchAll, { text, first });
    const absent = await search('not-in-this-log', false);
    const seldom = await search('CrashLoopBackOff', false);
    const firstHit = await search('CrashLoopBackOff', true);
    const gone = await page.evaluate(
      async (seq) => {
        const since = performance.now();
        await window.__syncloop.ask({ do: 'go', to: { seq } });
        return performance.now() - since;
      },
      Math.round(reading.records / 3),
    );
    return {
      megabytes: Math.round(bytes / 1024 / 1024),
      lines,
      records: reading.records,
      firstPictureMillis: Math.round(firstPicture),
      allSeconds: Math.round(all / 100) / 10,
      linesPerSecond: Math.round((lines / all) * 1000),
      rendererMegabytesHalfway: Math.round(steady / 1024 / 1024),
      rendererMegabytesMost: Math.round(most / 1024 / 1024),
      searchAbsentSeconds: absent.seconds,
      searchSeldomSeconds: seldom.seconds,
      searchSeldomHits: seldom.hits,
      searchFirstHitSeconds: firstHit.seconds,
      goFarMillis: Math.round(gone),
      rendererMegabytesAfterSearch: Math.round(rendererBytes(process.pid) / 1024 / 1024),
    };
  } finally {
    await browser.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href)
  console.log(JSON.stringify(await measureLogPage({ megabytes: Number(process.argv[2] ?? 1024) }), null, 1));
