import type { DNSConfig, PodSandboxConfig } from '../../cri/index.js';
import type { MountPoint } from '../fs/container-fs.js';
import { MemFS } from '../fs/memfs.js';
import type { Core } from './core.js';

const names = ['hosts', 'hostname', 'resolv.conf'] as const;

/** The files that the runtime makes for a sandbox and mounts into each of its containers. */
export function sandboxFiles(core: Core, config: PodSandboxConfig): MemFS {
  const fs = new MemFS(core.kernel);
  const ofHost = (path: string) => (core.fs.existsSync(path) ? core.fs.readFileSync(path) : '');
  fs.writeFileSync('/hosts', ofHost('/etc/hosts'));
  fs.writeFileSync('/hostname', `${config.hostname || core.nodeName}\n`);
  fs.writeFileSync('/resolv.conf', resolvConf(config.dnsConfig) || ofHost('/etc/resolv.conf'));
  return fs;
}

/** upstream: containerd internal/cri/server/podsandbox parseDNSOptions */
function resolvConf({ servers = [], searches = [], options = [] }: DNSConfig = {}): string {
  return [
    ...(searches.length > 0 ? [`search ${searches.join(' ')}\n`] : []),
    ...servers.map((server) => `nameserver ${server}\n`),
    ...(options.length > 0 ? [`options ${options.join(' ')}\n`] : []),
  ].join('');
}

/** Mounts of those files, if the container has none of its own. */
export function sandboxMounts(files: MemFS, own: readonly MountPoint[], readonly: boolean): MountPoint[] {
  return names
    .map((name) => ({ at: `/etc/${name}`, fs: files, source: `/${name}`, readonly }))
    .filter(({ at }) => !own.some((m) => m.at === at));
}
