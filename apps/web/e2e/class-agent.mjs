/** An agent with a class, and how tests follow in it. */
import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { LINK } from '../../agent/e2e/links.mjs';

const PROGRAM = fileURLToPath(new URL('../../agent/bin/syncloop.mjs', import.meta.url));

/** Starts `syncloop serve --class`; `presenter` and `audience` are the addresses that it prints. */
export async function serveClass() {
  const child = spawn(process.execPath, [PROGRAM, 'serve', '--port', '0', '--class', '--class-port', '0'], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const found = await new Promise((resolve, reject) => {
    const take = (text) => {
      printed += text;
      const presenter = LINK.exec(printed)?.[0];
      const audience = /http:\/\/\S+#class=\S+/.exec(printed)?.[0];
      if (presenter && audience) resolve({ presenter, audience });
    };
    child.stdout.setEncoding('utf8').on('data', take);
    child.stderr.setEncoding('utf8').on('data', take);
    child.once('exit', (code) => reject(new Error(`syncloop serve ended with ${code}: ${printed}`)));
  });
  const over = new Promise((resolve) => child.once('exit', resolve));
  return {
    ...found,
    stop: () => {
      child.kill('SIGTERM');
      return over;
    },
  };
}

/**
 * Opens one of its addresses; `open` is the result of `onStage`. Setting a speed would be a move of a follower's own.
 */
export const enter = (open, url, more = {}) => {
  const { origin, hash } = new URL(url);
  return open({ url: `${origin}/`, hash, pace: 'follow', ...more });
};

/** Waits until a page's bar of the class is in that state. */
export const bar = (page, state) => page.locator(`[data-testid=class-bar][data-state=${state}]`).waitFor();
