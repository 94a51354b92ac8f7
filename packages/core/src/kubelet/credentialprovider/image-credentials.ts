import type { OSInterface } from '../../host/os.js';
import type { Kernel } from '../../kernel/index.js';
import { type DockerKeyring, unionKeyring } from './keyring.js';
import { NodeKeyring } from './node-keyring.js';
import { type ExecPlugin, ExternalCredentialProviderKeyring } from './plugin.js';
import type { CredentialProvider } from './plugin-config.js';

/** Further places where a host has credentials for images. */
export interface ImageCredentials {
  /** Folders of the process, for `config.json` and `.dockercfg`. */
  readonly working?: string;
  readonly home?: string;
  /** Plug-ins, and what runs them. upstream: --image-credential-provider-config, --image-credential-provider-bin-dir */
  readonly plugins?: { readonly providers: readonly CredentialProvider[]; readonly exec: ExecPlugin };
}

/** Credentials of the node: those of its files before those that its plug-ins give. */
export function newNodeKeyring(
  kernel: Kernel,
  os: OSInterface,
  rootDirectory: string,
  { working, home, plugins }: ImageCredentials = {},
): DockerKeyring {
  const files = new NodeKeyring(kernel, os, {
    preferred: rootDirectory,
    ...(working !== undefined && { working }),
    ...(home !== undefined && { home }),
  });
  if (!plugins) return files;
  return unionKeyring([files, new ExternalCredentialProviderKeyring(kernel, plugins.providers, plugins.exec)]);
}
