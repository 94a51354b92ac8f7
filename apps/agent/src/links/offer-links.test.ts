import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setImmediate as turn } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { offerLinks } from './offer-links.js';

function offered() {
  const parent = mkdtempSync(join(tmpdir(), 'syncloop-offer-'));
  onTestFinished(() => rmSync(parent, { recursive: true, force: true }));
  const directory = join(parent, 'pages');
  const terminal = new PassThrough();
  const shell = { foreground: true };
  let printed = 0;
  const withdraw = offerLinks({
    ...{ what: 'a page', host: '127.0.0.1', port: 7330, token: 't', directory, terminal: terminal as never },
    inForeground: () => shell.foreground,
    print: () => {
      // Whoever reads the link finds its page.
      expect(readdirSync(directory)).toHaveLength(1);
      printed++;
    },
  });
  const enter = async () => {
    terminal.write('\n');
    await turn();
    return printed;
  };
  return { withdraw, enter, shell, terminal, directory, printed: () => printed };
}

it('prints links at once, and others at each Enter, until it is withdrawn', async () => {
  const { withdraw, enter, directory, printed } = offered();
  expect(printed()).toBe(1);
  expect(await enter()).toBe(2);
  expect(await enter()).toBe(3);
  withdraw();
  expect(readdirSync(directory)).toEqual([]);
  expect(await enter()).toBe(3);
});

it('does not read the terminal in the background, where that would stop the process', async () => {
  const { withdraw, enter, shell, terminal } = offered();
  onTestFinished(withdraw);
  shell.foreground = false;
  // The shell sends this after Ctrl-Z, for bg as for fg.
  process.emit('SIGCONT', 'SIGCONT');
  expect(terminal.isPaused()).toBe(true);
  expect(await enter()).toBe(1);
  shell.foreground = true;
  process.emit('SIGCONT', 'SIGCONT');
  expect(await enter()).toBeGreaterThan(1);
});

it('goes on when the terminal goes away', () => {
  const { withdraw, terminal, printed } = offered();
  terminal.emit('error', Object.assign(new Error('read EIO'), { code: 'EIO' }));
  withdraw();
  terminal.emit('error', new Error('once more'));
  expect(printed()).toBe(1);
});
