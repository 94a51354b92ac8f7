/** Kubeconfigs, read by `syncloop kubelet`, which finds no runtime and gets a signal soon. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { anyValue, jsonOf, mutated, mutatedText, ODD_WORDS } from '../values.mjs';

export default {
  name: 'kubeconfigs',
  targets: ['commands'],
  packet: 'a start with a kubeconfig',
  make(random) {
    return [{ op: 'start', text: kubeconfig(random) }];
  },
  async perform({ work, run }, operations) {
    for (const { text } of operations) {
      const file = join(work, 'kubeconfig');
      await writeFile(file, text);
      // Neither a runtime nor a server is there, so that nothing is done to anything.
      const argv = [
        'kubelet',
        '--kubeconfig',
        file,
        '--root-dir',
        join(work, 'root'),
        '--no-ui',
        '--enable-server=false',
      ];
      await run('main', {
        argv: [
          ...argv,
          '--healthz-port=0',
          `--container-runtime-endpoint=unix://${work}/none.sock`,
          '--hostname-override=n',
        ],
      });
    }
    return operations.length;
  },
};

const certificate = Buffer.from('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n').toString('base64');
const servers = [
  'https://127.0.0.1:1',
  'http://127.0.0.1:1/a/',
  'https://u:p@127.0.0.1:1',
  'https://[::1]:1',
  'https://127.0.0.1:99999',
  'ftp://x',
  'x',
  '//',
  '',
];

function kubeconfig(random) {
  const user = random.pick([
    { token: random.pick(['t', 'a\nb', '', 'x'.repeat(20_000), '\u0000', 'é']) },
    { tokenFile: random.pick(['/dev/null', '/nowhere', '/', 'kubeconfig', '/proc/self/mem', '']) },
    { username: random.pick(['u', 'u:v', '\r\n']), password: 'p' },
    {
      'client-certificate-data': random.pick([certificate, 'x', '']),
      'client-key-data': random.pick([certificate, 'x']),
    },
    { 'client-certificate': '/nowhere', 'client-key': '/dev/null' },
    {
      exec: {
        apiVersion: random.pick(['client.authentication.k8s.io/v1', 'x']),
        command: random.pick(['true', 'false', '/nowhere', 'cat', 'env']),
        args: random.pick([[], ['/dev/null'], null]),
        env: random.pick([null, [], [{ name: 'A', value: 'b' }], [null]]),
      },
    },
    { 'auth-provider': { name: random.pick(['gcp', 'oidc', 'x']), config: random.pick([{}, null, anyValue(random)]) } },
    {},
  ]);
  // A command line of somebody else's is never changed: it is executed.
  const shape = {
    ...base(random),
    users: [{ name: 'u', user: random.chance(0.3) && !user.exec ? mutated(random, user, 0.1) : user }],
  };
  const text = random.chance(0.5) ? jsonOf(shape) : yamlOf(shape);
  if (user.exec) return text;
  return random.weighted([
    [6, () => text],
    [3, () => mutatedText(random, text)],
    [1, () => text.replaceAll('\n', '\r\n')],
    [0.5, () => random.pick(['', 'a: &a [*a]', '&a', '\ufeff', '- - -', '!!set {a}', '{{{{', bomb, `\t${text}`])],
  ]);
}

const base = (random) => {
  const cluster = {
    server: random.pick(servers),
    ...(random.chance(0.2) && { 'certificate-authority-data': random.pick([certificate, 'x', '%']) }),
    ...(random.chance(0.2) && { 'insecure-skip-tls-verify': random.pick([true, 'x']) }),
    ...(random.chance(0.2) && {
      'proxy-url': random.pick([
        'http://127.0.0.1:1',
        'socks5://127.0.0.1:1',
        'http://u:p@127.0.0.1:1',
        'x',
        'ftp://x',
        '',
      ]),
    }),
    ...(random.chance(0.2) && { 'tls-server-name': random.pick(ODD_WORDS) }),
  };
  const made = {
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'k', cluster }],
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
  };
  return random.chance(0.3) ? mutated(random, made, 0.1) : made;
};

/** Writes one field a line, the rest as JSON, which YAML takes. */
const yamlOf = (shape) =>
  Object.keys(shape)
    .map((key) => `${key}: ${jsonOf(shape[key])}\n`)
    .join('');

const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${[...'bcdefghi'].map((c, i) => `${c}: &${c} [${Array.from({ length: 9 }, () => `*${'abcdefgh'[i]}`).join()}]`).join('\n')}\nkind: Config\n`;
