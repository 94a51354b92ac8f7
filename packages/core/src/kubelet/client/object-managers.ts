import { isNotFound } from '../../api/client/api-error.js';
import type { ServiceObject } from '../../api/cluster-types.js';
import type { Pod } from '../../api/types.js';
import type { Go, Kernel } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import { newWatchingConfigMapManager } from '../configmap/configmap-manager.js';
import { serviceEnvVarMap } from '../envvars/envvars.js';
import { newWatchingSecretManager } from '../secret/secret-manager.js';
import { TokenManager } from '../token/token-manager.js';
import type { WatchBasedManager } from '../util/manager/watch-based-manager.js';
import type { Informer } from './informer.js';
import type { KubeClient } from './kube-client.js';
import type { ConfigMapObject, ObjectManagers, SecretObject, ServiceAccountToken } from './objects.js';

/**
 * Watches the objects that pods refer to at an API server.
 * upstream: kubelet.go NewMainKubelet, its managers of secrets, config maps and tokens
 */
export class WatchingObjectManagers implements ObjectManagers {
  private readonly configMaps: WatchBasedManager<ConfigMapObject>;
  private readonly secrets: WatchBasedManager<SecretObject>;
  readonly tokens: TokenManager;

  constructor(
    kernel: Kernel,
    client: KubeClient,
    private readonly services: Informer<ServiceObject>,
    /** Between two syncs of a pod. */
    resyncInterval: Micros,
  ) {
    this.configMaps = newWatchingConfigMapManager(kernel, client, resyncInterval);
    this.secrets = newWatchingSecretManager(kernel, client, resyncInterval);
    this.tokens = new TokenManager(kernel, client);
  }

  /** Starts their periodic work. */
  start(): void {
    this.configMaps.start();
    this.secrets.start();
    this.tokens.start();
  }

  registerPod(pod: Pod): void {
    this.secrets.registerPod(pod);
    this.configMaps.registerPod(pod);
  }
  unregisterPod(pod: Pod): void {
    this.secrets.unregisterPod(pod);
    this.configMaps.unregisterPod(pod);
    this.tokens.deleteServiceAccountToken(pod.metadata.uid);
  }
  getConfigMap(namespace: string, name: string): Go<ConfigMapObject> {
    return this.configMaps.getObject(namespace, name);
  }
  getSecret(namespace: string, name: string): Go<SecretObject> {
    return this.secrets.getObject(namespace, name);
  }

  /** upstream: pkg/volume/projected, the request that it makes */
  *getServiceAccountToken(
    { metadata: { namespace, name, uid }, spec }: Pod,
    { audiences, expirationSeconds }: { readonly audiences: readonly string[]; readonly expirationSeconds: number },
  ): Go<ServiceAccountToken> {
    const { status } = yield* this.tokens.getServiceAccountToken(namespace, spec.serviceAccountName ?? 'default', {
      spec: {
        audiences,
        expirationSeconds,
        boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name, uid },
      },
    });
    return { token: status?.token ?? '', expirationTimestamp: status?.expirationTimestamp ?? '' };
  }

  isNotFound(err: unknown): boolean {
    return isNotFound(err);
  }
  servicesHaveSynced(): boolean {
    return this.services.hasSynced();
  }
  getServiceEnvVarMap(namespace: string, enableServiceLinks: boolean): ReadonlyMap<string, string> {
    return serviceEnvVarMap(this.services.list(), namespace, enableServiceLinks);
  }
}
