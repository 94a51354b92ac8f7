import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, expect, it } from 'vitest';
import { isBundleFresh } from '../apps/agent/bin/bundled.mjs';

const top = fs.mkdtempSync(path.join(os.tmpdir(), 'bundle-'));
afterAll(() => fs.rmSync(top, { recursive: true }));

/** A file that was written this many seconds after 1970. */
function written(file, seconds) {
  fs.mkdirSync(path.dirname(path.join(top, file)), { recursive: true });
  fs.writeFileSync(path.join(top, file), '');
  fs.utimesSync(path.join(top, file), seconds, seconds);
}

it('is used unless something was compiled after it', () => {
  const fresh = () => isBundleFresh(pathToFileURL(`${top}/apps/agent/bin/`));
  expect(fresh()).toBe(false);
  written('apps/agent/dist/bundle/main.js', 100);
  // As in a package.
  expect(fresh()).toBe(true);
  written('apps/agent/dist/.tsbuildinfo', 90);
  written('packages/core/dist/.tsbuildinfo', 100);
  expect(fresh()).toBe(true);
  written('packages/core/dist/.tsbuildinfo', 110);
  expect(fresh()).toBe(false);
});
