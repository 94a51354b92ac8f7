/** Watches the processors of the machine, and a real containerd from outside. */
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { now } from './agent.mjs';

const pollMillis = 100;
const giveUpMillis = 180_000;

const round = (x, digits = 2) => Number(x.toFixed(digits));

/** Seconds that all processors together were busy and idle, since the machine's start. */
export function processors() {
  const line = readFileSync('/proc/stat', 'utf8').split('\n')[0];
  const [user, nice, system, idle, wait, irq, soft, steal] = line
    .split(/ +/)
    .slice(1, 9)
    .map((n) => Number(n) / 100);
  return { busy: user + nice + system + irq + soft + steal, idle: idle + wait };
}

/** Waits, but not for ever, until others leave the processors alone; resolves with their share of them, 0 to 1. */
export async function quiet(seconds) {
  for (const end = now() + seconds * 1000; ; ) {
    const before = processors();
    await delay(1500);
    const after = processors();
    const busy = after.busy - before.busy;
    const share = busy / (busy + after.idle - before.idle);
    if (share < 0.1 || now() > end) return round(share);
  }
}

/** Watches the runtime from another process. */
export class Watch {
  constructor(socket) {
    this.child = fork(fileURLToPath(new URL('./poller.mjs', import.meta.url)), [socket, String(pollMillis)]);
    this.firstSeen = new Map();
    this.last = null;
    this.waiting = [];
    this.failed = null;
    this.child.on('message', (look) => {
      this.last = look;
      for (const name of look.names) this.firstSeen.set(name, look.at);
      const met = this.waiting.filter(({ holds }) => holds(look));
      this.waiting = this.waiting.filter((one) => !met.includes(one));
      for (const { resolve } of met) resolve(look);
    });
    this.child.once('exit', (code) => {
      this.failed = new Error(`the poller ended with ${code}`);
      for (const { reject } of this.waiting) reject(this.failed);
    });
  }
  async until(what, holds, diagnose = async () => '') {
    if (this.failed) throw this.failed;
    let timer;
    const late = new Promise((_, reject) => {
      timer = setTimeout(async () => {
        const { running, ready } = this.last ?? {};
        reject(new Error(`gave up waiting for ${what}: ${running} run, ${ready} sandboxes ready\n${await diagnose()}`));
      }, giveUpMillis);
    });
    try {
      return await Promise.race([
        new Promise((resolve, reject) => this.waiting.push({ holds, resolve, reject })),
        late,
      ]);
    } finally {
      clearTimeout(timer);
    }
  }
  stop() {
    if (this.failed) return;
    const gone = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGKILL');
    return gone;
  }
}
