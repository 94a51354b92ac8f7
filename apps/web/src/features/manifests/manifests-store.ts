import { create } from 'zustand';
import { recall, remember } from '../../page/storage.js';
import { useSession } from '../../run/session-store.js';
import { type Drafts, draftsFrom, draftsTo, renamed, without, withText } from './logic/manifests-drafts.js';

/** The file that is open in the editor, and the texts that are not applied yet. */
export interface ManifestsState {
  /** The scope of this folder: drafts of one scenario do not appear in another. */
  readonly scope: string;
  readonly drafts: Drafts;
  /** null: the first one. */
  readonly current: string | null;
  /** True if the editor shows the differences from the file. */
  readonly comparing: boolean;
  /** The focus goes to the editor when it is there; changes with each wish. */
  readonly focus: number;
}

export const useManifests = create<ManifestsState>(() => ({
  scope: '',
  drafts: {},
  current: null,
  comparing: false,
  focus: 0,
}));

/** Returns the scope of the folder: a scenario, or a node. */
export const scopeNow = (): string => {
  const { info } = useSession.getState();
  return info ? info.scenario || info.title : '';
};

/** Takes up the drafts of the session that is there now. */
export function enterFolder(): void {
  const scope = scopeNow();
  if (scope === useManifests.getState().scope) return;
  useManifests.setState({ scope, drafts: draftsFrom(recall('drafts'), scope), current: null, comparing: false });
}

function keep(drafts: Drafts): void {
  const { scope } = useManifests.getState();
  useManifests.setState({ drafts });
  if (scope !== '') remember('drafts', draftsTo(recall('drafts'), scope, drafts));
}

const savedText = (file: string): string | undefined =>
  useSession.getState().manifests.find((m) => m.file === file)?.text;

export function openFile(file: string | null): void {
  useManifests.setState({ current: file, comparing: false });
}
export function writeDraft(file: string, text: string): void {
  keep(withText(useManifests.getState().drafts, file, text, savedText(file)));
}
export function dropDraft(file: string): void {
  keep(without(useManifests.getState().drafts, file));
}
/** A text is in the folder now. What was written since it was sent is a draft still. */
export function dropApplied(file: string, text: string): void {
  const newer = useManifests.getState().drafts[file]?.text ?? text;
  dropDraft(file);
  if (newer === text) openFile(file);
  else writeDraft(file, newer);
}
let focused = 0;
/** Returns true if the editor should take the focus; only once for each wish. */
export function takeFocus(): boolean {
  const { focus } = useManifests.getState();
  if (focus === focused) return false;
  focused = focus;
  return true;
}
/** A new file, open and ready to be written. */
export function addDraft(file: string, text: string): void {
  enterFolder();
  keep({ ...useManifests.getState().drafts, [file]: { text, fresh: true } });
  useManifests.setState((s) => ({ current: file, comparing: false, focus: s.focus + 1 }));
}
export function renameDraft(file: string, to: string): void {
  const { drafts } = useManifests.getState();
  const next = renamed(drafts, file, to);
  if (next === drafts) return;
  keep(next);
  useManifests.setState({ current: to });
}
