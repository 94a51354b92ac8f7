import { toTime } from '../../api/time.js';
import { messageOf, sha256 } from '../../base/index.js';
import type { ImageService } from '../../cri/index.js';
import type { OSInterface } from '../../host/os.js';
import { background, type Go, type Kernel, Mutex } from '../../kernel/index.js';
import type { Micros } from '../../trace/index.js';
import type { KubeletConfig } from '../config.js';
import { Logger } from '../klog.js';
import { parseImageName } from './parse-image-name.js';
import {
  type ImagePullCredentials,
  type ImagePulledRecord,
  type ImagePullSecret,
  PullRecords,
} from './pull-records.js';
import { StripedLockSet } from './striped-lock-set.js';
import type { Credential } from './types.js';

/** A record with this many secrets takes no more while it is searched. upstream: writeRecordWhileMatchingLimit */
const writeRecordWhileMatchingLimit = 100;

/** upstream: pkg/kubelet/images/image_manager.go, what NewImagePullManager is given */
const lockStripes = 10;

/** The image's name as written, without tag and digest. upstream: trimImageTagDigest */
export const trimImageTagDigest = (image: string): string => (image.split('@')[0] as string).replace(/:[^/:]*$/, '');

/** One way to know a credential again without keeping it. upstream: TrackedAuthConfig.AuthConfigHash */
const hashOf = ({ username, password, auth, serverAddress, identityToken, registryToken }: Credential): string =>
  sha256(JSON.stringify({ username, password, auth, serverAddress, identityToken, registryToken }));

const secretOf = (credential: Credential): ImagePullSecret | null =>
  credential.source ? { ...credential.source, credentialHash: hashOf(credential) } : null;

/** `present`, and the image is one that a kubelet on this node pulled. upstream: ImagePullPolicyEnforcer */
export type VerificationPolicy = (image: string, imagePulledByKubelet: boolean) => boolean;

/** Builds the test for images on the allowlist. Throws if a pattern is not valid. upstream: getAllowlistImagePattern */
function allowlisted(patterns: readonly string[]): (image: string) => boolean {
  const exact = new Set<string>();
  const prefixes: string[] = [];
  for (const pattern of patterns) {
    if (pattern !== pattern.trim()) throw new Error(`leading/trailing spaces are not allowed: ${pattern}`);
    const wildcard = pattern.endsWith('/*');
    const rest = wildcard ? pattern.slice(0, -1) : pattern;
    if (rest === '') throw new Error(`the supplied pattern is too short: ${pattern}`);
    if (rest.includes('*'))
      throw new Error(`not a valid wildcard pattern, only patterns ending with '/*' are allowed: ${pattern}`);
    if (wildcard) {
      if (rest.length === 1) throw new Error('at least registry hostname is required');
      prefixes.push(rest);
      continue;
    }
    try {
      parseImageName(rest);
    } catch (err) {
      throw new Error(`failed to parse as an image name: ${messageOf(err)}`);
    }
    if (trimImageTagDigest(rest) !== rest)
      throw new Error(`neither tag nor digest is accepted in an image reference: ${pattern}`);
    exact.add(rest);
  }
  return (image) => {
    const name = trimImageTagDigest(image);
    return exact.has(name) || prefixes.some((p) => name.startsWith(p));
  };
}

/** Throws if the allowlist cannot be read. upstream: NewImagePullCredentialVerificationPolicy */
export function verificationPolicy(
  config: Pick<KubeletConfig, 'imagePullCredentialsVerificationPolicy' | 'preloadedImagesVerificationAllowlist'>,
): VerificationPolicy {
  switch (config.imagePullCredentialsVerificationPolicy ?? 'NeverVerifyPreloadedImages') {
    case 'NeverVerify':
      return () => false;
    case 'AlwaysVerify':
      return () => true;
    case 'NeverVerifyAllowlistedImages': {
      const allows = allowlisted(config.preloadedImagesVerificationAllowlist ?? []);
      return (image) => !allows(image);
    }
    default:
      return (_, pulled) => pulled;
  }
}

export interface ImagePullManagerDeps {
  readonly kernel: Kernel;
  readonly config: Pick<
    KubeletConfig,
    'rootDirectory' | 'imagePullCredentialsVerificationPolicy' | 'preloadedImagesVerificationAllowlist'
  >;
  readonly os: OSInterface;
  readonly imageService: Pick<ImageService, 'listImages'>;
}

/**
 * Remembers with which secrets images were pulled, so that a pod without them cannot use an image merely because it is
 * there (fidelity 2:M-13). upstream: pkg/kubelet/images/pullmanager PullManager
 */
export class ImagePullManager {
  private readonly intents = new Map<string, number>();
  private readonly records: PullRecords;
  /** By image reference, as last read or written. */
  private readonly cache = new Map<string, ImagePulledRecord>();
  private readonly mustVerify: VerificationPolicy;
  private readonly log: Logger;
  /** The locks of records, by image and by image reference. If both are needed, `pulled` comes first. */
  private readonly intentAccessors: StripedLockSet;
  private readonly pulledAccessors: StripedLockSet;
  private readonly starting: Mutex;
  private initialized = false;

  constructor(private readonly deps: ImagePullManagerDeps) {
    this.intentAccessors = new StripedLockSet(deps.kernel, 'intentAccessors', lockStripes);
    this.pulledAccessors = new StripedLockSet(deps.kernel, 'pulledAccessors', lockStripes);
    this.starting = new Mutex(deps.kernel, 'imagePullManager');
    this.log = new Logger(deps.kernel, 'image_pull_manager.go');
    this.records = new PullRecords(deps.os, this.log, deps.config.rootDirectory);
    this.mustVerify = verificationPolicy(deps.config);
  }

  /**
   * Records images that an earlier kubelet began to pull and that exist now as pulled with unknown credentials.
   * upstream: initialize
   */
  private *initialize(): Go<void> {
    if (this.initialized) return;
    // The second caller waits until the first has read the records.
    yield* this.starting.lock();
    try {
      if (!this.initialized) yield* this.takeOver();
      this.initialized = true;
    } finally {
      this.starting.unlock();
    }
  }

  private *takeOver(): Go<void> {
    yield* this.records.sweep();
    let begun: string[];
    try {
      begun = yield* this.records.intents();
    } catch (err) {
      this.log.error(err, 'there were errors listing ImagePullIntents, continuing with an incomplete records list');
      return;
    }
    if (begun.length === 0) return;
    let images: readonly { id?: string; repoTags?: string[]; repoDigests?: string[] }[] = [];
    try {
      images = (yield* this.deps.imageService.listImages(background, {})).images ?? [];
    } catch (err) {
      this.log.error(err, 'failed to list images');
    }
    const full = (image: string) => {
      try {
        const { repo, tag, digest } = parseImageName(image);
        return digest ? `${repo}@${digest}` : `${repo}:${tag}`;
      } catch {
        return image;
      }
    };
    for (const image of begun) {
      const there = images.find((i) => [...(i.repoTags ?? []), ...(i.repoDigests ?? [])].includes(full(image)));
      if (!there) continue;
      yield* this.writePulledRecordIfChanged(image, there.id ?? '', null);
      yield* this.records.deleteIntent(image);
    }
  }

  /** Throws if it cannot be kept. upstream: RecordPullIntent */
  *recordPullIntent(image: string): Go<void> {
    yield* this.initialize();
    yield* this.intentAccessors.with(image, () => this.addIntent(image));
  }
  private *addIntent(image: string): Go<void> {
    try {
      yield* this.records.writeIntent(image);
    } catch (err) {
      throw new Error(`failed to record image pull intent: ${messageOf(err)}`, { cause: err });
    }
    this.intents.set(image, (this.intents.get(image) ?? 0) + 1);
  }
  /** upstream: RecordImagePullFailed, decrementImagePullIntent */
  *recordImagePullFailed(image: string): Go<void> {
    yield* this.intentAccessors.with(image, () => this.removeIntent(image));
  }
  private *removeIntent(image: string): Go<void> {
    const n = (this.intents.get(image) ?? 1) - 1;
    if (n > 0) {
      this.intents.set(image, n);
      return;
    }
    try {
      yield* this.records.deleteIntent(image);
      this.intents.delete(image);
    } catch (err) {
      this.log.error(err, 'failed to remove image pull intent', { image });
    }
  }
  /** upstream: RecordImagePulled, trackedToImagePullCreds */
  *recordImagePulled(image: string, imageRef: string, credential: Credential | null): Go<void> {
    const secret = credential && secretOf(credential);
    try {
      yield* this.writePulledRecordIfChanged(
        image,
        imageRef,
        secret ? { kubernetesSecrets: [secret] } : { nodePodsAccessible: true },
      );
    } catch (err) {
      // The intent stays: the image is known to be one that a kubelet pulled.
      this.log.error(err, 'failed to write image pulled record', { imageRef });
      return;
    }
    yield* this.recordImagePullFailed(image);
  }

  private *get(imageRef: string): Go<ImagePulledRecord | null> {
    const cached = this.cache.get(imageRef);
    if (cached) return cached;
    const record = yield* this.records.get(imageRef);
    if (record) this.cache.set(imageRef, record);
    return record;
  }

  /**
   * Writes the record of a pull, if it changes. Null credentials: those of the pull are unknown.
   * upstream: writePulledRecordIfChanged, pulledRecordMergeNewCreds
   */
  private *writePulledRecordIfChanged(image: string, imageRef: string, added: ImagePullCredentials | null): Go<void> {
    yield* this.pulledAccessors.with(imageRef, () => this.mergeRecord(image, imageRef, added));
  }
  private *mergeRecord(image: string, imageRef: string, added: ImagePullCredentials | null): Go<void> {
    const name = trimImageTagDigest(image);
    let before: ImagePulledRecord | null = null;
    try {
      before = yield* this.get(imageRef);
    } catch (err) {
      this.log.info(0, 'failed to retrieve an ImagePulledRecord', { image, err: messageOf(err) });
    }
    const mapping = before?.credentialMapping ?? {};
    const known = Object.hasOwn(mapping, name) ? mapping[name] : undefined;
    const merged = added && merge(known, added);
    if (before && !merged) return;
    const credentialMapping: Record<string, ImagePullCredentials> = Object.assign(Object.create(null), mapping);
    if (merged) credentialMapping[name] = merged;
    const record = { lastUpdatedTime: toTime(this.deps.kernel, this.deps.kernel.now()), imageRef, credentialMapping };
    yield* this.records.put(record);
    this.cache.set(imageRef, record);
  }

  /** Returns true if a pod may not simply use an image that is present. upstream: MustAttemptImagePull */
  *mustAttemptImagePull(image: string, imageRef: string, podCredentials: () => Go<readonly Credential[]>): Go<boolean> {
    yield* this.initialize();
    let record: ImagePulledRecord | null;
    let pulledByKubelet: boolean;
    try {
      [record, pulledByKubelet] = yield* this.known(image, imageRef);
    } catch (err) {
      this.log.error(err, 'Unable to access cache records about image pulls');
      return true;
    }
    if (!this.mustVerify(image, pulledByKubelet)) return false;
    if (!record) return true;
    const name = trimImageTagDigest(image);
    const known = Object.hasOwn(record.credentialMapping, name) ? record.credentialMapping[name] : undefined;
    if (!known) return true;
    if (known.nodePodsAccessible) return false;
    const secrets = known.kubernetesSecrets ?? [];
    if (secrets.length === 0) return true;
    for (const credential of yield* podCredentials()) {
      const own = secretOf(credential);
      if (!own) continue;
      for (const s of secrets) {
        const sameLogin = s.credentialHash !== '' && s.credentialHash === own.credentialHash;
        const sameSecret = s.uid === own.uid && s.namespace === own.namespace && s.name === own.name;
        const room = secrets.length < writeRecordWhileMatchingLimit;
        // A secret that has changed counts only if that can be recorded.
        if (!sameLogin && !(sameSecret && room)) continue;
        // The secret has changed, or another one has the same content: record that as well.
        if (sameLogin !== sameSecret && room) {
          try {
            yield* this.writePulledRecordIfChanged(image, imageRef, { kubernetesSecrets: [own] });
          } catch (err) {
            this.log.error(err, 'failed to write an image pulled record', { image, imageRef });
          }
        }
        return false;
      }
    }
    return true;
  }

  /** The record of the image, and whether a kubelet pulled it, both read at the same moment. */
  private *known(image: string, imageRef: string): Go<[ImagePulledRecord | null, boolean]> {
    const { intentAccessors, intents, records } = this;
    const read = function* (this: ImagePullManager): Go<[ImagePulledRecord | null, boolean]> {
      const record = yield* this.get(imageRef);
      return [record, record !== null || intents.has(image) || (yield* records.intentExists(image))];
    }.bind(this);
    return yield* this.pulledAccessors.with(imageRef, () => intentAccessors.with(image, read));
  }

  /**
   * Forgets the images that are not among `remaining` (ids); records that were written after `until` stay.
   * upstream: PruneUnknownRecords
   */
  *pruneUnknownRecords(remaining: readonly string[], until: Micros): Go<void> {
    if ((yield* this.records.list()).length === 0) return;
    yield* this.pulledAccessors.withAll(() => this.forget(new Set(remaining), until));
  }
  private *forget(inUse: ReadonlySet<string>, until: Micros): Go<void> {
    const bound = toTime(this.deps.kernel, until);
    for (const { imageRef, lastUpdatedTime } of yield* this.records.list()) {
      if (lastUpdatedTime >= bound || inUse.has(imageRef)) continue;
      try {
        yield* this.records.delete(imageRef);
        this.cache.delete(imageRef);
      } catch (err) {
        this.log.error(err, 'failed to remove an ImagePulledRecord', { imageRef });
      }
    }
  }
}

/** Merges credentials; null if nothing is new. */
function merge(known: ImagePullCredentials | undefined, added: ImagePullCredentials): ImagePullCredentials | null {
  if (!known) return added;
  if (known.nodePodsAccessible) return null;
  if (added.nodePodsAccessible) return { nodePodsAccessible: true };
  const key = (s: ImagePullSecret) => `${s.namespace}/${s.name}/${s.uid}`;
  const all = new Map((known.kubernetesSecrets ?? []).map((s) => [key(s), s]));
  let changed = false;
  for (const s of added.kubernetesSecrets ?? []) {
    if (all.get(key(s))?.credentialHash === s.credentialHash) continue;
    all.set(key(s), s);
    changed = true;
  }
  return changed ? { kubernetesSecrets: [...all.keys()].sort().map((k) => all.get(k) as ImagePullSecret) } : null;
}
