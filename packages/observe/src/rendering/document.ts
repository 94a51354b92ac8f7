/** The frame of a report as one file of HTML: its style, and a policy that forbids scripts and external resources. */
import { clean, escapeHtml } from './escape.js';

const STYLE = `
:root { color-scheme: light dark; --text: #1c2330; --soft: #5b6675; --line: #d8dee6; --ground: #fff; --panel: #f5f7f9; --bad: #b3261e; --link: #1a56c4; }
@media (prefers-color-scheme: dark) { :root { --text: #e4e9f0; --soft: #9aa6b5; --line: #333c49; --ground: #14181e; --panel: #1c222b; --bad: #ff8a80; --link: #8ab4ff; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 70rem; padding: 2rem 1.25rem 4rem; background: var(--ground); color: var(--text); font: 15px/1.55 system-ui, sans-serif; }
h1 { font-size: 1.5rem; line-height: 1.3; margin: 0 0 .75rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2.25rem 0 .5rem; border-bottom: 1px solid var(--line); padding-bottom: .25rem; }
h3 { font-size: 1rem; margin: 1.5rem 0 .25rem; overflow-wrap: anywhere; }
p { margin: .4rem 0; overflow-wrap: anywhere; }
a { color: var(--link); }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1rem; margin: 0; color: var(--soft); }
dd { margin: 0; overflow-wrap: anywhere; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; margin: .5rem 0; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .75rem .3rem 0; border-bottom: 1px solid var(--line); overflow-wrap: break-word; }
th { color: var(--soft); font-weight: 600; }
td.n, th.n { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
time, .time, code, pre { font: 13px/1.5 ui-monospace, monospace; }
time, .time { white-space: nowrap; }
pre { background: var(--panel); padding: .6rem .8rem; border-radius: 4px; overflow-x: auto; margin: .35rem 0; }
ul { padding-left: 1.2rem; margin: .4rem 0; }
li { margin: .25rem 0; overflow-wrap: anywhere; }
.bad { color: var(--bad); font-weight: 600; }
.soft { color: var(--soft); }
@media (max-width: 40rem) { dl { grid-template-columns: 1fr; } dt { font-weight: 600; } }
@media print { body { max-width: none; } details > * { display: block; } }
`;

/** A whole document; `body` is HTML, `title` is text. */
export function htmlDocument({
  lang,
  title,
  body,
}: {
  readonly lang: 'en' | 'zh';
  readonly title: string;
  readonly body: readonly string[];
}): string {
  return [
    '<!doctype html>',
    `<html lang="${lang === 'en' ? 'en' : 'zh-CN'}">`,
    '<head>',
    '<meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    '<meta name="referrer" content="no-referrer">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    `<title>${escapeHtml(clean(title))}</title>`,
    `<style>${STYLE}</style>`,
    '</head>',
    '<body>',
    ...body,
    '</body>',
    '</html>',
    '',
  ].join('\n');
}
