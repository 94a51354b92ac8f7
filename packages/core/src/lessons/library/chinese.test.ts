import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parseManifest } from '../../api/yaml.js';

/** Two words in Latin letters one after another, the second in small letters, as English sentences have them. */
const PHRASE = /[A-Za-z']{2,}(?: [a-z']+)+/g;
/** Text that is quoted, marked as code or computed. */
const LEFT_OUT = /“[^”]*”|`[^`]*`|\{[^}]*\}/g;
/** Kubernetes' names of its parts, which are called so in any language, and commands as they are typed. */
const NAMES =
  /kubectl [a-z]+|API server|([Pp]od|status|image|eviction) manager|pod worker|Pod worker|reason cache|work queue|readiness gate|mirror pod|CPU shares|Pod (request|uid|critical)|container runtime is down/g;

/** Pieces of English in a Chinese text. */
const english = (text: string): string[] =>
  [...text.replace(LEFT_OUT, '·').replace(NAMES, '·').matchAll(PHRASE)].map(([phrase]) => phrase);

it('no Chinese text of a scenario or a lesson has a piece of English', () => {
  const found: string[] = [];
  let texts = 0;
  const walk = (where: string, value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [key, inner] of Object.entries(value)) {
      if (key !== 'zh' || typeof inner !== 'string') walk(`${where}.${key}`, inner);
      else {
        texts++;
        found.push(...english(inner).map((piece) => `${where}: ${piece}`));
      }
    }
  };
  for (const folder of ['scenarios', 'lessons']) {
    const url = new URL(`../../../content/${folder}/`, import.meta.url);
    for (const file of readdirSync(url)) walk(file, parseManifest(readFileSync(new URL(file, url), 'utf8')));
  }
  expect(found).toEqual([]);
  expect(texts).toBeGreaterThan(500);
});
