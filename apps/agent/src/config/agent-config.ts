/** What configures the kubelet of this machine, from its file and flags: types and defaults. */
import { defaultKubeletConfig, type KubeletConfig } from '@syncloop/core/kubelet';

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

/** From the file. upstream: component-base/tracing/api/v1 TracingConfiguration */
export interface TracingConfig {
  endpoint?: string;
  samplingRatePerMillion?: number;
}

/** Everything that configures the agent's kubelet: core's part and the servers around it. */
export interface AgentConfig {
  readonly kubelet: KubeletConfig;
  containerRuntimeEndpoint: string;
  /** '' where the runtime serves images too. */
  imageServiceEndpoint: string;
  address: string;
  /** Of the kubelet's main server, over TLS. */
  port: number;
  /** 0: none. */
  readOnlyPort: number;
  healthzBindAddress: string;
  /** 0: none. */
  healthzPort: number;
  enableServer: boolean;
  readonly server: ServerConfig;
  /** Plug-ins that give credentials for images: their configuration and where their programs are; null: none. */
  imageCredentialProvider: { readonly config: string; readonly binDir: string } | null;
  /** Spans to a collector, as the file wants them; null: it says nothing. */
  tracing: TracingConfig | null;
  /** resolv.conf for pods; '' for none. */
  resolvConf: string;
  /** From logging.verbosity; the flag -v comes first. */
  verbosity: number;
  /** The file as it was read, for /configz. */
  raw: Readonly<Record<string, unknown>>;
}

/** Without any file. upstream: pkg/kubelet/apis/config/v1beta1/defaults.go */
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
    server: defaultServerConfig(),
    imageCredentialProvider: null,
    tracing: null,
    resolvConf: '/etc/resolv.conf',
    verbosity: 0,
    raw: {},
  };
}
