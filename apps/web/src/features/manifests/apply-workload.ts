/** Brings a pasted text onto the node: what images do, objects, pods. */
import { imageQuestions, noteText, readWorkload, type Workload } from '@syncloop/core/scenario/workload';
import { tryCommand } from '../../commands/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { askNode, type NodeKnows, tellImages } from './node-images.js';

/** A workload as this session's node would have it. */
export function workloadFor(text: string, knows: NodeKnows | null): Workload {
  return readWorkload(text, { nodeName: useSession.getState().info?.node ?? 'node1', api: knows?.api ?? false });
}

export interface AppliedWorkload {
  /** Manifests that were written. */
  readonly files: readonly string[];
  /** The objects that went to the API server: `configmap/web`, `pod/web-0`. */
  readonly objects: readonly string[];
}

/** Rejects with the session's sentence at the first that is refused. */
export async function applyWorkload(workload: Workload): Promise<AppliedWorkload> {
  const files: string[] = [];
  const objects: string[] = [];
  const act = async (file: string, manifest: unknown, name: string) => {
    await session.command({ do: 'act', action: { apply: { file, to: 'api', manifest } } as never });
    objects.push(name);
  };
  if (workload.pods.some((p) => p.api))
    for (const { kind, name, value } of workload.objects)
      await act(`${name}.yaml`, value, `${kind.toLowerCase()}/${name}`);
  for (const { api, file, text, name } of workload.pods) {
    if (api) await act(file, text, `pod/${name}`);
    else {
      await tryCommand('manifest.apply', { file, text });
      files.push(file);
    }
  }
  return { files, objects };
}

/**
 * The same for a text from elsewhere, with the probable behaviour of its images. `applied` is null for a plain pod, and
 * if there is none.
 */
export async function applyText(
  text: string,
): Promise<{ readonly workload: Workload; readonly applied: AppliedWorkload | null }> {
  const knows = await askNode();
  const workload = workloadFor(text, knows);
  if (workload.pods.length === 0 || workload.problems.some((p) => p.severity === 'error'))
    return { workload, applied: null };
  if (knows) {
    const questions = imageQuestions(workload.pods, knows);
    await tellImages(questions, questions);
  }
  return { workload, applied: workload.kind === 'workload' ? await applyWorkload(workload) : null };
}

/** Returns its notes in the page's language. */
export const sayNotes = ({ notes }: Workload): string[] =>
  notes.map((note) => noteText(note, useUI.getState().lang === 'en' ? 'en' : 'zh'));
