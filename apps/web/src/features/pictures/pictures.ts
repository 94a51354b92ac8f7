/** Takes, copies and saves pictures of the graph. */

import { download, fileName } from '../../files/pick-and-save.js';
import { t } from '../../i18n/index.js';
import { notify } from '../../page/ui-store.js';
import { withProgress } from '../../run/progress-store.js';
import { useSession } from '../../run/session-store.js';
import { seconds } from '../../units/text.js';
import { drawGraph, pngOf } from './draw.js';
import { usePicture } from './picture-store.js';

/** `hello-12.345s.svg` */
export function pictureName(ending: string): string {
  const { info, run } = useSession.getState();
  return `${fileName(info?.title ?? 'syncloop').replace(/\.syncloop$/, '')}-${seconds(run.time)}s.${ending}`;
}

export function saveSVG(): void {
  const { svg } = drawGraph(usePicture.getState());
  download(pictureName('svg'), new Blob([svg], { type: 'image/svg+xml' }));
}

/** Draws the picture at once, before the run goes on; only the conversion takes long. */
function png(): Promise<Blob> {
  const options = usePicture.getState();
  const picture = drawGraph(options);
  return withProgress('progress.picture', () => pngOf(picture, options.scale));
}

export async function savePNG(): Promise<void> {
  download(pictureName('png'), await png());
}

/** Copies the picture. Rejects with the remedy if the browser does not let the page copy pictures. */
export async function copyPNG(): Promise<void> {
  if (typeof ClipboardItem === 'undefined' || !navigator.clipboard?.write) throw new Error(t('picture.noClipboard'));
  const blob = png();
  try {
    // Given as a promise: some browsers let a page copy only right after the click.
    await navigator.clipboard.write([new ClipboardItem({ 'image/png': blob })]);
  } catch (error) {
    await blob;
    throw error instanceof DOMException ? new Error(t('picture.noClipboard')) : error;
  }
  notify(t('picture.copied'));
}
