/** Compares the narrator's sentence with the record at which the run stands. */
import assert from 'node:assert/strict';
import { idle, run } from './browser.mjs';

/** Runs in the page: returns the text of the narrator's line, without its time. */
const line = () => {
  const shown = (at) => document.querySelector(at)?.innerText.replace(/\s+/g, ' ').trim() ?? '';
  return shown('.sl-said').replace(shown('.sl-said-time'), '').trim();
};

/** The narrator's line without its time. */
export const said = (page) => page.evaluate(line);

/** Waits until the narrator says the sentence; fails with its present one. */
export async function says(page, text, where) {
  const want = text.replace(/\s+/g, ' ').trim();
  await page
    .waitForFunction(`(${line})() === ${JSON.stringify(want)}`, undefined, { timeout: 60_000 })
    .catch(async () => {
      assert.equal(await said(page), want, where);
    });
}

/**
 * The run stands still, and the narrator says the record there, as the session itself has it: its sentence, with no
 * command, expression or identifier in it (a line of the log is quoted as it is). Resolves with the record's link:
 * `kind`, `seq`, `text` in both languages.
 */
export async function stop(page, lang) {
  await idle(page);
  const { seq } = await run(page);
  const answer = await page.evaluate(
    (n) => window.__syncloop.ask({ do: 'why', question: { about: 'record', seq: n } }),
    seq,
  );
  const link = answer.links.find((l) => l.seq === seq);
  await says(page, link.text[lang], `#${seq}, ${link.kind}`);
  if (link.kind !== 'log') assert.doesNotMatch(link.text[lang], /[{}=]|[0-9a-f]{12}/);
  return link;
}
