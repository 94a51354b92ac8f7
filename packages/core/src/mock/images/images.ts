import { FNV32_OFFSET, fnv32aText, hex32 } from '../../base/index.js';
import type { Image } from '../../cri/index.js';
import { busyboxPrograms } from '../programs/programs.js';
import type { ImageSpecification, RegistryBehaviour } from './types.js';

/** An image reference, taken apart and completed as docker's clients do. */
export interface Reference {
  /** `docker.io/library/nginx` */
  readonly name: string;
  readonly tag: string;
  readonly digest: string;
  /** With tag, or digest: `docker.io/library/nginx:latest`. */
  readonly full: string;
}

/** upstream: github.com/distribution/reference ParseDockerRef. null: no valid reference. */
export function parseReference(text: string): Reference | null {
  const m = /^([^@]+?)(?::([\w][\w.-]{0,127}))?(?:@(sha256:[0-9a-f]{64}))?$/.exec(text);
  if (!m) return null;
  let name = m[1] as string;
  const slash = name.indexOf('/');
  const first = slash < 0 ? '' : name.slice(0, slash);
  if (slash < 0 || !(first.includes('.') || first.includes(':') || first === 'localhost'))
    name = `docker.io/${slash < 0 ? 'library/' : ''}${name}`;
  else if (first === 'index.docker.io') name = `docker.io${name.slice(slash)}`;
  if (!/^[a-zA-Z0-9.:-]+(\/[a-z0-9]+([._-]+[a-z0-9]+)*)+$/.test(name)) return null;
  const digest = m[3] ?? '';
  const tag = m[2] ?? (digest ? '' : 'latest');
  return { name, tag, digest, full: digest ? `${name}@${digest}` : `${name}:${tag}` };
}

/** A digest that depends on nothing but the text: 64 hex digits. */
export function digestOf(text: string): string {
  let out = '';
  for (let round = 0; out.length < 64; round++) {
    let h = fnv32aText(text, FNV32_OFFSET ^ Math.imul(round + 1, 0x9e3779b9));
    h = Math.imul(h ^ (h >>> 15), 0x2c1b3c6d);
    h = Math.imul(h ^ (h >>> 12), 0x297a2d39);
    out += hex32(h ^ (h >>> 15));
  }
  return out;
}

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
    const id = spec.id ?? `sha256:${digestOf(`id ${ref.full}`)}`;
    let image = this.byId.get(id);
    if (!image) {
      const programs = spec.programs === 'busybox' ? busyboxPrograms() : new Set(spec.programs ?? []);
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

  /** By id, with or without `sha256:`, or a part from its beginning that only one has; or by reference. */
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

const unixTools = 'busybox';
const MB = 1_000_000;

/** Images that everybody knows, as the simulated registry has them: by name without a tag. */
const wellKnown: Readonly<Record<string, Omit<ImageSpecification, 'ref'>>> = {
  'docker.io/library/busybox': { size: 2_166_802, cmd: ['sh'], programs: unixTools },
  'docker.io/library/alpine': { size: 3_800_000, cmd: ['/bin/sh'], programs: unixTools },
  'docker.io/library/debian': {
    size: 49 * MB,
    cmd: ['bash'],
    programs: [
      ...'bash sh sleep cat echo ls env grep sed tail head date true false test printf touch rm mkdir mv cp hostname id ps kill'.split(
        ' ',
      ),
    ],
  },
  'docker.io/library/ubuntu': {
    size: 30 * MB,
    cmd: ['/bin/bash'],
    programs: [
      ...'bash sh sleep cat echo ls env grep sed tail head date true false test printf touch rm mkdir mv cp hostname id ps kill'.split(
        ' ',
      ),
    ],
  },
  'docker.io/library/nginx': {
    size: 72 * MB,
    entrypoint: ['/docker-entrypoint.sh'],
    cmd: ['nginx', '-g', 'daemon off;'],
    programs: [
      ...'docker-entrypoint.sh nginx bash sh sleep cat echo ls env grep sed curl true false test touch rm hostname'.split(
        ' ',
      ),
    ],
  },
  'docker.io/library/httpd': {
    size: 59 * MB,
    cmd: ['httpd-foreground'],
    programs: [...'httpd-foreground bash sh sleep cat echo ls true false test'.split(' ')],
  },
  'docker.io/library/redis': {
    size: 45 * MB,
    cmd: ['redis-server'],
    programs: [...'redis-server redis-cli bash sh sleep cat echo ls true false test'.split(' ')],
  },
  'docker.io/library/memcached': {
    size: 32 * MB,
    cmd: ['memcached'],
    user: '11211',
    programs: [...'memcached sh sleep cat echo'.split(' ')],
  },
  'docker.io/library/postgres': {
    size: 150 * MB,
    cmd: ['postgres'],
    programs: [...'postgres bash sh sleep cat echo'.split(' ')],
  },
  'docker.io/library/hello-world': { size: 13_000, cmd: ['/hello'], programs: ['hello'] },
  'registry.k8s.io/pause': {
    size: 320_000,
    entrypoint: ['/pause'],
    programs: ['pause'],
    user: '65535:65535',
    pinned: true,
  },
  'registry.k8s.io/e2e-test-images/agnhost': {
    size: 52 * MB,
    entrypoint: ['/agnhost'],
    cmd: ['pause'],
    programs: ['agnhost', ...'sh sleep cat echo ls true false test touch rm nc wget'.split(' ')],
  },
  'registry.k8s.io/e2e-test-images/busybox': { size: 2_166_802, cmd: ['sh'], programs: unixTools },
  'registry.k8s.io/busybox': { size: 2_166_802, cmd: ['sh'], programs: unixTools },
};

/** Tags that a well-known image has: names, and versions whose numbers are all below 100. */
function hasTag(tag: string): boolean {
  const bare = tag.replace(/-(alpine|slim|bookworm|musl|glibc|uclibc)[\d.]*$/, '');
  return (
    ['', 'latest', 'stable', 'mainline', 'alpine', 'slim', 'musl', 'glibc'].includes(bare) ||
    (/^v?\d+(\.\d+){0,3}(-\d+)?$/.test(bare) && (bare.match(/\d+/g) ?? []).every((n) => Number(n) < 100))
  );
}

/** What the registries of the world say about an image that nothing special was set for. */
export function wellKnownImage(ref: Reference, offline: boolean): RegistryBehaviour {
  const local = /^localhost[:/]/.test(ref.name);
  if (local || offline) return { kind: local ? 'refused' : 'no-such-host' };
  const known = wellKnown[ref.name];
  if (known && hasTag(ref.tag))
    return { kind: 'serve', image: { ref: ref.full, digest: ref.digest || `sha256:${digestOf(ref.full)}`, ...known } };
  if (/^(docker\.io|registry\.k8s\.io|quay\.io|ghcr\.io|gcr\.io)\//.test(ref.name)) return { kind: 'not-found' };
  return { kind: 'no-such-host' };
}

/** The images that a node has unless told otherwise. */
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
