import { checkManifest, looksObserved, type Outcome, outcomeOf, type Problem } from '@syncloop/core/schema';
import { useEffect, useMemo, useState } from 'react';
import { type ManifestFile, useSession } from '../../run/session-store.js';
import { type FileRow, fileRows } from './logic/manifests-drafts.js';
import { enterFolder, useManifests } from './manifests-store.js';

/** The manifest that is open. */
export interface OpenManifest {
  readonly file: string;
  readonly text: string;
  readonly state: FileRow['state'];
  /** As it is in the folder; null where it is not. */
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

/** What is known of a manifest a moment after it was last written to. */
export interface ManifestCheck {
  /** The text that it is about. */
  readonly text: string;
  readonly problems: readonly Problem[];
  readonly outcome: Outcome | null;
  /** It is a pod as kubectl prints it. */
  readonly observed: boolean;
}

const NOTHING: ManifestCheck = { text: '', problems: [], outcome: null, observed: false };
/** Between the last letter and the check (ms). */
const REST = 350;

export function useChecked(open: OpenManifest | null): ManifestCheck {
  const nodeName = useSession((s) => s.info?.node ?? 'node1');
  // The folder is looked at again and again while a run goes on; only what changed in it counts.
  const manifests = useSession((s) => s.manifests);
  const folder = useMemo(() => JSON.stringify(manifests), [manifests]);
  const file = open?.file ?? '';
  const text = open?.text ?? '';
  const saved = open?.saved ?? null;
  const [checked, setChecked] = useState<ManifestCheck & { readonly file: string }>({ ...NOTHING, file: '' });
  useEffect(() => {
    const look = () => {
      const options = { file, nodeName };
      const problems = checkManifest(text, options);
      const bad = problems.some((p) => p.severity === 'error');
      const others = JSON.parse(folder) as ManifestFile[];
      const outcome = bad || saved === text ? null : outcomeOf(saved, text, options, others);
      setChecked({ file, text, problems, outcome, observed: looksObserved(text) });
    };
    const timer = setTimeout(look, REST);
    return () => clearTimeout(timer);
  }, [file, text, saved, nodeName, folder]);
  return checked.file === file ? checked : NOTHING;
}
