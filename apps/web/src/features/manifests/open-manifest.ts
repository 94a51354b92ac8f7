/** Files of manifests that are dropped onto the page or chosen. */
import { HEAD_BYTES, kindOfFile } from '../../files/file-kind.js';
import { t } from '../../i18n/index.js';
import { useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { takenFiles } from './commands.js';
import { FILE_NAME } from './logic/manifests.js';
import { addDraft } from './manifests-store.js';

/** The most letters that an editor gets: longer texts are not manifests of one workload. */
const LONGEST = 1_000_000;

/** A manifest becomes a draft that can be applied, a scenario is loaded. Rejects if the session takes none. */
export async function openManifestFile(file: Blob, name: string): Promise<void> {
  const can = useSession.getState().info?.capabilities;
  const text = file.size <= LONGEST ? await file.text() : '';
  const scenario = kindOfFile(new TextEncoder().encode(text.slice(0, HEAD_BYTES))) === 'scenario';
  if (text === '' || !(scenario ? can?.scenarios : can?.apply))
    throw new Error(t(scenario ? 'recordings.wrong.scenario' : 'recordings.wrong.manifest', { name }));
  if (scenario) {
    await session.command({ do: 'load', scenario: name.replace(/\.[^.]*$/, ''), text });
    useUI.setState({ selection: null, inspectorOpen: false, tryDismissed: false });
    return;
  }
  const own = FILE_NAME.test(name) ? name : 'pasted.yaml';
  let free = own;
  for (let n = 2; takenFiles().includes(free); n++) free = own.replace(/(\.[^.]*)$/, `-${n}$1`);
  useUI.setState({ left: 'manifests' });
  addDraft(free, text.replaceAll('\r\n', '\n'));
}
