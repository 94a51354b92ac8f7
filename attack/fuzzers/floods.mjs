/** Few kinds of packets, each very often: cheap requests with expensive answers. */
import { speak } from '../speak.mjs';
import { long } from '../values.mjs';

const hello = { type: 'hello', protocol: 1 };

const floods = {
  hello: () => [{ op: 'message', value: hello, times: 1500 }],
  'deaf hello': () => [{ op: 'deaf' }, { op: 'message', value: hello, times: 1500 }],
  namespaces: () => [{ op: 'deaf' }, { op: 'text', text: long('40/n', 15_000), times: 500 }],
  'unknown events': () => [{ op: 'message', event: 'x'.repeat(1000), value: 1, times: 1900 }],
  pings: () => [{ op: 'deaf' }, { op: 'frame', opcode: 9, text: long('p', 125), times: 5000 }],
  acknowledgements: () => [
    { op: 'message', value: hello },
    { op: 'message', value: { type: 'ack', seq: 1 }, times: 1900 },
  ],
  questions: () => [
    { op: 'message', value: hello },
    { op: 'message', value: { type: 'command', id: 1, command: { do: 'history', path: '*.*.*' } }, times: 45 },
  ],
  'long answers': () => [
    { op: 'message', value: hello },
    { op: 'deaf' },
    { op: 'message', value: { type: 'command', id: 1, command: { do: 'objects' } }, times: 45 },
  ],
  slow: () => [{ op: 'message', value: hello }, { op: 'deaf' }, { op: 'wait', ms: 1000 }],
};

const command = (given, times) => ({ op: 'message', value: { type: 'command', id: 1, command: given }, times });
const dear = 'any(state.goroutines, a => any(state.goroutines, b => any(state.goroutines, c => seq < 0)))';
const breakpoints = (more, times) =>
  Array.from({ length: times }, (_, id) => ({ id: `b${id}`, on: 'record', ...more }));

/** The same with the token that may pause the kubelet. */
const controls = {
  'dear breakpoints': () => [command({ do: 'breakpoints', set: breakpoints({ condition: dear }, 400) }, 45)],
  'long lines': () => [
    command({ do: 'breakpoints', set: breakpoints({ log: '{state}'.repeat(500) }, 15) }, 2),
    { op: 'wait', ms: 500 },
  ],
  'pauses and steps': () => [
    command({ do: 'pause' }, 20),
    command({ do: 'step', unit: 'iteration', count: 1_000_000 }, 20),
    command({ do: 'pause' }),
  ],
};

export default {
  name: 'floods',
  targets: ['serve', 'class', 'kubelet'],
  packet: 'a WebSocket frame',
  perform: speak,
  make(random) {
    if (random.chance(0.15))
      return [
        { op: 'upgrade' },
        { op: 'connect', as: 'control' },
        { op: 'message', value: hello },
        ...controls[random.pick(Object.keys(controls))](),
      ];
    const name = random.pick(Object.keys(floods));
    const namespaced = random.chance(0.3);
    return [
      { op: 'upgrade', server: random.pick(['session', 'class']) },
      ...(name === 'namespaces' && random.chance(0.5)
        ? []
        : [{ op: 'connect', as: random.pick(['look', 'class']), namespace: namespaced ? '/class' : '/' }]),
      ...floods[name](),
    ];
  },
};
