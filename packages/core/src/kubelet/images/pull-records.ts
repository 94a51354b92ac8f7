import { messageOf, sha256 } from '../../base/index.js';
import { OSError, type OSInterface } from '../../host/os.js';
import type { Go } from '../../kernel/index.js';
import type { Logger } from '../klog.js';

/** upstream: kubeletconfig.ImagePullSecret */
export interface ImagePullSecret {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  /** Hash of the secret's content; '' if it could not be computed. */
  readonly credentialHash: string;
}

/** The pods that may use an image under one name. upstream: kubeletconfig.ImagePullCredentials */
export interface ImagePullCredentials {
  /** The image was pulled without credentials, so every pod may use it. */
  readonly nodePodsAccessible?: boolean;
  readonly kubernetesSecrets?: readonly ImagePullSecret[];
}

/** upstream: kubeletconfig.ImagePulledRecord */
export interface ImagePulledRecord {
  /** RFC 3339. */
  readonly lastUpdatedTime: string;
  readonly imageRef: string;
  /** By the image's name without tag and digest. */
  readonly credentialMapping: Readonly<Record<string, ImagePullCredentials>>;
}

const apiVersion = 'kubelet.config.k8s.io/v1beta1';
const known: readonly string[] = [apiVersion, 'kubelet.config.k8s.io/v1alpha1'];
const prefix = 'sha256-';
/** upstream: tmpFilesSuffix */
const temporarySuffix = '.tmp';
const largest = 4 * 1024 * 1024;

/** upstream: cacheFilename */
export const cacheFilename = (image: string): string => `${prefix}${sha256(image)}`;

/** A text field of something that was read. */
const text = (v: unknown): string => (typeof v === 'string' ? v : '');

function recordOf(value: unknown): ImagePulledRecord {
  const r = value as Readonly<Record<string, unknown>> | null;
  if (typeof r !== 'object' || r === null || r.kind !== 'ImagePulledRecord' || !known.includes(text(r.apiVersion)))
    throw new Error('it is not an ImagePulledRecord');
  const credentialMapping: Record<string, ImagePullCredentials> = Object.create(null);
  for (const [image, given] of Object.entries((r.credentialMapping ?? {}) as object)) {
    const { nodePodsAccessible, kubernetesSecrets } = (given ?? {}) as Readonly<Record<string, unknown>>;
    const list = Array.isArray(kubernetesSecrets) ? (kubernetesSecrets as Readonly<Record<string, unknown>>[]) : [];
    credentialMapping[image] = {
      ...(nodePodsAccessible === true && { nodePodsAccessible }),
      ...(list.length > 0 && {
        kubernetesSecrets: list.map((s) => ({
          uid: text(s?.uid),
          namespace: text(s?.namespace),
          name: text(s?.name),
          credentialHash: text(s?.credentialHash),
        })),
      }),
    };
  }
  return { lastUpdatedTime: text(r.lastUpdatedTime), imageRef: text(r.imageRef), credentialMapping };
}

/**
 * Keeps records of pulls, for this kubelet and the next: one file for each image that is being pulled, and one for each
 * that was.
 * upstream: pkg/kubelet/images/pullmanager fsPullRecordsAccessor
 */
export class PullRecords {
  private readonly pulling: string;
  private readonly pulled: string;
  private made = false;
  constructor(
    private readonly os: OSInterface,
    private readonly log: Logger,
    rootDirectory: string,
  ) {
    this.pulling = `${rootDirectory}/image_manager/pulling`;
    this.pulled = `${rootDirectory}/image_manager/pulled`;
  }

  /**
   * Writes a temporary file, then moves it into place. Two callers must not write the same record at a time: they would
   * share one temporary file, and the second would not find it. upstream: writeFile
   */
  private *write(folder: string, name: string, value: object): Go<void> {
    if (!this.made) {
      yield* this.os.mkdirAll(this.pulling, 0o700);
      yield* this.os.mkdirAll(this.pulled, 0o700);
      this.made = true;
    }
    const temporary = `${folder}/${name}${temporarySuffix}`;
    try {
      yield* this.os.writeFile(temporary, `${JSON.stringify(value)}\n`, 0o600);
      yield* this.os.rename(temporary, `${folder}/${name}`);
    } catch (err) {
      yield* this.removeTemporary(temporary);
      throw err;
    }
  }

  /** Removes the temporary files of kubelets that ended while they wrote. */
  *sweep(): Go<void> {
    for (const folder of [this.pulling, this.pulled]) {
      if (!(yield* this.os.stat(folder))) continue;
      for (const { name, dir } of yield* this.os.readDir(folder))
        if (!dir && name.startsWith(prefix) && name.endsWith(temporarySuffix))
          yield* this.removeTemporary(`${folder}/${name}`);
    }
  }

  /** Removes a temporary file. One that stays does no harm: it is not read, and the next write replaces it. */
  private *removeTemporary(path: string): Go<void> {
    try {
      yield* this.remove(path);
    } catch (err) {
      this.log.error(err, 'failed to remove a temporary file', { path });
    }
  }

  *writeIntent(image: string): Go<void> {
    yield* this.write(this.pulling, cacheFilename(image), { kind: 'ImagePullIntent', apiVersion, image });
  }
  *deleteIntent(image: string): Go<void> {
    yield* this.remove(`${this.pulling}/${cacheFilename(image)}`);
  }
  *intentExists(image: string): Go<boolean> {
    return (yield* this.os.stat(`${this.pulling}/${cacheFilename(image)}`)) !== null;
  }
  /** Images whose pull an earlier kubelet began and did not finish. */
  *intents(): Go<string[]> {
    const out: string[] = [];
    for (const value of yield* this.readAll(this.pulling)) {
      const { kind, image } = value as { kind?: unknown; image?: unknown };
      if (kind === 'ImagePullIntent' && typeof image === 'string') out.push(image);
    }
    return out;
  }

  /** Returns the record of an image; null if there is none. Throws if it cannot be read. */
  *get(imageRef: string): Go<ImagePulledRecord | null> {
    const path = `${this.pulled}/${cacheFilename(imageRef)}`;
    if (!(yield* this.os.stat(path))) return null;
    const record = recordOf(parse(yield* this.os.readFile(path, { limit: largest })));
    if (record.imageRef !== imageRef) throw new Error(`the record at ${path} is of another image`);
    return record;
  }
  *put(record: ImagePulledRecord): Go<void> {
    yield* this.write(this.pulled, cacheFilename(record.imageRef), {
      kind: 'ImagePulledRecord',
      apiVersion,
      ...record,
    });
  }
  *delete(imageRef: string): Go<void> {
    yield* this.remove(`${this.pulled}/${cacheFilename(imageRef)}`);
  }
  *list(): Go<ImagePulledRecord[]> {
    const out: ImagePulledRecord[] = [];
    for (const value of yield* this.readAll(this.pulled)) {
      try {
        out.push(recordOf(value));
      } catch (err) {
        this.log.error(
          err,
          'there were errors listing ImagePulledRecords, garbage collection will proceed with incomplete records list',
        );
      }
    }
    return out;
  }

  private *remove(path: string): Go<void> {
    if (!(yield* this.os.stat(path))) return;
    try {
      yield* this.os.remove(path);
    } catch (err) {
      if (!(err instanceof OSError && err.code === 'ENOENT')) throw err;
    }
  }
  private *readAll(folder: string): Go<unknown[]> {
    if (!(yield* this.os.stat(folder))) return [];
    const out: unknown[] = [];
    for (const { name, dir } of yield* this.os.readDir(folder)) {
      if (dir || !name.startsWith(prefix) || name.endsWith(temporarySuffix)) continue;
      try {
        out.push(parse(yield* this.os.readFile(`${folder}/${name}`, { limit: largest })));
      } catch (err) {
        this.log.error(err, 'failed to read an image pull record', { path: `${folder}/${name}`, why: messageOf(err) });
      }
    }
    return out;
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    throw new Error('it is not valid JSON');
  }
}
