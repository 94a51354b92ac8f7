/** Few kinds of packets, each very often: what is cheap to ask for and dear to answer. */
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

export default {
  name: 'floods',
  targets: ['serve', 'class', 'kubelet'],
  packet: 'a WebSocket frame',
  perform: speak,
  make(random) {
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
