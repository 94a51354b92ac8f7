/**
 * Pictures of the graph: they stand alone, have the requested size, and a screencast leaves the session at its
 * position.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { command, idle, onStage, run, savedFile } from './browser.mjs';

const visit = onStage();
const saved = async (page, id, arg) => {
  const [download] = await Promise.all([page.waitForEvent('download'), command(page, id, arg)]);
  return { name: download.suggestedFilename(), bytes: await readFile(await savedFile(download)) };
};

describe('pictures', () => {
  it('stand alone, with the sentence and the position', async () => {
    const page = await visit({ colorScheme: 'dark' });
    for (let i = 0; i < 4; i++) await command(page, 'transport.stepIteration');
    await idle(page);
    const said = await page.getByTestId('narrator').locator('.sl-said').innerText();
    const { name, bytes } = await saved(page, 'picture.svg');
    assert.match(name, /^hello-kubelet-[\d.]+s\.svg$/);
    const svg = bytes.toString();
    // Nothing of the theme or the network is left to be decided.
    assert.doesNotMatch(svg, /light-dark\(|@import|url\((?!#|"#|&quot;#)|src="/);
    assert.ok(svg.includes('HandlePod') && svg.includes('hello-node1'));
    assert.ok(svg.includes(said.replace(/^[\d.]+ s /, '').slice(0, 30)), said);
    const { steps } = await run(page);
    assert.ok(svg.includes(`step ${steps}`));
    // The picture has its size as an image, and is not empty: it has many colours.
    const seen = await page.evaluate(async (text) => {
      const image = new Image();
      image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = 400;
      canvas.height = Math.round((400 * image.naturalHeight) / image.naturalWidth);
      const context = canvas.getContext('2d');
      context.drawImage(image, 0, 0, canvas.width, canvas.height);
      const { data } = context.getImageData(0, 0, canvas.width, canvas.height);
      const colours = new Set();
      for (let i = 0; i < data.length; i += 4) colours.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return { width: image.naturalWidth, colours: colours.size, corner: data[0] };
    }, svg);
    assert.ok(seen.width > 1000 && seen.colours > 200, JSON.stringify(seen));
    assert.ok(seen.corner < 60, 'dark, as the page');

    await command(page, 'picture.open');
    await page.getByTestId('picture-preview').waitFor();
    await page.getByLabel('light, for print').check();
    await page.getByLabel(/^1× · \d/).check();
    const png = await saved(page, 'picture.png');
    assert.equal(png.bytes.readUInt32BE(16), seen.width);
    assert.equal(png.bytes.subarray(1, 4).toString(), 'PNG');
  });

  it('a screencast is recorded, and the session stands where it stood', async () => {
    const page = await visit();
    for (let i = 0; i < 3; i++) await command(page, 'transport.stepIteration');
    await idle(page);
    const before = await run(page);
    const { name, bytes } = await saved(page, 'picture.record', { range: 'last', steps: 3, each: 300 });
    assert.match(name, /\.webm$/);
    assert.equal(bytes.readUInt32BE(0), 0x1a45dfa3);
    await page.getByText('The screencast is saved: 4 frames, 1.2 s.').waitFor();
    await idle(page);
    const after = await run(page);
    assert.deepEqual([after.seq, after.steps], [before.seq, before.steps]);
  });
});
