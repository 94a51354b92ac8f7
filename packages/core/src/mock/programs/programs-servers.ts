import type { Go } from '../../kernel/index.js';
import type { Listener } from '../network/network.js';
import type { Proc } from '../process/process.js';
import type { Program, World } from '../process/world.js';
import { formatDate } from './date.js';
import { listen } from './programs-net.js';
import { execute } from './programs-process.js';

interface ServerOptions {
  /** Signals that end it, with the exit code. */
  readonly stops: Readonly<Record<string, number>>;
  /** Micros from such a signal to the end. */
  readonly stopTime: number;
  /** Micros from the start until it listens. */
  readonly startTime: number;
  readonly listeners: (proc: Proc, world: World, args: readonly string[]) => Listener[];
  readonly greeting: (proc: Proc, world: World) => string;
}

/** A program that listens until it is asked to stop. */
export function server(options: ServerOptions): Program {
  return function* (proc, world, args): Go<number> {
    for (const s of Object.keys(options.stops)) proc.caught.add(s);
    const stopped = function* (): Go<number | null> {
      const signal = proc.pending.shift();
      if (signal === undefined) return null;
      yield* proc.sleep(options.stopTime);
      return options.stops[signal] ?? 0;
    };
    const ready = proc.kernel.now() + options.startTime;
    while (proc.kernel.now() < ready) {
      yield* proc.park(ready);
      const code = yield* stopped();
      if (code !== null) return code;
    }
    for (const l of options.listeners(proc, world, args)) if (!listen(proc, world, l, args[0] ?? 'server')) return 1;
    proc.write(options.greeting(proc, world));
    for (;;) {
      yield* proc.park(null);
      const code = yield* stopped();
      if (code !== null) return code;
    }
  };
}

const tcp =
  (port: number): ServerOptions['listeners'] =>
  () => [{ port, http: null, connected: () => {} }];

function* agnhost(proc: Proc, world: World, args: readonly string[]): Go<number> {
  const mode = args[1] ?? 'pause';
  const value = (name: string, otherwise: string): string =>
    args.map((a) => new RegExp(`^--?${name}=(.*)$`).exec(a)?.[1]).find((v) => v !== undefined) ??
    args[args.indexOf(`--${name}`) + 1 || args.length] ??
    otherwise;
  const port = Number(
    value(mode === 'grpc-health-checking' ? 'port' : 'http-port', mode === 'grpc-health-checking' ? '5000' : '8080'),
  );
  const started = proc.kernel.now();
  const run = server({
    stops: mode === 'pause' ? { TERM: 0, INT: 0 } : { TERM: 143 },
    stopTime: 1000,
    startTime: 20_000,
    greeting: () => (mode === 'pause' ? 'Paused\n' : `Started HTTP server on port ${port}\n`),
    listeners: () => {
      if (mode === 'pause') return [];
      if (mode === 'grpc-health-checking') return [{ port, http: null, health: () => 'SERVING' }];
      return [
        {
          port,
          *http(request) {
            // `liveness` is healthy for its first ten seconds, as the image of the Kubernetes documentation is.
            if (mode === 'liveness' && request.path.startsWith('/healthz') && proc.kernel.now() - started > 10_000_000)
              return {
                status: 500,
                statusText: 'Internal Server Error',
                body: `error: ${Math.round((proc.kernel.now() - started) / 1000) / 1000}`,
              };
            if (request.path === '/hostname') return { status: 200, body: world.hostname };
            return {
              status: 200,
              statusText: 'OK',
              body: request.path.startsWith('/healthz') ? 'ok' : `NOW: ${formatDate(world.nowMillis(), '%F %T')} UTC`,
            };
          },
        },
      ];
    },
  });
  return yield* run(proc, world, args);
}

/** Programs of the well-known images that are servers; each image has its own. */
export const serverPrograms: Readonly<Record<string, Program>> = {
  // Sets things up, and becomes what it is given.
  'docker-entrypoint.sh': (proc, world, args) => execute(proc, world, args.slice(1), 'docker-entrypoint.sh'),
  'redis-server': server({
    stops: { TERM: 0, INT: 0 },
    stopTime: 10_000,
    startTime: 40_000,
    listeners: tcp(6379),
    greeting: (_p, w) =>
      `1:M ${formatDate(w.nowMillis(), '%d %b %Y %H:%M:%S')}.000 * Ready to accept connections tcp\n`,
  }),
  'redis-cli': function* (proc, world, args) {
    const up = world.net.at(6379) !== null;
    if (!up) proc.warn('Could not connect to Redis at 127.0.0.1:6379: Connection refused\n');
    else proc.write(args[1] === 'ping' ? 'PONG\n' : 'OK\n');
    return up ? 0 : 1;
  },
  memcached: server({
    stops: { TERM: 0, INT: 0 },
    stopTime: 5000,
    startTime: 10_000,
    listeners: tcp(11_211),
    greeting: () => '',
  }),
  pause: server({ stops: { TERM: 0, INT: 0 }, stopTime: 1000, startTime: 0, listeners: () => [], greeting: () => '' }),
  hello: function* (proc) {
    proc.write('\nHello from Docker!\nThis message shows that your installation appears to be working correctly.\n');
    return 0;
  },
  agnhost,
};
