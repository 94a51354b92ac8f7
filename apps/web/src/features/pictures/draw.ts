/**
 * The graph as a picture of its own: an SVG with the graph's elements and the styles that they use in it. It asks
 * nothing of the page or the network, and any browser shows it, as a file or in an <img>.
 */
import { t } from '../../i18n/index.js';
import { narration } from '../../run/narration.js';
import { useSession } from '../../run/session-store.js';
import { seconds } from '../../units/text.js';
import { arrangementNow, LAYOUTS } from '../graph/index.js';
import { isDark, stylesFor } from './styles.js';
import './pictures.css';

export interface PictureOptions {
  /** All of the graph, or the part in view. */
  readonly part: 'whole' | 'view';
  readonly theme: 'page' | 'light';
  readonly caption: boolean;
  /** True if the caption has the same height for every text: for frames of a film. */
  readonly fixed?: boolean;
}
export interface Picture {
  readonly svg: string;
  /** CSS px. */
  readonly width: number;
  readonly height: number;
}

/** Around the whole graph, CSS px. */
const MARGIN = 16;
/** Height of the graph's toolbar on the page, CSS px. */
const TOOLS = 38;

const SVG = 'http://www.w3.org/2000/svg';
const XHTML = 'http://www.w3.org/1999/xhtml';

/** Returns the caption: the narrator's sentence, and where in which run this is. */
export function captionNow(): { readonly sentence: string; readonly position: string } {
  const sentence = narration.said?.parts.map((part) => (typeof part === 'string' ? part : part.text)).join('') ?? '';
  const { info, run } = useSession.getState();
  const position = t('picture.position', {
    title: info?.title ?? '',
    time: seconds(run.time),
    step: run.steps,
    record: run.seq,
  });
  return { sentence: sentence || t('narrator.before'), position };
}

function caption(width: number, fixed: boolean): HTMLElement {
  const { sentence, position } = captionNow();
  const element = document.createElement('div');
  element.className = 'sl-picture-caption';
  element.style.width = `${width}px`;
  if (fixed) element.classList.add('sl-picture-fixed');
  element.style.fontSize = `${Math.round(Math.min(24, Math.max(13, width / 80)))}px`;
  for (const [name, text] of [
    ['said', sentence],
    ['where', position],
  ] as const) {
    const line = element.appendChild(document.createElement('p'));
    line.className = `sl-picture-${name}`;
    line.textContent = text;
  }
  return element;
}

/** Height that it has on the page. */
function measured(element: HTMLElement): number {
  const copy = element.cloneNode(true) as HTMLElement;
  copy.classList.add('sl-picture-measure');
  document.body.append(copy);
  const { height } = copy.getBoundingClientRect();
  copy.remove();
  return Math.ceil(height);
}

/** Moves the children of a copy, which has nothing scrolled, to the places at which they are seen. */
function scrollAlike(from: Element, to: Element): void {
  const { scrollLeft: x, scrollTop: y } = from;
  if (x !== 0 || y !== 0)
    for (const child of to.children) if (child instanceof HTMLElement) child.style.translate = `${-x}px ${-y}px`;
  for (let i = 0; i < from.children.length; i++) {
    const [a, b] = [from.children[i], to.children[i]];
    if (a && b) scrollAlike(a, b);
  }
}

/** Copies of the elements around one, which take no room: selectors name them. */
function within(around: Element | null, inner: HTMLElement): HTMLElement {
  if (!(around instanceof HTMLElement) || around === document.documentElement) return inner;
  const copy = around.cloneNode(false) as HTMLElement;
  if (around === document.body) copy.removeAttribute('class');
  const box = around === document.body ? document.createElement('div') : copy;
  box.removeAttribute('id');
  box.style.display = 'contents';
  box.append(inner);
  return within(around.parentElement, box);
}

export class PictureError extends Error {
  override readonly name = 'PictureError';
}

/** Draws the graph as it is now. Throws a PictureError if there is no graph. */
export function drawGraph(options: PictureOptions): Picture {
  const graph = document.querySelector<HTMLElement>('.sl-graph');
  const flow = graph?.querySelector<HTMLElement>('.react-flow__viewport');
  if (!graph || !flow) throw new PictureError(t('picture.noGraph'));
  const { world } = LAYOUTS[arrangementNow()];
  const whole = options.part === 'whole';
  const width = whole ? Math.ceil(world.w + 2 * MARGIN) : graph.clientWidth;
  const graphHeight = whole ? Math.ceil(world.h + 2 * MARGIN) : graph.clientHeight - TOOLS;
  const words = options.caption ? caption(width, options.fixed ?? false) : null;
  const height = graphHeight + (words ? measured(words) : 0);

  const copy = flow.cloneNode(true) as HTMLElement;
  scrollAlike(flow, copy);
  const moved = new DOMMatrixReadOnly(getComputedStyle(flow).transform);
  copy.style.transform = whole
    ? `translate(${MARGIN - world.x}px, ${MARGIN - world.y}px)`
    : `translate(${moved.e}px, ${moved.f - TOOLS}px) scale(${moved.a})`;
  const box = graph.cloneNode(false) as HTMLElement;
  Object.assign(box.style, { position: 'relative', inset: 'auto', width: `${width}px`, height: `${graphHeight}px` });
  // These are React Flow's own boxes between the graph and its moving part.
  let middle = copy;
  for (let e = flow.parentElement; e && e !== graph; e = e.parentElement) {
    const around = e.cloneNode(false) as HTMLElement;
    around.append(middle);
    middle = around;
  }
  box.append(middle);
  const sheet = document.createElement('div');
  sheet.className = 'sl-picture';
  sheet.append(within(graph.parentElement, box), ...(words ? [words] : []));

  const svg = document.createElementNS(SVG, 'svg');
  svg.setAttribute('width', String(width));
  svg.setAttribute('height', String(height));
  svg.setAttribute('viewBox', `0 0 ${width} ${height}`);
  svg.setAttribute('role', 'img');
  const { sentence, position } = captionNow();
  const title = svg.appendChild(document.createElementNS(SVG, 'title'));
  title.textContent = `${position}: ${sentence}`;
  const place = document.createElementNS(SVG, 'foreignObject');
  place.setAttribute('width', '100%');
  place.setAttribute('height', '100%');
  sheet.setAttribute('xmlns', XHTML);
  place.append(sheet);
  svg.append(place);
  const style = stylesFor(place, options.theme === 'page' && isDark());
  const text = new XMLSerializer().serializeToString(svg);
  // Put in as text: an element would be an inline style of this page, which its policy refuses.
  const at = text.indexOf('<foreignObject');
  const escaped = style.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  return { svg: `${text.slice(0, at)}<style>${escaped}</style>${text.slice(at)}`, width, height };
}

/** Returns an address for an <img>: not a blob's, as a canvas with such a picture cannot be read again. */
export const urlOf = ({ svg }: Picture): string => `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;

export async function imageOf(picture: Picture): Promise<HTMLImageElement> {
  const image = new Image();
  image.src = urlOf(picture);
  try {
    await image.decode();
  } catch {
    throw new PictureError(t('picture.cannot'));
  }
  return image;
}

/** Longest side that every browser can draw, px. */
const LONGEST = 16_384;

/** The scale that can be drawn. */
export const scaleFor = ({ width, height }: Picture, wanted: number): number =>
  Math.min(wanted, LONGEST / Math.max(width, height));

export async function pngOf(picture: Picture, scale: number): Promise<Blob> {
  const image = await imageOf(picture);
  const by = scaleFor(picture, scale);
  const canvas = document.createElement('canvas');
  canvas.width = Math.round(picture.width * by);
  canvas.height = Math.round(picture.height * by);
  canvas.getContext('2d')?.drawImage(image, 0, 0, canvas.width, canvas.height);
  const blob = await new Promise<Blob | null>((resolve) => canvas.toBlob(resolve, 'image/png'));
  if (!blob) throw new PictureError(t('picture.cannot'));
  return blob;
}
