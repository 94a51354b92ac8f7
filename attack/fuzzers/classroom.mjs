/** The class: pages that follow and answer, and one that presents and asks. */
import { speak } from '../speak.mjs';
import { anyValue, mutated } from '../values.mjs';

export default {
  name: 'class',
  targets: ['class'],
  packet: 'a message of the class',
  perform: speak,
  /** All followers of this harness come from one address. */
  serveArgs: ['--class-most', '400', '--class-per-address', '400'],
  make(random) {
    const presents = random.chance(0.5);
    const message = () => ({
      op: 'message',
      event: random.chance(0.95) ? 'c' : random.pick(['m', '', 'x']),
      namespace: '/class,',
      value: mutated(random, presents ? presenterSays(random) : followerSays(random), random.pick([0, 0.1])),
    });
    return [
      { op: 'upgrade', server: presents ? 'session' : 'class' },
      {
        op: 'connect',
        as: presents ? 'control' : 'class',
        namespace: '/class',
        ...(!presents && random.chance(0.3) && { more: { id: anyValue(random, 9) } }),
      },
      ...(presents ? [{ ...message(), value: { type: 'present' } }] : []),
      ...random.list(1, presents ? 50 : 20, message),
    ];
  },
};

const followerSays = (random) =>
  random.pick([
    { type: 'answer', poll: random.between(1, 9), option: random.int(7) },
    { type: 'answer', poll: random.between(1, 9), number: random.pick([random.int(99), -0.5, 1e12, 1e13, '7']) },
    {
      type: 'hand',
      hand: { moment: `v4.j${'A'.repeat(random.pick([4, 3500]))}`, time: 1, name: random.pick(['Ada', '<b>', '']) },
    },
    { type: 'hand' },
  ]);

const presenterSays = (random) =>
  random.weighted([
    [1, () => ({ type: random.pick(['present', 'stop', 'endPoll']) })],
    [
      2,
      () => ({ type: 'run', run: { n: random.between(1, 99), moment: `v2.j${'A'.repeat(random.pick([4, 5000]))}` } }),
    ],
    [
      3,
      () => ({
        type: 'view',
        view: {
          ...{ n: random.int(99), run: 1, step: random.int(99), seq: 1, time: 1, running: random.chance(0.5) },
          speed: { mode: 'time', factor: random.pick([1, 1e9, 0.1]) },
          sight: { panel: random.pick(['x', 1, null, [[1]], { a: 1 }]), [random.pick(['a', '__proto__', 'b.c'])]: 1 },
        },
      }),
    ],
    [
      2,
      () => ({
        type: 'poll',
        poll: {
          question: { en: 'x'.repeat(random.pick([1, 400])) },
          options: random.list(1, 7, (i) => ({ en: `o${i}` })),
          right: 0,
        },
      }),
    ],
    [
      1,
      () => ({
        type: 'pointer',
        pointer: { box: random.pick(['pleg', '', '<b>']), x: random.pick([0, 0.5, 1e9, 'x']), y: 1 },
      }),
    ],
    [
      1,
      () => ({
        type: 'lesson',
        lesson: { name: random.pick(['pleg', '../x']), step: random.int(300), values: { a: random.pick(['1', 1]) } },
      }),
    ],
    [1, () => ({ type: random.pick(['openHand', 'lower']), number: random.int(4) })],
    [1, () => ({ type: 'listen', address: random.pick(['127.0.0.1', '0.0.0.0', 'x', '::']) })],
    [2, () => ({ type: 'phase', phase: random.pick(['open', 'closed', 'revealed', 'x']) })],
  ]);
