import type { Pod } from '../../api/types.js';
import type { Go } from '../../kernel/index.js';

/** upstream: core/v1 ConfigMap */
export interface ConfigMapObject {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly data?: Readonly<Record<string, string>>;
  /** Base64. */
  readonly binaryData?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

/** upstream: core/v1 Secret */
export interface SecretObject {
  readonly metadata: { readonly name: string; readonly namespace: string; readonly resourceVersion?: string };
  readonly type?: string;
  /** Base64. */
  readonly data?: Readonly<Record<string, string>>;
  readonly immutable?: boolean;
}

/** upstream: authentication/v1 TokenRequest */
export interface ServiceAccountToken {
  readonly token: string;
  /** RFC 3339. */
  readonly expirationTimestamp: string;
}

/**
 * The objects that pods refer to, as the kubelet's own managers know them (watched while a pod uses them). Errors are
 * APIErrors or a transport's.
 * upstream: pkg/kubelet/{configmap,secret,token}
 */
export interface ObjectManagers {
  /**
   * Called when a pod is synced the first time, and when it is gone.
   * upstream: RegisterPod, UnregisterPod of both managers
   */
  registerPod(pod: Pod): void;
  unregisterPod(pod: Pod): void;
  getConfigMap(namespace: string, name: string): Go<ConfigMapObject>;
  getSecret(namespace: string, name: string): Go<SecretObject>;
  /**
   * A token bound to the pod, from the cache while it is fresh.
   * upstream: pkg/kubelet/token (*Manager).GetServiceAccountToken
   */
  getServiceAccountToken(
    pod: Pod,
    request: { readonly audiences: readonly string[]; readonly expirationSeconds: number },
  ): Go<ServiceAccountToken>;
  /** True for an error that says that the object does not exist. */
  isNotFound(err: unknown): boolean;
  /** Returns false until services were listed once. upstream: serviceHasSynced */
  servicesHaveSynced(): boolean;
  /** Variables of the services that a pod of the namespace sees. upstream: getServiceEnvVarMap */
  getServiceEnvVarMap(namespace: string, enableServiceLinks: boolean): ReadonlyMap<string, string>;
}
