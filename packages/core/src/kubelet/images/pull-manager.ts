import type { Credential } from './types.js';

/** Who may use an image that the kubelet pulled. upstream: kubeletconfiginternal.ImagePulledRecord */
interface PulledRecord {
  /** It was pulled without a secret: every pod may. */
  nodePodsAccessible: boolean;
  readonly credentials: Credential[];
}

/** The image's name as written, without tag and digest. upstream: trimImageTagDigest */
const trimImageTagDigest = (image: string): string => (image.split('@')[0] as string).replace(/:[^/:]*$/, '');

/**
 * Remembers with which secrets images were pulled, so that a pod without them cannot use an image merely because it is
 * there (row M-13, policy NeverVerifyPreloadedImages). In memory: what an earlier kubelet pulled counts as preloaded.
 * upstream: pkg/kubelet/images/pullmanager PullManager
 */
export class ImagePullManager {
  private readonly intents = new Map<string, number>();
  /** By image reference, then by image name without tag. */
  private readonly pulled = new Map<string, Map<string, PulledRecord>>();

  /** upstream: RecordPullIntent */
  recordPullIntent(image: string): void {
    this.intents.set(image, (this.intents.get(image) ?? 0) + 1);
  }
  /** upstream: RecordImagePullFailed */
  recordImagePullFailed(image: string): void {
    const n = (this.intents.get(image) ?? 1) - 1;
    if (n > 0) this.intents.set(image, n);
    else this.intents.delete(image);
  }
  /** upstream: RecordImagePulled */
  recordImagePulled(image: string, imageRef: string, credentials: Credential | null): void {
    const records = this.pulled.get(imageRef) ?? new Map<string, PulledRecord>();
    this.pulled.set(imageRef, records);
    const name = trimImageTagDigest(image);
    const record = records.get(name) ?? { nodePodsAccessible: false, credentials: [] };
    records.set(name, record);
    if (credentials?.source) record.credentials.push(credentials);
    else record.nodePodsAccessible = true;
    this.recordImagePullFailed(image);
  }
  /** upstream: MustAttemptImagePull */
  mustAttemptImagePull(image: string, imageRef: string, podCredentials: () => readonly Credential[]): boolean {
    const records = this.pulled.get(imageRef);
    // Never pulled by this kubelet, and nobody is about to: preloaded.
    if (!records) return this.intents.has(image);
    const record = records.get(trimImageTagDigest(image));
    if (!record) return true;
    if (record.nodePodsAccessible) return false;
    return !podCredentials().some((own) =>
      record.credentials.some((known) => sameLogin(own, known) || sameSecret(own, known)),
    );
  }
}

const sameLogin = (a: Credential, b: Credential): boolean =>
  a.username === b.username &&
  a.password === b.password &&
  a.identityToken === b.identityToken &&
  a.registryToken === b.registryToken;
const sameSecret = (a: Credential, b: Credential): boolean =>
  a.source !== undefined &&
  a.source.uid === b.source?.uid &&
  a.source.name === b.source.name &&
  a.source.namespace === b.source.namespace;
