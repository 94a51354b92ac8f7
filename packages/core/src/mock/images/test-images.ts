/**
 * Images that the tests of Kubernetes and of container runtimes pull: critest's own, and those of e2e-test-images
 * besides the well-known ones.
 */
import { digestOf, type Reference } from './reference.js';
import type { ImageSpecification } from './types.js';

type Image = Omit<ImageSpecification, 'ref'>;

const shellTools = 'bash sh sleep cat echo ls env grep sed true false test touch rm hostname'.split(' ');
const busybox: Image = { size: 2_166_802, cmd: ['sh'], programs: 'busybox' };

/** By name without a tag. upstream: kubernetes test/images */
const e2e: Readonly<Record<string, Image>> = {
  nginx: { size: 6_979_041, cmd: ['nginx', '-g', 'daemon off;'], programs: ['nginx', ...shellTools] },
  httpd: { size: 41_902_332, cmd: ['httpd-foreground'], programs: ['httpd-foreground', ...shellTools] },
  nonewprivs: { size: 3_000_000, entrypoint: ['/bin/nnp'], programs: ['nnp', 'sh'] },
};

/** By name without a tag. upstream: cri-tools images */
const critest: Readonly<Record<string, Image>> = {
  'test-image-latest': busybox,
  'test-image-tag': busybox,
  'test-image-digest': busybox,
  'test-image-1': busybox,
  'test-image-2': busybox,
  'test-image-3': busybox,
  'test-image-tags': busybox,
  'test-image-user-uid': { ...busybox, user: '1002' },
  'test-image-user-username': { ...busybox, user: 'www-data' },
  'test-image-user-uid-group': { ...busybox, user: '1003:users' },
  'test-image-user-username-group': { ...busybox, user: 'www-data:100' },
  'test-image-predefined-group': {
    ...busybox,
    user: '1000',
    users: [{ name: 'default-user', uid: 1000, gid: 1000, home: '/home/default-user', groups: [50_000] }],
  },
};

/** Returns a test image as its registry has it; null for any other. */
export function testImage(ref: Reference): ImageSpecification | null {
  const [, name = ''] = /^registry\.k8s\.io\/e2e-test-images\/(.+)$/.exec(ref.name) ?? [];
  if (Object.hasOwn(e2e, name))
    return { ref: ref.full, digest: ref.digest || `sha256:${digestOf(ref.full)}`, ...e2e[name] };
  const [, own = ''] = /^gcr\.io\/k8s-staging-cri-tools\/(.+)$/.exec(ref.name) ?? [];
  const image = Object.hasOwn(critest, own) ? critest[own] : undefined;
  if (!image) return null;
  // Its tags are names of one image.
  const one = own === 'test-image-tags' ? ref.name : ref.full;
  return {
    ref: ref.full,
    id: `sha256:${digestOf(`id ${one}`)}`,
    digest: ref.digest || `sha256:${digestOf(one)}`,
    ...image,
  };
}
