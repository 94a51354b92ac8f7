import { useEffect, useState } from 'react';
import { runCommand } from '../../commands/index.js';
import { useT } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import './drop-zone.css';

const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes('Files') ?? false;

/** Shows, while a file is dragged over the page, that it can be let go, and opens it then. */
export function DropZone() {
  const t = useT();
  const [over, setOver] = useState(false);
  useEffect(() => {
    // Chromium and Firefox tell of leaving the page by a leave to nowhere; a drag that ends elsewhere tells nothing
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
      const [file, ...more] = event.dataTransfer?.files ?? [];
      if (more.length > 0) notify(t('recordings.oneAtATime'), true);
      else if (file) runCommand('file.open', file);
    };
    window.addEventListener('dragover', onOver);
    window.addEventListener('dragleave', onLeave);
    // As early as others that take some files: whoever stops it there must not leave this open.
    window.addEventListener('drop', onDrop, true);
    return () => {
      end();
      window.removeEventListener('dragover', onOver);
      window.removeEventListener('dragleave', onLeave);
      window.removeEventListener('drop', onDrop, true);
    };
  }, [t]);
  if (!over) return null;
  return (
    <div className="sl-drop" data-testid="drop-zone">
      <p>
        <strong>{t('recordings.drop')}</strong>
        <span>{t('recordings.dropWhat')}</span>
      </p>
    </div>
  );
}
