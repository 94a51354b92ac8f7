/**
 * A learner's first steps, a lesson and a dropped log, in engines that Playwright does not drive: what a suite gives is
 * a way to evaluate expressions in a page and to press keys.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { V4 } from './dropped.mjs';
import { serve } from './serve.mjs';

/** Keys as WebDriver names them. */
const KEYS = { ArrowLeft: '\uE012', ArrowRight: '\uE014', Enter: '\uE007', Space: ' ' };
/** Returns WebDriver's input actions that press keys, one after the other. */
export const keyActions = (keys) => [
  {
    type: 'key',
    id: 'keys',
    actions: keys.flatMap((key) => ['keyDown', 'keyUp'].map((type) => ({ type, value: KEYS[key] ?? key }))),
  },
];
/** An expression for a promise that resolves once the page is idle and a condition holds. */
export const untilIdle = (condition) =>
  `new Promise((done) => { const look = () => {
    if (window.__syncloop?.idle() && (${condition})) done(); else setTimeout(look, 20);
  }; look(); })`;

/**
 * Declares the journeys in an engine; says what is `missing` instead if that is not empty. `start` resolves with the
 * browser, which has `close()`. `open(browser, url)` resolves with a page of its own: `evaluate(expression)`, which
 * waits for promises and rejects with what an expression throws, `type(...keys)`, and `close()`, which rejects if the
 * page complained of something.
 */
export function journeysIn(engine, { missing, start, open }) {
  if (missing.length > 0)
    return console.log(`# not tried in ${engine}, for which this is missing: ${missing.join(', ')}`);
  describe(`in ${engine}`, { timeout: 300_000 }, () => {
    let server;
    let browser;
    before(async () => {
      server = await serve();
      browser = await start();
    });
    after(async () => {
      await browser?.close();
      await server?.close();
    });
    journeys(() => open(browser, server.url));
  });
}

function journeys(open) {
  const journey = (title, go) =>
    it(title, async () => {
      const page = await open();
      await go({ ...page, until: (condition) => page.evaluate(untilIdle(condition)) });
      await page.close();
    });

  journey('a learner steps, steps back, and plays until the pod runs', async ({ evaluate, until, type }) => {
    const stands = (n) => until(`window.__syncloop.run.steps === window.__syncloop.info.opened.step + ${n}`);
    await stands(0);
    await type('ArrowRight');
    // The first thing to see after the opening is the file source's word, five decisions on.
    await stands(5);
    await type('ArrowLeft');
    await stands(0);
    assert.equal(await evaluate(`document.querySelectorAll('[data-testid=graph]').length`), 1);
    for (let i = 0; i < 12; i++) {
      const seq = await evaluate('window.__syncloop.run.seq');
      await type('ArrowRight');
      await until(`window.__syncloop.run.seq > ${seq}`);
    }
    await evaluate(`window.__syncloop.command('transport.setSpeed', { mode: 'time', factor: 20 })`);
    await type('Space');
    await until('Object.values(window.__syncloop.state.pods).some((p) => p.phase === "Running")');
    await type('Space');
    await until('!window.__syncloop.run.running');
  });

  journey('a lesson is read, and its question answered, by keys', async ({ evaluate, until, type }) => {
    await evaluate(`window.__syncloop.command('transport.setSpeed', { mode: 'max' })`);
    await evaluate(`window.__syncloop.command('lesson.open', { name: 'syncloop' })`);
    const arrived = (step) =>
      until(`document.querySelector('.sl-lesson[data-phase=reading][data-step="${step}"] [data-known]') !== null`);
    await arrived(1);
    for (let step = 2; step <= 5; step++) {
      await type('n');
      await arrived(step);
    }
    await until(`document.activeElement?.matches('input[type=radio]')`);
    await type('Space', 'Enter');
    await until(`document.querySelector('[data-testid=result]') !== null`);
    assert.match(await evaluate(`document.querySelector('[data-testid=lesson-said]').textContent`), /^Not so\./);
  });

  journey('a log that is dropped is explained', async ({ evaluate, until }) => {
    const log = (await readFile(V4)).toString('base64');
    await evaluate(`(() => {
      const dataTransfer = new DataTransfer();
      const bytes = Uint8Array.from(atob(${JSON.stringify(log)}), (c) => c.charCodeAt(0));
      dataTransfer.items.add(new File([bytes], 'kubelet.v4.log.gz'));
      document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
    })()`);
    await until('window.__syncloop.info?.capabilities.observed && window.__syncloop.run.reading.ended');
    await until(`document.querySelector('[data-testid=finding]') !== null`);
    const first = await evaluate(`document.querySelector('[data-testid=finding]').textContent`);
    assert.match(first, /app in default\/crash-node1 ended in failure \d times/);
  });
}
