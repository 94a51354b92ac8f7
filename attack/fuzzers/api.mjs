/** Requests to the API server: each verb on each resource, with bodies, patches and questions of all kinds. */
import https from 'node:https';
import { gzipSync } from 'node:zlib';
import { WrongAnswer } from '../replay.mjs';
import {
  anyValue,
  deep,
  jsonOf,
  long,
  many,
  mutated,
  mutatedBytes,
  mutatedText,
  ODD_NUMBERS,
  ODD_WORDS,
  textOf,
} from '../values.mjs';
import { pod, shell } from './programs.mjs';

/** A real API server answers 500 to these, too: its storage fails, and nobody turns that into a better answer. */
const upstreams = /etcdserver: request is too large|resourceVersion should not be set on objects to be created/;
const agents = new WeakMap();

export default {
  name: 'api',
  targets: ['kubelet'],
  packet: 'a request',
  make(random) {
    return random.list(1, 8, () => ({ op: 'request', ...request(random) }));
  },
  async perform(running, operations) {
    let agent = agents.get(running);
    if (!agent) {
      agent = new https.Agent({ keepAlive: true, maxSockets: 8, rejectUnauthorized: false });
      agents.set(running, agent);
    }
    let packets = 0;
    for (const operation of operations) {
      packets++;
      const { status, body } = await send(running, agent, operation);
      if (status === 500 && upstreams.test(body)) continue;
      if (status >= 500 && ![501, 503, 504].includes(status))
        throw new WrongAnswer(`${operation.method} ${operation.path} is answered with ${status} ${body}`, 'kubelet');
    }
    return packets;
  },
};

const bombs = new Map();
/** Returns the body packed; or a bomb of `size` bytes of it, made once. */
function zipped(body, size) {
  if (size <= 1) return gzipSync(body);
  if (!bombs.has(size)) bombs.set(size, gzipSync(Buffer.alloc(size, body), { level: 1 }));
  return bombs.get(size);
}

/** Resolves with the answer, or with status 0 when there was none. Watches are given up after a moment. */
function send(running, agent, { method, path, type, body, base64, zip, lines = [] }) {
  return new Promise((resolve) => {
    let sent;
    try {
      sent = https.request({
        ...{ host: '127.0.0.1', port: running.ports.api, agent, method, path: path.replaceAll(' ', '%20') },
        timeout: 10_000,
        headers: {
          Authorization: `Bearer ${running.tokens.api}`,
          ...(type && { 'Content-Type': type }),
          ...(zip && { 'Content-Encoding': 'gzip' }),
          ...Object.fromEntries(lines),
        },
      });
    } catch {
      // Node itself refuses some paths and headers.
      return resolve({ status: 0, body: '' });
    }
    let timer = null;
    const done = (status, text) => {
      clearTimeout(timer);
      resolve({ status, body: text });
    };
    sent.on('error', () => done(0, ''));
    sent.on('timeout', () => sent.destroy());
    sent.on('response', (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (part) => {
        text = (text + part).slice(0, 2000);
      });
      answer.on('error', () => {}).on('close', () => done(answer.statusCode, text));
      if (/[?&]watch/.test(path) || /follow/.test(path)) timer = setTimeout(() => sent.destroy(), 30);
    });
    sent.on('upgrade', (_answer, socket) => socket.destroy());
    const plain =
      base64 === undefined
        ? Buffer.from(typeof body === 'string' ? body : body === undefined ? '' : jsonOf(body))
        : Buffer.from(base64, 'base64');
    sent.end(zip ? zipped(plain, zip) : plain);
  });
}

const name = (random) =>
  random.pick(['a', 'b', 'sentinel-node1', 'node1', 'x'.repeat(300), ...ODD_WORDS.slice(0, 5), '..', 'A']);
const resources = [
  '/api/v1/namespaces/default/pods',
  '/api/v1/namespaces/default/configmaps',
  '/api/v1/namespaces/default/secrets',
  '/api/v1/namespaces/default/events',
  '/api/v1/namespaces/default/services',
  '/api/v1/namespaces/default/serviceaccounts',
  '/api/v1/nodes',
  '/api/v1/namespaces',
  '/api/v1/pods',
  '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
  '/apis/events.k8s.io/v1/namespaces/default/events',
  '/apis/storage.k8s.io/v1/csidrivers',
  '/apis/apps/v1/namespaces/default/deployments',
  '/apis/authentication.k8s.io/v1/tokenreviews',
  '/apis/authorization.k8s.io/v1/subjectaccessreviews',
  '/api/v1/namespaces/default/pods/a/eviction',
  '/api/v1/namespaces/default/pods/a/binding',
  '/api/v1/namespaces/default/serviceaccounts/default/token',
];
const selectors = [
  'a=b',
  'a in (b,c)',
  '!a',
  'a,',
  '=',
  'a==b==c',
  'metadata.name=a',
  'spec.nodeName=node1',
  'status.phase!=Running',
  ','.repeat(500),
  '(((',
  'a in (',
];

function query(random) {
  const one = () =>
    random.pick([
      `labelSelector=${random.pick(selectors)}`,
      `fieldSelector=${random.pick(selectors)}`,
      `limit=${random.pick(ODD_NUMBERS)}`,
      `continue=${random.pick(['x', 'e30', Buffer.from('{"rv":-1,"start":1}').toString('base64url'), '%00'])}`,
      `resourceVersion=${random.pick([...ODD_NUMBERS, 'x'])}`,
      `resourceVersionMatch=${random.pick(['Exact', 'NotOlderThan', 'x'])}`,
      `watch=${random.pick(['1', 'true', 'x'])}`,
      `allowWatchBookmarks=true&sendInitialEvents=${random.pick(['true', 'x'])}`,
      `timeoutSeconds=${random.pick(ODD_NUMBERS)}`,
      `dryRun=${random.pick(['All', 'x'])}`,
      `fieldManager=${random.pick(['m', 'x'.repeat(200), ''])}`,
      `force=${random.pick(['true', 'x'])}`,
      `fieldValidation=${random.pick(['Strict', 'Warn', 'x'])}`,
      `gracePeriodSeconds=${random.pick(ODD_NUMBERS)}`,
      `propagationPolicy=${random.pick(['Foreground', 'x'])}`,
      `pretty=1`,
      `container=${random.pick(['c0', 'x'])}&tailLines=${random.pick(ODD_NUMBERS)}&limitBytes=${random.pick(ODD_NUMBERS)}`,
      `follow=1&sinceSeconds=${random.pick(ODD_NUMBERS)}`,
      `command=sh&command=-c&command=${encodeURIComponent(
        shell(random)
          .slice(0, 300)
          .replace(/[\ud800-\udfff]/g, ''),
      )}`,
    ]);
  const parts = random.list(0, 3, one);
  return parts.length > 0 ? `?${parts.join('&')}` : '';
}

const metadata = (random) => ({
  name: name(random),
  ...(random.chance(0.3) && { generateName: random.pick(['g-', 'x'.repeat(300)]) }),
  ...(random.chance(0.3) && { labels: { a: random.pick(['b', '', 'x'.repeat(70), 1]) } }),
  ...(random.chance(0.2) && { annotations: { a: long('x', random.pick([1, 200_000, 300_000])) } }),
  ...(random.chance(0.2) && { ownerReferences: [{ apiVersion: 'v1', kind: 'Pod', name: 'a', uid: 'u' }] }),
  ...(random.chance(0.2) && { finalizers: random.list(0, 3, () => random.pick(['a/b', 'x', 'foregroundDeletion'])) }),
  ...(random.chance(0.1) && {
    managedFields: [
      { manager: 'm', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1', fieldsV1: anyValue(random) },
    ],
  }),
  ...(random.chance(0.1) && { resourceVersion: random.pick(['1', 'x', 0]) }),
  ...(random.chance(0.1) && { deletionTimestamp: random.pick(['2020-01-01T00:00:00Z', 'x', null]) }),
});

function object(random, resource) {
  const meta = metadata(random);
  const of = (apiVersion, kind, rest) => ({ apiVersion, kind, metadata: meta, ...rest });
  const time = () =>
    random.pick(['2020-01-01T00:00:00Z', '2020-01-01T00:00:00.000001Z', 'x', '9999999-01-01T00:00:00Z', null]);
  const made = /leases/.test(resource)
    ? of('coordination.k8s.io/v1', 'Lease', {
        spec: { holderIdentity: 'x', leaseDurationSeconds: random.pick(ODD_NUMBERS), renewTime: time() },
      })
    : /events/.test(resource)
      ? of('v1', 'Event', {
          involvedObject: { kind: 'Pod', name: 'a', namespace: 'default' },
          ...{
            reason: random.pick(['R', 'x'.repeat(2000)]),
            message: long('m', random.pick([1, 2000])),
            count: random.pick(ODD_NUMBERS),
            eventTime: time(),
            firstTimestamp: time(),
          },
        })
      : /configmaps|secrets/.test(resource)
        ? of('v1', /secrets/.test(resource) ? 'Secret' : 'ConfigMap', {
            data: { a: random.pick(['b', 'AAAA', long('x', 900_000), 1]), [random.pick(ODD_WORDS)]: 'x' },
          })
        : /nodes/.test(resource)
          ? of('v1', 'Node', {
              spec: { taints: [{ key: 'a', effect: random.pick(['NoSchedule', 'x']) }] },
              status: { capacity: { cpu: random.pick(['4', '1e100', '-1', 'x']) }, conditions: anyValue(random) },
            })
          : /reviews/.test(resource)
            ? of('authorization.k8s.io/v1', 'SubjectAccessReview', {
                spec: { user: 'x', token: random.pick(['x', long('t', 10_000)]), resourceAttributes: { verb: 'get' } },
              })
            : { ...pod(random), metadata: meta };
  return random.chance(0.5) ? mutated(random, made, 0.06) : made;
}

const pointers = [
  '/metadata/labels',
  '/metadata/labels/a',
  '/metadata/annotations',
  '/spec/containers',
  '/spec/containers/0',
  '/spec/containers/-',
  '/data/a',
  '/data',
  '',
  '/',
  '/~2',
  '/__proto__/x',
  '/constructor/prototype/x',
  '/a'.repeat(200),
];

const jsonPatch = (random) =>
  random.weighted([
    [
      4,
      () =>
        random.list(0, 10, () => ({
          op: random.pick(['add', 'remove', 'replace', 'move', 'copy', 'test', 'x']),
          path: random.pick(pointers),
          from: random.pick(pointers),
          value: anyValue(random),
        })),
    ],
    // Each copy doubles the text.
    [
      0.5,
      () => [
        { op: 'add', path: '/data', value: { a: 'x'.repeat(100) } },
        ...Array.from({ length: random.pick([4, 12, 40]) }, (_, i) => ({
          op: 'copy',
          from: '/data',
          path: `/data/c${i}`,
        })),
      ],
    ],
    [1, () => anyValue(random)],
  ]);

const strategicPatch = (random) =>
  random.weighted([
    [
      3,
      () =>
        mutated(
          random,
          {
            metadata: { labels: { a: null }, $patch: random.pick(['replace', 'delete', 'merge', 'x']) },
            spec: {
              containers: [
                { name: 'c0', image: 'x' },
                { $patch: 'delete', name: 'c1' },
              ],
              $setElementOrder: 1,
              '$deleteFromPrimitiveList/finalizers': ['a'],
            },
          },
          0.15,
        ),
    ],
    [
      1,
      () => ({
        spec: {
          containers: [],
          $retainKeys: anyValue(random),
          '$setElementOrder/containers': random.list(0, 300, (i) => ({ name: `c${i}` })),
        },
      }),
    ],
    [
      0.3,
      () => ({
        status: {
          conditions: many({ type: 't#', status: 'True' }, random.pick([100, 3000])),
        },
      }),
    ],
    [1, () => anyValue(random)],
  ]);

const types = [
  'application/json',
  'application/yaml',
  'application/json-patch+json',
  'application/merge-patch+json',
  'application/strategic-merge-patch+json',
  'application/apply-patch+yaml',
  'application/vnd.kubernetes.protobuf',
  'text/plain',
  'application/json; charset=x',
  '',
];

/** A list in a list in a list by aliases, nine times. */
const aliasBomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((c, i) => `${c}: &${c} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[i]}`).join()}]`).join('\n')}\n`;

function request(random) {
  const resource = random.pick(resources);
  const one = random.chance(0.6) ? `/${name(random)}` : '';
  const sub =
    one && random.chance(0.2)
      ? `/${random.pick(['status', 'log', 'exec', 'binding', 'eviction', 'ephemeralcontainers', 'resize', 'proxy', 'proxy/metrics', 'finalize', 'x'])}`
      : '';
  const path = random.weighted([
    [12, () => `${resource}${one}${sub}${query(random)}`],
    [
      1,
      () =>
        random.pick([
          '/api',
          '/apis',
          '/version',
          '/openapi/v2',
          '/openapi/v3',
          '/openapi/v3/api/v1',
          '/metrics',
          '/healthz',
          '/livez?verbose',
          '/api/v1/',
          '//',
          '/apis/x/y/z',
        ]),
    ],
    [1, () => `/${mutatedText(random, resource.slice(1)).replace(/[^\x21-\x7e]/g, '%00')}`],
  ]);
  const lines = random.list(0, 1, () =>
    random.pick([
      [
        'Accept',
        random.pick([
          '*/*',
          'application/json;as=Table;v=v1;g=meta.k8s.io',
          'application/vnd.kubernetes.protobuf',
          'application/vnd.kubernetes.protobuf;stream=watch',
          'x',
          ',;=',
        ]),
      ],
      ['Accept-Encoding', 'gzip'],
      ['Impersonate-User', 'x'],
      ['Expect', '100-continue'],
    ]),
  );
  const method = random.pick([
    'GET',
    'GET',
    'GET',
    'POST',
    'POST',
    'POST',
    'PUT',
    'PATCH',
    'PATCH',
    'PATCH',
    'DELETE',
    'HEAD',
    'OPTIONS',
  ]);
  if (method === 'GET' || method === 'HEAD') return { method, path, lines };
  if (method === 'DELETE')
    return {
      method,
      path,
      lines,
      ...(random.chance(0.5) && {
        type: 'application/json',
        body: mutated(
          random,
          {
            kind: 'DeleteOptions',
            apiVersion: 'v1',
            gracePeriodSeconds: 0,
            preconditions: { uid: 'x' },
            propagationPolicy: 'Orphan',
          },
          0.2,
        ),
      }),
    };
  if (method === 'PATCH') {
    const [type, body] = random.pick([
      ['application/json-patch+json', jsonPatch(random)],
      ['application/merge-patch+json', random.chance(0.5) ? anyValue(random) : object(random, resource)],
      ['application/strategic-merge-patch+json', strategicPatch(random)],
      ['application/apply-patch+yaml', object(random, resource)],
    ]);
    const at = one ? path : `${resource}/${random.pick(['a', 'b', 'node1', 'sentinel-node1'])}${query(random)}`;
    return { method, path: at, type: random.chance(0.9) ? type : random.pick(types), body, lines };
  }
  return {
    method,
    path,
    lines,
    ...random.weighted([
      [8, () => ({ type: 'application/json', body: object(random, resource) })],
      [1, () => ({ type: random.pick(types), body: object(random, resource) })],
      [
        1,
        () => ({
          type: 'application/json',
          body: mutatedText(random, JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } })),
        }),
      ],
      [
        0.5,
        () => ({ type: 'application/json', body: deep(random.pick([100, 100_000]), random.pick(['list', 'map'])) }),
      ],
      [
        0.5,
        () => ({
          type: 'application/yaml',
          body: random.pick([
            aliasBomb,
            '&a [*a]',
            '? {a: 1}\n: b',
            '!!js/function "x"',
            '--- \n---\n',
            '\t',
            'a: b\r\nc: d',
          ]),
        }),
      ],
      [
        1,
        () => ({
          type: 'application/vnd.kubernetes.protobuf',
          base64: mutatedBytes(
            random,
            Buffer.from('azhzAAoMCgJ2MRIGQ29uZmlnEgkKBwoBYRIAGgA=', 'base64'),
            random.int(8),
          ).toString('base64'),
        }),
      ],
      [0.3, () => ({ type: 'application/json', body: ' ', zip: random.pick([2, 10_000_000, 100_000_000]) })],
      [
        0.3,
        () => ({
          type: 'application/json',
          body: `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"a"},"data":{"a":"${textOf(long('x', 10)).padEnd(20, 'y')}"}}`,
          zip: 1,
        }),
      ],
    ]),
  };
}
