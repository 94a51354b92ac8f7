#!/usr/bin/env node
/**
 * The source lines of upstream's log messages: `node scripts/klog-lines.mjs KUBERNETES_DIR` reads the Go sources of a
 * checkout of kubernetes and writes packages/core/src/trace/gen/klog-lines.ts, with those messages that our kubelet
 * has. A message at several places of one file is distinguished by the names of its fields, if they differ.
 */
import fs from 'node:fs';
import path from 'node:path';
import { top } from './lib.mjs';

const KUBELET = path.join(top, 'packages/core/src/kubelet');
const OUT = path.join(top, 'packages/core/src/trace/gen/klog-lines.ts');
const FOLDERS = [
  'pkg/kubelet',
  'pkg/volume',
  'pkg/probe',
  'cmd/kubelet',
  'staging/src/k8s.io/client-go/tools',
  'staging/src/k8s.io/cri-client',
];

const [checkout] = process.argv.slice(2);
if (!checkout || !fs.existsSync(path.join(checkout, 'pkg/kubelet/kubelet.go'))) {
  console.error(
    'node scripts/klog-lines.mjs KUBERNETES_DIR: want a checkout of kubernetes, with pkg/kubelet/kubelet.go',
  );
  process.exit(2);
}

function* files(dir, ending) {
  if (!fs.existsSync(dir)) return;
  for (const e of fs.readdirSync(dir, { withFileTypes: true })) {
    const at = path.join(dir, e.name);
    if (e.isDirectory()) yield* files(at, ending);
    else if (ending.test(e.name) && !/_test\.go$|\.test\.ts$/.test(e.name)) yield at;
  }
}

/** Our messages: text literals that a Logger is given. */
const ours = new Set();
for (const file of files(KUBELET, /\.ts$/)) {
  const text = fs.readFileSync(file, 'utf8');
  for (const m of text.matchAll(/\.(?:info|error)\(\s*[^'"`]*?(['"])((?:\\.|(?!\1).)*)\1/gs))
    ours.add(m[2].replaceAll("\\'", "'"));
}

/** The line that klog names: that at which the call begins, or of the end of the function that defers it. */
function lineOfCall(text, index) {
  const line = text.slice(0, index).split('\n').length;
  const lines = text.split('\n');
  const deferred = /^(\t*)\tdefer\s/.exec(lines[line - 1]);
  if (!deferred) return line;
  const end = lines.findIndex((l, i) => i >= line && l.startsWith(`${deferred[1]}}`));
  return end < 0 ? line : end + 1;
}

/** `file message` -> places, each with the names of its fields. */
const found = new Map();
for (const folder of FOLDERS)
  for (const file of files(path.join(checkout, folder), /\.go$/)) {
    const text = fs.readFileSync(file, 'utf8');
    for (const m of text.matchAll(
      /\.(?:InfoS?|ErrorS?|HandleErrorWithContext)\(\s*(?:[^\n"]*?,\s*)?"((?:\\.|[^"\\])*)"([^\n]*)/g,
    )) {
      const msg = m[1].replaceAll('\\"', '"');
      if (!ours.has(msg)) continue;
      const line = lineOfCall(text, m.index);
      const fields = [...m[2].matchAll(/,\s*"(\w+)",/g)].map((f) => f[1]);
      const key = `${path.basename(file)} ${msg}`;
      const places = found.get(key) ?? [];
      places.push([line, fields]);
      found.set(key, places);
    }
  }

const rows = [...found]
  .sort(([a], [b]) => (a < b ? -1 : 1))
  .map(([key, places]) => {
    const space = key.indexOf(' ');
    return { file: key.slice(0, space), msg: key.slice(space + 1), places };
  });
const byFile = new Map();
for (const row of rows) byFile.set(row.file, [...(byFile.get(row.file) ?? []), row]);
const quote = (text) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
const body = [...byFile].map(([file, list]) => {
  const lines = list.map(({ msg, places }) => {
    const value =
      places.length === 1
        ? places[0][0]
        : `[${places.map(([line, fields]) => `[${line}, ${quote(fields.join(' '))}]`).join(', ')}]`;
    return `    ${quote(msg)}: ${value},`;
  });
  return `  ${quote(file)}: {\n${lines.join('\n')}\n  },`;
});
fs.writeFileSync(
  OUT,
  `// Written by scripts/klog-lines.mjs from the sources of Kubernetes v1.36.2.

/** A line of upstream's file, or several with the names of the fields that are logged there. */
type Place = number | readonly (readonly [line: number, fields: string])[];

/** The source lines of upstream's log messages, by base name of the file and message. */
export const klogLines: { readonly [file: string]: { readonly [msg: string]: Place } } = {
${body.join('\n')}
};
`,
);
console.log(
  `${rows.length} of ${ours.size} messages, ${rows.filter((r) => r.places.length > 1).length} at several places`,
);
