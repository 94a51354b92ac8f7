#!/usr/bin/env node
/**
 * Checks the architecture: which folder may import which, and what packages/core must never use (wall clock, timers,
 * randomness, promises' races, Node and DOM). Prints each violation as `file:line: what, and what to do`; exits 1 on
 * any. No two modules may import each other in a circle: scripts/circles.mjs.
 */
import fs from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { AGENT_RULES } from '../apps/agent/arrows.mjs';
import { WEB_RULES } from '../apps/web/arrows.mjs';
import { allCircleViolations } from './circles.mjs';
import { sourceOfPackage, strip } from './imports.mjs';

const top = path.resolve(path.dirname(fileURLToPath(import.meta.url)), '..');

const CORE = 'packages/core/src';
const OBSERVE = 'packages/observe/src';
const WORKSHOP = 'packages/workshop/src';
/** The rooms of the observer's package that use the observer. */
const ABOVE_OBSERVER = ['session', 'twin', 'eras'].map((room) => `${OBSERVE}/${room}`);

/**
 * Returns rules for a folder of core whose rooms depend on each other: `rooms` has for each room the others that it may
 * import (a path: a room of another house), `shared` are folders of core that every room may import. Files outside the
 * rooms (entries, shared ones) may import any of them. `top`: the place of the rooms, if not in core.
 */
function house(name, shared, rooms, packages = [], top = `${CORE}/${name}`) {
  const outside = shared.map((f) => `${CORE}/${f}`);
  const never = [`${CORE}/cri/codec`, `${CORE}/cri/wire`, `${CORE}/cri/gen`];
  const place = (room) => (room.startsWith('packages/') ? room : `${room.includes('/') ? CORE : top}/${room}`);
  return [
    { from: top, may: outside, packages, never },
    ...Object.entries(rooms).map(([room, others]) => ({
      from: `${top}/${room}`,
      may: [...outside, ...others.map(place)],
      packages,
      never,
    })),
  ];
}

/** Packages of the workshop's rooms. */
const WORKSHOP_PACKAGES = {
  [`${WORKSHOP}/language`]: ['acorn', '@sveltejs/acorn-typescript'],
  [`${WORKSHOP}/interpreter`]: ['quickjs-emscripten-core', '@jitl/quickjs-singlefile-mjs-release-sync'],
};

/** The judges: the code that they judge does not import them, nor does anything that the page loads first. */
const JUDGES = {
  folder: `${CORE}/conformance`,
  // An exploration looks for schedules that break an invariant; the workshop judges learners' code.
  by: [`${CORE}/conformance`, `${CORE}/debug/explore`, `${WORKSHOP}/judge`, 'apps/agent/src'],
};

/**
 * Folder (longest match wins) -> the imports that its files may have: folders of ours, and packages. A folder may
 * always import itself.
 */
export const RULES = [
  { from: 'packages/core/src/base', may: [], packages: [] },
  { from: 'packages/core/src/shape', may: ['packages/core/src/words'], packages: [] },
  { from: 'packages/core/src/words', may: [], packages: [] },
  { from: 'packages/core/src/trace', may: [], packages: [] },
  { from: 'packages/core/src/expression', may: ['packages/core/src/trace', 'packages/core/src/words'], packages: [] },
  { from: 'packages/core/src/kernel', may: ['packages/core/src/trace'], packages: [] },
  {
    // The objects of the Kubernetes API: below the kubelet, for everything that reads or writes them.
    from: 'packages/core/src/api',
    may: ['packages/core/src/kernel', 'packages/core/src/trace'],
    packages: ['yaml'],
  },
  { from: 'packages/core/src/host', may: ['packages/core/src/kernel'], packages: [] },
  { from: 'packages/core/src/cri/gen', may: [], packages: ['@bufbuild/protobuf'] },
  {
    from: 'packages/core/src/cri',
    may: ['packages/core/src/kernel', 'packages/core/src/trace'],
    packages: ['@bufbuild/protobuf'],
  },
  {
    from: 'packages/core/src/redaction',
    may: ['packages/core/src/trace', 'packages/core/src/cri/redact'],
    packages: [],
  },
  {
    from: 'packages/core/src/kubelet',
    may: ['api', 'host', 'kernel', 'trace', 'cri'].map((f) => `packages/core/src/${f}`),
    packages: [],
    never: ['packages/core/src/cri/codec', 'packages/core/src/cri/gen'],
  },
  {
    // The checkpoint of devices keeps protobuf, as upstream's does.
    from: 'packages/core/src/kubelet/cm/devicemanager',
    may: ['api', 'host', 'kernel', 'trace', 'kubelet'].map((f) => `packages/core/src/${f}`),
    packages: ['@bufbuild/protobuf'],
  },
  { from: 'packages/core/src/schema', may: ['packages/core/src/api'], packages: [] },
  {
    // The kubelet's answer to a manifest.
    from: 'packages/core/src/manifest',
    may: ['api', 'kernel', 'kubelet', 'schema', 'words'].map((f) => `packages/core/src/${f}`),
    packages: ['yaml'],
  },
  ...house('mock', ['kernel', 'trace', 'cri', 'host'], {
    devices: [],
    patterns: [],
    network: [],
    fs: ['patterns'],
    process: ['fs', 'network'],
    sh: ['patterns', 'process'],
    programs: ['fs', 'network', 'patterns', 'process', 'sh'],
    images: ['programs'],
    faults: ['images'],
    'container-scripts': ['faults', 'process'],
    runtime: ['base64', 'faults', 'fs', 'images', 'container-scripts', 'network', 'process', 'programs'],
  }),
  {
    from: 'packages/core/src/kubectl',
    may: ['packages/core/src/api/types', 'packages/core/src/trace', 'packages/core/src/words'],
    packages: [],
  },
  {
    from: 'packages/core/src/apiserver',
    // With schema: the fields of an object in words; with kubectl: how it prints a row and an age.
    may: ['api', 'kernel', 'kubectl', 'schema', 'trace'].map((f) => `packages/core/src/${f}`),
    packages: [],
  },
  ...house(
    'scenario',
    [
      'api',
      'apiserver',
      'cri',
      'expression',
      'host',
      'kernel',
      'kubelet',
      'manifest',
      'mock',
      'schema',
      'shape',
      'trace',
      'words',
    ],
    {
      document: [],
      node: ['document'],
      faults: ['document', 'node'],
      expectations: ['document', 'node'],
      run: ['document', 'node', 'faults', 'expectations'],
      'from-pod': ['document'],
      workload: ['document'],
      library: ['document'],
    },
    ['yaml'],
  ),
  ...house(
    'conformance',
    ['api', 'host', 'kernel', 'trace', 'shape', 'cri', 'kubelet', 'mock', 'apiserver', 'scenario'],
    {
      compare: [],
      contract: [],
      golden: [],
      invariants: [],
    },
  ),
  {
    // The version of a run's kubelet: tools for runs need no kubelet for it.
    from: 'packages/core/src/version',
    may: ['trace', 'kubelet/era/nearest', 'kubelet/era/versions'].map((f) => `packages/core/src/${f}`),
    packages: [],
  },
  ...house('debug', ['api', 'kernel', 'trace', 'shape', 'expression', 'kubelet', 'kubectl', 'scenario', 'version'], {
    base: [],
    breakpoints: ['base'],
    inspect: ['base'],
    why: ['base'],
    density: ['base'],
    findings: ['why'],
    incidents: ['why', 'findings'],
    explore: ['conformance/invariants'],
    // It declares the answers to questions.
    protocol: ['base', 'breakpoints', 'density', 'inspect', 'why', 'findings', 'incidents', 'explore'],
    run: ['base', 'breakpoints', 'explore', 'protocol'],
    session: [
      'base',
      'breakpoints',
      'density',
      'inspect',
      'why',
      'findings',
      'incidents',
      'explore',
      'protocol',
      'run',
    ],
  }),
  {
    from: 'packages/core/src/lessons',
    may: [
      'api/types',
      'debug/base/record-store',
      'debug/protocol',
      'expression',
      'kubelet/era/versions',
      'mock/index',
      'scenario/document',
      'scenario/expectations',
      'scenario/node/conditions',
      'trace',
    ].map((f) => `packages/core/src/${f}`),
    packages: [],
  },
  {
    // The page's list needs no kubelet; `run.ts` writes a scenario's text again.
    from: 'packages/core/src/changes',
    may: ['nearest', 'versions']
      .map((file) => `packages/core/src/kubelet/era/${file}`)
      .concat('packages/core/src/scenario/document/scenario'),
    packages: ['yaml'],
  },
  {
    // The places at which runs stop, by name. A test writes its catalogue: it runs kubelets.
    from: 'packages/core/src/names',
    may: ['changes', 'debug/breakpoints/kinds', 'kubelet/era/versions', 'scenario/document/scenario', 'trace'].map(
      (f) => `packages/core/src/${f}`,
    ),
    packages: [],
    tests: ['packages/core/src'],
  },
  { from: 'packages/core/src/classroom', may: ['packages/core/src/debug', 'packages/core/src/trace'], packages: [] },
  // The observer of a real kubelet's evidence. It knows neither sessions nor twins.
  ...house(
    '',
    ['trace', 'cri', 'debug/findings', 'kubelet/era/nearest', 'kubelet/era/versions', 'version'],
    {
      evidence: [],
      log: ['evidence'],
      cri: ['evidence'],
      calls: ['evidence', 'cri'],
      spans: ['evidence', `${OBSERVE}/log/lines`],
      // Manifests are YAML by the kubelet's own rules.
      pods: ['evidence', `${OBSERVE}/log/lines`, `${CORE}/api`],
      metrics: ['evidence', `${OBSERVE}/log/lines`],
      join: ['evidence'],
    },
    ['@bufbuild/protobuf', 'yaml'],
    OBSERVE,
  ).map((rule) => ({ ...rule, never: [...rule.never, ...ABOVE_OBSERVER], tests: [OBSERVE] })),
  // Archives and folders, as files of nodes. It knows no format of what is in them.
  { from: `${OBSERVE}/bundle`, may: [], packages: ['fflate', 'xz-decompress'], tests: [OBSERVE] },
  // The pieces that reports share, and the verdict on a run for a ticket.
  { from: `${OBSERVE}/rendering`, may: [], packages: [] },
  {
    from: `${OBSERVE}/verdict`,
    may: [`${OBSERVE}/rendering`, ...['debug/incidents', 'debug/live', 'trace'].map((f) => `${CORE}/${f}`)],
    packages: [],
    tests: [OBSERVE, `${CORE}/debug`, `${CORE}/trace`],
  },
  {
    // Many nodes as one story.
    from: `${OBSERVE}/fleet`,
    may: [
      `${OBSERVE}/rendering`,
      `${OBSERVE}/verdict`,
      ...['debug/incidents', 'shape', 'trace'].map((f) => `${CORE}/${f}`),
    ],
    packages: [],
    tests: [OBSERVE],
  },
  {
    // An observed run as a session: a host that looks at a node loads neither the kubelet nor simulations.
    from: `${OBSERVE}/session`,
    may: [
      `${OBSERVE}/index`,
      ...['debug/live', 'debug/protocol/results', 'kubelet/era/versions', 'trace'].map((f) => `${CORE}/${f}`),
    ],
    packages: [],
    tests: [OBSERVE],
  },
  ...house(
    'twin',
    ['api', 'changes', 'cri', 'debug', 'host', 'kernel', 'kubelet', 'mock', 'scenario', 'trace', 'version', 'words'],
    {
      base: [],
      make: ['base'],
      compare: ['base'],
      search: ['base', 'compare'],
      causes: ['base', 'make', 'compare'],
      remedies: ['base', 'causes'],
      report: ['base', 'compare', `${OBSERVE}/rendering`],
      live: ['base', 'make', 'compare', 'search'],
      // The functions that make, compare and search are handed to it.
      session: ['base', `${OBSERVE}/session`],
      tools: ['base', 'make', 'compare', 'search', 'causes', 'remedies', 'live', 'session'],
    },
    ['yaml'],
    `${OBSERVE}/twin`,
  ).map((rule) => ({ ...rule, tests: [OBSERVE] })),
  {
    // It writes the traffic of the socket: no part that only reads runs loads it.
    from: `${OBSERVE}/twin/capture`,
    may: [
      `${OBSERVE}/index`,
      `${OBSERVE}/cri`,
      ...['cri', 'host', 'kernel', 'kubelet', 'scenario', 'trace'].map((f) => `${CORE}/${f}`),
    ],
    packages: [],
    tests: [OBSERVE],
  },
  {
    from: `${OBSERVE}/eras`,
    may: [
      `${OBSERVE}/twin`,
      ...['changes', 'debug', 'kernel', 'kubelet', 'trace', 'version'].map((f) => `${CORE}/${f}`),
    ],
    packages: [],
    tests: [OBSERVE],
  },
  // The workshop. A learner's code runs in the interpreter alone.
  ...house(
    '',
    [],
    {
      messages: [],
      language: ['messages'],
      interpreter: ['language', 'messages', `${CORE}/trace`],
      seams: [
        'interpreter',
        'language',
        'messages',
        ...['api', 'debug', 'kernel', 'kubelet', 'scenario', 'trace'].map((f) => `${CORE}/${f}`),
      ],
      stages: ['seams', `${CORE}/kubelet/parts`, `${CORE}/trace`],
      judge: [
        'interpreter',
        'language',
        'messages',
        'seams',
        'stages',
        ...['conformance/compare', 'debug', 'kernel', 'kubelet', 'scenario', 'trace'].map((f) => `${CORE}/${f}`),
      ],
      progress: ['stages', 'judge'],
    },
    [],
    WORKSHOP,
  ).map((rule) => ({ ...rule, tests: [WORKSHOP, CORE], packages: WORKSHOP_PACKAGES[rule.from] ?? [] })),
  ...AGENT_RULES,
  ...WEB_RULES,
];
/**
 * The ground floor (bytes, hashes, durations, amounts), and the shapes by which data from outside is read: for every
 * folder.
 */
const GROUND = ['packages/core/src/base', 'packages/core/src/shape'];
const TEST_PACKAGES = [
  'vitest',
  'fast-check',
  'node:',
  'socket.io-client',
  'ws',
  '@bufbuild/protobuf',
  'yaml',
  'fake-indexeddb',
  // Makes archives.
  'fflate',
];

/** Calls that make a run depend on more than its seed. Only the kernel's edge to the outside may have them. */
const BANNED = [
  [/\bDate\.now\b|\bnew Date\(\s*\)/, "reads the wall clock: use kernel.now() and the clock's epochMillis"],
  [/\bperformance\b\s*\./, 'reads the wall clock: use kernel.now()'],
  [
    /\b(setTimeout|setInterval|setImmediate|queueMicrotask|requestAnimationFrame)\s*\(/,
    'sets a timer: use sleep, Timer or Ticker of the kernel',
  ],
  [/\bMath\.random\b|\bcrypto\.(randomUUID|getRandomValues)\b/, 'draws unseeded randomness: use kernel.random'],
  [
    /\bPromise\.(race|all|any|allSettled)\b|\basync\s+(function|\()|\bawait\s/,
    'is asynchronous outside the kernel: use a goroutine',
  ],
  [/\b(process\.(env|argv|hrtime|cwd|nextTick)|Buffer\.|require\()/, 'is a Node API: hand it in'],
  [/\b(document|window|localStorage|navigator)\s*\./, 'is a DOM API: hand it in'],
  [/\bfetch\s*\(/, 'does I/O: hand it in'],
];
const EDGE = new Set([
  'packages/core/src/kernel/real-clock.ts',
  'packages/core/src/kernel/go.ts',
  'packages/core/src/debug/protocol/client.ts',
  // Bytes of archives come as hosts read them.
  'packages/observe/src/bundle/archive.ts',
  'packages/observe/src/bundle/unpack.ts',
  // WebAssembly is made asynchronously; a call that takes too long is stopped by the clock.
  'packages/workshop/src/interpreter/interpreter.ts',
  'packages/workshop/src/interpreter/code.ts',
]);

/** Returns all violations of one file: {line, message}[]. `file` is relative to the top. */
export function violations(file, source) {
  const found = [];
  const test = /\.test\.tsx?$|\/testing\/|\/e2e\//.test(file);
  const rule = RULES.filter((r) => file.startsWith(`${r.from}/`)).sort((a, b) => b.from.length - a.from.length)[0];
  if (!rule) return found;
  const lineOf = (text, index) => text.slice(0, index).split('\n').length;
  const code = strip(source, true);
  for (const m of code.matchAll(
    /(?:^|\n)\s*(?:import|export)\s[^;'"]*?from\s*['"]([^'"]+)['"]|(?:^|\n)\s*import\s*['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]\s*\)/g,
  )) {
    const spec = m[1] ?? m[2] ?? m[3];
    const line = lineOf(code, m.index + m[0].length);
    let target = null;
    if (spec.startsWith('.'))
      target = path.posix.normalize(path.posix.join(path.posix.dirname(file), spec)).replace(/\.js$/, '');
    else target = sourceOfPackage(spec)?.replace(/\.ts$/, '') ?? null;
    if (target === null) {
      const allowed = [...rule.packages, ...(test ? TEST_PACKAGES : [])];
      if (!allowed.some((p) => spec === p || spec.startsWith(p.endsWith(':') ? p : `${p}/`)))
        found.push({
          line,
          message: `imports package ${spec}, which ${rule.from} may not; allowed: ${allowed.join(', ') || 'none'}`,
        });
      continue;
    }
    const inside = (folder) => target === folder || target.startsWith(`${folder}/`) || target === `${folder}.ts`;
    if (!test && inside(JUDGES.folder) && !JUDGES.by.some((folder) => file.startsWith(`${folder}/`))) {
      found.push({ line, message: `imports ${target}; only ${JUDGES.by.join(', ')} and tests may` });
      continue;
    }
    if (test && [CORE, ...(rule.tests ?? [])].some(inside)) continue;
    if (inside(rule.from) && !(rule.never ?? []).some(inside)) continue;
    if (GROUND.some(inside)) continue;
    if ((rule.never ?? []).some(inside) || !rule.may.some(inside))
      found.push({
        line,
        message: `imports ${target}; ${rule.from} may import only ${rule.may.join(', ') || 'itself'}${rule.never ? ` without ${rule.never.join(', ')}` : ''}`,
      });
  }
  if (file.startsWith('packages/') && !test && !EDGE.has(file) && !file.includes('/gen/') && !file.endsWith('.d.ts')) {
    const lines = strip(source).split('\n');
    lines.forEach((text, i) => {
      for (const [pattern, message] of BANNED)
        if (pattern.test(text)) found.push({ line: i + 1, message: `${message}: ${text.trim().slice(0, 80)}` });
    });
  }
  return found;
}

function* walk(dir) {
  for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
    const p = path.join(dir, e.name);
    if (e.isDirectory()) {
      if (e.name !== 'node_modules' && e.name !== 'dist') yield* walk(p);
    } else if (/\.tsx?$/.test(e.name)) yield p;
  }
}

if (process.argv[1] && path.resolve(process.argv[1]) === fileURLToPath(import.meta.url)) {
  let bad = 0;
  let files = 0;
  for (const dir of ['packages', 'apps'])
    for (const p of walk(path.join(top, dir))) {
      files++;
      const file = path.relative(top, p).split(path.sep).join('/');
      for (const v of violations(file, fs.readFileSync(p, 'utf8'))) {
        console.error(`${file}:${v.line}: ${v.message}`);
        bad++;
      }
    }
  for (const text of allCircleViolations()) {
    console.error(text);
    bad++;
  }
  console.log(`arrows: ${files} files, ${bad} violations`);
  if (bad > 0)
    console.error(
      'A room has its rule in RULES of scripts/arrows.mjs; a room or a feature of the page in apps/web/arrows.mjs.',
    );
  process.exit(bad ? 1 : 0);
}
