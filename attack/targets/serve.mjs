/** `syncloop serve`, with and without a class. */

import { tokenOf } from '../../apps/agent/e2e/links.mjs';
import { Subject, Watch } from '../process.mjs';

async function start(args, { alarm, budgets }) {
  const subject = new Subject('serve', ['serve', '--port', '0', ...args], { heapMB: budgets.heapMB, onAlarm: alarm });
  const running = { subject, ports: {}, tokens: {}, subjects: [subject] };
  try {
    const [, link, port] = await subject.says(/open (http:\/\/127\.0\.0\.1:(\d+)\/#code=\S+)/);
    const token = tokenOf(link);
    running.ports.session = Number(port);
    // It has one token; only the kubelet has read-only ones.
    running.tokens = { control: token, look: token };
    if (args.includes('--class')) {
      const [, port, token] = await subject.says(/http:\/\/127\.0\.0\.1:(\d+)\/#class=(\S+)/);
      running.ports.class = Number(port);
      running.tokens.class = token;
    }
  } catch (error) {
    await subject.kill();
    throw error;
  }
  const health = { url: `http://127.0.0.1:${running.ports.class ?? running.ports.session}/icon.svg` };
  running.watch = new Watch([subject], { ...budgets, health });
  running.stop = async () => {
    await running.watch.close();
    await subject.kill();
  };
  return running;
}

const budgets = { heapMB: 256, rssMB: 450, lateMs: 3000 };

export const serve = { name: 'serve', lanes: 6, budgets, start: (options) => start([], options) };
export const classroom = {
  name: 'class',
  lanes: 8,
  budgets,
  start: (options) => start(['--class', '--class-port', '0', ...(options.fuzzer?.serveArgs ?? [])], options),
};
