/** Commands for a container runtime, in the words of the one that a node has. */

interface RuntimeCommands {
  /** Its units, as `journalctl -u` takes them. */
  readonly units: readonly string[];
  /** The folder with its images. */
  readonly folder: string;
  /** The commands that are run in place of those for containerd. */
  readonly instead: { readonly [command: string]: string };
}

/** Docker is asked by its own client, which shows what dockershim and cri-dockerd have made. */
const DOCKER = {
  'crictl info': 'docker info',
  'crictl ps -a': 'docker ps -a',
  'crictl stats': 'docker stats --no-stream',
  'crictl rmi --prune': 'docker image prune --all',
  'crictl logs': 'docker logs',
  'containerd --version': 'docker version',
  'systemctl status containerd': 'systemctl status docker',
} as const;
const CRI_O = {
  'containerd --version': 'crio --version',
  'systemctl status containerd': 'systemctl status crio',
} as const;

const CONTAINERD: RuntimeCommands = { units: ['containerd'], folder: '/var/lib/containerd', instead: {} };
const runtimes: readonly (readonly [RegExp, RuntimeCommands])[] = [
  [/cri-?o/i, { units: ['crio'], folder: '/var/lib/containers', instead: CRI_O }],
  [/cri-docker/i, { units: ['cri-docker', 'docker'], folder: '/var/lib/docker', instead: DOCKER }],
  [/docker/i, { units: ['docker'], folder: '/var/lib/docker', instead: DOCKER }],
];

/** The commands of a runtime by its name, as `docker 20.10.5`; those of containerd if it is not known. */
export const commandsOf = (runtime: string): RuntimeCommands =>
  runtimes.find(([name]) => name.test(runtime))?.[1] ?? CONTAINERD;

/** A command for containerd as the runtime of the node has it; null if it is only about containerd. */
export function commandFor(command: string, { units, folder, instead }: RuntimeCommands): string | null {
  if (units === CONTAINERD.units) return command;
  for (const [ours, theirs] of Object.entries(instead))
    if (command === ours || command.startsWith(`${ours} `)) return theirs + command.slice(ours.length);
  if (command.includes('/etc/containerd/')) return null;
  return command.replace('/var/lib/containerd', folder);
}
