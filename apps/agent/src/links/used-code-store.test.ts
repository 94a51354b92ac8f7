import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { LINK_MILLIS, MOST_USED, newCode, type UsedCode, UsedCodes } from './link-code.js';
import { UsedCodeStore, type UsedCodeStoreOptions } from './used-code-store.js';

const NOW = 1_700_000_000_000;
const digest = (n: number) => String(n).padStart(43, 'x');
const used = (n: number, made = NOW): UsedCode => ({ code: digest(n), page: digest(0), made });

function place() {
  const folder = mkdtempSync(join(tmpdir(), 'syncloop-codes-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, 'token.used');
  const store = (more: UsedCodeStoreOptions = {}) => new UsedCodeStore({ file, wallMillis: () => NOW, ...more });
  return { file, store };
}

/** A server that other machines make links for, as it starts. */
const taking = (store: UsedCodeStore) =>
  new UsedCodes(() => NOW, Number.NEGATIVE_INFINITY, { known: store.all(), onUse: (one) => store.add(one) });

describe('used codes', () => {
  it('are no good after a restart, and those that were not used are', () => {
    const { store } = place();
    const [before, later] = [newCode('token', NOW), newCode('token', NOW)];
    expect(taking(store()).take(before, NOW, 'one page')).toBeNull();
    const next = taking(store());
    expect(next.take(before, NOW, 'another page')).toBe('used');
    // The answer may not have reached it.
    expect(next.take(before, NOW, 'one page')).toBeNull();
    expect(next.take(later, NOW, 'another page')).toBeNull();
    expect(taking(store()).take(later, NOW, 'one page')).toBe('used');
  });

  it('are in memory only where there is no file: another life of what serves knows them, too', () => {
    const store = new UsedCodeStore({ wallMillis: () => NOW });
    const code = newCode('token', NOW);
    expect(taking(store).take(code, NOW, 'one page')).toBeNull();
    expect(taking(store).take(code, NOW, 'another page')).toBe('used');
  });

  it('stand in a file for its owner, by which nobody can use them', () => {
    const { file, store } = place();
    const code = newCode('token', NOW);
    taking(store()).take(code, NOW, 'a page of some name');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const text = readFileSync(file, 'utf8');
    expect(text).not.toContain(code);
    expect(text).not.toContain('a page of some name');
    expect(existsSync(`${file}.new`)).toBe(false);
  });

  it('are forgotten when they could not be good any more, and are bounded', () => {
    const { store } = place();
    let now = NOW;
    const first = store({ wallMillis: () => now });
    for (let n = 0; n < 3; n++) first.add(used(n, NOW + n));
    first.add(used(9, NOW - 3 * LINK_MILLIS));
    first.add(used(10, NOW + 3 * LINK_MILLIS));
    expect(
      store()
        .all()
        .map((one) => one.code),
    ).toEqual([0, 1, 2].map(digest));
    now = NOW + 1 + 2 * LINK_MILLIS;
    expect(first.all().map((one) => one.code)).toEqual([1, 2].map(digest));
    const full = new UsedCodeStore({ wallMillis: () => NOW });
    for (let n = 0; n < MOST_USED + 10; n++) full.add(used(n));
    expect(full.all()).toHaveLength(MOST_USED);
    expect(full.all().map((one) => one.code)).toContain(digest(MOST_USED + 9));
  });

  it.each([
    ['nothing', ''],
    ['half of it', '{"used":[{"code":'],
    ['another form', '{"used":[{"code":"x","page":"y","made":1}]}'],
    ['a field that is too much', '{"used":[],"more":1}'],
  ])('that cannot be known any more are an error that says what to do: %s', (_, text) => {
    const { file, store } = place();
    writeFileSync(file, text);
    expect(() => store()).toThrow(/token\.used, which records the used links, cannot be read: .*; remove it together/s);
  });
  it('are no folder and no pipe', () => {
    const { file, store } = place();
    mkdirSync(file);
    expect(() => store()).toThrow(/cannot be read: .*a directory.*remove it together/);
  });

  it('that cannot be written are told once', () => {
    const { file, store } = place();
    const said: string[] = [];
    const one = store({ warn: (text) => said.push(text) });
    mkdirSync(`${file}.new`);
    one.add(used(1));
    one.add(used(2));
    expect(said).toEqual([expect.stringMatching(/^used links cannot be kept in .*work once more$/)]);
    expect(one.all()).toHaveLength(2);
  });
});
