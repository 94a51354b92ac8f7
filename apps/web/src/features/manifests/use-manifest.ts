import type { ManifestFile } from '@syncloop/core/debug';
import { checkManifest, type Outcome, outcomeOf, type Problem } from '@syncloop/core/manifest';
import { type ImageQuestion, imageQuestions, portsOf, type Workload } from '@syncloop/core/scenario/workload';
import { useEffect, useMemo, useState } from 'react';
import { useSession } from '../../run/session-store.js';
import { workloadFor } from './apply-workload.js';
import { type FileRow, fileRows } from './logic/manifests-drafts.js';
import { enterFolder, useManifests } from './manifests-store.js';
import { useNodeKnows } from './node-images.js';

/** The manifest that is open. */
export interface OpenManifest {
  readonly file: string;
  readonly text: string;
  readonly state: FileRow['state'];
  /** The text in the folder; null if the file is not there. */
  readonly saved: string | null;
}

export function useFolder(): { readonly rows: readonly FileRow[]; readonly open: OpenManifest | null } {
  const manifests = useSession((s) => s.manifests);
  const scope = useSession((s) => s.info && (s.info.scenario || s.info.title));
  const drafts = useManifests((s) => s.drafts);
  const current = useManifests((s) => s.current);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another scenario has another folder
  useEffect(enterFolder, [scope]);
  return useMemo(() => {
    const rows = fileRows(
      manifests.map((m) => m.file),
      drafts,
    );
    const row = rows.find((r) => r.file === current) ?? rows[0];
    if (!row) return { rows, open: null };
    const saved = manifests.find((m) => m.file === row.file)?.text ?? null;
    const text = drafts[row.file]?.text ?? saved ?? '';
    return { rows, open: { ...row, text, saved } };
  }, [manifests, drafts, current]);
}

/** The checks of a manifest, a moment after it was last changed. */
export interface ManifestCheck {
  /** The text that it is about. */
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly outcome: Outcome | null;
  /** The workload if the text is more than one manifest of a pod. Null for a single one, and if it is kept as it is. */
  readonly workload: Workload | null;
  /** Its images that the simulation has no programs for, each with its assumed behaviour. */
  readonly questions: readonly ImageQuestion[];
  /** Ports of the containers that run an image, by its full name. */
  readonly ports: Readonly<Record<string, readonly number[]>>;
}

const NOTHING: ManifestCheck = { text: '', problems: [], outcome: null, workload: null, questions: [], ports: {} };
/** Between the last letter and the check (ms). */
const REST = 350;

/** @param kept a text that is applied as it is, whatever it is */
export function useChecked(open: OpenManifest | null, kept: string): ManifestCheck {
  const nodeName = useSession((s) => s.info?.node ?? 'node1');
  // The folder is read again and again while a run goes on; only its changes count.
  const manifests = useSession((s) => s.manifests);
  const folder = useMemo(() => JSON.stringify(manifests), [manifests]);
  const file = open?.file ?? '';
  const text = open?.text ?? '';
  const saved = open?.saved ?? null;
  const knows = useNodeKnows(file);
  const [checked, setChecked] = useState<ManifestCheck & { readonly file: string }>({ ...NOTHING, file: '' });
  useEffect(() => {
    const look = () => {
      const options = { file, nodeName };
      const read = workloadFor(text, knows);
      const plain = read.kind === 'pod' || text === kept;
      const problems = plain ? checkManifest(text, options) : read.problems;
      const bad = problems.some((p) => p.severity === 'error');
      const others = JSON.parse(folder) as ManifestFile[];
      const outcome = bad || !plain || saved === text ? null : outcomeOf(saved, text, options, others);
      const questions = knows ? imageQuestions(read.pods, knows) : [];
      const ports = Object.fromEntries(questions.map((q) => [q.full, portsFor(read, q)]));
      setChecked({ file, text, problems, outcome, workload: plain ? null : read, questions, ports });
    };
    const timer = setTimeout(look, REST);
    return () => clearTimeout(timer);
  }, [file, text, saved, nodeName, folder, knows, kept]);
  return checked.file === file ? checked : NOTHING;
}

const portsFor = ({ pods }: Workload, { containers }: ImageQuestion): number[] =>
  pods.flatMap(({ name, pod }) => {
    const { containers: own = [] } = (pod.spec ?? {}) as { containers?: { name?: string }[] };
    return own.filter((c) => containers.includes(`${name}/${c?.name ?? ''}`)).flatMap((c) => portsOf({ ...c }));
  });
