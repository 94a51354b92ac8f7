/**
 * Prints what went wrong in a kubelet's log: `node packages/observe/examples/read-log.mjs kubelet.log`, after a build.
 */
import { readFileSync, statSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { Findings, openObservation, recognise } from '@syncloop/observe';

export function readLog(file) {
  const raw = readFileSync(file);
  const bytes = recognise(file, raw).is === 'gzip' ? gunzipSync(raw) : raw;
  const found = recognise(file, bytes);
  if (found.is !== 'source') throw new Error(found.why ?? `${file} is no log, but ${found.is}`);
  const context = { notAfter: statSync(file).mtimeMs, startedMillis: null };
  const observation = openObservation([{ id: 'log', name: file, kind: found.kind, format: found.format, context }]);
  const records = [...observation.push('log', bytes), ...observation.end('log')];
  const findings = new Findings();
  for (const record of records) findings.take(record);
  return { version: observation.facts.version, records, findings: findings.list().findings };
}

if (process.argv[1] === import.meta.filename) {
  const { version, records, findings } = readLog(process.argv[2]);
  console.log(`kubelet ${version || 'of unknown version'}: ${records.length} records`);
  for (const { count, pod, text } of findings) console.log(`${count} x ${pod} ${text.en}`);
}
