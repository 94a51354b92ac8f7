/** Somebody else's kubelet in a real browser: its log is dropped, whole and damaged. The rest is long. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { onStage } from './browser.mjs';
import { drop, read, V4 } from './dropped.mjs';

const visit = onStage({ shared: true, frames: 'seldom' });

describe("somebody else's kubelet", () => {
  it('is there as soon as its log is dropped, gzipped as it is: what went wrong stands first', async () => {
    const page = await visit();
    await drop(page, ['kubelet.v4.log.gz', await readFile(V4)]);
    await read(page);
    const banner = page.getByTestId('observed-banner');
    await banner.getByText(/Kubelet v1\.36\.2/).waitFor();
    assert.match(await banner.innerText(), /PID 17290[\s\S]*from 2026-11-22 11:26:10 to 2026-11-22 11:27:20/);
    const first = page.getByTestId('finding').first();
    assert.match(await first.innerText(), /app in default\/crash-node1 ended in failure \d times.*exit code 1/);

    // To its moment, on to the next one, to its why and to the line that it rests on.
    await first.getByTestId('finding-go').click();
    await page.getByTestId('evidence').waitFor();
    await page.waitForFunction(
      () => window.__syncloop.idle() && window.__syncloop.run.seq < window.__syncloop.run.end.seq,
    );
    const { seq } = await page.evaluate(() => window.__syncloop.run);
    await first.getByTestId('finding-next').click();
    await page.waitForFunction((n) => window.__syncloop.idle() && window.__syncloop.run.seq > n, seq);
    assert.match(await page.getByTestId('wall-time').innerText(), /^11:26:\d\d\.\d{3}$/);
    const place = page.getByTestId('evidence-place').first();
    const line = Number(/line (\d+)/.exec(await place.innerText())[1]);
    await place.click();
    const shown = page.getByTestId('log').locator('button[aria-pressed=true]');
    await shown.waitFor();
    assert.match(await shown.innerText(), new RegExp(`^\\s*${line}\\b`));
    const text = gunzipSync(await readFile(V4))
      .toString()
      .split('\n')[line - 1];
    assert.ok((await shown.innerText()).includes(/"([^"]+)"/.exec(text)[1]), text);
    await first.getByTestId('finding-why').click();
    await page.getByRole('tab', { name: 'Why', selected: true }).waitFor();

    // And back.
    await page.getByTestId('observed-leave').click();
    await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.info.capabilities.scenarios);
    await banner.waitFor({ state: 'detached' });
  });

  it('whose file is damaged is shown as far as it can be read; files that are none are refused', async () => {
    const page = await visit();
    const whole = gunzipSync(await readFile(V4));
    const packed = gzipSync(whole);
    await drop(page, ['kubelet.log.gz', packed.subarray(0, packed.length - 4000)]);
    await read(page);
    await page
      .getByTestId('findings')
      .getByText(/Something is missing here once: It cannot be read any further/)
      .waitFor();
    const before = await page.evaluate(() => window.__syncloop.info.id);
    const refused = await page.evaluate(() =>
      window.__syncloop.command('file.open', new File(['Dear all,\n'], 'letter.txt')).catch((error) => error.message),
    );
    assert.match(
      refused,
      /^letter\.txt is text, but no line of it comes from a kubelet\. The page opens a kubelet's log/,
    );
    assert.equal(await page.evaluate(() => window.__syncloop.info.id), before);
  });
});
