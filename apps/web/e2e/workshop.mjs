/** The moves of somebody who writes code in the workshop's first stage. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const STAGE = fileURLToPath(new URL('../../../packages/workshop/content/stages/01-pleg/', import.meta.url));
/** A file of the stage's folder. */
export const codeOf = (file) => readFile(`${STAGE}${file}`, 'utf8');

/** Presses Tab until this has the focus. The editor takes Tab for itself: Escape before it leads out. */
export async function tabTo(page, testId) {
  for (let i = 0; i < 60; i++) {
    const here = await page.evaluate(() => {
      let at = document.activeElement;
      while (at?.shadowRoot?.activeElement) at = at.shadowRoot.activeElement;
      return at?.dataset.testid;
    });
    if (here === testId) return;
    if (here === 'workshop-code') await page.keyboard.press('Escape');
    await page.keyboard.press('Tab');
  }
  assert.fail(`Tab does not lead to ${testId}`);
}

/** Puts a code into the editor, as somebody who pastes it. */
export async function write(page, code) {
  await tabTo(page, 'workshop-code');
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(code);
}
