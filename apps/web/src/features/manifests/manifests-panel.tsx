import {
  type ImageAnswerOf,
  type ImageQuestion,
  imageQuestions,
  noteText,
  type WorkloadPod,
} from '@syncloop/core/scenario/workload';
import { useEffect, useState } from 'react';
import { isAvailable, tryCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { notify, useUI } from '../../page/ui-store.js';
import { useSession } from '../../run/session-store.js';
import { session } from '../../session/session.js';
import { CommandButton } from '../../ui/command-button.js';
import { Icon } from '../../ui/icons.js';
import { MenuButton } from '../../ui/menu-button.js';
import { applyWorkload, workloadFor } from './apply-workload.js';
import { takenFiles } from './commands.js';
import { EditorPane, type Refusal } from './editor-pane.js';
import { FileList } from './file-list.js';
import { answered } from './logic/behaviours.js';
import { FILE_NAME } from './logic/manifests.js';
import {
  addDraft,
  dropApplied,
  dropDraft,
  openFile,
  renameDraft,
  useManifests,
  writeDraft,
} from './manifests-store.js';
import './manifests.css';
import { askNode, tellImages } from './node-images.js';
import { TEMPLATE_MENU } from './template-menu.js';
import { useChecked, useFolder } from './use-manifest.js';
import { WideButton } from './wide-button.js';
import { DroppedList } from './workload-bar.js';

/** Shows the manifest folder, which the file source reads, and an editor for it. */
export function ManifestsPanel() {
  const t = useT();
  const allowed = useSession((s) => s.info?.capabilities.apply ?? false);
  const epoch = useSession((s) => s.info?.id);
  const { rows, open } = useFolder();
  const [kept, setKept] = useState('');
  const checked = useChecked(open, kept);
  const comparing = useManifests((s) => s.comparing);
  const [refusal, setRefusal] = useState<Refusal | null>(null);
  const [dropped, setDropped] = useState<readonly WorkloadPod[] | null>(null);
  const [chosen, setChosen] = useState<Readonly<Record<string, ImageAnswerOf>>>({});

  // biome-ignore lint/correctness/useExhaustiveDependencies: another session has another folder
  useEffect(() => {
    setRefusal(null);
    setDropped(null);
    setChosen({});
    void session.refreshManifests().catch(() => {});
  }, [epoch]);

  if (!allowed) return <p className="sl-empty">{t('manifests.readOnly')}</p>;

  const questions = checked.questions.map((q) => answered(q, chosen[q.full]));
  const lang = useUI.getState().lang === 'en' ? 'en' : 'zh';

  const apply = async (force = false) => {
    if (!open) return;
    const { file, text } = open;
    const refuse = (message: string, forcible: boolean) => setRefusal({ file, text, message, forcible });
    if (!isAvailable('manifest.apply')) {
      refuse(t('manifests.notNow'), false);
      return;
    }
    try {
      const knows = await askNode();
      const workload = workloadFor(text, knows);
      const asItIs = force || text === kept || workload.kind === 'pod';
      const errors = workload.problems.some((p) => p.severity === 'error');
      if (!asItIs && workload.pods.length === 0 && workload.notes.length > 0) {
        refuse(workload.notes.map((n) => noteText(n, lang)).join(' '), true);
        return;
      }
      if (!asItIs && errors && workload.pods.length > 0) {
        refuse(t('workload.errors'), false);
        return;
      }
      if (knows) {
        const asked = imageQuestions(workload.pods, knows);
        await tellImages(
          asked,
          asked.map((q) => answered(q, chosen[q.full])),
        );
      }
      if (!asItIs && workload.kind === 'workload') {
        const { files, objects } = await applyWorkload(workload);
        await session.refreshManifests();
        dropDraft(file);
        openFile(files[0] ?? null);
        setDropped(workload.pods.some((p) => p.dropped.length > 0) ? workload.pods : null);
        setRefusal(null);
        notify(t('workload.applied', { names: [...files, ...objects].join(', ') }));
        return;
      }
      const target = fileOfDraft(file, workload.pods[0]?.name);
      if (!FILE_NAME.test(target)) {
        refuse(t('manifests.badName'), false);
        return;
      }
      await tryCommand('manifest.apply', { file: target, text, ...(force && { force }) });
      if (target !== file) {
        dropDraft(file);
        openFile(target);
      } else dropApplied(file, text);
      setRefusal(null);
      notify(t('manifests.applied', { file: target }));
    } catch (e) {
      refuse(e instanceof Error ? e.message : String(e), true);
    }
  };
  const answer = (question: ImageQuestion, next: ImageAnswerOf) => {
    setChosen((all) => ({ ...all, [question.full]: next }));
    // A manifest that is in the folder already needs no apply: the answer is sent at once.
    if (open?.state === 'saved')
      void tellImages([question], [next]).then(
        () => notify(t('images.told', { image: question.ref })),
        (e: unknown) => notify(e instanceof Error ? e.message : String(e)),
      );
  };
  const make = () => {
    if (!open || !checked.workload) return;
    const { pods } = checked.workload;
    const [first, ...rest] = pods;
    if (!first) return;
    writeDraft(open.file, first.text);
    // A file that has no name of its own yet has the pod's.
    const file = takenFiles().includes(first.file) ? open.file : first.file;
    if (open.state === 'fresh') renameDraft(open.file, file);
    for (const pod of rest) addDraft(freeFile(pod.name), pod.text);
    openFile(open.state === 'fresh' ? file : open.file);
    setDropped(pods);
  };

  return (
    <div className="sl-manifests u-column u-grow u-min-height-0 u-scroll">
      <div className="sl-manifests-tools u-row u-wrap u-gap-6">
        <CommandButton id="manifest.new.plain" label={t('manifests.add')} testId="add-manifest">
          <Icon name="plus" />
          <span>{t('manifests.add')}</span>
        </CommandButton>
        <MenuButton groups={TEMPLATE_MENU} label={t('manifests.templates')} testId="templates" align="end">
          {t('manifests.templates')} <Icon name="down" />
        </MenuButton>
        <CommandButton
          id="edit.undo"
          className="sl-quiet sl-icon-button sl-manifests-undo u-push"
          testId="undo-manifest"
        >
          <Icon name="undo" />
        </CommandButton>
        <WideButton />
      </div>
      <FileList rows={rows} current={open?.file} />
      {open && (
        <>
          {dropped && <DroppedList pods={dropped} onClose={() => setDropped(null)} />}
          <EditorPane
            open={open}
            checked={checked}
            comparing={comparing}
            refusal={refusal?.file === open.file && refusal.text === open.text ? refusal : null}
            onApply={(force) => void apply(force)}
            questions={checked.text === open.text ? questions : []}
            onAnswer={answer}
            onMake={make}
            onKeep={() => setKept(open.text)}
            onRename={renameDraft}
          />
        </>
      )}
    </div>
  );
}

/** A name that is free for a pod's manifest. */
function freeFile(name: string): string {
  let file = `${name}.yaml`;
  for (let n = 2; takenFiles().includes(file); n++) file = `${name}-${n}.yaml`;
  return file;
}

/** A new file is called as its pod, unless somebody gave it a name. */
function fileOfDraft(file: string, pod: string | undefined): string {
  const draft = useManifests.getState().drafts[file];
  const own = `${pod}.yaml`;
  return pod && draft?.fresh && !draft.named && own !== file && !takenFiles().includes(own) ? own : file;
}
