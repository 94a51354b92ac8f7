/** Fields of a KubeletConfiguration about the kubelet's own server. upstream: pkg/kubelet/apis/config/v1beta1 */
import { bool, duration, type Field, field, oneOf, string } from './readers.js';

/** What the server goes by. Times in Micros. */
export interface ServerConfig {
  /** '' for a pair of our own. */
  tlsCertFile: string;
  tlsPrivateKeyFile: string;
  tlsMinVersion: 'VersionTLS12' | 'VersionTLS13';
  authentication: {
    /** '' for none. */
    clientCAFile: string;
    anonymous: boolean;
    /** Null: where there is an API server. */
    webhook: boolean | null;
    webhookCacheTTL: number;
  };
  authorization: {
    /** Null: Webhook where there is an API server, else AlwaysAllow. */
    mode: 'AlwaysAllow' | 'Webhook' | null;
    cacheAuthorizedTTL: number;
    cacheUnauthorizedTTL: number;
  };
  enableDebuggingHandlers: boolean;
  enableDebugFlagsHandler: boolean;
  /** Where our own certificate is kept; '' for pki in the root directory. */
  certDir: string;
  /** Tokens for a kubelet without an API server; '' for server-token in the root directory. */
  tokenFile: string;
}

const second = 1_000_000;

/** upstream: pkg/kubelet/apis/config/v1beta1/defaults.go */
export const defaultServerConfig = (): ServerConfig => ({
  tlsCertFile: '',
  tlsPrivateKeyFile: '',
  tlsMinVersion: 'VersionTLS12',
  authentication: { clientCAFile: '', anonymous: false, webhook: null, webhookCacheTTL: 120 * second },
  authorization: { mode: null, cacheAuthorizedTTL: 300 * second, cacheUnauthorizedTTL: 30 * second },
  enableDebuggingHandlers: true,
  enableDebugFlagsHandler: true,
  certDir: '',
  tokenFile: '',
});

/** Paths among them that are taken as relative to the file. */
export const serverPaths = ['tlsCertFile', 'tlsPrivateKeyFile', 'authentication.x509.clientCAFile'];

export const serverFields: Readonly<Record<string, Field>> = {
  tlsCertFile: field(string, (c, v) => {
    c.server.tlsCertFile = v;
  }),
  tlsPrivateKeyFile: field(string, (c, v) => {
    c.server.tlsPrivateKeyFile = v;
  }),
  tlsMinVersion: field(oneOf('VersionTLS12', 'VersionTLS13'), (c, v) => {
    c.server.tlsMinVersion = v;
  }),
  'authentication.x509.clientCAFile': field(string, (c, v) => {
    c.server.authentication.clientCAFile = v;
  }),
  'authentication.anonymous.enabled': field(bool, (c, v) => {
    c.server.authentication.anonymous = v;
  }),
  'authentication.webhook.enabled': field(bool, (c, v) => {
    c.server.authentication.webhook = v;
  }),
  'authentication.webhook.cacheTTL': field(duration, (c, v) => {
    if (v > 0) c.server.authentication.webhookCacheTTL = v;
  }),
  'authorization.mode': field(oneOf('AlwaysAllow', 'Webhook'), (c, v) => {
    c.server.authorization.mode = v;
  }),
  'authorization.webhook.cacheAuthorizedTTL': field(duration, (c, v) => {
    if (v > 0) c.server.authorization.cacheAuthorizedTTL = v;
  }),
  'authorization.webhook.cacheUnauthorizedTTL': field(duration, (c, v) => {
    if (v > 0) c.server.authorization.cacheUnauthorizedTTL = v;
  }),
  enableDebuggingHandlers: field(bool, (c, v) => {
    c.server.enableDebuggingHandlers = v;
  }),
  enableDebugFlagsHandler: field(bool, (c, v) => {
    c.server.enableDebugFlagsHandler = v;
  }),
};
