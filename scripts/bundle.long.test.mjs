import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { bundleAgent } from './bundle.mjs';
import { top } from './lib.mjs';

it('of the sources, as npm start makes it, simulates as the compiled program does', async () => {
  const folder = 'bundle-of-a-test';
  const dist = path.join(top, 'apps/agent/dist');
  try {
    await bundleAgent({ sources: true, folder });
    const program = `(await import(process.argv[1])).main(['simulate', 'crash-loop', '--seed', '7'])`;
    const printed = (main) =>
      execFileSync(process.execPath, ['--input-type=module', '--eval', program, path.join(dist, main)], {
        encoding: 'utf8',
      });
    expect(printed(`${folder}/main.js`)).toBe(printed('main.js'));
    expect(fs.existsSync(path.join(dist, folder, 'debugger/main.js'))).toBe(true);
  } finally {
    fs.rmSync(path.join(dist, folder), { recursive: true, force: true });
  }
});
