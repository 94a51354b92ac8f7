/** The page that lists nodes: three small files that need nothing else. */

export interface PageFile {
  readonly type: string;
  readonly body: string;
}

const escaped = (text: string): string => text.replace(/[&<>"]/g, (c) => `&#${c.charCodeAt(0)};`);

/** Returns the files by path. `title` is the cluster's name. */
export const nodesPage = (title: string): { readonly [path: string]: PageFile } => ({
  '/': { type: 'text/html; charset=utf-8', body: html(title) },
  '/nodes.js': { type: 'text/javascript; charset=utf-8', body: SCRIPT },
  '/nodes.css': { type: 'text/css; charset=utf-8', body: STYLE },
});

const html = (title: string) => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>syncloop: nodes</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="nodes.css">
<script type="module" src="nodes.js"></script>
</head>
<body>
<header><h1>syncloop</h1><p id="title">${escaped(title)}</p></header>
<main>
<p id="say" role="status"></p>
<table hidden>
<thead><tr><th scope="col" data-text="node"></th><th scope="col" data-text="state"></th><th scope="col" data-text="since"></th><th scope="col" data-text="restarts"></th></tr></thead>
<tbody></tbody>
</table>
<p id="note"></p>
</main>
</body>
</html>
`;

const SCRIPT = `const TEXTS = {
  en: {
    node: 'Node', state: 'Attach', since: 'Since', restarts: 'Restarts', ready: 'ready', notReady: 'not ready',
    opening: 'Opening a connection to the node…', open: 'open', loading: 'Asking the cluster…',
    none: 'No pod of syncloop attach was found. Apply deploy/kubernetes/attach, or name others with --selector and --namespace.',
    noToken: 'The link is missing: open the one that syncloop nodes printed. For another press Enter in its terminal.',
    gone: 'syncloop nodes does not answer any more: start it again.',
    note: 'A click opens the page of a node in a tab of its own, through a port that kubectl forwards. The page is read-only.',
  },
  zh: {
    node: '节点', state: 'Attach', since: '开始于', restarts: '重启次数', ready: '就绪', notReady: '未就绪',
    opening: '正在打开到该节点的通道…', open: '已打开', loading: '正在查询集群…',
    none: '没有找到 syncloop attach 的 Pod。请应用 deploy/kubernetes/attach，或用 --selector 和 --namespace 指定。',
    noToken: '缺少链接：请打开 syncloop nodes 打印的链接。要新的链接，请在它的终端里按回车。',
    gone: 'syncloop nodes 不再响应：请重新启动它。',
    note: '点击后会在单独的标签页中打开该节点的页面，经由 kubectl 转发的端口；只能查看。',
  },
};
const lang = navigator.language.toLowerCase().startsWith('zh') ? 'zh' : 'en';
const t = TEXTS[lang];
document.documentElement.lang = lang === 'zh' ? 'zh-CN' : 'en';
for (const cell of document.querySelectorAll('[data-text]')) cell.textContent = t[cell.dataset.text];
document.querySelector('#note').textContent = t.note;
const table = document.querySelector('table');
const body = document.querySelector('tbody');
const line = document.querySelector('#say');
const say = (text, failed = false) => {
  line.textContent = text;
  line.className = failed ? 'failed' : '';
};
// The code leaves the address at once, and is exchanged for a token, which stays for a reload of this tab.
const code = /[#&]code=([\\w-]+)/.exec(location.hash)?.[1];
history.replaceState(null, '', location.pathname);
let token = sessionStorage.getItem('syncloop-nodes');
async function exchange() {
  const page = btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24)))).replace(/[+/]/g, '_');
  const response = await fetch('token', { method: 'POST', headers: { Authorization: 'Link ' + code + ' ' + page } });
  if (!response.ok) throw new Error((await response.text()).trim());
  ({ token } = await response.json());
  sessionStorage.setItem('syncloop-nodes', token);
}

async function ask(path, method = 'GET') {
  const response = await fetch(path, { method, headers: { Authorization: 'Bearer ' + token } });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

async function enter({ node, pod }) {
  // Before anything is waited for, so that the browser takes it for what was clicked.
  const tab = window.open('about:blank', 'syncloop-' + node);
  if (tab) tab.opener = null;
  say(t.opening);
  try {
    const { url } = await ask('open?pod=' + encodeURIComponent(pod), 'POST');
    if (tab) tab.location.replace(url);
    else location.assign(url);
    say('');
    void show();
  } catch (err) {
    tab?.close();
    say(err.message, true);
  }
}

function row(one) {
  const tr = document.createElement('tr');
  const cell = (text, kind = 'td') => {
    const made = document.createElement(kind);
    made.textContent = text;
    tr.append(made);
    return made;
  };
  const name = cell('', 'th');
  name.scope = 'row';
  const button = document.createElement('button');
  button.textContent = one.node;
  button.dataset.node = one.node;
  button.disabled = !one.ready;
  button.onclick = () => void enter(one);
  name.append(button);
  const state = cell((one.ready ? '● ' + t.ready : '○ ' + t.notReady) + (one.open ? ', ' + t.open : ''));
  state.className = one.ready ? 'ready' : 'failed';
  if (one.problem) {
    const why = document.createElement('small');
    why.textContent = one.problem;
    state.append(why);
  }
  cell(one.since ? new Date(one.since).toLocaleString() : '');
  cell(String(one.restarts));
  return tr;
}

let shown = '';
async function show() {
  try {
    const nodes = await ask('nodes');
    const now = JSON.stringify(nodes);
    // A list that has not changed stays, with the focus that is in it.
    if (now !== shown) {
      const focused = document.activeElement?.dataset?.node;
      body.replaceChildren(...nodes.map(row));
      if (focused) [...body.querySelectorAll('button')].find((b) => b.dataset.node === focused)?.focus();
      shown = now;
    }
    table.hidden = nodes.length === 0;
    if (nodes.length === 0) say(t.none);
    else if (line.textContent === t.loading || line.textContent === t.none || line.textContent === t.gone) say('');
  } catch (err) {
    say(err instanceof TypeError ? t.gone : err.message, true);
  }
}

if (code) {
  try {
    await exchange();
  } catch (err) {
    // A tab that has a token already may have been given a link once more.
    if (!token) say(err instanceof TypeError ? t.gone : err.message, true);
  }
} else if (!token) say(t.noToken, true);
if (token) {
  say(t.loading);
  await show();
  setInterval(() => document.hidden || void show(), 5000);
}
`;

const STYLE = `:root { font: 14px/1.5 system-ui, sans-serif; color: #1a1a1a; background: #fff; --line: #d5d8dc; --accent: #0b5c6b; --bad: #a3162a; --soft: #5a6068; }
@media (prefers-color-scheme: dark) { :root { color: #e6e8ea; background: #15181b; --line: #363b41; --accent: #6cc3d5; --bad: #ff8a94; --soft: #a5acb4; } }
body { margin: 0 auto; max-width: 960px; padding: 0 16px 32px; }
header { display: flex; gap: 16px; align-items: baseline; border-bottom: 1px solid var(--line); }
h1 { font-size: 18px; margin: 12px 0; }
header p, #note { color: var(--soft); }
table { border-collapse: collapse; width: 100%; margin: 16px 0; }
th, td { text-align: left; padding: 8px 12px 8px 0; border-bottom: 1px solid var(--line); vertical-align: top; font-weight: normal; }
thead th, td:nth-child(3) { white-space: nowrap; }
tbody th { overflow-wrap: anywhere; min-width: 9em; }
td:nth-child(2) { overflow-wrap: anywhere; width: 50%; }
@media (max-width: 640px) { th:nth-child(3), td:nth-child(3) { display: none; } }
thead th { color: var(--soft); }
button { font: inherit; color: var(--accent); background: none; border: 1px solid currentColor; border-radius: 4px; padding: 4px 12px; cursor: pointer; text-align: left; }
button:disabled { color: var(--soft); cursor: not-allowed; border-style: dashed; }
button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
small { display: block; }
.failed { color: var(--bad); }
#say { min-height: 1.5em; }
`;
