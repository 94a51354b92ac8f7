/** A class: a presenter on `syncloop serve --class`, and two who follow, each in a browser of their own. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { hashState } from '@syncloop/core/debug';
import { io } from 'socket.io-client';
import { command, idle, onStage, savedFile } from './browser.mjs';
import { bar, enter, serveClass } from './class-agent.mjs';

// Small: three pages are drawn at once.
const open = onStage({ viewport: { width: 900, height: 600 } });
let agent;
before(async () => {
  agent = await serveClass();
});
after(() => agent?.stop());

const visit = (url, more) => enter(open, url, more);
const standing = (page) =>
  page.evaluate(() => ({
    state: window.__syncloop.state,
    steps: window.__syncloop.run.steps,
    seq: window.__syncloop.run.seq,
  }));
/** Waits until a page is at the presenter's position, to the last bit of its state. */
async function same(presenter, follower) {
  await idle(presenter);
  const want = await standing(presenter);
  await follower.waitForFunction(
    ([steps, seq]) =>
      window.__syncloop.run.steps === steps && window.__syncloop.run.seq === seq && window.__syncloop.idle(),
    [want.steps, want.seq],
  );
  const got = await standing(follower);
  assert.equal(hashState(got.state), hashState(want.state), `at decision ${want.steps}`);
}
const counts = (page) => page.getByTestId('class-counts').locator('.sl-class-count').allInnerTexts();

describe('a class', () => {
  it('follows step by step, wanders off and comes back, and answers a question', async () => {
    const presenter = await visit(agent.presenter);
    await command(presenter, 'class.present');
    await bar(presenter, 'on');
    const one = await visit(agent.audience);
    const two = await visit(agent.audience, { locale: 'zh-CN', viewport: { width: 390, height: 844 } });
    await bar(one, 'live');
    await presenter.getByText('Presenting to 2').waitFor();
    for (let i = 0; i < 3; i++) await command(presenter, 'transport.stepIteration');
    await same(presenter, one);
    await same(presenter, two);
    // The class's pages are none of those that share the presenter's session.
    for (const page of [presenter, one, two])
      for (const id of ['pages', 'moved-by-other']) assert.equal(await page.getByTestId(id).count(), 0);

    // The presenter's pointer is in the same box of the follower's map, which is at another place of its screen.
    const boxOf = (page) => page.locator('.react-flow__node[data-id=select]').boundingBox();
    const select = await boxOf(presenter);
    await presenter.mouse.move(select.x + select.width / 2, select.y + select.height / 2);
    const tip = await one.getByTestId('presented-pointer').boundingBox();
    const seen = await boxOf(one);
    assert.ok(Math.abs(tip.x - seen.x - seen.width / 2) < 4 && Math.abs(tip.y - seen.y - seen.height / 2) < 4);
    await presenter.keyboard.press('Shift+M');
    await one.getByTestId('presented-pointer').waitFor({ state: 'detached' });

    // A selection, going back, and another way from there.
    await command(presenter, 'view.select', { kind: 'part', part: 'pleg' });
    await one.getByRole('complementary').getByText('PLEG').first().waitFor();
    await command(presenter, 'transport.backDecision');
    await same(presenter, one);
    await command(presenter, 'transport.setSpeed', { mode: 'max' });
    await command(presenter, 'transport.go', { time: 4_000_000 });
    await command(presenter, 'try.kill');
    await command(presenter, 'transport.stepIteration');
    await same(presenter, one);
    await same(presenter, two);

    // A key of its own, and the follower is away; the presenter goes on without it.
    await one.keyboard.press('ArrowRight');
    await bar(one, 'away');
    await idle(one);
    const alone = await standing(one);
    await command(presenter, 'transport.stepIteration');
    await same(presenter, two);
    assert.equal((await standing(one)).steps, alone.steps);
    await one.keyboard.press('y');
    await bar(one, 'live');
    await same(presenter, one);

    // A question, answered with the keyboard.
    await presenter.keyboard.press('q');
    await presenter.getByTestId('class-form-question').fill('What comes next?');
    await presenter.getByTestId('class-form-option-0').fill('PLEG finds it');
    await presenter.getByTestId('class-form-option-1').fill('Nothing');
    await presenter.getByLabel('Answer 1 is right').check();
    await presenter.getByTestId('class-form-send').click();
    await one.getByTestId('class-poll').waitFor();
    await one.keyboard.press('q');
    await one.keyboard.press('Space');
    await one.keyboard.press('Enter');
    await two.getByTestId('class-poll').getByText('Nothing').click();
    await two.getByTestId('class-answer').click();
    await presenter.getByTestId('class-counts').getByText('1 of 2').nth(1).waitFor();
    assert.deepEqual(await counts(presenter), ['1 of 2', '1 of 2']);
    assert.equal(await one.getByText('right').count(), 0, 'nobody is told before');
    await two.getByTestId('class-poll').getByText('PLEG finds it').click();
    await two.getByTestId('class-answer').click();
    await presenter.getByTestId('class-counts').getByText('2 of 2').waitFor();
    await presenter.getByTestId('class-closed').click();
    // A closed question's result is there for all, without the right answer, until it is put away.
    await one.getByTestId('class-poll').getByTestId('class-result').waitFor();
    assert.deepEqual(await counts(one), ['2 of 2', '0 of 2']);
    assert.equal(await one.getByText('✓ right').count(), 0);
    await presenter.getByTestId('class-revealed').click();
    await one.getByTestId('class-poll').getByText('✓ right').waitFor();
    assert.deepEqual(await counts(two), ['2 / 2', '0 / 2']);

    await presenter.context().close();
    await bar(one, 'gone');
  });

  it('shows its address with a code, says who is behind, and asks what was prepared with one click', async () => {
    const presenter = await visit(agent.presenter);
    await command(presenter, 'class.present');
    await bar(presenter, 'on');
    await presenter.getByTestId('class-show-link').click();
    const { origin, hash } = new URL(agent.audience);
    assert.equal(await presenter.getByTestId('class-address').textContent(), origin);
    const code = await presenter.getByTestId('class-code').locator('strong').textContent();
    await presenter.keyboard.press('Escape');

    // Who types the address is asked for the code, which is worth the token of the link.
    const one = await visit(`${origin}/`);
    await one.getByTestId('class-code-input').pressSequentially('aaaaaa');
    await one.getByTestId('class-code-send').click();
    await one.getByTestId('class-code-problem').getByText('This code is wrong').waitFor();
    await one.getByTestId('class-code-input').fill(code.toLowerCase());
    await one.keyboard.press('Enter');
    await bar(one, 'live');
    assert.equal(new URL(one.url()).hash, hash);
    const two = await visit(agent.audience);
    await bar(one, 'live');
    await bar(two, 'live');
    await presenter.getByTestId('class-standings').getByText('2 in step').waitFor();
    await two.keyboard.press('ArrowRight');
    await bar(two, 'away');
    await presenter.getByTestId('class-standings').getByText('1 on their own · 1 in step').waitFor();
    await presenter.getByTestId('class-standings').press('Enter');
    const number = (await two.getByTestId('class-number').textContent()).replace('No. ', '');
    const first = presenter.getByTestId('class-audience').locator('li').first();
    assert.equal(await first.textContent(), `No. ${number} looks around on its own`);
    await presenter.keyboard.press('Escape');

    // Kept from the form, taken from a lesson, and saved to a file.
    await presenter.keyboard.press('q');
    await presenter.getByTestId('class-form-question').fill('Who stops the container?');
    await presenter.getByTestId('class-form-option-0').fill('The worker');
    await presenter.getByTestId('class-form-option-1').fill('The loop');
    await presenter.getByTestId('class-form-keep').click();
    await presenter.getByTestId('class-prepared-ask-0').waitFor();
    await presenter.getByTestId('class-prepared-lesson').selectOption('pleg');
    await presenter
      .getByTestId('class-prepared-said')
      .getByText(/Questions added: [1-9]/)
      .waitFor();
    const [file] = await Promise.all([
      presenter.waitForEvent('download'),
      presenter.getByTestId('class-prepared-export').click(),
    ]);
    const path = await savedFile(file);
    await presenter.getByTestId('class-prepared-remove-0').click();
    const before = await presenter.locator('[data-testid^=class-prepared-ask-]').count();
    const [chooser] = await Promise.all([
      presenter.waitForEvent('filechooser'),
      presenter.getByTestId('class-prepared-import').click(),
    ]);
    await chooser.setFiles(path);
    await presenter.getByTestId('class-prepared-said').getByText('Questions added: 1.').waitFor();
    // It goes on presenting when it is loaded again.
    await presenter.reload();
    await bar(presenter, 'on');
    await command(presenter, 'class.question');
    await presenter.getByTestId(`class-prepared-ask-${before}`).click();
    await one.getByTestId('class-poll').getByText('Who stops the container?').waitFor();
    await command(presenter, 'class.present');
  });

  it('answers a lesson’s question with a number, and a phone’s question covers neither text nor map', async () => {
    const presenter = await visit(agent.presenter);
    await command(presenter, 'class.present');
    await bar(presenter, 'on');
    const one = await visit(agent.audience);
    const phone = await visit(agent.audience, { viewport: { width: 390, height: 780 } });
    await bar(one, 'live');
    await bar(phone, 'live');
    await command(presenter, 'lesson.open', { name: 'pleg' });
    await idle(presenter);
    await command(presenter, 'lesson.go', 5);
    await presenter.getByTestId('class-presented').waitFor();

    await one.getByTestId('class-poll').waitFor();
    await one.keyboard.press('q');
    await one.keyboard.type('x');
    await one.getByTestId('class-answered').getByText('This is not a number.').waitFor();
    assert.ok(await one.getByTestId('class-answer').isDisabled());
    await one.getByTestId('class-number-answer').fill('0,7');
    await one.keyboard.press('Enter');
    await one.getByTestId('class-answered').getByText('Your answer counts.').waitFor();
    await phone.getByTestId('class-number-answer').fill('3');
    await phone.getByTestId('class-answer').click();
    await presenter.getByTestId('class-counts').getByText('1 of 2').nth(1).waitFor();
    assert.equal(await one.getByTestId('class-counts').count(), 0, 'nobody sees what others answer');

    await phone.getByTestId('class-lesson').click();
    await phone.getByTestId('presented-lesson').waitFor();
    const box = (place) => place.boundingBox();
    const card = await box(phone.getByTestId('class-poll'));
    for (const place of [
      phone.getByTestId('presented-lesson'),
      phone.locator('.react-flow'),
      phone.locator('.sl-narrator'),
    ]) {
      const { y, height } = await box(place);
      assert.ok(y + height <= card.y + 1 || y >= card.y + card.height - 1, `${place} is at ${y}, ${height} high`);
    }

    await presenter.getByTestId('question').locator('input').fill('0.7');
    await presenter.keyboard.press('Enter');
    await one.getByTestId('class-right-number').getByText('Right: 0.745 s (±0.15 s)').waitFor();
    await phone.getByTestId('presented-answer').getByText('Not so.').waitFor();
    await phone.getByTestId('presented-answer').getByText('Your answer: 3 s').waitFor();
    assert.equal(await one.getByTestId('class-poll').locator('[data-right]').textContent(), '0.7 s✓ rightyours1 of 2');
    await command(presenter, 'class.answers');
    await presenter.getByTestId('class-answers').getByText('1 of 2 were right').waitFor();
    await presenter.keyboard.press('Escape');
    await command(presenter, 'class.present');
  });

  it('has nothing for its audience but views', async () => {
    const audience = new URL(agent.audience);
    const token = new URLSearchParams(audience.hash.slice(1)).get('class');
    const knock = (origin, namespace) =>
      new Promise((resolve) => {
        const socket = io(`${origin}${namespace}`, {
          auth: { token },
          reconnection: false,
          forceNew: true,
          transports: ['websocket'],
        });
        socket.on('connect', () => {
          socket.disconnect();
          resolve(200);
        });
        socket.on('connect_error', (error) => resolve(error.data?.status ?? error.message));
      });
    assert.equal(await knock(audience.origin, '/class'), 200);
    assert.equal(await knock(audience.origin, '/'), 404);
    // The session's own server takes it for nothing at all.
    const { origin } = new URL(agent.presenter);
    assert.equal(await knock(origin, '/'), 401);
    assert.equal(await knock(origin, '/class'), 401);
  });
});
