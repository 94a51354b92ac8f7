/** Why an image cannot be pulled: the words of runtimes and registries, and what they mean. */
import type { Text } from '../why/types.js';

/** The first that fits counts. */
const rows: readonly (readonly [RegExp, string, string])[] = [
  [
    /no registries configured|no unqualified-search registries|did not resolve to an alias/i,
    'its name has no registry, and the runtime has none to look in',
    '其名称不含镜像仓库，而运行时也未配置默认仓库',
  ],
  [
    /unable to inspect (?:docker )?image/i,
    'a container still refers to it, and the runtime has it no more',
    '仍有容器引用它，而运行时中已没有该镜像',
  ],
  [
    /toomanyrequests|too many requests|pull rate limit/i,
    'the registry limits how often images are pulled',
    '镜像仓库限制了拉取频率',
  ],
  [/x509:|tls: /i, "the registry's certificate is not accepted", '镜像仓库的证书未被接受'],
  [/HTTP response to HTTPS client/i, 'the registry speaks HTTP and not HTTPS', '镜像仓库使用 HTTP 而非 HTTPS'],
  [
    /no match for platform|no matching manifest/i,
    "there is none for the node's platform",
    '没有适用于该节点平台的版本',
  ],
  [
    /pull access denied|insufficient_scope|unauthorized|authentication required|no basic auth|403 Forbidden|401 Unauthorized|access denied|requested access to the resource is denied/i,
    'it does not exist, or the registry did not accept the credentials',
    '它不存在，或镜像仓库未接受凭据',
  ],
  [
    /manifest unknown|name unknown|: not found$|manifest for .* not found|404 Not Found/i,
    'the registry does not have it',
    '镜像仓库中没有它',
  ],
  [
    /no such host|name resolution|server misbehaving|i\/o timeout|connection refused|no route to host|network is unreachable|TLS handshake timeout|Client\.Timeout|deadline exceeded|connection reset|: EOF$|50[234] /i,
    'the registry could not be reached',
    '无法访问镜像仓库',
  ],
  [/couldn't parse image|invalid reference format|InvalidImageName/i, 'its name is not valid', '其名称无效'],
  [
    /ErrImageNeverPull|pull policy of Never/i,
    'it is not on the node and may not be pulled (imagePullPolicy: Never)',
    '节点上没有它，且不允许拉取（imagePullPolicy: Never）',
  ],
];

export function imageReason(text: string): Text | null {
  const found = rows.find(([words]) => words.test(text));
  return found ? { en: found[1], zh: found[2] } : null;
}
