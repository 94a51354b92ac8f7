/** A fleet's verdict as one file of HTML with a lane for each node. It needs nothing else and runs nothing. */
import { clean, escapeHtml, htmlDocument } from '../rendering/index.js';
import type { Lang } from '../verdict/index.js';
import { clockBasis, clockOffset } from './clock-words.js';
import { type Lane, type LaneBar, lanesOf, MOST_ROWS, ticksOf, tickText } from './lanes.js';
import { named, period, sections, titles } from './text.js';
import type { FleetStory, SharedCause } from './types.js';
import { problemWords } from './unread.js';
import { timeText } from './words.js';

const text = (said: string): string => escapeHtml(clean(said));
const items = (all: readonly string[]): string => `<ul>\n${all.map((one) => `<li>${one}</li>`).join('\n')}\n</ul>`;

const words = {
  title: { en: 'Fleet', zh: '多节点报告' },
  lanes: { en: 'Nodes on one clock', zh: '同一时钟下的节点' },
  how: {
    en: 'Times are UTC by the API server’s clock. A bar is an incident: it is red if the node or a pod could not do its work, and its end is open if the log ended before it. A number in a circle is a shared cause of the list above, with a band where it began on its nodes. Point at a bar for its sentence; open a node for all of them.',
    zh: '时间为 UTC，以 API server 的时钟为准。条形表示事故：红色表示节点或 Pod 无法工作；末端开放表示日志结束时仍未恢复。带圈数字对应上方列表中的共同原因，竖带表示它在各节点上的起始时段。将指针移到条形上可看到说明；展开节点可看到全部事故。',
  },
  calm: { en: 'no incident', zh: '无事故' },
  unread: { en: 'not read', zh: '未读取' },
  clock: { en: 'clock', zh: '时钟' },
  source: { en: 'source', zh: '来源' },
  kubelet: { en: 'kubelet', zh: 'kubelet' },
  madeBy: { en: 'made by', zh: '生成者' },
} as const;

const STYLE = `
body { max-width: 90rem; }
.lanes { border-top: 1px solid var(--line); }
.lane { border-bottom: 1px solid var(--line); }
.lane > summary, .ruler { display: grid; grid-template-columns: 15rem 1fr; align-items: center; gap: .5rem; list-style: none; cursor: pointer; min-height: 2rem; }
.ruler { cursor: default; position: sticky; top: 0; background: var(--ground); z-index: 1; border-bottom: 1px solid var(--line); }
.lane > summary::-webkit-details-marker { display: none; }
.lane > summary:focus-visible { outline: 2px solid var(--link); }
.name { overflow: hidden; text-overflow: ellipsis; white-space: nowrap; }
.name b { font-weight: 600; }
.offset { color: var(--soft); font: 12px ui-monospace, monospace; margin-left: .4rem; }
.lane svg, .ruler svg { display: block; width: 100%; height: 26px; overflow: visible; }
.ruler text { fill: var(--soft); font: 11px ui-monospace, monospace; }
.span { fill: var(--panel); }
.band { fill: var(--link); opacity: .13; }
.tick { stroke: var(--line); }
.bar { fill: #b7791f; stroke: var(--ground); stroke-width: .5; }
.bar.grave { fill: var(--bad); }
.number { display: inline-block; min-width: 1.5em; padding: 0 .35em; border-radius: 1em; background: var(--link); color: var(--ground); font: 600 11px/1.6 system-ui, sans-serif; text-align: center; margin-left: .25rem; }
.lane > div { padding: 0 0 .75rem 1rem; }
@media (max-width: 40rem) { .lane > summary, .ruler { grid-template-columns: 1fr; gap: 0; padding-top: .3rem; } }
@media print { .lane > summary { break-inside: avoid; } }
`;

/** The width of the drawing in its own units; the page stretches it. */
const WIDTH = 1000;
const HEIGHT = 26;

/** Returns a story as HTML. No content of a source becomes markup. */
export function fleetHtml(story: FleetStory, lang: Lang): string {
  const w = (name: keyof typeof words) => text(words[name][lang]);
  const about = [
    [text(titles.period[lang]), period(story)],
    [w('madeBy'), story.by],
  ] as const;
  const body = [
    `<style>${STYLE}</style>`,
    `<h1>${text(story.verdict.text[lang])}</h1>`,
    `<p class="soft">${text(story.verdict.read[lang])}</p>`,
    '<dl>',
    ...about.flatMap(([name, said]) => (said === '' ? [] : [`<dt>${name}</dt><dd>${text(said)}</dd>`])),
    '</dl>',
    ...story.causes.flatMap((cause, i) => [
      `<h3 id="cause-${i + 1}">${i + 1}. ${text(cause.text[lang])}</h3>`,
      `<p class="soft">${text(titles.nodes[lang])}: ${text(named(cause.nodes, lang))}</p>`,
    ]),
    `<h2>${w('lanes')}</h2>`,
    `<p class="soft">${w('how')}</p>`,
    ...lanes(story, lang),
    ...sections(story, lang).flatMap(({ title, lines }) => [`<h2>${text(title)}</h2>`, items(lines.map(text))]),
  ];
  return htmlDocument({ lang, title: `${words.title[lang]}: ${story.verdict.text[lang]}`, body });
}

function lanes(story: FleetStory, lang: Lang): string[] {
  const { from, to, causes } = story;
  const span = Math.max(1, (to ?? 0) - (from ?? 0));
  const x = (at: number): number => Math.round(((at - (from ?? 0)) / span) * WIDTH * 100) / 100;
  const ticks = from === null || to === null ? [] : ticksOf(from, to, 8);
  // Labels are texts of HTML: those of the drawing would be stretched with it.
  const labels = ticks.map(
    (at, i) =>
      `<svg x="${x(at) / 10}%" overflow="visible"><text y="17" text-anchor="middle">${tickText(at, ticks[i - 1])}</text></svg>`,
  );
  const lines = ticks.map((at) => `<line class="tick" x1="${x(at)}" x2="${x(at)}" y1="0" y2="${HEIGHT}"/>`).join('');
  return [
    '<div class="lanes">',
    `<div class="ruler" aria-hidden="true"><span></span><svg>${labels.join('')}</svg></div>`,
    ...lanesOf(story).map((lane) => laneHtml(lane, { causes, x, lines, lang })),
    '</div>',
  ];
}

interface Drawing {
  readonly causes: readonly SharedCause[];
  readonly x: (at: number) => number;
  readonly lines: string;
  readonly lang: Lang;
}

function laneHtml(lane: Lane, drawing: Drawing): string {
  const { node, bars, marks } = lane;
  const { causes, x, lines, lang } = drawing;
  const w = (name: keyof typeof words) => text(words[name][lang]);
  const own = [...new Set(marks.map(({ cause }) => cause))].sort((a, b) => a - b);
  const numbers = own.map((i) => `<span class="number" title="${text(causes[i]?.text[lang] ?? '')}">${i + 1}</span>`);
  const bands = own.map((i) => {
    const { from, to } = causes[i] as SharedCause;
    return `<rect class="band" x="${x(from)}" width="${Math.max(3, x(to) - x(from))}" height="${HEIGHT}"/>`;
  });
  const log =
    lane.from === null || lane.to === null
      ? ''
      : `<rect class="span" x="${x(lane.from)}" width="${Math.max(1, x(lane.to) - x(lane.from))}" height="${HEIGHT}"/>`;
  const svg = `<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none" aria-hidden="true">${log}${lines}${bands.join('')}${bars.map((bar) => barSvg(bar, lane.rows, drawing)).join('')}</svg>`;
  const said =
    node.problem !== ''
      ? ` <span class="bad">${w('unread')}</span>`
      : bars.length === 0
        ? ` <span class="soft">${w('calm')}</span>`
        : '';
  const problem = problemWords(node);
  const details = [
    ...(problem ? [`<p class="bad">${text(problem[lang])}</p>`] : []),
    `<p class="soft">${[w('kubelet'), text(node.version), `${w('source')}: ${text(node.source)}`].join(' ')}</p>`,
    `<p class="soft">${text(clockBasis(node)[lang])}</p>`,
    ...(bars.length > 0 ? [items(bars.map(({ text: sentence }) => text(sentence[lang])))] : []),
  ];
  return `<details class="lane"><summary><span class="name"><b>${text(node.name)}</b><span class="offset">${text(clockOffset(node))}</span>${numbers.join('')}${said}</span>${svg}</summary><div>${details.join('\n')}</div></details>`;
}

function barSvg(bar: LaneBar, rows: number, { x, lang }: Drawing): string {
  const height = (HEIGHT - 6) / Math.min(MOST_ROWS, rows);
  const width = Math.max(3, x(bar.end) - x(bar.begin));
  const box = `x="${x(bar.begin)}" y="${3 + bar.row * height}" width="${width}" height="${Math.max(3, height - 1)}"`;
  const round = bar.open ? '' : ' rx="1.5"';
  return `<rect class="bar${bar.grave ? ' grave' : ''}" ${box}${round}><title>${text(`${timeText(bar.begin)} ${bar.text[lang]}`)}</title></rect>`;
}
