#!/usr/bin/env node
/**
 * One Chromium and one file server for all suites of the page: `npm test` starts it, and hands its output to them in
 * SHARED_STAGE. It ends with its standard input, and says at last how much processor time the browser took.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { chromium } from 'playwright-core';
import { CHROMIUM_ARGS, executablePath, requireBuild } from './browser.mjs';
import { serve } from './serve.mjs';

await requireBuild();
const server = await serve();
const browser = await chromium.launchServer({ executablePath, args: CHROMIUM_ARGS, host: '127.0.0.1' });
console.log(JSON.stringify({ endpoint: browser.wsEndpoint(), url: server.url }));

/** Seconds of a processor that a process and its descendants took, ended ones included; null without /proc. */
function cpuSecondsOf(root) {
  const processes = new Map();
  try {
    for (const id of readdirSync('/proc').filter((name) => /^\d+$/.test(name)))
      try {
        // What follows the name, which may have anything in it: state, parent, ..., and in hundredths of a second its
        // own user and system time and those of children that it waited for.
        const fields = readFileSync(`/proc/${id}/stat`, 'utf8')
          .replace(/^.*\) /s, '')
          .split(' ');
        processes.set(id, {
          parent: fields[1],
          hundredths: fields.slice(11, 15).reduce((sum, n) => sum + Number(n), 0),
        });
      } catch {
        // It has ended meanwhile.
      }
  } catch {
    return null;
  }
  const within = (id) => id === String(root) || (processes.has(id) && within(processes.get(id).parent));
  let hundredths = 0;
  for (const [id, one] of processes) if (within(id)) hundredths += one.hundredths;
  return hundredths / 100;
}

process.stdin.resume().once('end', async () => {
  console.log(JSON.stringify({ cpuSeconds: cpuSecondsOf(browser.process().pid) }));
  await browser.close();
  await server.close();
});
