/** Programs that tests start, and waiting for their work. */
import { spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** Asks until the answer is true; rejects with the text of `describe` when it takes longer than `seconds`. */
export async function until(what, holds, { seconds = 60, describe = () => '' } = {}) {
  for (const end = performance.now() + seconds * 1000; performance.now() < end; await delay(100)) {
    const answer = await holds();
    if (answer) return answer;
  }
  throw new Error(`${what}: not within ${seconds} s\n${await describe()}`);
}

/** A port that nobody listens on at the moment. */
export async function freePort() {
  const server = createServer();
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** A program that runs, and its output so far. */
export class Running {
  stdout = '';
  stderr = '';
  constructor(command, args, options = {}) {
    this.child = spawn(command, args, { stdio: ['pipe', 'pipe', 'pipe'], ...options });
    for (const name of ['stdout', 'stderr'])
      this.child[name].setEncoding('utf8').on('data', (text) => {
        this[name] += text;
      });
    this.child.stdin.on('error', () => {});
    this.exit = new Promise((resolve, reject) => {
      this.child.once('error', reject);
      this.child.once('close', (code, signal) => resolve(code ?? signal));
    });
  }
  kill(signal = 'SIGTERM') {
    this.child.kill(signal);
    return this.exit;
  }
  says(what, pattern, options) {
    return until(what, () => pattern.exec(this.stdout + this.stderr), {
      describe: () => this.stdout + this.stderr,
      ...options,
    });
  }
}
