/** upstream: pkg/util/parsers DefaultImageTag */
const defaultImageTag = 'latest';

const component = '[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*';
const domainLabel = '(?:[a-zA-Z0-9]|[a-zA-Z0-9][a-zA-Z0-9-]*[a-zA-Z0-9])';
const domain = `(?:${domainLabel}(?:\\.${domainLabel})*|\\[(?:[a-fA-F0-9:]+)\\])(?::[0-9]+)?`;
const reference = new RegExp(
  `^((?:(?:${domain})/)?${component}(?:/${component})*)(?::([\\w][\\w.-]{0,127}))?(?:@([A-Za-z][A-Za-z0-9]*(?:[-_+.][A-Za-z][A-Za-z0-9]*)*:[0-9a-fA-F]{32,}))?$`,
);

export interface ImageName {
  /** With the default registry if the name has none. */
  readonly repo: string;
  /** '' if the name has a digest and no tag. */
  readonly tag: string;
  readonly digest: string;
}

/** Throws with the text of the reference library. upstream: pkg/util/parsers ParseImageName (distribution/reference) */
export function parseImageName(image: string): ImageName {
  const fail = (why: string): never => {
    throw new Error(`couldn't parse image name "${image}": ${why}`);
  };
  if (image === '') fail('invalid reference format');
  // A bare ID could also be a name: only the runtime can distinguish the two.
  if (/^[0-9a-f]{64}$/.test(image))
    fail(`invalid repository name (${image}), cannot specify 64-byte hexadecimal strings`);
  const slash = image.indexOf('/');
  const first = image.slice(0, Math.max(0, slash));
  const hasDomain = slash >= 0 && (/[.:]/.test(first) || first === 'localhost' || first.toLowerCase() !== first);
  const registry = hasDomain ? (first === 'index.docker.io' ? 'docker.io' : first) : 'docker.io';
  const rest = hasDomain ? image.slice(slash + 1) : image;
  const path = registry === 'docker.io' && !rest.includes('/') ? `library/${rest}` : rest;
  // Up to the first colon, whatever it belongs to, as the reference library does.
  const name = path.split(':')[0] ?? '';
  if (name.toLowerCase() !== name) fail(`invalid reference format: repository name (${name}) must be lowercase`);
  const m = reference.exec(`${registry}/${path}`);
  if (!m) return fail('invalid reference format');
  const repo = m[1] as string;
  if (repo.length - registry.length - 1 > 255) fail('repository name must not be more than 255 characters');
  const digest = m[3] ?? '';
  return { repo, tag: m[2] ?? (digest ? '' : defaultImageTag), digest };
}

/**
 * The name with `:latest` if it has neither tag nor digest; short names stay short (fidelity 2:M-01).
 * upstream: applyDefaultImageTag
 */
export function applyDefaultImageTag(image: string): string {
  const { tag, digest } = parseImageName(image);
  return digest === '' && tag !== '' && !image.endsWith(`:${tag}`) ? `${image}:${tag}` : image;
}
