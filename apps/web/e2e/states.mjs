/**
 * Pictures of the page's main states, compared with kept ones. Every character is drawn as the same box, so that fonts
 * do not matter, and pictures are kept at a quarter of their size, so that a machine's way of smoothing edges does not.
 * Only the arrangement is compared: places, sizes and colours.
 */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { boxesFont } from './boxes-font.mjs';
import { command, open } from './browser.mjs';

const KEPT = new URL('./states/', import.meta.url);
/** The folder for the new picture and the difference after a failure. */
const FAILED = new URL('../../../.cache/states/', import.meta.url);
/** Tokens land, notices fade: nothing moves any more when this many pictures, so far apart, are the same. */
const SETTLE_MILLIS = 500;
const SAME = 2;
const MOST_LOOKS = 40;
/** One kept pixel is as wide as this many of the page. */
const SCALE = 4;
/** A kept pixel differs when one of its colours (0 to 255) does by more than this. */
const COLOUR = 24;
/** Arguments of the browser: letters are drawn as they are, not fitted to a machine's pixels. */
export const UNHINTED = ['--font-render-hinting=none', '--disable-lcd-text'];
/** Share of pixels that may differ. */
export const SHARE = 0.003;

/** Each state is drawn wide and light, narrow and dark: the other looks are the same arrangement. */
export const LOOKS = {
  wide: { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  phone: { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, colorScheme: 'dark' },
};

/**
 * Runs in the page before its code: boxes for letters, everywhere, as wide as the font says and not as the machine
 * rounds to its pixels. What the narrator says is left out, the height that its place keeps, and what has changed since
 * the stop before: how many records come together, and where a long way stops in between, depends on how busy the
 * machine is. For the same reason
 * texts of the graph have one colour (those of an earlier pass are pale), and the focus, which a bar that says that
 * work takes long hands on to the graph, has no ring.
 */
function boxes(font) {
  const face = new FontFace('Boxes', Uint8Array.from(atob(font), (c) => c.charCodeAt(0)).buffer);
  document.fonts.add(face);
  void face.load();
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`:root, :host { --sl-sans: Boxes !important; --sl-mono: Boxes !important; }
    *, *::before, *::after { font-family: Boxes !important; font-weight: 400 !important; font-style: normal !important;
      text-rendering: geometricPrecision !important; caret-color: transparent !important; }
    .sl-said, .sl-said-why, .sl-changed-mark, [data-new] > :first-child::before { display: none !important; }
    .sl-narrator { min-height: 0 !important; }
    .sl-graph .react-flow__node * { color: inherit !important; }
    [data-new] > td { box-shadow: none !important; }
    :focus-visible { outline: none !important; }`);
  document.adoptedStyleSheets = [sheet];
  const { attachShadow } = Element.prototype;
  Element.prototype.attachShadow = function (init) {
    const root = attachShadow.call(this, init);
    root.adoptedStyleSheets = [sheet];
    return root;
  };
}

/** The picture of a page in which nothing moves any more. */
async function settled(page) {
  let last = Buffer.alloc(0);
  for (let looks = 0, same = 1; looks < MOST_LOOKS; looks++) {
    await page.waitForTimeout(SETTLE_MILLIS);
    const now = await page.screenshot({ animations: 'disabled' });
    same = now.equals(last) ? same + 1 : 1;
    if (same === SAME) return now;
    last = now;
  }
  throw new Error(`the page still moves after ${MOST_LOOKS} looks at it`);
}

/** A state's picture in one look, as bytes of a small PNG. */
async function take(stage, tools, { prepare }, look) {
  const init = `(${boxes})(${JSON.stringify(boxesFont().toString('base64'))})`;
  const { page, problems, close } = await open(stage, { init, ...LOOKS[look] });
  try {
    await prepare(page);
    // Otherwise the graph's position depends on when the panels around it got their sizes.
    await settled(page);
    await command(page, 'view.fit');
    const png = await settled(page);
    if (problems.length > 0) throw new Error(problems.join('\n'));
    const small = await tools.evaluate(
      async ({ data, scale }) => {
        const image = new Image();
        image.src = `data:image/png;base64,${data}`;
        await image.decode();
        const canvas = document.createElement('canvas');
        canvas.width = Math.round(image.naturalWidth / scale);
        canvas.height = Math.round(image.naturalHeight / scale);
        const context = canvas.getContext('2d');
        context.imageSmoothingQuality = 'high';
        context.drawImage(image, 0, 0, canvas.width, canvas.height);
        return canvas.toDataURL('image/png').split(',')[1];
      },
      { data: png.toString('base64'), scale: SCALE },
    );
    return Buffer.from(small, 'base64');
  } finally {
    await close();
  }
}

/**
 * The share of pixels that differ, 0 to 1, and a picture in which they are red. Pictures of other sizes differ wholly.
 */
function difference(tools, kept, taken) {
  return tools.evaluate(
    async ({ sources, colour }) => {
      const [a, b] = await Promise.all(
        sources.map(async (data) => {
          const image = new Image();
          image.src = `data:image/png;base64,${data}`;
          await image.decode();
          const canvas = document.createElement('canvas');
          canvas.width = image.naturalWidth;
          canvas.height = image.naturalHeight;
          const context = canvas.getContext('2d');
          context.drawImage(image, 0, 0);
          return { canvas, context, pixels: context.getImageData(0, 0, canvas.width, canvas.height) };
        }),
      );
      if (a.canvas.width !== b.canvas.width || a.canvas.height !== b.canvas.height)
        return { share: 1, picture: sources[1] };
      const { data } = b.pixels;
      let different = 0;
      for (let i = 0; i < data.length; i += 4) {
        const most = Math.max(...[0, 1, 2].map((c) => Math.abs(data[i + c] - a.pixels.data[i + c])));
        if (most <= colour) continue;
        different++;
        data.set([255, 0, 0, 255], i);
      }
      b.context.putImageData(b.pixels, 0, 0);
      return { share: different / (data.length / 4), picture: b.canvas.toDataURL('image/png').split(',')[1] };
    },
    { sources: [kept.toString('base64'), taken.toString('base64')], colour: COLOUR },
  );
}

/**
 * Compares one state in one look; with `update` keeps it. Resolves with `{ share, problem }`; `problem` is '' or names
 * the difference, the place to see it, and the remedy. `tools` is a blank page of the same browser.
 */
export async function compareState(stage, tools, state, look, { update = false } = {}) {
  const name = `${state.name}-${look}.png`;
  const file = new URL(name, KEPT);
  const taken = await take(stage, tools, state, look);
  if (update) {
    mkdirSync(KEPT, { recursive: true });
    writeFileSync(file, taken);
    return { share: 0, problem: '' };
  }
  const remedy = `if it is meant, \`node scripts/states.mjs --update ${state.name}\` keeps it`;
  if (!existsSync(file)) return { share: 1, problem: `there is no kept picture ${name}: ${remedy}` };
  const { share, picture } = await difference(tools, readFileSync(file), taken);
  const left = ['new', 'difference'].map((what) => new URL(name.replace('.png', `.${what}.png`), FAILED));
  for (const one of left) rmSync(one, { force: true });
  if (share <= SHARE) return { share, problem: '' };
  mkdirSync(FAILED, { recursive: true });
  writeFileSync(left[0], taken);
  writeFileSync(left[1], Buffer.from(picture, 'base64'));
  const percent = (x) => `${(x * 100).toFixed(2)} %`;
  return {
    share,
    problem: `${name}: ${percent(share)} of the picture differ, ${percent(SHARE)} may; see ${fileURLToPath(left[1])}; ${remedy}`,
  };
}
