/** The page's type: four sizes, which are tokens of apps/web/src/ui/styles/tokens.css, and none below 11 px. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';

const SRC = fileURLToPath(new URL('../apps/web/src/', import.meta.url));
/** Pictures to be saved are drawn at the size that their reader asks for. */
const OWN = /^features\/pictures\//;
const TOKEN = /^var\(--sl-fs-[1-4]\)$/;
const LEAST = 11;

const SOURCES = readdirSync(SRC, { recursive: true, withFileTypes: true })
  .filter((f) => f.isFile() && /\.(css|tsx?)$/.test(f.name) && !/\.test\./.test(f.name))
  .map((f) => path.join(f.parentPath, f.name))
  .map((file) => ({ file: path.relative(SRC, file).replaceAll('\\', '/'), text: readFileSync(file, 'utf8') }));

/** Each font size of a text that is none of the four tokens. */
function otherSizes(text) {
  const sizes = [
    ...text.matchAll(/font-size:\s*([^;]+);/g),
    ...text.matchAll(/\bfont:\s*(?:\d+\s+)?([^\s;]+)\s*\//g),
    ...text.matchAll(/\bfontSize:\s*['"`]([^'"`]+)['"`]/g),
  ];
  return sizes.map((m) => m[1]).filter((size) => !TOKEN.test(size));
}

describe('type', () => {
  it('has four sizes: every other is refused', () => {
    const found = SOURCES.filter((s) => !OWN.test(s.file)).flatMap(({ file, text }) =>
      otherSizes(text).map((size) => `${file}: ${size}`),
    );
    expect(found).toEqual([]);
    expect(otherSizes('a { font-size: 12px; } b { font: 500 0.8em / 1 serif; }')).toEqual(['12px', '0.8em']);
  });

  it('is nowhere below 11 px: no token, nothing on a canvas', () => {
    const sizes = (pattern) =>
      SOURCES.flatMap(({ file, text }) => [...text.matchAll(pattern)].map((m) => ({ file, size: Number(m[1]) })));
    const tokens = sizes(/--sl-fs-\d:\s*(?:clamp\()?([\d.]+)px/g);
    const canvas = sizes(/\.font = `([\d.]+)px/g);
    expect(tokens.length).toBeGreaterThanOrEqual(8);
    expect(canvas.length).toBeGreaterThan(0);
    expect([...tokens, ...canvas].filter(({ size }) => size < LEAST)).toEqual([]);
  });
});
