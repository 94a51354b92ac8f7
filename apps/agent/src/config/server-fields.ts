/** Fields of a KubeletConfiguration about the kubelet's own server. upstream: pkg/kubelet/apis/config/v1beta1 */
import { bool, duration, type Field, field, oneOf, string } from './readers.js';

/** Paths among them that are taken as relative to the file. */
export const serverPaths = ['tlsCertFile', 'tlsPrivateKeyFile', 'authentication.x509.clientCAFile'];

export const serverFields: Readonly<Record<string, Field>> = {
  tlsCertFile: field(string, (c, v) => {
    c.server.tlsCertFile = v;
  }),
  tlsPrivateKeyFile: field(string, (c, v) => {
    c.server.tlsPrivateKeyFile = v;
  }),
  rotateCertificates: field(bool, (c, v) => {
    c.rotateCertificates = v;
  }),
  serverTLSBootstrap: field(bool, (c, v) => {
    c.server.serverTLSBootstrap = v;
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
  enableSystemLogHandler: field(bool, (c, v) => {
    c.kubelet.enableSystemLogHandler = v;
  }),
  enableSystemLogQuery: field(bool, (c, v) => {
    c.kubelet.enableSystemLogQuery = v;
  }),
  enableDebugFlagsHandler: field(bool, (c, v) => {
    c.server.enableDebugFlagsHandler = v;
  }),
};
