/**
 * Finds in our own TypeScript where the named calls of the trace are: read when the page is built (vite/sources.ts).
 * Works on the syntax alone; calls that it cannot find are left out. Pure.
 */
import { typescriptLanguage } from '@codemirror/lang-javascript';
import type { EraIndex, FunctionSource, OutlineEntry, SourceIndex, StepSource, UpstreamPlace } from './source-types.js';

type Tree = ReturnType<typeof typescriptLanguage.parser.parse>;
type Node = Tree['topNode'];

interface Fn {
  readonly name: string;
  /** Class that it is a method of, '' for none. */
  readonly owner: string;
  readonly from: number;
  readonly to: number;
  readonly doc: string;
  readonly node: Node;
}
/** A file, which is parsed when somebody looks into it: most files have neither a named call nor what one calls. */
interface Parsed {
  readonly path: string;
  readonly text: string;
  readonly lineAt: (offset: number) => number;
  readonly root: Node;
  readonly fns: readonly Fn[];
}

/**
 * Returns true if the trace may name something in a file below packages/core/src: no tests, nor what only they use, nor
 * what is generated.
 */
export const isIndexed = (path: string): boolean =>
  /^(kubelet|kernel|cri)\/.*\.ts$/.test(path) && !/\.(test|d)\.ts$|\/(testing|testdata|gen)\//.test(path);

/** The version of a file of an older kubelet; undefined for other files. */
const eraOf = (path: string): string | undefined => /^kubelet\/eras\/(v[\d.]+)\//.exec(path)?.[1];

/** The index of today's kubelet, and of the parts that each older version has of its own. */
export interface IndexedSources {
  readonly index: SourceIndex;
  /** By version. */
  readonly eras: Readonly<Record<string, EraIndex>>;
}

/** Indexes our sources, by path as `kubelet/sync-loop.ts`. Throws an Error if a call of the trace has two places. */
export function indexSources(files: Readonly<Record<string, string>>): IndexedSources {
  const all = Object.entries(files).map(([path, text]) => parsed(path, text));
  const current = all.filter(({ path }) => eraOf(path) === undefined);
  const versions = [...new Set(all.map(({ path }) => eraOf(path)))].filter((v) => v !== undefined);
  const eras = versions.map((version): [string, EraIndex] => {
    const own = all.filter(({ path }) => eraOf(path) === version);
    // Only index.ts names the base: a version of which other files take single parts, as words of its log, may build
    // on this one.
    const entry = own.find(({ path }) => path.endsWith(`/${version}/index.ts`))?.text ?? '';
    const base = versions.find((v) => v !== version && entry.includes(`from '../${v}/`));
    return [version, { ...indexOf(own, all), ...(base !== undefined && { base }) }];
  });
  return { index: indexOf(current, current), eras: Object.fromEntries(eras) };
}

/** Indexes the functions in these files; `all`: where the functions that they call may be. */
function indexOf(files: readonly Parsed[], all: readonly Parsed[]): SourceIndex {
  const functions: Record<string, FunctionSource> = {};
  const steps: StepSource[] = [];
  for (const file of files) {
    for (const call of callsTo(file, ['frame', 'frameSync'])) {
      const found = frameOf(file, call, all);
      if (!found) continue;
      const before = functions[found.fn];
      if (before)
        throw new Error(
          `${found.fn} is entered at two places: ${before.file}:${before.from} and ${found.file}:${found.from}`,
        );
      functions[found.fn] = found;
    }
    steps.push(...stepsOf(file));
  }
  const named = new Set([...Object.values(functions), ...steps].map((place) => place.file));
  const outline: Record<string, readonly OutlineEntry[]> = {};
  for (const file of all.filter(({ path }) => named.has(path)))
    outline[file.path] = file.fns.map(({ name, from, to }) => ({
      name,
      from: file.lineAt(from),
      to: file.lineAt(to - 1),
    }));
  return { functions, steps, outline };
}

function parsed(path: string, text: string): Parsed {
  let root: Node | null = null;
  let fns: readonly Fn[] | null = null;
  let starts: readonly number[] | null = null;
  return {
    path,
    text,
    lineAt(offset) {
      starts ??= lineStarts(text);
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const mid = (low + high + 1) >> 1;
        if ((starts[mid] ?? 0) <= offset) low = mid;
        else high = mid - 1;
      }
      return low + 1;
    },
    get root() {
      root ??= typescriptLanguage.parser.parse(text).topNode;
      return root;
    },
    get fns() {
      fns ??= functionsOf(this.root, text);
      return fns;
    },
  };
}
function lineStarts(text: string): number[] {
  const starts = [0];
  for (let i = text.indexOf('\n'); i >= 0; i = text.indexOf('\n', i + 1)) starts.push(i + 1);
  return starts;
}

const textOf = (node: Node | null, text: string): string => (node ? text.slice(node.from, node.to) : '');

/** Returns the functions with a name: declarations, methods, and assigned ones. Outer ones come first. */
function functionsOf(root: Node, text: string): Fn[] {
  const fns: Fn[] = [];
  const walk = (node: Node, owner: string) => {
    let inside = owner;
    if (node.name === 'ClassDeclaration') inside = textOf(node.getChild('VariableDefinition'), text);
    const name = nameOf(node, text);
    if (name !== '') {
      const outer = node.parent?.name === 'ExportDeclaration' ? node.parent : node;
      const method = node.name === 'MethodDeclaration' || node.name === 'PropertyDeclaration';
      fns.push({
        name,
        owner: method ? owner : '',
        from: outer.from,
        to: outer.to,
        doc: docBefore(outer.from, text),
        node,
      });
    }
    for (let c = node.firstChild; c; c = c.nextSibling) walk(c, inside);
  };
  walk(root, '');
  return fns;
}

function nameOf(node: Node, text: string): string {
  const body = (n: Node) => n.getChild('ArrowFunction') ?? n.getChild('FunctionExpression');
  switch (node.name) {
    case 'FunctionDeclaration':
      return textOf(node.getChild('VariableDefinition'), text);
    case 'MethodDeclaration':
      return textOf(node.getChild('PropertyDefinition') ?? node.getChild('PrivatePropertyDefinition'), text);
    case 'VariableDeclaration':
      return body(node) ? textOf(node.getChild('VariableDefinition'), text) : '';
    case 'Property':
    case 'PropertyDeclaration':
      return body(node) ? textOf(node.getChild('PropertyDefinition'), text) : '';
    default:
      return '';
  }
}

/** The text of the comment `/** ... *\/` that ends right before an offset; '' if there is none. */
function docBefore(offset: number, text: string): string {
  const before = text.slice(0, offset).trimEnd();
  if (!before.endsWith('*/')) return '';
  const start = before.lastIndexOf('/**');
  if (start < 0) return '';
  return before
    .slice(start + 3, -2)
    .split('\n')
    .map((line) => line.replace(/^\s*\* ?/, '').trim())
    .filter((line) => line !== '')
    .join(' ')
    .trim();
}

function callsTo(file: Parsed, callees: readonly string[]): Node[] {
  const found: Node[] = [];
  if (!callees.some((callee) => file.text.includes(`${callee}(`) || file.text.includes(`${callee}<`))) return found;
  file.root.cursor().iterate((ref) => {
    if (ref.name === 'CallExpression' && callees.includes(textOf(ref.node.firstChild, file.text))) found.push(ref.node);
  });
  return found;
}

/** Arguments of a call, without brackets and commas. */
function argsOf(call: Node): Node[] {
  const list = call.getChild('ArgList');
  const args: Node[] = [];
  for (let c = list?.firstChild ?? null; c; c = c.nextSibling)
    if (!['(', ')', ',', 'LineComment', 'BlockComment'].includes(c.name)) args.push(c);
  return args;
}
const literal = (node: Node | undefined, text: string): string | undefined =>
  node?.name === 'String' ? text.slice(node.from + 1, node.to - 1) : undefined;

/** The innermost named function around an offset. */
const around = (file: Parsed, offset: number): Fn | undefined =>
  file.fns.filter((f) => f.node.from <= offset && offset < f.node.to).at(-1);

function frameOf(file: Parsed, call: Node, all: readonly Parsed[]): FunctionSource | undefined {
  const args = argsOf(call);
  const fn = literal(args[0], file.text);
  const outer = around(file, call.from);
  if (fn === undefined || !outer) return undefined;
  const target = args[2] && targetOf(file, args[2], outer, all);
  const at = target ?? { file, fn: outer };
  const enclosing = file.fns.filter((f) => f.node.from <= call.from && call.from < f.node.to).reverse();
  const docs = [at.fn, ...enclosing].map((f) => f.doc);
  const upstream = docs.map(upstreamIn).find((d) => d.place || d.ours);
  const { words, place, ours } = upstream ?? upstreamIn(docs.find((d) => d !== '') ?? '');
  return {
    fn,
    name: at.fn.name,
    file: at.file.path,
    from: at.file.lineAt(at.fn.from),
    to: at.file.lineAt(at.fn.to - 1),
    called: outer.name,
    doc: words,
    upstream: place,
    ours,
  };
}

/**
 * Returns the function that the third argument of `frame` runs, if it only calls one; undefined if the body is there
 * itself.
 */
function targetOf(
  file: Parsed,
  body: Node,
  outer: Fn,
  all: readonly Parsed[],
): { readonly file: Parsed; readonly fn: Fn } | undefined {
  if (body.name !== 'ArrowFunction' || body.getChild('Block')) return undefined;
  let found: { file: Parsed; fn: Fn } | undefined;
  body.cursor().iterate((ref) => {
    // Only calls that are a whole function count. Of such calls within calls the innermost does the work: the others
    // wrap it.
    if (ref.name !== 'CallExpression' || ref.node.parent?.name !== 'ArrowFunction') return;
    const callee = ref.node.firstChild;
    const resolved = callee ? resolve(file, callee, outer, all) : undefined;
    if (resolved) found = resolved;
  });
  return found;
}

function resolve(file: Parsed, callee: Node, outer: Fn, all: readonly Parsed[]): { file: Parsed; fn: Fn } | undefined {
  const of = (f: Parsed, name: string, test: (fn: Fn) => boolean) => {
    const fn = f.text.includes(name) ? f.fns.find((one) => one.name === name && test(one)) : undefined;
    return fn && { file: f, fn };
  };
  if (callee.name === 'VariableName') {
    const name = textOf(callee, file.text);
    return (
      of(file, name, (f) => /^(Function|Variable)Declaration$/.test(f.node.name)) ??
      all.map((f) => of(f, name, (fn) => fn.node.name === 'FunctionDeclaration')).find((f) => f)
    );
  }
  if (callee.name !== 'MemberExpression') return undefined;
  const name = textOf(callee.getChild('PropertyName') ?? callee.getChild('PrivatePropertyName'), file.text);
  const subject = callee.firstChild;
  if (subject?.name === 'this') return of(file, name, (f) => f.owner === outer.owner);
  if (subject?.name === 'NewExpression') {
    const owner = textOf(subject.getChild('VariableName'), file.text);
    return of(file, name, (f) => f.owner === owner);
  }
  // The function is of another package: it is found if only one method has that name.
  const named = all
    .filter((f) => f.text.includes(name))
    .flatMap((f) =>
      f.fns
        .filter((fn) => fn.name === name && fn.owner !== '' && fn.node !== outer.node)
        .map((fn) => ({ file: f, fn })),
    );
  return named.length === 1 ? named[0] : undefined;
}

/** Splits a docstring into our words and the twin that it names. */
export function upstreamIn(doc: string): {
  readonly words: string;
  readonly place: UpstreamPlace | null;
  readonly ours: boolean;
} {
  const at = doc.indexOf('upstream:');
  if (at < 0) return { words: doc, place: null, ours: false };
  const words = doc.slice(0, at).trim();
  const m = /^upstream:\s+(?:(v[\d.]+)\s+)?((?:pkg|staging|cmd)\/[\w./-]+\.go)\s+((?:\(\*?\w+\)\.)?\w+)/.exec(
    doc.slice(at),
  );
  return {
    words,
    place: m?.[2] && m[3] ? { ...(m[1] && { version: m[1] }), file: m[2], symbol: m[3] } : null,
    ours: /^upstream: none\b/.test(doc.slice(at)),
  };
}

/**
 * Steps: calls of `step` with the step's name, or its number and name. Each goes up to the next one, or to the end of
 * its block.
 */
function stepsOf(file: Parsed): StepSource[] {
  const { text, lineAt } = file;
  const calls = callsTo(file, ['step', 'this.step']);
  const found: { fn: string; name: string; node: Node }[] = [];
  for (const call of calls) {
    const [first, second] = argsOf(call);
    const name = literal(first, text) ?? literal(second, text);
    const fn = name === undefined ? undefined : stepFnOf(file, call);
    if (name !== undefined && fn !== undefined) found.push({ fn, name, node: call });
  }
  return found.map(({ fn, name, node }) => {
    const block = blockOf(node);
    const next = found.find((s) => s.node.from > node.from && s.node.from < block.to);
    const within = around(file, node.from);
    const end = next ? lineAt(next.node.from) - 1 : lineAt(block.to - 1) - (block.name === 'Block' ? 1 : 0);
    const from = lineAt(node.from);
    return {
      fn,
      name,
      file: file.path,
      from,
      to: Math.max(from, lastWithText(file, from, end)),
      within: within
        ? { name: within.name, from: lineAt(within.from), to: lineAt(within.to - 1) }
        : { name: '', from, to: end },
    };
  });
}

/** The block that a statement is in. */
function blockOf(node: Node): Node {
  let at: Node = node;
  while (at.parent && at.name !== 'Block') at = at.parent;
  return at;
}

function lastWithText(file: Parsed, from: number, to: number): number {
  const lines = file.text.split('\n');
  let last = to;
  while (last > from && /^\s*(\/\/.*)?$/.test(lines[last - 1] ?? '')) last--;
  return last;
}

/**
 * Returns the function of a step: `stepper(_, 'SyncPod', _)` or a record `{ kind: 'step', fn: 'startContainer', ... }`,
 * in the same function or class.
 */
function stepFnOf(file: Parsed, call: Node): string | undefined {
  for (let at: Node | null = call.parent; at; at = at.parent) {
    if (!['FunctionDeclaration', 'MethodDeclaration', 'ClassDeclaration'].includes(at.name)) continue;
    const source = textOf(at, file.text);
    const m = /\bstepper\([\w.]+, '([\w.]+)'/.exec(source) ?? /kind: 'step',\s*fn: '([\w.]+)'/.exec(source);
    if (m) return m[1];
  }
  return undefined;
}
