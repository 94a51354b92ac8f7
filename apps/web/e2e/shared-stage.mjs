#!/usr/bin/env node
import { chromium } from 'playwright-core';
/**
 * One Chromium and one file server for all suites of the page: `npm test` starts it, and hands its output to them in
 * SHARED_STAGE. It ends with its standard input.
 */
import { CHROMIUM_ARGS, executablePath, requireBuild } from './browser.mjs';
import { serve } from './serve.mjs';

await requireBuild();
const server = await serve();
const browser = await chromium.launchServer({ executablePath, args: CHROMIUM_ARGS, host: '127.0.0.1' });
console.log(JSON.stringify({ endpoint: browser.wsEndpoint(), url: server.url }));

process.stdin.resume().once('end', async () => {
  await browser.close();
  await server.close();
});
