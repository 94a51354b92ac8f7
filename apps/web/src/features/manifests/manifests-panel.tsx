import { type CleanedPod, splitDocuments } from '@syncloop/core/schema';
import { useEffect, useState } from 'react';
import { isAvailable, tryCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { MenuButton } from '../../ui/menu-button.js';
import { takenFiles } from './commands.js';
import { EditorPane, type Refusal } from './editor-pane.js';
import { FileList } from './file-list.js';
import { FILE_NAME } from './logic/manifests.js';
import { addDraft, dropApplied, openFile, renameDraft, useManifests, writeDraft } from './manifests-store.js';
import './manifests.css';
import { DroppedList, PasteBar } from './paste-bar.js';
import { TEMPLATE_MENU } from './template-menu.js';
import { useChecked, useFolder } from './use-manifest.js';
import { WideButton } from './wide-button.js';

/** The manifest folder: what the file source reads, and an editor for it. */
export function ManifestsPanel() {
  const t = useT();
  const allowed = useSession((s) => s.info?.capabilities.apply ?? false);
  const epoch = useSession((s) => s.info?.id);
  const { rows, open } = useFolder();
  const checked = useChecked(open);
  const comparing = useManifests((s) => s.comparing);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [dropped, setDropped] = useState<readonly CleanedPod[] | null>(null);
  const [kept, setKept] = useState('');

  // biome-ignore lint/correctness/useExhaustiveDependencies: another session has another folder
  useEffect(() => {
    setRefusal(null);
    setDropped(null);
    void session.refreshManifests().catch(() => {});
  }, [epoch]);

  if (!allowed) return <p className="sl-empty">{t('manifests.readOnly')}</p>;

  const apply = async (force = false) => {
    if (!open) return;
    const { file, text } = open;
    if (!FILE_NAME.test(file)) {
      setRefusal({ file, text, message: t('manifests.badName'), forcible: false });
      return;
    }
    if (!isAvailable('manifest.apply')) {
      setRefusal({ file, text, message: t('manifests.notNow'), forcible: false });
      return;
    }
    try {
      await tryCommand('manifest.apply', { file, text, ...(force && { force }) });
      dropApplied(file, text);
      setRefusal(null);
      notify(t('manifests.applied', { file }));
    } catch (e) {
      setRefusal({ file, text, message: e instanceof Error ? e.message : String(e), forcible: true });
    }
  };
  const split = () => {
    if (!open) return;
    const [first, ...rest] = splitDocuments(open.text);
    if (!first) return;
    writeDraft(open.file, first.text);
    for (const part of rest) {
      const name = part.name || 'pod';
      let file = `${name}.yaml`;
      for (let n = 2; takenFiles().includes(file); n++) file = `${name}-${n}.yaml`;
      addDraft(file, part.text);
    }
    openFile(open.file);
  };

  return (
    <div className="sl-manifests">
      <div className="sl-manifests-tools">
        <CommandButton id="manifest.new.plain" label={t('manifests.add')} testId="add-manifest">
          <Icon name="plus" />
          <span>{t('manifests.add')}</span>
        </CommandButton>
        <MenuButton groups={TEMPLATE_MENU} label={t('manifests.templates')} testId="templates" align="end">
          {t('manifests.templates')} <Icon name="down" />
        </MenuButton>
        <CommandButton id="edit.undo" className="sl-quiet sl-icon-button sl-manifests-undo" testId="undo-manifest">
          <Icon name="undo" />
        </CommandButton>
        <WideButton />
      </div>
      <FileList rows={rows} current={open?.file} />
      {open && (
        <>
          {dropped && <DroppedList pods={dropped} onClose={() => setDropped(null)} />}
          {checked.observed && checked.text === open.text && kept !== open.text && (
            <PasteBar
              key={open.text}
              file={open.file}
              text={open.text}
              fresh={open.state === 'fresh'}
              onDone={(pods) => {
                if (pods === null) setKept(open.text);
                setDropped(pods);
              }}
            />
          )}
          <EditorPane
            open={open}
            checked={checked}
            comparing={comparing}
            refusal={refusal?.file === open.file && refusal.text === open.text ? refusal : null}
            onApply={(force) => void apply(force)}
            onSplit={split}
            onRename={renameDraft}
          />
        </>
      )}
    </div>
  );
}
