/**
 * Puts a tap between a kubelet and its runtime, and removes it again. The runtime's socket stays where it is: only one
 * value changes, the endpoint in the kubelet's configuration. A plan lists each change before it is made.
 */
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { SetupError } from '../base/errors.js';
import { readRegularSync, settingsLimit } from '../base/read-file.js';
import { tapUnits, unitNames } from './units.js';

/** The machine, as far as a plan looks at it and changes it. `root` is before each path: for tests. */
export interface Machine {
  readonly root: string;
  /** Runs a program; throws its output if it fails. */
  readonly run: (command: string, args: readonly string[]) => void;
  /** Resolves when the runtime behind a socket reports its version; rejects with the reason if it does not. */
  readonly ask: (path: string) => Promise<void>;
}

export interface InstallOptions {
  readonly program: string;
  readonly listen: string;
  readonly evidence: string;
  /** The file with the kubelet's endpoint; found by itself if it is not given. */
  readonly file?: string;
}

export interface Step {
  /** A sentence, and lines that show the change. */
  readonly text: string;
  readonly apply: () => void | Promise<void>;
}

/** The changes that were made, for whoever takes them back. */
interface Installed {
  readonly file: string;
  readonly before: string;
  readonly after: string;
}

export const stateFile = '/var/lib/syncloop/tap.json';
const unitFolder = '/etc/systemd/system';
/** Files that may set a kubelet's endpoint: flags override the configuration, so they come first. */
const flagFiles = ['/var/lib/kubelet/kubeadm-flags.env', '/etc/default/kubelet', '/etc/sysconfig/kubelet'];
const unitFolders = ['/etc/systemd/system/kubelet.service.d', '/usr/lib/systemd/system/kubelet.service.d'];
const configFiles = ['/var/lib/kubelet/config.yaml', '/etc/kubernetes/kubelet.conf.yaml'];

/** The endpoint in a flag of a command line, or in a field of a KubeletConfiguration in YAML or JSON. */
const ENDPOINT = /(--container-runtime-endpoint[= ]["']?|["']?containerRuntimeEndpoint["']?:[ \t]*["']?)([^\s"',]+)/g;

/** Plans what `syncloop tap install` does. Throws a SetupError if it cannot be done. */
export function planInstall(machine: Machine, options: InstallOptions): { steps: Step[]; target: string } {
  const at = (path: string) => join(machine.root, path);
  if (existsSync(at(stateFile)))
    throw new SetupError(`a tap is installed already (${stateFile}): remove it first, with: syncloop tap remove`);
  const file = options.file ?? findFile(at);
  const text = read(at(file));
  const found = [...text.matchAll(ENDPOINT)];
  const values = new Set(found.map((match) => match[2] as string));
  if (values.size !== 1)
    throw new SetupError(
      values.size === 0
        ? `${file} names no container runtime endpoint: give the file that does with --file, or write containerRuntimeEndpoint into it`
        : `${file} names ${values.size} endpoints (${[...values].join(', ')}): leave one`,
    );
  const before = [...values][0] as string;
  const target = before.replace(/^unix:\/\//, '');
  if (!target.startsWith('/')) throw new SetupError(`${file} names ${before}: only unix sockets can be tapped`);
  if (target === options.listen) throw new SetupError(`${file} names ${before} already, which is the tap's own socket`);
  const after = `unix://${options.listen}`;
  const units = tapUnits({ ...options, target });
  const systemd = existsSync(at('/run/systemd/system'));
  const way: Step[] = systemd
    ? [
        writes(at, `${unitFolder}/${unitNames.socket}`, units.socket),
        writes(at, `${unitFolder}/${unitNames.service}`, units.service),
        runs(machine, 'systemctl', ['daemon-reload']),
        runs(machine, 'systemctl', ['enable', '--now', unitNames.socket, unitNames.service]),
        // Nothing of the kubelet is touched before the tap is known to work.
        { text: `ask the runtime for its version through ${options.listen}`, apply: () => machine.ask(options.listen) },
      ]
    : [
        {
          text: `there is no systemd here: keep this running, as root, before the kubelet is started again:\n    ${options.program} tap --endpoint unix://${target} --listen ${after} --evidence unix://${options.evidence}`,
          apply: () => {},
        },
      ];
  const steps = [
    // The record for undoing the rest comes first, however far the installation gets.
    writes(at, stateFile, `${JSON.stringify({ file, before, after } satisfies Installed, null, 2)}\n`, 0o600),
    ...way,
    replaces(at, file, before, after),
    restarts(machine, systemd),
  ];
  return { steps, target };
}

/** Plans what `syncloop tap remove` does. */
export function planRemove(machine: Machine): Step[] {
  const at = (path: string) => join(machine.root, path);
  if (!existsSync(at(stateFile))) throw new SetupError(`no tap is installed here: there is no ${stateFile}`);
  const { file, before, after } = JSON.parse(read(at(stateFile))) as Installed;
  const systemd = existsSync(at('/run/systemd/system'));
  const units = Object.values(unitNames).filter((name) => existsSync(at(`${unitFolder}/${name}`)));
  const back = read(at(file)).includes(after);
  return [
    back
      ? replaces(at, file, after, before)
      : { text: `${file} does not name ${after} any more: it stays as it is`, apply: () => {} },
    // The kubelet is off the tap before the tap goes.
    restarts(machine, systemd),
    ...(systemd && units.length > 0 ? [runs(machine, 'systemctl', ['disable', '--now', ...units])] : []),
    ...units.map((name) => removes(at, `${unitFolder}/${name}`)),
    ...(systemd && units.length > 0 ? [runs(machine, 'systemctl', ['daemon-reload'])] : []),
    removes(at, stateFile),
  ];
}

function findFile(at: (path: string) => string): string {
  const dropIns = unitFolders.flatMap((folder) =>
    existsSync(at(folder)) ? readdirSync(at(folder)).map((name) => `${folder}/${name}`) : [],
  );
  const all = [...flagFiles, ...dropIns, '/etc/systemd/system/kubelet.service', ...configFiles];
  const found = all.find((path) => existsSync(at(path)) && read(at(path)).search(ENDPOINT) >= 0);
  if (found) return found;
  throw new SetupError(
    `none of the usual files names the kubelet's container runtime endpoint (${[...flagFiles, ...configFiles].join(', ')}): give the file that does with --file`,
  );
}

function read(path: string): string {
  try {
    return readRegularSync(path, { limit: settingsLimit }).toString('utf8');
  } catch (err) {
    throw new SetupError(`cannot read ${path}: ${(err as Error).message}`);
  }
}

/** Writes in one step: a reader has the old file or the new one. */
function put(path: string, text: string, mode: number): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o755 });
    const fresh = `${path}.syncloop-new`;
    writeFileSync(fresh, text, { mode });
    chmodSync(fresh, mode);
    renameSync(fresh, path);
  } catch (err) {
    throw new SetupError(`cannot write ${path}: ${(err as Error).message}; run this as root`);
  }
}

const writes = (at: (path: string) => string, path: string, text: string, mode = 0o644): Step => ({
  text: `write ${path}:\n${text.trimEnd().replace(/^/gm, '    ')}`,
  apply: () => put(at(path), text, mode),
});

function replaces(at: (path: string) => string, path: string, before: string, after: string): Step {
  const text = read(at(path));
  const next = text.replace(ENDPOINT, (all, head: string, value: string) => (value === before ? head + after : all));
  const changed = text.split('\n').flatMap((line, i) => {
    const other = next.split('\n')[i] as string;
    return line === other ? [] : [`    - ${line}`, `    + ${other}`];
  });
  return {
    text: `change ${path}:\n${changed.join('\n')}`,
    apply: () => put(at(path), next, statSync(at(path)).mode & 0o777),
  };
}

const removes = (at: (path: string) => string, path: string): Step => ({
  text: `remove ${path}`,
  apply: () => rmSync(at(path), { force: true }),
});

const runs = (machine: Machine, command: string, args: readonly string[]): Step => ({
  text: `run: ${[command, ...args].join(' ')}`,
  apply: () => machine.run(command, args),
});

const restarts = (machine: Machine, systemd: boolean): Step =>
  systemd
    ? runs(machine, 'systemctl', ['restart', 'kubelet.service'])
    : { text: 'start the kubelet again, by whatever starts it here; its containers go on meanwhile', apply: () => {} };
