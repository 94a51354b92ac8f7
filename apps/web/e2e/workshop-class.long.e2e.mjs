/** A class of three in the workshop: the presenter opens a stage for all, and sees how they do, without names. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { command, onStage } from './browser.mjs';
import { bar, enter, serveClass } from './class-agent.mjs';
import { codeOf, tabTo, write } from './workshop.mjs';

const open = onStage({ viewport: { width: 1000, height: 700 } });
let agent;
before(async () => {
  agent = await serveClass();
});
after(() => agent?.stop());

/** Puts a code into the editor of a page whose user has a mouse, and judges it. */
async function judge(page, code) {
  await page.getByTestId('workshop-code').click();
  await page.keyboard.press('Control+A');
  await page.keyboard.insertText(code);
  await page.getByTestId('workshop-run').click();
}

describe('a class in the workshop', () => {
  it('gets a stage with its text, and its presenter counts of levels and first differences', async () => {
    const presenter = await enter(open, agent.presenter);
    await command(presenter, 'class.present');
    await bar(presenter, 'on');
    const one = await enter(open, agent.audience);
    const two = await enter(open, agent.audience);
    const three = await enter(open, agent.audience, { locale: 'zh-CN', viewport: { width: 390, height: 844 } });
    await presenter.getByText('Presenting to 3').waitFor();

    // Everything that a follower sends, to look for its code afterwards.
    const sent = [];
    for (const page of [one, two, three])
      page.on('websocket', (socket) => socket.on('framesent', ({ payload }) => sent.push(String(payload))));
    for (const page of [one, two, three]) await page.reload();
    for (const page of [one, two, three]) await bar(page, 'live');

    await presenter.getByTestId('class-stage').click();
    await presenter.getByTestId('class-open-pleg').click();
    const judged = presenter.getByTestId('class-stage-judged');
    await judged.getByText('0 of 3').waitFor();
    // Each has the stage's text, in their own language.
    for (const page of [one, two, three]) await page.getByTestId('stage-of-class').waitFor();
    await two.getByText('Pod Lifecycle Event Generator').waitFor();
    await three.locator('.sl-workshop-text').getByText('运行时不会通知 kubelet').first().waitFor();

    // The first one works with the keyboard alone: the starter fails, the solution passes all levels.
    const keyboard = 'const secretOfOne = 1;\n';
    await tabTo(one, 'workshop-code');
    await one.keyboard.press('Control+Enter');
    await judged.getByText('1 of 3').waitFor({ timeout: 60_000 });
    const firsts = presenter.getByTestId('class-stage-firsts');
    const before = await firsts.innerText();
    assert.match(before, /^Examples: .+\n1 of 3$/);
    await two.getByTestId('workshop-run').click();
    await firsts.getByText('2 of 3').waitFor({ timeout: 60_000 });

    await write(one, keyboard + (await codeOf('reference.ts')));
    await one.keyboard.press('Control+Enter');
    const levels = presenter.getByTestId('class-stage-levels').locator('.sl-class-count');
    await levels.nth(2).getByText('1 of 3').waitFor({ timeout: 240_000 });
    assert.deepEqual(await levels.allInnerTexts(), ['1 of 3', '1 of 3', '1 of 3']);
    await one.getByTestId('workshop-verdict').getByText('All levels passed').waitFor();

    // A code that does not end is named as what it is; nothing of it is sent.
    await judge(three, 'export function computeEvents() {\n  const secretOfThree = 3;\n  for (;;);\n}\n');
    await firsts.getByText('(a loop without an end)').waitFor({ timeout: 60_000 });
    await judged.getByText('3 of 3').waitFor();
    assert.ok(sent.some((text) => text.includes('"report"')));
    assert.equal(sent.filter((text) => /secretOf|function|computeEvents/.test(text)).length, 0);

    // Who loads the page again counts once, and has the stage again; closed, it stays with those who work on it.
    await two.reload();
    await two.getByTestId('stage-of-class').waitFor();
    await judged.getByText('3 of 3').waitFor();
    await presenter.getByTestId('class-stage-end').click();
    await presenter.getByTestId('class-stages').waitFor();
    await two.getByTestId('stage-of-class').waitFor({ state: 'detached' });
    assert.equal(await two.getByTestId('workshop-code').isVisible(), true);
  });
});
