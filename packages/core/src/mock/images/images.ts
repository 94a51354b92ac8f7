import type { Image } from '../../cri/index.js';
import { busyboxPrograms, commandPrograms } from '../programs/programs.js';
import { digestOf, parseReference } from './reference.js';
import type { ImageSpecification } from './types.js';

export { parseReference, type Reference, referenceProblem } from './reference.js';
export { wellKnownImage } from './well-known.js';

/** An image on the node. */
export interface StoredImage {
  readonly id: string;
  readonly spec: ImageSpecification;
  readonly size: number;
  repoTags: string[];
  repoDigests: string[];
  readonly programs: ReadonlySet<string>;
  /** The CRI message, built when first asked for. */
  message: Image | null;
}

/** The images of a node, by id and by every name they have. */
export class ImageStore {
  private readonly byId = new Map<string, StoredImage>();
  private readonly byName = new Map<string, string>();
  /** Messages of all, until something changes. */
  private listed: readonly Image[] | null = null;

  add(spec: ImageSpecification): StoredImage {
    const ref = parseReference(spec.ref);
    if (!ref) throw new TypeError(`image: '${spec.ref}' is not a valid reference`);
    // An image that does something else is another image, which takes the name over.
    const does = spec.does || spec.doesIn ? ` ${JSON.stringify([spec.does, spec.doesIn])}` : '';
    const id = spec.id ?? `sha256:${digestOf(`id ${ref.full}${does}`)}`;
    let image = this.byId.get(id);
    if (!image) {
      const programs =
        spec.programs === 'busybox'
          ? busyboxPrograms()
          : spec.programs
            ? new Set(spec.programs)
            : programsOfStranger(spec);
      image = { id, spec, size: spec.size ?? 5_000_000, repoTags: [], repoDigests: [], programs, message: null };
      this.byId.set(id, image);
    }
    // A tag belongs to one image at a time.
    const before = this.byName.get(ref.full);
    if (before !== undefined && before !== id) this.dropName(ref.full);
    if (ref.tag && !image.repoTags.includes(ref.full)) image.repoTags.push(ref.full);
    const digest = ref.digest || spec.digest;
    if (digest && !image.repoDigests.includes(`${ref.name}@${digest}`)) image.repoDigests.push(`${ref.name}@${digest}`);
    for (const name of [...image.repoTags, ...image.repoDigests]) this.byName.set(name, id);
    image.message = null;
    this.listed = null;
    return image;
  }

  /**
   * Finds an image by id, with or without `sha256:`, or a part from its beginning that only one has; or by reference.
   */
  find(text: string): StoredImage | null {
    const direct = this.byId.get(text) ?? this.byId.get(`sha256:${text}`);
    if (direct) return direct;
    const ref = parseReference(text);
    const id = ref && this.byName.get(ref.full);
    return (id && this.byId.get(id)) || this.byPrefix(text);
  }

  private byPrefix(text: string): StoredImage | null {
    if (!/^(sha256:)?[0-9a-f]+$/.test(text)) return null;
    const prefix = text.startsWith('sha256:') ? text : `sha256:${text}`;
    const found = this.all.filter(({ id }) => id.startsWith(prefix));
    return found.length === 1 ? (found[0] ?? null) : null;
  }

  /** Removes the image and every name it has. */
  remove(image: StoredImage): void {
    this.byId.delete(image.id);
    for (const [name, id] of [...this.byName]) if (id === image.id) this.byName.delete(name);
    this.listed = null;
  }

  private dropName(name: string): void {
    const image = this.byId.get(this.byName.get(name) ?? '');
    this.byName.delete(name);
    if (!image) return;
    image.repoTags = image.repoTags.filter((t) => t !== name);
    image.message = null;
    this.listed = null;
  }

  get all(): readonly StoredImage[] {
    return [...this.byId.values()];
  }

  messages(): readonly Image[] {
    this.listed ??= this.all.map(imageMessage);
    return this.listed;
  }
}

/** The programs of an image about which only its behaviour is known. */
function programsOfStranger({ does, doesIn }: ImageSpecification): ReadonlySet<string> {
  const all = [does, ...Object.values(doesIn ?? {})].filter((b) => b !== undefined);
  if (all.some((b) => b.kind === 'command')) return commandPrograms();
  return all.length > 0 ? busyboxPrograms() : new Set();
}

/** The CRI's Image. */
export function imageMessage(image: StoredImage): Image {
  if (!image.message) {
    const user = image.spec.user?.split(':')[0] ?? '';
    image.message = {
      id: image.id,
      ...(image.repoTags.length > 0 && { repoTags: [...image.repoTags] }),
      ...(image.repoDigests.length > 0 && { repoDigests: [...image.repoDigests] }),
      size: String(image.size),
      ...(/^\d+$/.test(user) && { uid: Number(user) === 0 ? {} : { value: user } }),
      ...(user !== '' && !/^\d+$/.test(user) && { username: user }),
      ...(image.spec.pinned && { pinned: true }),
    };
  }
  return image.message;
}

/** The images that a node has by default. */
export const defaultImages: readonly ImageSpecification[] = [
  {
    ref: 'localhost/busybox:dev',
    id: 'sha256:7fcf72f2b6d03d3857c86737dbe03c28792d1eac4e66cc7ec072fdbe250b333c',
    size: 2_130_545,
    cmd: ['sh'],
    programs: 'busybox',
  },
  { ref: 'localhost/pause:dev', size: 731_000, entrypoint: ['/pause'], programs: ['pause'], pinned: true },
];

/** Bytes that all images take. */
export const totalSize = (store: ImageStore): number => store.all.reduce((sum, i) => sum + i.size, 0);
