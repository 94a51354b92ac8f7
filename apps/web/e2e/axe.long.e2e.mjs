/**
 * axe (WCAG 2.2, levels A and AA) over every main state of the page. By default each state once, in a look that changes
 * from group to group; AXE=all takes each in light, dark and high contrast, wide and narrow, English and Chinese.
 */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { command, idle, load, onStage, until } from './browser.mjs';

const AXE = await readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LOG = fileURLToPath(
  new URL('../../../packages/core/testdata/attach/v1.36-v4/crash-loop/kubelet.v4.log.gz', import.meta.url),
);
const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const visit = onStage();

const WIDE = { viewport: { width: 1440, height: 900 } };
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
const EN = { locale: 'en-GB' };
const ZH = { locale: 'zh-CN' };
const LOOKS = {
  'light, wide, en': { ...WIDE, ...EN, colorScheme: 'light' },
  'dark, wide, zh': { ...WIDE, ...ZH, colorScheme: 'dark' },
  'contrast, narrow, zh': { ...PHONE, ...ZH, colorScheme: 'light', contrast: 'more' },
  'dark contrast, wide, en': { ...WIDE, ...EN, colorScheme: 'dark', contrast: 'more' },
  'dark, narrow, en': { ...PHONE, ...EN, colorScheme: 'dark' },
  'light, narrow, zh': { ...PHONE, ...ZH, colorScheme: 'light' },
};

/**
 * Returns axe's findings, a line each: rule, place and sentence. In the graph targets are as large as it is zoomed; the
 * outline and the lists do the same, at full size (WCAG 2.5.8, "equivalent").
 */
async function violations(page) {
  await page.evaluate(AXE);
  return page.evaluate(async (values) => {
    const { violations } = await window.axe.run(document, {
      runOnly: { type: 'tag', values },
      resultTypes: ['violations'],
    });
    return violations.flatMap((v) =>
      v.nodes
        .filter((n) => v.id !== 'target-size' || !document.querySelector(n.target.at(-1))?.closest('.react-flow'))
        .map((n) => `${v.id}: ${[...n.any, ...n.all, ...n.none][0]?.message} ${n.target.join(' ')}`),
    );
  }, TAGS);
}

const podRuns = () => Object.values(window.__syncloop.state.pods).some((p) => p.phase === 'Running');
const some = (page, what) => page.evaluate((w) => Object.values(window.__syncloop.state[w])[0], what);
const show = (id, arg) => async (page) => {
  await command(page, id, arg);
  await idle(page);
};
const left = (id) => [id, show(`view.${id}`), show(`view.${id}`)];
const bottom = left;
const dialog = (id, arg) => [
  id,
  async (page) => {
    await command(page, id, arg);
    await page.getByRole('dialog').first().waitFor();
  },
  show('view.close'),
];
const tab = (name, prepare) => [`inspector: ${name}`, prepare];

/** Groups by name: the states of each follow one another on one page, each with a name, the way to it and its end. */
const GROUPS = {
  'a run': [
    ['first minute', async () => {}],
    ['story', show('view.level.story')],
    ['everything', show('view.level.everything'), show('view.level.loop')],
    ['legend', show('view.legend'), show('view.legend')],
    ['minimap', show('view.minimap'), show('view.minimap')],
    ['a step', show('transport.stepIteration')],
    ['running', (page) => until(page, podRuns)],
    ['back in time', show('transport.backIteration')],
  ],
  'panels on the left': [
    ['running', (page) => until(page, podRuns)],
    ...['lessons', 'scenarios', 'manifests', 'pods', 'recordings'].map(left),
    [
      'a lesson',
      async (page) => {
        await command(page, 'lesson.open', { name: 'syncloop', step: 4 });
        await page.locator('.sl-lesson[data-phase=reading][data-step="5"] [data-known]').waitFor();
      },
      show('lesson.leave'),
    ],
  ],
  'panels at the bottom': [
    [
      'crash loop',
      async (page) => {
        await load(page, 'crash-loop');
        await command(page, 'transport.go', { time: 30e6 });
        await idle(page);
      },
    ],
    ...['timeline', 'records', 'log', 'outline', 'events', 'podTable', 'branches', 'breakpoints', 'notes'].map(bottom),
    [
      'console',
      async (page) => {
        await command(page, 'view.console');
        await command(page, 'console.run', 'kubectl get pods');
        await page.locator('.sl-console-entry').first().waitFor();
      },
      show('view.console'),
    ],
    [
      'two branches compared',
      async (page) => {
        await command(page, 'view.branches');
        await command(page, 'transport.backIteration');
        await command(page, 'try.kill');
        await idle(page);
        await page.getByTestId('branch-1').getByRole('button').first().waitFor();
        await command(page, 'branch.compare', 1);
        await page.getByTestId('comparison').waitFor();
      },
      show('view.branches'),
    ],
    [
      'a breakpoint being made',
      async (page) => {
        await command(page, 'breakpoint.new');
        await page.getByTestId('breakpoint-form').waitFor();
      },
    ],
  ],
  "somebody else's kubelet": [
    [
      'its log',
      async (page) => {
        const chooser = page.waitForEvent('filechooser');
        const opened = command(page, 'files.choose');
        await (await chooser).setFiles(LOG);
        await opened;
        await page.waitForFunction(() => window.__syncloop.run.reading?.ended && window.__syncloop.idle());
        await page.getByTestId('finding').first().waitFor();
      },
    ],
    dialog('observed.details'),
    ['its legend', show('view.legend'), show('view.legend')],
    [
      'a moment and what it rests on',
      async (page) => {
        await command(page, 'view.findings');
        const { findings } = await page.evaluate(() => window.__syncloop.ask({ do: 'findings' }));
        await command(page, 'inspector.goTo', findings[0].first.seq);
        await page.getByTestId('evidence').waitFor();
      },
    ],
    bottom('log'),
    bottom('timeline'),
    [
      'its twin',
      async (page) => {
        await command(page, 'twin.make');
        await page.getByTestId('twin-verdict').waitFor({ timeout: 120_000 });
        for (const fold of ['tolerances', 'assumptions', 'scenario'])
          await page.getByTestId(`twin-${fold}`).evaluate((details) => {
            details.open = true;
          });
      },
    ],
    [
      'both runs, laid over each other',
      async (page) => {
        await command(page, 'twin.nextPair');
        await command(page, 'twin.previousPair');
        await command(page, 'twin.both');
        await page.waitForFunction(() => window.__syncloop.idle() && window.__syncloop.run.twin.side === 'twin');
        await page.getByTestId('twin-bar').waitFor();
      },
    ],
  ],
  inspector: [
    ['running', (page) => until(page, podRuns)],
    tab('pod', async (page) => command(page, 'view.select', { kind: 'pod', uid: (await some(page, 'pods')).uid })),
    tab('container', async (page) =>
      command(page, 'view.select', { kind: 'container', id: (await some(page, 'containers')).id }),
    ),
    tab('why', async (page) => {
      await command(page, 'view.why');
      await page.getByTestId('why-chain').waitFor();
    }),
    tab('changed', show('inspector.changed')),
    tab('history', show('inspector.history')),
    tab('source', async (page) => {
      await command(page, 'inspector.source');
      await page.getByTestId('source').waitFor();
    }),
    tab('part', show('view.select', { kind: 'part', part: 'pleg' })),
    tab('node', show('inspector.node')),
    tab('record', show('view.select', { kind: 'record', seq: 100 })),
  ],
  dialogs: [
    ['running', (page) => until(page, podRuns)],
    dialog('view.palette'),
    dialog('view.changes'),
    dialog('change.show', { change: 'pod-killer' }),
    dialog('view.shortcuts'),
    dialog('faults.open'),
    dialog('session.liveNode'),
    [
      'link',
      async (page) => {
        // Some browsers give no leave to use the clipboard.
        await page.evaluate(() => {
          navigator.clipboard.writeText = () => Promise.reject(new Error('not allowed'));
        });
        await command(page, 'link.copy');
        await page.getByRole('dialog').waitFor();
      },
      show('view.close'),
    ],
    dialog('share.embed'),
    dialog('share.copyStory'),
    dialog('notes.add'),
    dialog('picture.open'),
    ...['session', 'share', 'view'].map((menu) => [
      `menu ${menu}`,
      async (page) => page.getByTestId(`menu-${menu}`).click(),
      async (page) => page.keyboard.press('Escape'),
    ]),
    [
      'other steps',
      async (page) => page.getByTestId('other-steps').click(),
      async (page) => page.keyboard.press('Escape'),
    ],
  ],
  'a full node, and a damaged link': [
    [
      '110 pods',
      async (page) => {
        await load(page, 'full-node');
        await command(page, 'transport.setSpeed', { mode: 'max' });
        await command(page, 'transport.toggle');
        await page.waitForFunction(podRuns);
        await command(page, 'transport.toggle');
        await idle(page);
      },
    ],
    [
      'an error',
      async (page) => {
        await page.evaluate(() => {
          location.hash = '#run=v1.jnonsense';
        });
        await page.locator('.sl-notice').waitFor();
      },
    ],
  ],
};

async function walk(page, states) {
  const found = new Map();
  for (const [name, there, back] of states) {
    await there(page);
    // One of a kind is enough to find the others.
    for (const v of await violations(page)) {
      const kind = v.replace(/\d+/g, '0');
      if (!found.has(kind)) found.set(kind, `${name}: ${v}`);
    }
    await back?.(page);
  }
  return [...found.values()];
}

const all = process.env.AXE === 'all';
const looks = Object.entries(LOOKS);
describe('axe finds nothing to complain of', () => {
  for (const [i, [group, states]] of Object.entries(GROUPS).entries())
    for (const [look, context] of all ? looks : [looks[i % looks.length]])
      it(`${group} (${look})`, async () => {
        assert.equal((await walk(await visit(context), states)).join('\n'), '');
      });

  it('an agent that does not answer', async () => {
    const page = await visit({ hash: '#code=wrong', ready: false, expected: /404|ERR_/ });
    await page.getByTestId('banner').getByText('does not answer').waitFor();
    assert.deepEqual(await violations(page), []);
  });
});
