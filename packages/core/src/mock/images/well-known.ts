/** Images that everybody knows. Imports no program, so that a page can ask what is known without loading them. */

import { digestOf, type Reference } from './reference.js';
import { testImage } from './test-images.js';
import type { ImageSpecification, RegistryBehaviour } from './types.js';

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
    programs: [...'postgres pg_isready bash sh sleep cat echo'.split(' ')],
  },
  'docker.io/library/mysql': {
    size: 240 * MB,
    cmd: ['mysqld'],
    programs: [...'mysqld mysqladmin mysql bash sh sleep cat echo env test true false'.split(' ')],
  },
  'docker.io/library/mariadb': {
    size: 120 * MB,
    cmd: ['mariadbd'],
    programs: [...'mariadbd mysqladmin mariadb-admin mysql bash sh sleep cat echo env test true false'.split(' ')],
  },
  'docker.io/library/mongo': {
    size: 290 * MB,
    cmd: ['mongod'],
    programs: [...'mongod bash sh sleep cat echo'.split(' ')],
  },
  'docker.io/library/caddy': {
    size: 20 * MB,
    cmd: ['caddy', 'run', '--config', '/etc/caddy/Caddyfile', '--adapter', 'caddyfile'],
    programs: [...'caddy sh sleep cat echo ls true false test wget'.split(' ')],
  },
  'docker.io/hashicorp/http-echo': { size: 3 * MB, entrypoint: ['/http-echo'], programs: ['http-echo'] },
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

/** Names without a tag of the images that are known here: `docker.io/library/nginx`. */
export const wellKnownNames: readonly string[] = Object.keys(wellKnown);

/** Returns true for a tag that a well-known image has: names, and versions whose numbers are all below 100. */
function hasTag(tag: string): boolean {
  const bare = tag.replace(/(-(alpine|slim|bookworm|bullseye|trixie|jammy|noble|perl|musl|glibc|uclibc)[\d.]*)+$/, '');
  return (
    /^(|latest|stable|mainline|edge|alpine|slim|musl|glibc|bookworm|bullseye|trixie|focal|jammy|noble)$/.test(bare) ||
    (/^v?\d+(\.\d+){0,3}(-\d+)?$/.test(bare) && (bare.match(/\d+/g) ?? []).every((n) => Number(n) < 100))
  );
}

/** Returns the answer of the real registries for an image that the run has no answer for. */
export function wellKnownImage(ref: Reference, offline: boolean): RegistryBehaviour {
  const local = /^localhost[:/]/.test(ref.name);
  if (local || offline) return { kind: local ? 'refused' : 'no-such-host' };
  const test = testImage(ref);
  if (test) return { kind: 'serve', image: test };
  // The registry of old has the images of today's.
  const full = ref.full.replace(/^k8s\.gcr\.io\//, 'registry.k8s.io/');
  const known = wellKnown[ref.name.replace(/^k8s\.gcr\.io\//, 'registry.k8s.io/')];
  const moved = full === ref.full ? {} : { id: `sha256:${digestOf(`id ${full}`)}` };
  if (known && hasTag(ref.tag))
    return {
      kind: 'serve',
      image: { ref: ref.full, digest: ref.digest || `sha256:${digestOf(full)}`, ...moved, ...known },
    };
  if (/^(docker\.io|registry\.k8s\.io|k8s\.gcr\.io|quay\.io|ghcr\.io|gcr\.io)\//.test(ref.name))
    return { kind: 'not-found' };
  return { kind: 'no-such-host' };
}
