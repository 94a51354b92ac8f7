/**
 * A way through the page for each of those it is for, in both languages: a learner with the keyboard alone, a teacher
 * with a student, an engineer with a workload of their own and a recording at night. At each stop the narrator reports
 * the record there.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { command, idle, onStage, press, run, savedFile } from './browser.mjs';
import { bar, enter, serveClass } from './class-agent.mjs';
import { said, says, stop } from './narrator.mjs';

const open = onStage();

const LANGS = [
  { locale: 'en-GB', lang: 'en' },
  { locale: 'zh-CN', lang: 'zh' },
];
const podRuns = () => Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running');

describe('a learner, by keyboard alone,', () => {
  const words = {
    en: {
      opens: 'The folder contains the manifest hello.yaml. Press → and follow it.',
      kill: 'kill its container',
      killed: /Container app of hello-node1 is killed\./,
    },
    zh: {
      opens: '清单目录里有了一份清单 hello.yaml。 按 →，跟着它走。',
      kill: '杀掉它的容器',
      killed: /杀死 hello-node1 的容器 app/,
    },
  };
  it('takes the tour to its end, back and out of it', async () => {
    const page = await open({ pace: 'follow' });
    for (
      let i = 0;
      (await page.evaluate(() => document.activeElement?.textContent?.trim())) !== 'Follow one pod';
      i++
    ) {
      assert.ok(i < 150, 'Tab comes to the tour');
      await page.keyboard.press('Tab');
    }
    await page.keyboard.press('Enter');
    const tour = page.getByTestId('tour');
    const stops = [];
    const next = async (key) => {
      await page.locator(`[data-testid=tour]:not([data-stop="${stops.at(-1) ?? ''}"]) [aria-busy=false]`).waitFor();
      stops.push(await tour.getAttribute('data-stop'));
      if (key) await page.keyboard.press(key);
    };
    await next('ArrowRight');
    while (stops.at(-1) !== 'end') await next(stops.length % 2 ? 'Enter' : 'ArrowRight');
    assert.equal(stops.length, 14);
    assert.ok(await page.evaluate(podRuns));
    await page.keyboard.press('ArrowLeft');
    await next('Escape');
    assert.equal(stops.at(-1), 'status');
    await tour.waitFor({ state: 'detached' });
  });

  for (const { locale, lang } of LANGS)
    it(`follows a pod until it runs, kills its container and asks why it came back (${lang})`, async () => {
      const w = words[lang];
      const page = await open({ locale, pace: 'follow' });
      await says(page, w.opens, 'where the page opens');
      const kinds = new Set();
      const go = async (key) => {
        await press(page, key);
        const link = await stop(page, lang);
        kinds.add(link.kind);
        return link;
      };
      for (let i = 0; i < 8; i++) await go('ArrowRight');
      for (let i = 0; !(await page.evaluate(podRuns)); i++) {
        assert.ok(i < 60, 'the pod runs within 60 iterations');
        await go('Shift+ArrowRight');
      }
      assert.ok(kinds.size >= 3, [...kinds].join());
      await go('ArrowLeft');
      await go('ArrowRight');

      // The page's suggestion is reached with Tab.
      for (let i = 0; (await page.evaluate(() => document.activeElement?.textContent?.trim())) !== w.kill; i++) {
        assert.ok(i < 150, `Tab comes to ${w.kill}`);
        await page.keyboard.press('Tab');
      }
      const { seq } = await run(page);
      await page.keyboard.press('Enter');
      await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq > n, seq);
      await stop(page, lang);
      const again = () =>
        page.evaluate(() =>
          Object.values(window.__syncloop.state.containers).some((c) => c.attempt === 1 && c.state === 'running'),
        );
      for (let i = 0; !(await again()); i++) {
        assert.ok(i < 60, 'its container is back within 60 iterations');
        await go('Shift+ArrowRight');
      }
      // The last sentence is a step of the way from the kill to the new container.
      await page.keyboard.press('w');
      await page.getByTestId('why-chain').getByText(w.killed).first().waitFor();
      await stop(page, lang);
    });
});

describe('a teacher', () => {
  let agent;
  before(async () => {
    agent = await serveClass();
  });
  after(() => agent?.stop());
  const words = {
    en: { opens: /^The folder contains the manifest crash\.yaml\./, question: 'Who starts it again?' },
    zh: { opens: /^清单目录里有了一份清单 crash\.yaml。/, question: '谁让它重新启动？' },
  };
  for (const [i, { locale, lang }] of LANGS.entries())
    it(`opens a scenario, presents it, and asks what was prepared; a student follows (${lang})`, async () => {
      const w = words[lang];
      const other = LANGS[1 - i];
      const size = { viewport: { width: 1024, height: 768 } };
      const teacher = await enter(open, agent.presenter, { locale, ...size });
      await teacher.getByTestId('open-scenarios').click();
      await teacher.getByTestId('scenario-filter').fill('crash-loop');
      await teacher.getByTestId('load-crash-loop').click();
      await teacher.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.scenario === 'crash-loop');
      await teacher.locator('.sl-said [data-testid=opening]').waitFor();
      assert.match(await said(teacher), w.opens);

      // The question is prepared before anybody is there.
      await command(teacher, 'class.present');
      await bar(teacher, 'on');
      await teacher.keyboard.press('q');
      await teacher.getByTestId('class-form-question').fill(w.question);
      await teacher.getByTestId('class-form-option-0').fill('PLEG');
      await teacher.getByTestId('class-form-option-1').fill('SyncPod');
      await teacher.getByTestId('class-form-keep').click();
      await teacher.getByTestId('class-prepared-ask-0').waitFor();
      await teacher.keyboard.press('Escape');

      const student = await enter(open, agent.audience, { locale: other.locale, ...size });
      await bar(student, 'live');
      /** Checks that both are at one record, and that each narrator reports it in its page's language. */
      const both = async () => {
        const link = await stop(teacher, lang);
        await student.waitForFunction(
          (n) => window.__syncloop.idle() && window.__syncloop.run.seq === n,
          (await run(teacher)).seq,
        );
        const theirs = await stop(student, other.lang);
        assert.deepEqual(theirs.text, link.text);
        return link;
      };
      const crashed = () =>
        teacher.evaluate(() => Object.values(window.__syncloop.state.containers).some((c) => c.state === 'exited'));
      for (let n = 0; !(await crashed()); n++) {
        assert.ok(n < 80, 'it crashes within 80 iterations');
        await press(teacher, 'Shift+ArrowRight');
        if (n % 4 === 0) await both();
      }
      await both();

      await teacher.keyboard.press('q');
      await teacher.getByTestId('class-prepared-ask-0').click();
      await student.getByTestId('class-poll').getByText(w.question).waitFor();
      await student.getByTestId('class-poll').getByText('SyncPod').click();
      await student.getByTestId('class-answer').click();
      await teacher.waitForFunction(() =>
        /^1\D+1$/.test(document.querySelectorAll('.sl-class-count')[1]?.textContent?.trim() ?? ''),
      );
      await teacher.getByTestId('class-closed').click();
      await student.getByTestId('class-result').waitFor();
      const counts = student.getByTestId('class-counts').locator('.sl-class-count');
      assert.deepEqual(
        (await counts.allInnerTexts()).map((t) => Number.parseInt(t, 10)),
        [0, 1],
      );
      // Both see the next steps.
      await press(teacher, 'Shift+ArrowRight');
      await both();
      await press(teacher, 'ArrowLeft');
      await both();
      await teacher.context().close();
      await bar(student, 'gone');
    });
});

describe('an engineer', () => {
  const words = {
    en: {
      becomes: /Deployment checkout becomes the pods checkout-/,
      service: /Service checkout is left out/,
      serves: 'serves on its ports',
      crashes: 'crashes',
      crashed: /exited with code 1 /,
      started: /was it (re)?started\?/,
      killed: /Container checkout of .* is killed\./,
      branch: /^container checkout of \S*checkout-\S+ is killed/,
    },
    zh: {
      becomes: /Deployment checkout 变为 Pod checkout-/,
      service: /Service checkout 已省略/,
      serves: '在端口上提供服务',
      crashes: '崩溃',
      crashed: /退出码 1（/,
      started: /^(启动|重启)了？/,
      killed: /杀死 .*的容器 checkout/,
      branch: /^杀死 \S*checkout-\S+ 的容器 checkout/,
    },
  };
  const until = async (page, what, ...args) => {
    if (!(await page.evaluate(() => window.__syncloop.run.running))) await page.getByTestId('toggle').click();
    await page.waitForFunction(what, ...args);
    await page.getByTestId('toggle').click();
    await idle(page);
  };

  for (const { locale, lang } of LANGS)
    it(`pastes a Deployment, sees it crash, asks why, tries another way, and takes the run home (${lang})`, async () => {
      const w = words[lang];
      const page = await open({ locale });
      await command(page, 'transport.setSpeed', { mode: 'time', factor: 20 });
      await command(page, 'manifest.new.plain');
      const deployment = new URL('../../../packages/core/testdata/workloads/own-deployment.yaml', import.meta.url);
      await page.getByTestId('manifest-text').fill(await readFile(deployment, 'utf8'));
      await page.getByTestId('workload-notes').getByText(w.becomes).waitFor();
      await page.getByTestId('workload-notes').getByText(w.service).waitFor();
      // The page asks what the image does, with a guess that needs no answer.
      const does = page.getByTestId('image-does').first();
      assert.equal(await does.evaluate((s) => s.selectedOptions[0].textContent), w.serves);
      assert.equal(await page.getByTestId('image-ports').inputValue(), '8080');
      await page.getByTestId('apply').click();
      await page
        .getByTestId('files')
        .getByText(/checkout-[a-z0-9]+-[a-z0-9]+\.yaml/)
        .first()
        .waitFor();
      // The fields that were left out are named afterwards, too.
      await page.getByTestId('dropped').getByText('spec.serviceAccountName').waitFor();
      await stop(page, lang);
      await until(page, () =>
        Object.values(window.__syncloop.state.pods).some(
          (p) => p.pod.includes('checkout-') && JSON.stringify(p.status).includes('"ready":true'),
        ),
      );
      await stop(page, lang);

      // From now on it crashes: the container that is killed starts again and ends by itself.
      await does.selectOption({ label: w.crashes });
      await page.getByTestId('image-after').fill('2');
      await page.getByTestId('image-after').press('Enter');
      const { id, uid } = await page.evaluate(() => {
        const list = Object.values(window.__syncloop.state.containers);
        return list.find((c) => c.name === 'checkout' && c.state === 'running');
      });
      await command(page, 'pod.kill', { uid, container: 'checkout' });
      await idle(page);
      assert.match((await stop(page, lang)).text[lang], /checkout/);
      await until(
        page,
        (killed) =>
          Object.values(window.__syncloop.state.containers).some(
            (c) => c.name === 'checkout' && c.id !== killed && c.exitCode === 1,
          ),
        id,
      );
      await stop(page, lang);

      // Why it ended, and why it was started at all: back to the kill.
      const second = await page.evaluate(
        () =>
          Object.values(window.__syncloop.state.containers).find((c) => c.name === 'checkout' && c.attempt === 1).id,
      );
      await command(page, 'view.select', { kind: 'container', id: second });
      await command(page, 'view.why');
      const chain = page.getByTestId('why-chain');
      await chain.getByText(w.crashed).first().waitFor();
      await page.getByTestId('why-asks').getByText(w.started).click();
      await chain.getByText(w.killed).first().waitFor();
      await chain
        .getByText(/ShouldContainerBeRestarted/)
        .first()
        .waitFor();

      // Home with it, before another way is tried.
      const [download] = await Promise.all([page.waitForEvent('download'), command(page, 'recording.save')]);
      const file = await savedFile(download);

      // Another way: soon after it was started, before it crashes by itself, it is killed.
      await command(page, 'view.select', null);
      const values = await page.evaluate(
        (n) => window.__syncloop.ask({ do: 'history', path: `containers["${n}"].state` }),
        second,
      );
      await command(page, 'inspector.goTo', values.find((v) => v.value === 'running').seq);
      await idle(page);
      await stop(page, lang);
      await command(page, 'pod.kill', { uid, container: 'checkout' });
      await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.branch === 2);
      await stop(page, lang);
      await page.getByTestId('tab-branches').click();
      await page.getByTestId('branch-2').getByText(w.branch).first().waitFor();
      await command(page, 'branch.compare', 1);
      await page
        .getByTestId('comparison')
        .getByText(w.killed)
        .or(page.getByTestId('comparison').getByText(w.branch))
        .first()
        .waitFor();

      // And the way is a scenario of its own, which has the Deployment's pod in it.
      const { steps } = await run(page);
      await command(page, 'scenario.fromRun');
      await page.getByTestId('make-name').fill('checkout-crashes');
      await page.waitForFunction(() =>
        /checkout-crashes[\s\S]*registry\.shop\.example/.test(
          document.querySelector('[data-testid=make-text]')?.value ?? '',
        ),
      );
      await page.getByTestId('make-run').click();
      await page.getByTestId('make-name').waitFor({ state: 'detached' });
      await command(page, 'transport.setSpeed', { mode: 'max' });
      await command(page, 'transport.go', { step: steps });
      await idle(page);
      assert.equal((await run(page)).steps, steps);
      await stop(page, lang);

      // At three in the morning there is the file only.
      const chooser = page.waitForEvent('filechooser');
      const opened = command(page, 'files.choose');
      await (await chooser).setFiles(file);
      await opened;
      await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.capabilities.apply === false);
      await command(page, 'transport.setSpeed', { mode: 'max' });
      await command(page, 'transport.toggle');
      await page.waitForFunction(
        () => window.__syncloop.idle() && window.__syncloop.run.seq === window.__syncloop.run.end.seq,
      );
      await stop(page, lang);
      await page.keyboard.type('/pleg-event');
      const row = page.getByTestId('records').locator('.sl-record-row', { hasText: 'ContainerDied' }).first();
      await row.waitFor();
      await row.locator('.sl-record').click();
      await row.getByRole('button').last().click();
      await idle(page);
      const died = await stop(page, lang);
      assert.equal(died.kind, 'pleg-event');
      assert.match(died.text[lang], /ContainerDied/);
      await page.keyboard.press('Escape');
      await page.keyboard.press('w');
      await page
        .getByTestId('why-chain')
        .getByText(/ContainerDied/)
        .first()
        .waitFor();
    });
});
