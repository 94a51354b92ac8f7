/** apply, delete, edit and the manifest folder. */
import type { ConsoleCommand } from '@syncloop/core/kubectl';
import { tryCommand } from '../../commands/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { manifestOf, nameIn } from '../manifests/logic/manifests.js';
import { can, findPod, type Io, lookAround, notFound, send } from './context.js';
import { freshObjects } from './objects.js';
import type { Pod } from './pod.js';

async function manifests() {
  await session.refreshManifests();
  return useSession.getState().manifests;
}

/** Returns the pod's name also if its metadata are on one line, or in JSON. */
function podNameIn(text: string): string {
  const inLine = /["']?metadata["']?\s*:\s*\{[^{}]*?["']?\bname["']?\s*:\s*["']?([a-z0-9][-a-z0-9.]*)/.exec(text)?.[1];
  return inLine ?? nameIn(text);
}

/** With an API server kubectl speaks to that; without one there is the manifest folder. */
export async function apply(io: Io, c: Extract<ConsoleCommand, { do: 'apply' }>): Promise<void> {
  if (!can('apply')) {
    io.note('console.readOnly');
    return;
  }
  const files = await manifests();
  const known = files.find((m) => m.file === c.file || m.file === `${c.file}.yaml`);
  const text = c.file === '-' ? c.stdin : (known?.text ?? null);
  if (text === null) {
    if (c.file === '-') io.err('error: no objects passed to apply');
    else {
      io.err(`error: the path "${c.file}" does not exist`);
      io.note('console.noFile', { files: files.map((m) => m.file).join(', ') || '-' });
    }
    return;
  }
  if (known === undefined && (await applyOther(io, text))) return;
  const name = podNameIn(text);
  const { api } = await freshObjects();
  if (api !== null) {
    const there = api.some((p) => p.metadata.name === name);
    await send({ do: 'act', action: { apply: { file: `${name || 'pod'}.yaml`, to: 'api', manifest: text } } });
    io.out(`pod/${name} ${there ? 'configured' : 'created'}`);
    return;
  }
  const file = known?.file ?? `${name || 'pod'}.yaml`;
  const before = files.find((m) => m.file === file);
  if (before?.text === text) {
    io.out(`pod/${name} unchanged`);
    return;
  }
  await tryCommand('manifest.apply', { file, text });
  io.out(`pod/${name} ${before ? 'configured' : 'created'}`);
  io.note('console.appliedFile', { file });
}

/**
 * Applies anything but a plain manifest of a pod; false for such a manifest, and for a text that cannot be read, which
 * others report.
 */
async function applyOther(io: Io, text: string): Promise<boolean> {
  const { applyText, sayNotes } = await import('../manifests/apply-workload.js');
  const { workload, applied } = await applyText(text);
  const refused = workload.pods.length === 0 && workload.notes.length > 0;
  if (!applied && !refused) return false;
  for (const sentence of sayNotes(workload)) {
    if (refused) io.err(`error: ${sentence}`);
    else io.out(`# ${sentence}`);
  }
  for (const name of applied?.objects ?? []) io.out(`${name} created`);
  for (const { name, file, api } of applied ? workload.pods : [])
    if (!api) {
      io.out(`pod/${name} created`);
      io.note('console.appliedFile', { file });
    }
  return true;
}

export async function deletePods(io: Io, c: Extract<ConsoleCommand, { do: 'delete' }>): Promise<void> {
  if (!can('apply')) {
    io.note('console.readOnly');
    return;
  }
  const world = await lookAround();
  const { pods, api } = await freshObjects();
  let { names } = c;
  if (c.file !== null) {
    const found = (await manifests()).find((m) => m.file === c.file);
    if (!found) {
      io.err(`error: the path "${c.file}" does not exist`);
      return;
    }
    if (api === null) return removeFile(io, found.file);
    names = [podNameIn(found.text)];
  }
  if (c.force && c.grace === 0)
    io.err(
      'Warning: Immediate deletion does not wait for confirmation that the running resource has been terminated. The resource may continue to run on the cluster indefinitely.',
    );
  for (const name of names) {
    const inApi = api?.find((p) => p.metadata.name === name && p.metadata.namespace === c.namespace);
    const here = [...world.pods, ...pods].find((p) => p.metadata.name === name && p.metadata.namespace === c.namespace);
    if (inApi) {
      const grace = c.grace === null || c.grace < 0 ? {} : { gracePeriodSeconds: c.grace };
      await send({ do: 'act', action: { delete: { pod: `${c.namespace}/${name}`, to: 'api', ...grace } } });
      io.out(`pod "${name}" ${c.force ? 'force deleted' : 'deleted'} from ${c.namespace} namespace`);
      if (isStatic(inApi)) await noteFile(io, 'console.deletedMirror', inApi);
    } else if (here) {
      io.err(`Error from server (NotFound): pods "${name}" not found`);
      await noteFile(io, api === null ? 'console.noServer' : 'console.notInServer', here);
    } else notFound(io, name, world.pods);
  }
}

const isStatic = ({ metadata: { annotations = {} } }: Pod): boolean =>
  'kubernetes.io/config.mirror' in annotations ||
  ['file', 'http'].includes(annotations['kubernetes.io/config.source'] ?? '');

/** Says something about a static pod and its file, or that the folder has none of it. */
async function noteFile(io: Io, text: Parameters<Io['note']>[0], pod: Pod): Promise<void> {
  const found = manifestOf(await manifests(), `${pod.metadata.namespace}/${pod.metadata.name}`);
  if (found) io.note(text, { file: found.file });
  else io.note('console.staticElsewhere');
}

export async function edit(io: Io, c: Extract<ConsoleCommand, { do: 'edit' }>): Promise<void> {
  if (!can('apply')) {
    io.note('console.readOnly');
    return;
  }
  const files = await manifests();
  let file = files.find((m) => m.file === c.pod)?.file;
  if (file === undefined) {
    const pod = findPod(io, await lookAround(), c.namespace, c.pod);
    if (!pod) return;
    file = manifestOf(files, `${c.namespace}/${c.pod}`)?.file;
  }
  if (file === undefined) {
    io.note('console.noManifest', { pod: c.pod });
    return;
  }
  useUI.setState({ left: 'manifests' });
  io.note('console.editing', { file });
}

export async function listFiles(io: Io): Promise<void> {
  if (!can('apply')) {
    io.note('console.readOnly');
    return;
  }
  const files = await manifests();
  if (files.length === 0) io.note('console.noFiles');
  else io.out(files.map((m) => m.file).join('\n'));
}

export async function printFile(io: Io, name: string): Promise<void> {
  const files = await manifests();
  const found = files.find((m) => m.file === name);
  if (found) io.out(found.text.trimEnd());
  else {
    io.err(`cat: ${name}: No such file or directory`);
    io.note('console.noFile', { files: files.map((m) => m.file).join(', ') || '-' });
  }
}

export async function removeFile(io: Io, name: string): Promise<void> {
  if (!can('apply')) {
    io.note('console.readOnly');
    return;
  }
  const files = await manifests();
  if (!files.some((m) => m.file === name)) {
    io.err(`rm: cannot remove '${name}': No such file or directory`);
    io.note('console.noFile', { files: files.map((m) => m.file).join(', ') || '-' });
    return;
  }
  await tryCommand('manifest.delete', name);
  io.note('console.removedFile', { file: name });
}
