import {
  frame,
  type Go,
  Kernel,
  Millisecond,
  makeChan,
  receive,
  recv,
  Second,
  seeded,
  select,
  send,
  sleep,
  Ticker,
} from '../../kernel/index.js';
import { fromOutside, type Simulation, type SimulationSource } from '../run/simulation.js';

/**
 * A program with the loop's shape and none of its weight: a config channel, a ticker, and a select that counts as an
 * iteration.
 */
export function toySource(): SimulationSource & { started: number } {
  const source = {
    started: 0,
    list: () => [{ name: 'toy', title: { en: 'Toy', zh: '玩具' }, summary: { en: 'A loop.', zh: '一个循环。' } }],
    start({ scenario, text, seed = 1, sink }: Parameters<SimulationSource['start']>[0]): Simulation {
      if (scenario !== 'toy' && scenario !== 'panics' && scenario !== 'ends')
        throw new Error(`there is no scenario ${scenario}; there are: toy, panics, ends`);
      source.started++;
      const kernel = new Kernel({ policy: seeded(seed), seed, sink });
      const files = new Map<string, string>(text === undefined ? [] : [['given.yaml', text]]);
      const config = makeChan<string>(kernel, 'configCh', 50, { describe: (v) => v });
      kernel.go('syncLoop', () => (scenario === 'ends' ? short() : loop(kernel, config, scenario === 'panics')));
      const deliver = (what: string) => {
        kernel.go('source', function* () {
          yield* send(config, what);
        });
      };
      return {
        kernel,
        title: `Toy: ${scenario}`,
        runtime: 'none',
        node: 'node1',
        seed,
        manifests: () => [...files].map(([file, t]) => ({ file, text: t })),
        interventions: {
          apply: ({ file = 'pod.yaml', manifest }) =>
            fromOutside(kernel, 'apply', [file], () => {
              files.set(file, manifest);
              deliver(`apply ${file}`);
            }),
          delete({ file }) {
            if (!files.has(file))
              throw new Error(`there is no manifest ${file}; there are: ${[...files.keys()].join(', ') || 'none'}`);
            fromOutside(kernel, 'delete', [file], () => {
              files.delete(file);
              deliver(`remove ${file}`);
            });
          },
          kill: ({ uid, container }) =>
            fromOutside(kernel, 'kill', container === undefined ? [uid] : [uid, container], () => {
              if (uid !== 'u1') throw new Error(`there is no pod ${uid}; there is: u1`);
              deliver(`kill ${container ?? 'all'}`);
            }),
        },
        check: (t) => (t.includes('bad') ? 'line 1: bad is not a field; leave it out' : null),
      };
    },
  };
  return source;
}

function* short(): Go<void> {}

function* loop(kernel: Kernel, config: ReturnType<typeof makeChan<string>>, panics: boolean): Go<void> {
  const other = makeChan<number>(kernel, 'plegCh', 10);
  const tick = new Ticker(kernel, Second, { name: 'syncCh' });
  kernel.go('pleg', function* () {
    const t = new Ticker(kernel, 500 * Millisecond, { name: 'relist' });
    for (;;) {
      yield* receive(t.c);
      yield* send(other, 1);
    }
  });
  yield* frame('syncLoop', undefined, function* () {
    for (let i = 0; ; i++) {
      const got = yield* select({ config: recv(config), pleg: recv(other), sync: recv(tick.c) });
      if (panics && i === 3) throw new Error('boom');
      kernel.emit({ kind: 'decision', rule: 'toy', verdict: got.case, values: { i } });
      // Slow enough that often more than one channel is ready.
      yield* sleep(600 * Millisecond);
    }
  });
}
