/** Small edits of manifest text that keep the rest of it as it is, and the beginning of a new manifest. */
export interface NamedText {
  readonly file: string;
  readonly text: string;
}

export const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,250}\.(ya?ml|json)$/;
/** An image that no registry has. */
export const NO_SUCH_IMAGE = 'registry.invalid/no-such-image:1.0';

const NAME = /^\s*(?:["']?name["']?)\s*:\s*["']?([a-z0-9](?:[-a-z0-9.]*[a-z0-9])?)["']?\s*,?\s*$/m;

/** The name in the metadata: the first `name:` of the text is good enough for manifests as people write them. */
export function nameIn(text: string): string {
  const metadata = /^metadata\s*:\s*$([\s\S]*?)^(?=\S)/m.exec(`${text}\nend`)?.[1];
  return NAME.exec(metadata ?? text)?.[1] ?? '';
}

/** The manifest that a pod came from: a static pod is called NAME-NODE. */
export function manifestOf(manifests: readonly NamedText[], pod: string): NamedText | null {
  const name = pod.slice(pod.indexOf('/') + 1);
  let best: NamedText | null = null;
  for (const m of manifests) {
    const own = nameIn(m.text);
    if (own === '' || !(name === own || name.startsWith(`${own}-`))) continue;
    if (!best || own.length > nameIn(best.text).length) best = m;
  }
  return best;
}

/** Replaces the first image by one that does not exist. */
export function breakImage(text: string): string {
  return text.replace(
    /(["']?image["']?\s*:\s*)("[^"]*"|'[^']*'|[^\s,}]+)/,
    (_, head: string) => `${head}${text.trimStart().startsWith('{') ? `"${NO_SUCH_IMAGE}"` : NO_SUCH_IMAGE}`,
  );
}

/** Adds an environment variable to the first container; each call gives a new value. */
export function addVariable(text: string): string {
  const held = /^(\s*- name: TRIED\s*\n\s*value: ["'])(\d+)(["'])/m;
  if (held.test(text))
    return text.replace(held, (_, head: string, n: string, tail: string) => `${head}${Number(n) + 1}${tail}`);
  const env = /^(\s*)env:\s*$\n(\s*)- /m.exec(text);
  if (env) {
    const at = env.index + (env[0].length - `${env[2]}- `.length);
    return `${text.slice(0, at)}${env[2]}- name: TRIED\n${env[2]}  value: "1"\n${text.slice(at)}`;
  }
  // Next to the image, which every container has.
  return text.replace(/^(\s*)(- )?image:.*$/m, (line: string, indent: string, dash: string | undefined) => {
    const pad = `${indent}${dash ? '  ' : ''}`;
    return `${line}\n${pad}env:\n${pad}  - name: TRIED\n${pad}    value: "1"`;
  });
}
