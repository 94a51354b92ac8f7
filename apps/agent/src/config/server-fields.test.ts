import { describe, expect, it } from 'vitest';
import { parseArgs } from '../cli/args.js';
import { defaultAgentConfig } from './agent-config.js';
import { parseKubeletConfiguration } from './kubelet-configuration.js';
import { acceptedFlags, applyFlags, supportedFlags } from './kubelet-flags.js';

function parse(text: string) {
  const warnings: string[] = [];
  const head = 'apiVersion: kubelet.config.k8s.io/v1beta1\nkind: KubeletConfiguration\n';
  const { server } = parseKubeletConfiguration('/etc/k/config.yaml', head + text, (w) => warnings.push(w));
  return { server, warnings };
}

describe("fields of the kubelet's own server", () => {
  it('[3:HTTP-06] are read, those in maps of maps too, and paths are relative to the file', () => {
    const { server, warnings } = parse(`tlsCertFile: tls.crt
tlsPrivateKeyFile: /keys/tls.key
serverTLSBootstrap: true
tlsMinVersion: VersionTLS13
authentication:
  x509: {clientCAFile: ca.crt}
  anonymous: {enabled: true}
  webhook: {enabled: false, cacheTTL: 1m30s}
authorization:
  mode: Webhook
  webhook: {cacheAuthorizedTTL: 10s, cacheUnauthorizedTTL: 0s}
enableDebuggingHandlers: false
enableDebugFlagsHandler: false
`);
    expect(warnings).toEqual([]);
    expect(server).toEqual({
      serverTLSBootstrap: true,
      tlsCertFile: '/etc/k/tls.crt',
      tlsPrivateKeyFile: '/keys/tls.key',
      tlsMinVersion: 'VersionTLS13',
      authentication: {
        clientCAFile: '/etc/k/ca.crt',
        anonymous: true,
        webhook: false,
        webhookCacheTTL: 90_000_000,
      },
      // 0 is the default, as upstream.
      authorization: { mode: 'Webhook', cacheAuthorizedTTL: 10_000_000, cacheUnauthorizedTTL: 30_000_000 },
      enableDebuggingHandlers: false,
      enableDebugFlagsHandler: false,
      certDir: '',
      tokenFile: '',
    });
  });

  it.each([
    ['authorization: {mode: RBAC}', /authorization.mode: it is "RBAC"; it must be one of AlwaysAllow, Webhook/],
    ['authentication: {anonymous: {enabled: 1}}', /config.yaml:3:\d+: authentication.anonymous.enabled: it is 1/],
    ['authentication: {x509: ca.crt}', /authentication.x509: it is "ca.crt"; it must be a map/],
    ['tlsMinVersion: SSL3', /VersionTLS12, VersionTLS13/],
  ])('refuse %s', (text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  it('may be given as flags, which come first', () => {
    const config = defaultAgentConfig();
    const { flags } = parseArgs(
      'kubelet',
      ['--anonymous-auth', '--authorization-mode=AlwaysAllow', '--port=1', '--enable-server=false'].concat([
        '--client-ca-file=/ca',
        '--server-token-file=/t',
        '--cert-dir=/c',
        '--tls-cert-file=/crt',
        '--tls-private-key-file=/key',
        '--authentication-token-webhook=false',
      ]),
      acceptedFlags,
    );
    const warnings: string[] = [];
    applyFlags(
      config,
      supportedFlags(flags, (w) => warnings.push(w)),
      'node1',
    );
    expect(warnings).toEqual([]);
    expect(config).toMatchObject({
      port: 1,
      enableServer: false,
      server: {
        authentication: { anonymous: true, clientCAFile: '/ca', webhook: false },
        authorization: { mode: 'AlwaysAllow' },
        tokenFile: '/t',
        certDir: '/c',
        tlsCertFile: '/crt',
        tlsPrivateKeyFile: '/key',
      },
    });
    const wrong = parseArgs('kubelet', ['--authorization-mode=ABAC'], acceptedFlags);
    expect(() =>
      applyFlags(
        defaultAgentConfig(),
        supportedFlags(wrong.flags, () => {}),
        'n',
      ),
    ).toThrow('--authorization-mode is ABAC, but must be AlwaysAllow or Webhook');
  });
});
