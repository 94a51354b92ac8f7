import { type ContainerConfig, supplementalGroupsPolicy } from '../../cri/index.js';

/** The user and group that a container's processes run as. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  /** All groups, the primary one first. */
  readonly groups: readonly number[];
  readonly name: string;
  readonly home: string;
}

/** A user that an image's /etc/passwd and /etc/group have. */
export interface User {
  readonly name: string;
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  /** Groups that it belongs to besides. */
  readonly groups?: readonly number[];
}

/** The users in every image's /etc/passwd. */
const known: readonly User[] = [
  { name: 'root', uid: 0, gid: 0, home: '/root' },
  { name: 'nobody', uid: 65534, gid: 65534, home: '/' },
];

export const accountFiles: Readonly<Record<string, string>> = {
  '/etc/passwd': known.map((k) => `${k.name}:x:${k.uid}:${k.gid}:${k.name}:${k.home}:/bin/sh\n`).join(''),
  '/etc/group': known.map((k) => `${k.name}:x:${k.gid}:\n`).join(''),
};

/** Names that /etc/group has, by number. */
export const groupNames: ReadonlyMap<number, string> = new Map(known.map((k) => [k.gid, k.name]));

export const rootAccount: Account = { uid: 0, gid: 0, groups: [0], name: 'root', home: '/root' };

/** The user that the configuration or else the image names; a text if there is none, as containerd words it. */
export function accountOf(
  config: ContainerConfig,
  image: { readonly spec: { readonly user?: string; readonly users?: readonly User[] } },
): Account | string {
  const security = config.linux?.securityContext;
  const [imageUser = '', imageGroup = ''] = (image.spec.user ?? '').split(':');
  const given = security?.runAsUsername || (security?.runAsUser ? (security.runAsUser.value ?? '0') : '');
  const group = security?.runAsGroup ? (security.runAsGroup.value ?? '0') : '';
  if (!given && group)
    return `failed to get container spec opts: failed to generate user string: user group "${group}" is specified without user`;
  const user = given || imageUser || '0';
  // Names that only the image's own file would tell are taken for a user of its own.
  const fromImage = user === imageUser ? { name: user, uid: 1000, gid: 1000, home: '/' } : undefined;
  const users = [...(image.spec.users ?? []), ...known];
  const entry: User | undefined = /^\d+$/.test(user)
    ? (users.find((k) => k.uid === Number(user)) ?? { name: user, uid: Number(user), gid: 0, home: '/' })
    : (users.find((k) => k.name === user) ?? fromImage);
  if (!entry) return 'failed to create containerd container: no users found';
  const groupText = group || (given ? '' : imageGroup);
  const gid = /^\d+$/.test(groupText) ? Number(groupText) : (known.find((k) => k.name === groupText)?.gid ?? entry.gid);
  const asked = (security?.supplementalGroups ?? []).map(Number);
  const ofImage = supplementalGroupsPolicy(security ?? {}) === 'Strict' ? [] : (entry.groups ?? []);
  const more = [...asked, ...ofImage].sort((a, b) => a - b);
  const { name, uid, home } = entry;
  return { name, uid, gid, home, groups: [...new Set([gid, ...more])] };
}
