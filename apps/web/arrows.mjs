/**
 * The walls of the page: what each room of apps/web/src may import. Rooms of the ground floor are on those before
 * them, the shell on all of these, the features on the shell. A feature uses of another only the files that are named
 * here, its face.
 */
const SRC = 'apps/web/src';
const PACKAGES = ['packages/core/src', 'packages/observe/src', 'packages/workshop/src'];

const room = (name, may, packages = []) => ({
  from: `${SRC}/${name}`,
  may: [...PACKAGES, ...may.map((to) => `${SRC}/${to}`)],
  packages,
  // A test may set up any part of the page.
  tests: [SRC],
});

/** The ground floor, from its lowest room up. */
const GROUND = [
  room('units', []),
  room('page', [], ['zustand']),
  room('files', ['units']),
  room('i18n', ['page'], ['react']),
  room('run', ['page', 'i18n', 'units'], ['react', 'zustand']),
  room('session', ['page', 'i18n', 'run', 'files'], ['socket.io-client']),
  room('commands', ['page', 'i18n', 'run', 'session'], ['zustand', 'react-dom']),
  room('ui', ['page', 'i18n', 'run', 'commands'], ['react', '@codemirror', '@lezer']),
  room('selection', ['page', 'i18n', 'units', 'run', 'commands'], ['react']),
  room('glossary', ['page', 'i18n', 'selection'], ['react']),
];
const ground = GROUND.map(({ from }) => from.slice(SRC.length + 1));

/** Feature -> what it uses: the faces of other features, and packages beyond react and zustand. */
const FEATURES = {
  branches: {},
  breakpoints: { packages: ['react-dom'] },
  changes: {
    uses: ['source/logic/source-eras', 'source/logic/source-types', 'source/logic/sources-of'],
    packages: ['virtual:sources'],
  },
  classroom: {
    uses: [
      'graph/index',
      'lessons/lessons-store',
      'lessons/review-store',
      'share/share',
      'workshop/load-page',
      'workshop/workshop-store',
    ],
    packages: ['socket.io-client', 'uqr'],
  },
  connection: { uses: ['long-work/stop-work'] },
  console: { uses: ['breakpoints/commands', 'manifests/apply-workload', 'manifests/logic/manifests'] },
  embed: {
    uses: [
      'connection/session-banner',
      'graph/index',
      'lessons/lessons-panel',
      'lessons/lessons-store',
      'long-work/long-work-bar',
      'long-work/stop-work',
      'narrator/narrator',
      'share/link',
      'share/share',
      'share/share-now',
      'share/share.css',
      'transport/transport',
      'transport/transport-store',
    ],
  },
  eras: { uses: ['lessons/lessons-store'] },
  explore: { uses: ['branches/branches', 'breakpoints/expression-field'] },
  faults: { uses: ['branches/branches'] },
  fleet: { uses: ['observed/file-link', 'observed/observed-store', 'observed/open-observed'] },
  graph: { packages: ['@xyflow/react'] },
  inspector: { uses: ['graph/index'] },
  lessons: {
    uses: ['graph/index', 'source/logic/source-position', 'source/source-store'],
  },
  logs: {},
  'long-work': {},
  manifests: { packages: ['@codemirror'] },
  names: {
    uses: [
      'breakpoints/breakpoints',
      'breakpoints/commands',
      'breakpoints/logic/breakpoints',
      'eras/eras',
      'lessons/lessons-store',
    ],
  },
  narrator: {},
  notes: { uses: ['branches/branches-store'] },
  observed: {},
  offline: {},
  outline: { uses: ['graph/index'] },
  pictures: { uses: ['graph/index', 'timeline/timeline-store'] },
  pods: {
    uses: ['graph/index', 'lessons/lessons-store', 'manifests/apply', 'manifests/logic/manifests'],
  },
  recordings: { uses: ['long-work/stop-work'], packages: ['idb'] },
  reload: {
    uses: [
      'inspector/inspector-store',
      'long-work/long-work-store',
      'long-work/stop-work',
      'share/opener',
      'share/share',
    ],
  },
  scenarios: {
    uses: [
      'branches/branches-store',
      'breakpoints/breakpoints-store',
      'manifests/manifests-store',
      'notes/notes-store',
    ],
  },
  settings: {},
  share: {
    uses: [
      'branches/branches-store',
      'breakpoints/breakpoints',
      'breakpoints/breakpoints-store',
      'graph/index',
      'lessons/lessons-start',
      'long-work/stop-work',
      'notes/notes',
      'notes/notes-model',
    ],
  },
  source: {
    uses: [
      'breakpoints/breakpoints-store',
      'breakpoints/commands',
      'breakpoints/logic/breakpoints',
      'graph/index',
      'inspector/logic/goroutine',
    ],
    packages: ['@codemirror', 'virtual:sources'],
  },
  strip: { uses: ['logs/logic/klog', 'observed/observed-store', 'recordings/recordings'] },
  timeline: {},
  tour: {},
  transport: { uses: ['breakpoints/breakpoints-store', 'narrator/use-hint'] },
  twin: { packages: ['react-dom'] },
  workshop: {
    uses: ['breakpoints/breakpoints', 'breakpoints/breakpoints-store', 'breakpoints/logic/breakpoints'],
    packages: ['@codemirror', 'typescript-js'],
  },
};
const feature = ([name, { uses = [], packages = [] }]) =>
  room(
    `features/${name}`,
    [...ground, 'shell', ...uses.map((face) => `features/${face}`)],
    ['react', 'zustand', ...packages],
  );

/** Feature -> the features whose faces it uses. */
export const USES = Object.fromEntries(
  Object.entries(FEATURES).map(([name, { uses = [] }]) => [name, [...new Set(uses.map((face) => face.split('/')[0]))]]),
);

/** Rules for the page, in the form of `RULES` of scripts/arrows.mjs. */
export const WEB_RULES = [
  ...GROUND,
  // react-dom: its test draws the shell.
  room('shell', ground, ['react', 'react-dom']),
  ...Object.entries(FEATURES).map(feature),
  // The list of features, and main.tsx, which puts the page together: scripts/web-walls.test.mjs checks their imports.
  room('features', ['shell']),
  room('fixtures', [...ground, 'shell', 'features'], ['vite']),
  {
    ...room('', [], ['react', 'react-dom', '@xyflow/react', 'vite']),
    from: SRC,
    never: Object.keys(FEATURES).map((name) => `${SRC}/features/${name}`),
  },
];
