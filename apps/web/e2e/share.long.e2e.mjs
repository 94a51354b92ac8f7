/** Moments handed on: as links and files from one browser to another, and as frames in articles of other sites. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, afterEach, before, describe, it } from 'node:test';
import { command, idle, open, run, savedFile, start } from './browser.mjs';
import { serve } from './serve.mjs';

let stage;
let opened = [];
before(async () => {
  stage = await start({ own: true });
});
after(async () => {
  await stage?.close();
});
afterEach(async () => {
  const problems = opened.flatMap((o) => o.problems);
  for (const o of opened) await o.close();
  opened = [];
  assert.deepEqual(problems, []);
});
const visit = async (options) => {
  const o = await open(stage, options);
  opened.push(o);
  return o.page;
};
/** All that is known of the node, as text: the same in both browsers, or it is not the same moment. */
const state = (page) => page.evaluate(() => JSON.stringify(window.__syncloop.state));

async function madeMoment() {
  const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  await command(page, 'scenario.load', { name: 'crash-loop', seed: 3 });
  for (let i = 0; i < 6; i++) await command(page, 'transport.stepIteration');
  await command(page, 'faults.do', { fault: { relist: '2s' } });
  await command(page, 'transport.stepIteration');
  await idle(page);
  return page;
}

describe('a moment', () => {
  it('is opened by a link in another browser as it was: the run, its notes and breakpoints, and what was in sight', async () => {
    const page = await madeMoment();
    await page.keyboard.press('a');
    await page.getByTestId('note-text').fill('Here the PLEG <b>slows</b> down.');
    await page.keyboard.press('Enter');
    await command(page, 'breakpoint.put', { id: 'died', on: 'pleg-event', type: 'ContainerDied' });
    await command(page, 'branch.rename', { branch: (await run(page)).branch, name: 'slow relist' });
    await command(page, 'view.level.everything');
    await command(page, 'view.notes');
    await command(page, 'view.select', { kind: 'part', part: 'pleg' });
    await command(page, 'link.copy');
    const link = await page.evaluate(() => navigator.clipboard.readText());
    assert.match(link, /#run=v3\./);
    await page.getByText(`The link is copied (${link.length} characters)`).waitFor();

    const other = await visit({ hash: new URL(link).hash });
    await other.getByText('It brings 1 note. It brings 1 breakpoint.').waitFor();
    await idle(other);
    assert.equal(await state(other), await state(page));
    const [here, there] = [await run(page), await run(other)];
    assert.deepEqual([there.steps, there.seq, there.time], [here.steps, here.seq, here.time]);
    await other.getByTestId('notes').getByText('Here the PLEG <b>slows</b> down.').waitFor();
    await other.getByTestId('notes-here').waitFor();
    await other.getByTestId('inspector').getByRole('heading', { name: 'PLEG' }).waitFor();
    assert.equal(await other.getByTestId('level-everything').getAttribute('aria-pressed'), 'true');
    await command(other, 'view.breakpoints');
    await other.getByTestId('breakpoint-died').waitFor();
    await command(other, 'view.branches');
    await other.getByTestId('branch-1').getByText('slow relist').waitFor();
    // Both go on alike.
    await command(page, 'breakpoint.removeAll');
    await command(other, 'breakpoint.removeAll');
    for (const p of [page, other]) {
      await command(p, 'transport.go', { time: here.time + 3_000_000 });
      await idle(p);
    }
    assert.equal(await state(other), await state(page));
  });

  it('of an older version is a run as it was: the scenario without the cluster DNS that it has had since', async () => {
    const linkOf = (version) =>
      `#run=v${version}.j${Buffer.from(JSON.stringify({ s: 'crash-loop', n: 1 })).toString('base64url')}`;
    const told = async (page) => {
      await page.waitForFunction(() => window.__syncloop.info.scenario === 'crash-loop' && window.__syncloop.idle());
      await command(page, 'transport.go', { time: 5_000_000 });
      await idle(page);
      return page.getByText('MissingClusterDNS').count();
    };
    const permissions = ['clipboard-read', 'clipboard-write'];
    const now = await visit({ hash: linkOf(3), permissions });
    assert.equal(await told(now), 0);
    await command(now, 'link.copy');
    const again = await now.evaluate(() => navigator.clipboard.readText());
    assert.match(again, /#run=v3\.j/);
    const then = await visit({ hash: linkOf(2), permissions });
    assert.notEqual(await told(then), 0);
    // A link to that run has it with it.
    await command(then, 'link.copy');
    const kept = await then.evaluate(() => navigator.clipboard.readText());
    assert.ok(kept.length > again.length + 500, `${kept.length} characters, ${again.length} for the one of today`);
    const third = await visit({ hash: new URL(kept).hash });
    await idle(third);
    assert.equal(await state(third), await state(then));
  });

  it('within a lesson opens the lesson, and there; between two records with the clock where it stood', async () => {
    const page = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
    await command(page, 'lesson.open', { name: 'syncloop', step: 2 });
    await page.waitForFunction(() => window.__syncloop.idle());
    const told = await page.locator('.sl-lesson h2, .sl-lesson h3').first().innerText();
    const stood = await run(page);
    await command(page, 'transport.stepIteration');
    await idle(page);
    // On in real time until the clock is between two records.
    await command(page, 'transport.toggle');
    await page.waitForFunction(
      () => window.__syncloop.run.running && window.__syncloop.run.time > window.__syncloop.state.time,
    );
    await command(page, 'transport.toggle');
    await idle(page);
    const here = await run(page);
    assert.notEqual(here.seq, stood.seq);
    await command(page, 'link.copy');
    const link = await page.evaluate(() => navigator.clipboard.readText());

    const other = await visit({ hash: new URL(link).hash, pace: 'as it is' });
    await other.waitForFunction(
      ({ seq, time }) =>
        window.__syncloop.idle() && window.__syncloop.run.seq === seq && window.__syncloop.run.time === time,
      here,
    );
    assert.equal(await state(other), await state(page));
    assert.equal(await other.locator('.sl-lesson h2, .sl-lesson h3').first().innerText(), told);
    await command(other, 'lesson.back');
    await other.waitForFunction((seq) => window.__syncloop.idle() && window.__syncloop.run.seq === seq, stood.seq);
  });

  it('that is too much for a link is handed on as a file', async () => {
    const page = await madeMoment();
    let noise = '';
    for (let x = 1; noise.length < 12_000; noise += x.toString(36)) x = (x * 48_271) % 2_147_483_647;
    const manifest = `apiVersion: v1\nkind: Pod\nmetadata: { name: long, annotations: { noise: "${noise}" } }\nspec:\n  containers: [{ name: app, image: localhost/busybox:dev }]\n`;
    await command(page, 'manifest.apply', { file: 'long.yaml', text: manifest });
    await command(page, 'transport.stepIteration');
    await idle(page);
    await command(page, 'link.copy');
    await page.getByText('Many programs cut links of more than 8000').waitFor();
    const [download] = await Promise.all([page.waitForEvent('download'), page.getByTestId('save-moment').click()]);
    assert.match(download.suggestedFilename(), /^[\w-]+-[\d.]+s\.moment\.json$/);
    const text = await readFile(await savedFile(download), 'utf8');

    const other = await visit({});
    const before = await state(other);
    const drop = (name, content) =>
      other.evaluate(
        ([n, c]) => {
          const dataTransfer = new DataTransfer();
          dataTransfer.items.add(new File([c], n, { type: 'application/json' }));
          document.body.dispatchEvent(new DragEvent('drop', { dataTransfer, bubbles: true, cancelable: true }));
        },
        [name, content],
      );
    await drop('bad.moment.json', text.slice(0, -20));
    await other.getByText('it is not JSON').waitFor();
    assert.equal(await state(other), before);
    await drop(download.suggestedFilename(), text);
    await other.getByText('This is the moment of the link').waitFor();
    await idle(other);
    assert.equal(await state(other), await state(page));
  });
});

it('a frame in an article of another site needs no storage, takes no keys of the article but those of who goes into it, and moves as it is asked', async () => {
  const maker = await visit({ permissions: ['clipboard-read', 'clipboard-write'] });
  await command(maker, 'transport.go', { step: 40 });
  await idle(maker);
  await command(maker, 'notes.put', { at: (await run(maker)).seq, text: 'Look here.' });
  await command(maker, 'link.copy');
  const [, moment] = (await maker.evaluate(() => navigator.clipboard.readText())).split('#run=');
  const host = await serve(undefined, { framed: true });
  const article = createServer((_, response) => {
    response.writeHead(200, { 'Content-Type': 'text/html' });
    response.end(`<!doctype html><title>Article</title><body style="height:3000px"><input aria-label="field">
      <iframe src="${host.url}?embed=1&testing=1&vary=constants.plegChannelCapacity:1000,5|plegCh#run=${moment}" title="syncloop" width="480" height="320"></iframe>
      <script>
        window.got = [];
        window.keys = [];
        addEventListener('message', (e) => got.push(e.data));
        addEventListener('keydown', (e) => keys.push(e.key));
      </script>`);
  });
  await new Promise((resolve) => article.listen(0, '127.0.0.1', resolve));
  const context = await stage.browser.newContext({ viewport: { width: 700, height: 600 }, locale: 'en-GB' });
  try {
    // Some browsers block the storage of third parties.
    await context.addInitScript(() => {
      if (window.parent === window) return;
      for (const name of ['localStorage', 'sessionStorage', 'indexedDB', 'caches'])
        Object.defineProperty(window, name, {
          get() {
            throw new DOMException('blocked', 'SecurityError');
          },
        });
    });
    const page = await context.newPage();
    const problems = [];
    page.on('console', (m) => {
      if (m.type() === 'error' && !m.text().includes('favicon')) problems.push(m.text());
    });
    page.on('pageerror', (e) => problems.push(String(e)));
    await page.goto(`http://localhost:${article.address().port}/`);
    const at = (step) =>
      page.waitForFunction((n) => window.got.at(-1)?.at?.step === n && !window.got.at(-1).running, step);
    await at(40);
    const frame = page.frameLocator('iframe');
    await frame.getByTestId('narrator').getByText('✎ Look here.').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'BODY');
    await page.keyboard.press('ArrowRight');
    assert.deepEqual(await page.evaluate(() => window.keys), ['ArrowRight']);
    await page.mouse.move(240, 200);
    await page.mouse.wheel(0, 120);
    await page.waitForFunction(() => window.scrollY > 0);
    await page.evaluate(() => window.scrollTo(0, 0));

    const ask = (message) =>
      page.evaluate(
        (m) => document.querySelector('iframe').contentWindow.postMessage({ type: 'syncloop', ...m }, '*'),
        message,
      );
    await ask({ do: 'step', count: 3 });
    await at(43);
    await ask({ do: 'back' });
    await at(42);
    await ask({ do: 'go', step: 20 });
    await at(20);
    await ask({ do: 'kill', uid: 'x' });
    await page.waitForFunction(() => window.got.some((m) => m.error?.startsWith('do:')));
    await ask({ do: 'play' });
    await page.waitForFunction(() => window.got.some((m) => m.running));
    await ask({ do: 'pause' });
    await page.waitForFunction(() => window.got.at(-1)?.running === false);
    await ask({ do: 'go', step: 30 });
    await at(30);

    // Whoever goes into the frame has its keys, by a click that is about nothing else, and by Tab.
    const main = frame.locator('main');
    await frame.getByTestId('narrator').click();
    await frame.locator('main[data-focused=true]').waitFor();
    assert.equal(await page.evaluate(() => document.activeElement?.tagName), 'IFRAME');
    await page.keyboard.press('Alt+ArrowLeft');
    await at(29);
    await page.keyboard.press('Alt+ArrowRight');
    await at(30);
    // Those of the frame are not those of the article.
    assert.deepEqual(await page.evaluate(() => window.keys), ['ArrowRight']);
    await page.getByLabel('field').click();
    await frame.locator('main[data-focused=false]').waitFor();
    await page.keyboard.press('ArrowLeft');
    await page.waitForFunction(() => window.keys.length === 2);
    assert.equal(await main.getAttribute('data-focused'), 'false');
    await page.keyboard.press('Tab');
    await frame.locator('main[data-focused=true]').waitFor();
    await page.keyboard.press('Alt+ArrowRight');
    await at(31);
    await ask({ do: 'back' });
    await at(30);

    // Its button goes to the next thing that can be seen.
    await frame.getByTestId('step').click();
    await page.waitForFunction(() => window.got.at(-1)?.at?.step > 30);
    await ask({ do: 'go', step: 30 });
    await at(30);
    await frame.getByTestId('embed-open').hover();
    const href = () => frame.getByTestId('embed-open').getAttribute('href');
    for (let i = 0; i < 400 && (await href()).endsWith(moment); i++) await page.waitForTimeout(50);
    assert.match(await href(), /\/tools\/syncloop\/#run=v3\./);
    const whole = await visit({ hash: new URL(await href()).hash });
    await whole.getByText('This is the moment of the link').waitFor();
    await idle(whole);
    assert.equal((await run(whole)).steps, 30);

    // What the address lets a reader change, by the article and by hand.
    const capacity = (cap) =>
      page
        .frames()[1]
        .waitForFunction(
          (n) => Object.values(window.__syncloop.state.channels).find((c) => c.name === 'plegCh')?.cap === n,
          cap,
        );
    await ask({ do: 'set', name: 'constants.plegChannelCapacity', value: '5' });
    await capacity(5);
    await frame.getByLabel('plegCh').press('Home');
    await capacity(1000);
    await ask({ do: 'set', name: 'maxPods', value: '5' });
    await page.waitForFunction(() => window.got.some((m) => m.error?.includes('vary=maxPods')));
    assert.deepEqual(problems, []);
  } finally {
    await context.close();
    article.close();
    await host.close();
  }
});
