import { useEffect, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import './drop-zone.css';

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** Most files of folders that are looked into: what a collector of logs leaves behind has thousands. */
const MOST = 20_000;

/**
 * Opens dropped files, and all files in dropped folders. The entries are taken before this first waits: later they are
 * gone.
 */
async function openDropped({ items, files }: DataTransfer): Promise<void> {
  const entries = [...items].map((item) => item.webkitGetAsEntry?.() ?? null);
  const loose = [...files];
  if (!entries.some((entry) => entry?.isDirectory)) {
    if (loose.length > 0) runCommand('files.open', loose);
    return;
  }
  const found: File[] = [];
  for (const entry of entries) if (entry) await collect(entry, found);
  if (found.length > 0) runCommand('files.open', found);
}

async function collect(entry: FileSystemEntry, into: File[]): Promise<void> {
  if (into.length >= MOST) return;
  if (entry.isFile) {
    const file = await new Promise<File | null>((then) => (entry as FileSystemFileEntry).file(then, () => then(null)));
    // Which file is whose stands in the path, which a file of an entry does not have.
    if (file)
      into.push(Object.defineProperty(file, 'webkitRelativePath', { value: entry.fullPath.replace(/^\//, '') }));
    return;
  }
  const reader = (entry as FileSystemDirectoryEntry).createReader();
  // It gives the entries in portions, the last of which is empty.
  for (;;) {
    const portion = await new Promise<FileSystemEntry[]>((then) => reader.readEntries(then, () => then([])));
    if (portion.length === 0) return;
    for (const one of portion) await collect(one, into);
  }
}

/** Shows, while a file is dragged over the page, that it can be let go, and opens it then. */
export function DropZone() {
  const t = useT();
  const [over, setOver] = useState(false);
  useEffect(() => {
    // Chromium and Firefox report leaving the page by a leave to nowhere; a drag that ends elsewhere sends nothing
    // more.
    let timer: ReturnType<typeof setTimeout> | undefined;
    const end = () => {
      clearTimeout(timer);
      setOver(false);
    };
    const onOver = (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      if (event.dataTransfer) event.dataTransfer.dropEffect = 'copy';
      setOver(true);
      clearTimeout(timer);
      timer = setTimeout(end, 800);
    };
    const onLeave = (event: DragEvent) => {
      if (event.relatedTarget === null) end();
    };
    const onDrop = (event: DragEvent) => {
      end();
      if (!hasFiles(event) || event.defaultPrevented) return;
      event.preventDefault();
      if (event.dataTransfer) void openDropped(event.dataTransfer);
    };
    window.addEventListener('dragover', onOver);
    window.addEventListener('dragleave', onLeave);
    // The capture phase sees a drop that another part takes and stops: the overlay must close then as well.
    window.addEventListener('drop', onDrop, true);
    return () => {
      end();
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('drop', onDrop, true);
    };
  }, []);
  if (!over) return null;
  return (
    <div className="sl-drop u-grid u-no-pointer" data-testid="drop-zone">
      <p className="u-grid u-gap-6 u-border-strong u-round u-panel u-text-center">
        <strong className="u-weight-600 u-fs-4">{t('recordings.drop')}</strong>
        <span className="u-dim">{t('recordings.dropWhat')}</span>
        <span className="u-dim">{t('recordings.dropStays')}</span>
      </p>
    </div>
  );
}
