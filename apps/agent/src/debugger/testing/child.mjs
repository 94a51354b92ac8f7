/**
 * A debugger's process that misbehaves, for tests of its supervisor: `node child.mjs HOW`. It listens on nothing; it
 * claims to.
 */
import { Socket } from 'node:net';

const [how = 'good'] = process.argv.slice(2);
const pipe = new Socket({ fd: 3, readable: true, writable: true });
const say = (message) => {
  const body = Buffer.from(JSON.stringify(message));
  const head = Buffer.alloc(5);
  head.writeUInt32BE(body.length, 0);
  head[4] = 16;
  pipe.write(Buffer.concat([head, body]));
};
pipe.on('error', () => {});
pipe.on('end', () => process.exit(0));
const listens = () => {
  say({ type: 'listening', port: 4711 });
  setInterval(() => say({ type: 'alive', controllers: 1 }), 10);
};

switch (how) {
  case 'good':
    pipe.resume();
    listens();
    break;
  case 'deaf':
    // Takes nothing out of its pipe.
    listens();
    break;
  case 'dies':
    pipe.resume();
    listens();
    setTimeout(() => {
      throw new TypeError('a mistake in the debugger');
    }, 30);
    break;
  case 'hangs':
    pipe.resume();
    listens();
    setTimeout(() => {
      for (;;);
    }, 30);
    break;
  case 'fills': {
    pipe.resume();
    listens();
    const held = [];
    setInterval(() => held.push(Buffer.alloc(16 * 1024 * 1024, 1)), 5);
    break;
  }
  case 'heap': {
    pipe.resume();
    listens();
    const held = [];
    setInterval(() => {
      for (let i = 0; i < 200_000; i++) held.push({ i });
    }, 1);
    break;
  }
  case 'babbles':
    pipe.resume();
    listens();
    setInterval(() => {
      for (let i = 0; i < 1000; i++) say({ type: 'alive', controllers: 1 });
    }, 1);
    break;
  case 'garbage':
    pipe.resume();
    listens();
    setTimeout(() => pipe.write(Buffer.from('what is this?')), 20);
    break;
  case 'greedy':
    // Asks, and reads no answer.
    listens();
    setInterval(() => say({ type: 'command', id: 1, command: { do: 'pause' } }), 1);
    break;
  case 'busy': {
    // Sends more than a pipe takes, in large commands; then it is gone, whether they were read or not.
    listens();
    const set = [{ on: 'record', condition: 'x'.repeat(60_000) }];
    for (let id = 0; id < 40; id++) say({ type: 'command', id, command: { do: 'breakpoints', set } });
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), 150);
    break;
  }
  case 'lies':
    pipe.resume();
    listens();
    setTimeout(() => say({ type: 'command', id: 1, command: { do: 'format', disk: '/dev/sda' } }), 20);
    break;
  case 'links':
    // Tells of a link that was used, and is gone.
    pipe.resume();
    listens();
    say({ type: 'linkUsed', used: { code: 'c'.repeat(43), page: 'p'.repeat(43), made: Date.now() } });
    setTimeout(() => process.exit(1), 30);
    break;
  case 'knows': {
    // Asks for a pause if the first frame that it reads has that link.
    let text = '';
    let told = false;
    pipe.setEncoding('latin1').on('data', (piece) => {
      text += piece;
      if (!told && text.includes(`"usedCodes":[{"code":"${'c'.repeat(43)}"`))
        say({ type: 'command', id: 1, command: { do: 'pause' } });
      told ||= text.includes('"usedCodes"');
    });
    listens();
    break;
  }
  case 'refuses':
    say({ type: 'failed', error: 'port 7330 of 127.0.0.1 is taken by another program' });
    pipe.end();
    break;
  case 'stillborn':
    process.exit(3);
}
