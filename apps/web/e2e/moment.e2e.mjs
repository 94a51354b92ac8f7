/**
 * The moment: wherever the run stands still, the narrator speaks of the record there, the graph shows the same place,
 * and what is selected is told in sentences.
 */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lookupOf, narrate, RecordStore } from './core.mjs';
import { command, idle, load, onStage, run } from './browser.mjs';

const visit = onStage();

const said = (page) => page.locator('.sl-said').innerText();
/** What the narrator says once it speaks of record `seq`; fails with what it says instead. */
async function saysHere(page, text, where) {
  const spoken = () => page.waitForFunction((t) => document.querySelector('.sl-said')?.textContent?.endsWith(t), text);
  await spoken().catch(async () => assert.equal(await said(page), text, where));
}
