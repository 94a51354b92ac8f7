/** The configuration of this machine's kubelet, from its file and flags: types and defaults. */
import { defaultKubeletConfig, type KubeletConfig } from '@syncloop/core/kubelet';

/** The configuration of the kubelet's server. Times in Micros. */
export interface ServerConfig {
  /** '' for a pair of our own. */
  tlsCertFile: string;
  tlsPrivateKeyFile: string;
  /** The API server signs the certificate. */
  serverTLSBootstrap: boolean;
  tlsMinVersion: 'VersionTLS12' | 'VersionTLS13';
  authentication: {
    /** '' for none. */
    clientCAFile: string;
    anonymous: boolean;
    /** Null: true if there is an API server. */
    webhook: boolean | null;
    webhookCacheTTL: number;
  };
  authorization: {
    /** Null: Webhook if there is an API server, else AlwaysAllow. */
    mode: 'AlwaysAllow' | 'Webhook' | null;
    cacheAuthorizedTTL: number;
    cacheUnauthorizedTTL: number;
  };
  enableDebuggingHandlers: boolean;
  enableDebugFlagsHandler: boolean;
  /** The folder of certificates that the kubelet makes or requests; '' for pki in the root directory. */
  certDir: string;
  /** Tokens for a kubelet without an API server; '' for server-token in the root directory. */
  tokenFile: string;
}

const second = 1_000_000;

/** upstream: pkg/kubelet/apis/config/v1beta1/defaults.go */
export const defaultServerConfig = (): ServerConfig => ({
  tlsCertFile: '',
  tlsPrivateKeyFile: '',
  serverTLSBootstrap: false,
  tlsMinVersion: 'VersionTLS12',
  authentication: { clientCAFile: '', anonymous: false, webhook: null, webhookCacheTTL: 120 * second },
  authorization: { mode: null, cacheAuthorizedTTL: 300 * second, cacheUnauthorizedTTL: 30 * second },
  enableDebuggingHandlers: true,
  enableDebugFlagsHandler: true,
  certDir: '',
  tokenFile: '',
});

/** The file's section about tracing. upstream: component-base/tracing/api/v1 TracingConfiguration */
export interface TracingConfig {
  endpoint?: string;
  samplingRatePerMillion?: number;
}

/** Everything that configures the agent's kubelet: core's part and the servers around it. */
export interface AgentConfig {
  readonly kubelet: KubeletConfig;
  containerRuntimeEndpoint: string;
  /** '' if the runtime's endpoint serves images, too. */
  imageServiceEndpoint: string;
  address: string;
  /** The port of the kubelet's main server, over TLS. */
  port: number;
  /** 0: none. */
  readOnlyPort: number;
  healthzBindAddress: string;
  /** 0: none. */
  healthzPort: number;
  enableServer: boolean;
  /** True if the kubelet renews its client certificate. */
  rotateCertificates: boolean;
  readonly server: ServerConfig;
  /** Plug-ins that give credentials for images: their configuration file and the folder of programs; null: none. */
  imageCredentialProvider: { readonly config: string; readonly binDir: string } | null;
  /** The file's settings for spans to a collector; null: not set. */
  tracing: TracingConfig | null;
  /** resolv.conf for pods; '' for none. */
  resolvConf: string;
  /** From logging.verbosity; the flag -v takes precedence. */
  verbosity: number;
  /** The file as it was read, for /configz. */
  raw: Readonly<Record<string, unknown>>;
}

/** The folder of certificates. */
export const certDirectoryOf = ({ server, kubelet }: AgentConfig): string =>
  server.certDir || `${kubelet.rootDirectory}/pki`;

/** The configuration without a file. upstream: pkg/kubelet/apis/config/v1beta1/defaults.go */
export function defaultAgentConfig(): AgentConfig {
  return {
    kubelet: defaultKubeletConfig(),
    containerRuntimeEndpoint: 'unix:///run/containerd/containerd.sock',
    imageServiceEndpoint: '',
    address: '0.0.0.0',
    port: 10250,
    readOnlyPort: 0,
    healthzBindAddress: '127.0.0.1',
    healthzPort: 10248,
    enableServer: true,
    rotateCertificates: false,
    server: defaultServerConfig(),
    imageCredentialProvider: null,
    tracing: null,
    resolvConf: '/etc/resolv.conf',
    verbosity: 0,
    raw: {},
  };
}
