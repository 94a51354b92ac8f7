/** Files of several logs, one after the other: `minikube logs`, `tail -n +1 a b`, `kubectl cluster-info dump`. */

const SECTION = /^(?:\* )?==> (.{1,200}?) <==$/;
const DUMP = /^==== (START|END) logs for container (\S+) of pod \S+ ====$/;

/** Sections of `minikube logs` whose text another program wrote than their name says. */
const WRITERS: { readonly [name: string]: string } = {
  audit: 'minikube',
  'last start': 'minikube',
  'container status': 'crictl',
  'describe nodes': 'kubectl',
  docker: 'dockerd',
  'cri-o': 'crio',
  dmesg: 'kernel',
};

/** The program whose log begins in this line; null if none does, '' if the last one ends. */
export function sectionOf(line: string): string | null {
  if (!line.startsWith('==') && !line.startsWith('* ==')) return null;
  const dump = DUMP.exec(line);
  if (dump) return dump[1] === 'END' ? '' : (dump[2] as string);
  const found = SECTION.exec(line)?.[1];
  if (found === undefined) return null;
  // `kube-apiserver [7c504d5a5c66]`, `/var/log/kubelet.log`
  const name = found
    .replace(/ \[[^\]]*\]$/, '')
    .replace(/^.*[\\/]/, '')
    .replace(/\.(?:log|txt|gz)\b.*$/, '')
    .toLowerCase();
  return WRITERS[name] ?? name;
}
